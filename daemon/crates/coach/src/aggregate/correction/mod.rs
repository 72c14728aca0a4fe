//! Corrections: what the user does not want, what the user wants instead, and when.

mod clause;
mod one_time;
mod refusal;
mod said;
mod sentence;

pub(super) use one_time::is_standing;
pub(super) use said::Said;

use super::wording::Wording;
use crate::event::Event;
use crate::fingerprint::CandidateType;
use crate::similarity::Keywords;

/// Returns what a correction says, and what it is compared and quoted by. None when it is about this moment only.
pub(super) fn said(event: &Event) -> Option<(String, Said)> {
    // Each item of a list says something of its own.
    let items = ["\n- ", "\n* ", "\n> "];
    let text = items.iter().fold(event.message().to_owned(), |text, mark| {
        text.replace(mark, ". ")
    });
    let text = refusal::joined(&text).into_owned();
    let mut said = Said::new(&text);
    if said.is_pause() {
        said = Said::pause(said);
    } else if said.is_one_time(&text) {
        return None;
    }
    Some((said.standing.clone().unwrap_or(text), said))
}

/// Returns what a correction is compared by: all of it and what it forbids. Some users add what they want instead, and some
/// do not.
pub(super) fn compared(sample: &str, said: &Said) -> Vec<Keywords> {
    let whole = Keywords::new(sample);
    let core = said.core().map(|core| match Keywords::new(&core) {
        // "Tell me what to do" is all small words: such a phrase counts as one.
        words if words.len() < 2 && core.split(' ').count() > 3 => {
            Keywords::new(&core.replace(' ', "_"))
        }
        words if words.len() < 2 => Keywords::default(),
        words => words,
    });
    let core = core.filter(|core| !core.is_empty() && *core != whole);
    std::iter::once(whole).chain(core).collect()
}

/// Returns the wording of alike corrections, each with its sample: from the one that says most, of equal ones the first.
pub(super) fn wording(corrections: &[(&Said, &str)]) -> Option<Wording> {
    let all = || corrections.iter().map(|(said, _)| *said);
    if let Some(standing) = all().find_map(|said| said.standing.as_deref()) {
        return Wording::new(CandidateType::Rule, standing, ALWAYS, standing);
    }
    let mut by_weight: Vec<&Said> = all().collect();
    by_weight.sort_by_key(|said| std::cmp::Reverse(said.weight())); // stable: of equal ones the first
    let worded = by_weight.into_iter().find_map(|said| {
        let mut said = said.clone();
        if said.want.is_none() {
            // What only says the same again adds nothing.
            let avoid = Keywords::new(said.avoid.as_deref().unwrap_or_default());
            let mut wants = all().filter_map(|other| other.want.as_deref());
            let want = wants.find(|want| !Keywords::new(want).is_like(&avoid));
            said.want = want.map(str::to_owned);
        }
        said.wording()
    });
    let quoted = || {
        let mut samples = corrections.iter();
        let sentence = samples.find_map(|(_, sample)| sentence::sentence(sample))?;
        Wording::new(CandidateType::Rule, &sentence, ALWAYS, &sentence)
    };
    worded.or_else(quoted)
}

/// The trigger of a rule that says itself when it holds.
const ALWAYS: &str = "when working in this project";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_of_a_list_is_a_sentence() {
        let content =
            "use shorter names\n- when you read the metrics, never parse the page\n- sort the rows";
        let event = serde_json::json!({"id": "e", "timestamp": "2026-01-01T00:00:00Z", "signal_type": "USER_CORRECTION",
            "repo_id": "r", "content": content, "context": {}});
        let (sample, said) = said(&serde_json::from_value(event).unwrap()).unwrap();
        let title = wording(&[(&said, &sample)]).unwrap().title;
        assert_eq!(title, "When you read the metrics, never parse the page");
    }
}
