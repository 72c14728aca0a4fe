//! What a candidate about a failing command says.

use super::class::Class;
use super::{Advice, Failure};
use crate::aggregate::finding::{Detail, Finding};
use crate::aggregate::known::Lesson;
use crate::aggregate::wording::{Wording, code};
use crate::fingerprint::CandidateType;

/// Returns the wording for failures of one base and class.
pub(in crate::aggregate) fn wording(
    findings: &[&Finding],
    advice: Option<&Advice>,
) -> Option<Wording> {
    let failures: Vec<&Failure> = findings
        .iter()
        .filter_map(|finding| match &finding.detail {
            Detail::Failure(failure) => Some(failure),
            _ => None,
        })
        .collect();
    wording_of(&failures, advice)
}

/// Returns the same for failures without their events.
pub(in crate::aggregate) fn wording_of(
    failures: &[&Failure],
    advice: Option<&Advice>,
) -> Option<Wording> {
    let first = failures.first()?;
    if let Class::Known { remedy, missing } = &first.class {
        let name = code(missing.as_deref().unwrap_or(&first.base));
        let fill = |text: &str| text.replace("{}", &name);
        return Wording::new(
            CandidateType::Rule,
            &fill(remedy.title),
            &fill(remedy.trigger),
            &fill(remedy.action),
        );
    }
    let advice = advice.filter(|advice| first.is_reworded_by(advice));
    let base = code(&first.base);
    // A line of the output is only known while the events are: what a later success shows is worded without it.
    let is_of_output = matches!(first.class, Class::Other { .. });
    let trigger = match phrase(failures).filter(|_| advice.is_none() || !is_of_output) {
        Some(phrase) => format!("when {base} fails with {phrase}"),
        None => format!("when {base} fails"),
    };
    let (title, action) = match advice {
        Some(advice) => advised(advice, &base, &first.class),
        None => (
            format!("Fix the cause before running {base} again"),
            general_action(&first.class, &base),
        ),
    };
    Wording::new(CandidateType::Rule, &title, &trigger, &action)
}

/// Returns what all the failures have in common.
fn phrase(failures: &[&Failure]) -> Option<String> {
    match &failures.first()?.class {
        Class::Kind(kind) => Some(kind.phrase.to_owned()),
        Class::Code(code) => Some(format!("the error {code}")),
        Class::Other { line: Some(line) } => {
            let is_common = failures
                .iter()
                .all(|failure| matches!(&failure.class, Class::Other { line: Some(other) } if other == line));
            is_common.then(|| format!("\"{line}\""))
        }
        Class::Other { line: None } | Class::Known { .. } => None,
    }
}

fn general_action(class: &Class, base: &str) -> String {
    match class {
        Class::Kind(kind) => kind.action.to_owned(),
        _ => format!("read the first error and fix its cause; do not run {base} again unchanged"),
    }
}

fn advised(advice: &Advice, base: &str, class: &Class) -> (String, String) {
    let what = code(&advice.what);
    match advice.lesson {
        Lesson::Flags => (
            format!("Run {base} with {what}"),
            format!("run {base} with {what}"),
        ),
        Lesson::Subcommand | Lesson::Command => (
            format!("Run {what} instead of {base}"),
            format!("run {what} instead"),
        ),
        Lesson::Retry if class.is_transient() => (
            format!("Run {base} once more before looking for another cause"),
            "run it once more, unchanged, before looking for another cause".to_owned(),
        ),
        Lesson::Retry | Lesson::None | Lesson::Table => (
            format!("Fix the cause before running {base} again"),
            general_action(class, base),
        ),
    }
}
