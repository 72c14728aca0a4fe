//! What one correction says, in the user's own words.

use super::ALWAYS;
use super::clause::{
    avoided, clauses, contrast, first_word, is_case, is_gerund, reproached, starts_with, wanted,
    without_end, without_fillers,
};
use super::one_time::{is_all_work, is_at_hand, is_lasting, is_one_act, is_only_now};
use super::sentence::{END, rule, sentence, sentences, standing};
use crate::aggregate::wording::{Wording, one_line};
use crate::fingerprint::CandidateType;
use crate::similarity::Keywords;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::aggregate) struct Said {
    /// What is not to be done: "edit the generated files", or "adding comments".
    pub(super) avoid: Option<String>,
    /// What is to be done: "change the source".
    pub(super) want: Option<String>,
    /// What is not to be used: "npm" in "use pnpm instead of npm".
    instead_of: Option<String>,
    /// The whole sentence, if it starts with the case in which it holds: "when you touch the schema, never …".
    in_case: Option<String>,
    /// The sentence of which the user says that it holds from now on.
    pub(in crate::aggregate) standing: Option<String>,
    is_pause: bool,
    /// Whether the order says "instead".
    is_instead: bool,
}

/// How a clause of a question starts that asks the assistant to do something.
const ASKED: &str = "can you|could you|would you|will you|please|why";

impl Said {
    pub(in crate::aggregate) fn new(text: &str) -> Self {
        let mut line = one_line(&text.replace('\u{2019}', "'"), 300);
        if !line.contains(char::is_lowercase) {
            line = line.to_lowercase();
        }
        let all = sentences(&line).map(Self::from_sentence);
        let mut said = all.fold(Self::default(), Self::with_next);
        said.standing = standing(text);
        said
    }

    fn from_sentence(sentence: &str) -> Self {
        let mut said = Self::default();
        let mut is_asked = !sentence.ends_with('?');
        for clause in clauses(sentence) {
            is_asked |= ASKED.split('|').any(|words| starts_with(clause, words));
            said.read(clause);
        }
        // "… and change home()?" wonders about it.
        said.want = said.want.filter(|_| is_asked);
        let matter = sentence.rsplit(": ").next().unwrap_or(sentence);
        let matter = matter.trim_start_matches(['-', '>', '*', ' ']);
        let matter = without_fillers(matter.trim_end_matches(END));
        said.in_case = Some(matter).filter(|matter| is_case(matter)).and_then(rule);
        said
    }

    /// Returns what two sentences say: what is to be done belongs to what is not only in one sentence, or with "instead".
    fn with_next(self, next: Self) -> Self {
        let is_first = self.avoid.is_none() && self.want.is_none();
        let is_instead = next.is_instead && self.want.is_none() && next.avoid.is_none();
        if is_first || (self.avoid.is_none() && next.avoid.is_some()) {
            next
        } else if is_instead {
            Self {
                avoid: self.avoid,
                ..next
            }
        } else {
            self
        }
    }

    fn read(&mut self, clause: &str) {
        // "use pnpm, not npm"
        if let Some(other) = clause
            .strip_prefix("not ")
            .filter(|other| !Keywords::new(other).is_empty())
            && self.want.is_some()
        {
            let other = other.strip_prefix("to ").unwrap_or(other);
            self.instead_of
                .get_or_insert_with(|| without_end(other).to_owned());
            return;
        }
        let reproached = reproached(clause);
        let clause = reproached
            .as_deref()
            .unwrap_or_else(|| without_fillers(clause));
        if let Some(avoid) = avoided(clause) {
            if !Keywords::new(avoid).is_empty() && self.avoid.is_none() {
                self.avoid = Some(avoid.to_owned());
            }
            return;
        }
        let Some(want) = wanted(clause) else { return };
        self.is_instead |= clause.ends_with(" instead");
        let (want, instead_of) = contrast(want);
        if Keywords::new(want).is_empty() {
            return;
        }
        if self.want.is_none() {
            self.want = Some(want.to_owned());
        }
        if self.instead_of.is_none() {
            self.instead_of = instead_of.map(str::to_owned);
        }
    }

    /// Returns what the user means who often holds the assistant back.
    pub(super) fn pause(said: Self) -> Self {
        let sentence = "When asked a question, answer it and wait for approval before writing code";
        Self {
            standing: Some(sentence.to_owned()),
            is_pause: true,
            ..said
        }
    }

    pub(in crate::aggregate) fn forbids(&self) -> bool {
        self.avoid.is_some()
    }

    /// Returns how often and in how many sessions it has to be said.
    pub(in crate::aggregate) fn needed(&self, min_evidence: usize) -> (usize, usize) {
        match &self.standing {
            Some(_) if self.is_pause => (min_evidence.max(3), 2),
            Some(_) => (1, 1),
            // One session that goes badly is one opinion.
            None => (min_evidence.max(2), 2),
        }
    }

    /// Returns whether it only holds the assistant back from its work: "don't write any code". The user wants to talk first.
    pub(super) fn is_pause(&self) -> bool {
        self.avoid.as_deref().is_some_and(is_all_work)
    }

    /// Returns whether it is about this moment, this task or one thing at hand. `text` is the message.
    pub(super) fn is_one_time(&self, text: &str) -> bool {
        if is_only_now(text) || self.standing.is_some() || is_lasting(text) {
            return is_only_now(text);
        }
        let parts = [&self.avoid, &self.want].into_iter().flatten();
        let mut matter = parts.map(String::as_str).collect::<Vec<_>>().join(", ");
        if matter.is_empty() {
            matter = sentence(text).unwrap_or_default();
        }
        let is_choice = self.avoid.is_some() || self.instead_of.is_some();
        !is_choice && is_one_act(&matter, text) || is_at_hand(&matter)
    }

