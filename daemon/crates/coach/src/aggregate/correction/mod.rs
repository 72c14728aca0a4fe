//! Corrections: what the user does not want, what the user wants instead, and when.
//!
//! - `clause`: the parts of a sentence, and what each forbids or orders
//! - `said`: a whole correction, and its wording

mod clause;
mod said;

pub(super) use said::Said;

use super::finding::{Detail, Finding, content};
use super::known::GroupKind;
use super::wording::Wording;
use crate::event::Event;

/// Returns what a correction says. None when it has too few words to be about anything: "no", "that's wrong".
pub(super) fn finding(event: &Event) -> Option<Finding> {
    let text = content(event);
    let said = Said::of(text);
    let finding = Finding::new(
        GroupKind::Correction,
        String::new(),
        text,
        text,
        Detail::Said(said),
    );
    let keywords = finding.keywords.as_ref()?.len();
    (MIN_KEYWORDS..=MAX_KEYWORDS)
        .contains(&keywords)
        .then_some(finding)
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
    let mut best: Option<(usize, &Said)> = None;
    for said in &all {
        let weight = 2 * usize::from(said.avoid.is_some() || said.instead_of.is_some())
            + usize::from(said.want.is_some());
        if best.is_none_or(|(most, _)| weight > most) {
            best = Some((weight, said));
        }
    }
    let mut said = best?.1.clone();
    if said.want.is_none() {
        said.want = all.iter().find_map(|other| other.want.clone());
    }
    said.wording()
}

/// Fewer words are about nothing; more are a task or a document, not a correction.
const MIN_KEYWORDS: usize = 2;
const MAX_KEYWORDS: usize = 60;
