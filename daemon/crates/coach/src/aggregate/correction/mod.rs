//! Corrections: what the user does not want, what the user wants instead, and when.

mod clause;
mod said;
mod sentence;

pub(super) use said::Said;

use super::finding::{Detail, Finding, content};
use super::known::GroupKind;
use super::wording::Wording;
use crate::event::Event;
use crate::fingerprint::CandidateType;
use crate::similarity::Keywords;

/// Returns what a correction says. None when it has too few words to be about anything ("no", "that's wrong"), or is about
/// this moment only.
pub(super) fn finding(event: &Event) -> Option<Finding> {
    // Each item of a list says something of its own.
    let items = ["\n- ", "\n* ", "\n> "];
    let text = items.iter().fold(content(event).to_owned(), |text, mark| {
        text.replace(mark, ". ")
    });
    let text = text.as_str();
    let mut said = Said::of(text);
    if said.is_pause() {
        said = Said::pause(said);
    } else if sentence::is_only_now(text) || said.is_one_act() {
        return None;
    }
    let sample = said.standing.clone();
    let finding = Finding::new(
        GroupKind::Correction,
        String::new(),
        sample.as_deref().unwrap_or(text),
        Detail::Said(said),
    );
    let is_short = finding
        .texts
        .first()
        .is_some_and(|whole| whole.len() <= MAX_KEYWORDS);
    (is_short && finding.has_matter()).then_some(finding)
}

/// Returns the wording of alike corrections: from the one that says most, of equal ones the first.
pub(super) fn wording(findings: &[&Finding]) -> Option<Wording> {
    let all: Vec<&Said> = findings
        .iter()
        .filter_map(|finding| match &finding.detail {
            Detail::Said(said) => Some(said),
            _ => None,
        })
        .collect();
    if let Some(standing) = all.iter().find_map(|said| said.standing.as_deref()) {
        return Wording::new(CandidateType::Rule, standing, ALWAYS, standing);
    }
    let mut by_weight = all.clone();
    by_weight.sort_by_key(|said| std::cmp::Reverse(said.weight())); // stable: of equal ones the first
    let worded = by_weight.into_iter().find_map(|said| {
        let mut said = said.clone();
        if said.want.is_none() {
            // What only says the same again adds nothing.
            let avoid = Keywords::of(said.avoid.as_deref().unwrap_or_default());
            let mut wants = all.iter().filter_map(|other| other.want.as_deref());
            said.want = wants
                .find(|want| !Keywords::of(want).is_like(&avoid))
                .map(str::to_owned);
        }
        said.wording()
    });
    let quoted = || {
        let mut samples = findings.iter().map(|finding| &finding.sample);
        let sentence = samples.find_map(|sample| sentence::sentence(sample))?;
        Wording::new(CandidateType::Rule, &sentence, ALWAYS, &sentence)
    };
    worded.or_else(quoted)
}

/// The trigger of a rule that says itself when it holds.
const ALWAYS: &str = "when working in this project";

/// More words are a task or a document, not a correction.
const MAX_KEYWORDS: usize = 60;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_of_a_list_is_a_sentence() {
        let content =
            "use shorter names\n- when you read the metrics, never parse the page\n- sort the rows";
        let event = serde_json::json!({"id": "e", "timestamp": "2026-01-01T00:00:00Z", "signal_type": "USER_CORRECTION",
            "repo_id": "r", "content": content, "context": {}});
        let finding = finding(&serde_json::from_value(event).unwrap()).unwrap();
        let title = wording(&[&finding]).unwrap().title;
        assert_eq!(title, "When you read the metrics, never parse the page");
    }
}