    /// Returns a message from the sentence on that says it.
    pub(in crate::aggregate) fn in_text<'t>(&self, text: &'t str) -> &'t str {
        let parts = [&self.avoid, &self.want, &self.standing]
            .into_iter()
            .flatten();
        let at = parts.filter_map(|part| text.find(part.as_str())).next();
        let start = at.and_then(|at| text[..at].rfind(['.', '!', '?', '\n', '。']));
        start.map_or(text, |start| {
            text[start..].trim_start_matches(['.', '!', '?', '\n', '。', ' '])
        })
    }

    /// Returns how much it says: what not to do is worth more, because it says when the rule holds.
    pub(super) fn weight(&self) -> usize {
        2 * usize::from(self.avoid.is_some() || self.instead_of.is_some())
            + usize::from(self.want.is_some())
    }

    /// Returns what it forbids or orders, or both sides of what is to be used.
    pub(in crate::aggregate) fn core(&self) -> Option<String> {
        match (&self.avoid, &self.want, &self.instead_of) {
            (Some(avoid), _, _) => Some(avoid.clone()),
            (None, Some(want), Some(other)) => Some(format!("{want} {other}")),
            (None, want, _) => want.clone(),
        }
    }

    pub(super) fn wording(&self) -> Option<Wording> {
        if let (Some(sentence), true) = (&self.in_case, self.weight() > 0) {
            return Wording::new(CandidateType::Rule, sentence, ALWAYS, sentence);
        }
        let trigger = match (&self.avoid, &self.instead_of, &self.want) {
            (Some(avoid), _, _) if is_gerund(avoid) => format!("when {avoid}"),
            (Some(avoid), _, _) => format!("when about to {avoid}"),
            (None, Some(other), Some(want)) => {
                format!("when about to {} {other}", first_word(want))
            }
            (None, _, Some(want)) => circumstance(want)?,
            (None, _, None) => return None,
        };
        let action = match (&self.avoid, &self.want, &self.instead_of) {
            (_, Some(want), Some(other)) => format!("{want} instead of {other}"),
            (Some(_), Some(want), None) if !want.contains("instead") => format!("{want} instead"),
            (_, Some(want), None) => want.clone(),
            (Some(avoid), None, _) if is_gerund(avoid) => format!("avoid {avoid}"),
            (Some(avoid), None, _) => format!("do not {avoid}"),
            (None, None, _) => return None,
        };
        // "Return it instead" alone says too little in a list.
        let title = match (&self.avoid, &self.want) {
            (Some(avoid), Some(want)) if is_gerund(avoid) => format!("avoid {avoid}: {want}"),
            (Some(avoid), Some(want)) => format!("do not {avoid}: {want}"),
            _ => action.clone(),
        };
        Wording::new(CandidateType::Rule, &title, &trigger, &action)
    }
}

/// Returns when an order is to be followed: what it says after "when", or what it is about.
fn circumstance(want: &str) -> Option<String> {
    for (words, trigger) in [
        (" when ", "when "),
        (" whenever ", "when "),
        (" before ", "when it is time to act, before "),
        (" after ", "when it is time to act, after "),
        (" in ", "when working in "),
        (" for ", "when working on something for "),
    ] {
        if let Some((_, rest)) = want
            .split_once(words)
            .filter(|(_, rest)| !Keywords::new(rest).is_empty())
        {
            return Some(format!("{trigger}{rest}"));
        }
    }
    let (_, object) = want.split_once(' ')?;
    let words: Vec<_> = object.split(' ').take(7).collect();
    Some(format!("when working with {}", words.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worded(text: &str) -> Option<(String, String)> {
        Said::new(text)
            .wording()
            .map(|wording| (wording.trigger, wording.action))
    }

    #[test]
    fn a_correction_is_worded_from_the_words_of_the_user() {
        for (text, trigger, action) in [
            (
                "stop, don't edit the generated files, change the source instead",
                "when about to edit the generated files",
                "change the source instead",
            ),
            (
                "please stop using console.log, use our logger",
                "when using console.log",
                "use our logger instead",
            ),
            (
                "don\u{2019}t push to main",
                "when about to push to main",
                "do not push to main",
            ),
            (
                "Stop adding comments to every line!",
                "when adding comments to every line",
                "avoid adding comments to every line",
            ),
            (
                "no, use pnpm run instead of npm run",
                "when about to use npm run",
                "use pnpm run instead of npm run",
            ),
            (
                "use pnpm, not npm",
                "when about to use npm",
                "use pnpm instead of npm",
            ),
            (
                "no, use tabs in the Makefile",
                "when working in the Makefile",
                "use tabs in the Makefile",
            ),
            (
                "why did you rename the module? not what i asked",
                "when about to rename the module",
                "do not rename the module",
            ),
            (
                "STOP DELETING MY FILES",
                "when deleting my files",
                "avoid deleting my files",
            ),
            (
                "you didn't update the docs in src/api.rs",
                "when working in src/api.rs",
                "update the docs in src/api.rs",
            ),
            (
                "no, i said never force push - rebase first",
                "when about to force push",
                "rebase first instead",
            ),
            (
                "I said use the existing client instead",
                "when working with the existing client",
                "use the existing client",
            ),
        ] {
            let (made_trigger, made_action) = worded(text).unwrap_or_default();
            assert_eq!(
                (made_trigger.as_str(), made_action.as_str()),
                (trigger, action),
                "{text}"
            );
        }
    }

    #[test]
    fn what_says_nothing_has_no_wording() {
        for text in [
            "no",
            "that's wrong, revert it",
            "don't do that",
            "not what i asked",
            "why did you",
            "",
        ] {
            assert_eq!(worded(text), None, "{text}");
        }
    }
}
