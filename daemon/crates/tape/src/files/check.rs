//! `tape.validate`.

use super::error::FilesError;
use super::folder::{TapeFile, TapeFolder, problem};
use super::list::begin;
use crate::format::{file, validate};
use crate::index::Duplicate;
use crate::key::ContextRules;
use ccd_protocol::tape::{TapeProblem, TapeValidateReply};

const MAX_PROBLEMS: usize = 1_000;

/// The message for a tape to which no other tape leads.
const NO_LEAD: &str = "it starts in the middle of a recording, and no tape leads up to it: with `strict` it never plays; \
    restore the tape that comes before it, or record it again";

/// Reads a tape, or all tapes of the directory, and returns their problems. Two exchanges with the same key, and tapes
/// to which no other tape leads, are reported after all have been read.
pub fn check(
    folder: &TapeFolder,
    given: Option<&str>,
    strict: bool,
    rules: &ContextRules,
) -> Result<TapeValidateReply, FilesError> {
    let folder = &folder.now();
    let tapes = folder.one_or_all(given)?;
    let mut report = CheckReport::default();
    for which in &tapes {
        report.add(problems_of(which, strict));
    }
    if given.is_none() {
        report.add(folder.nameless().cloned());
        let (found, more) = folder.index.duplicates(rules, MAX_PROBLEMS);
        let found = found.iter();
        report.add(found.map(|duplicate| duplicate_problem(folder, duplicate, strict)));
        report.found += more;
        report.add(left_alone(folder, rules));
    }
    Ok(report.reply(folder, tapes.len() as u64))
}

/// The problems that were found, as many as a reply has room for.
#[derive(Default)]
struct CheckReport {
    errors: Vec<TapeProblem>,
    warnings: Vec<TapeProblem>,
    found: u64,
}

impl CheckReport {
    fn add(&mut self, problems: impl IntoIterator<Item = TapeProblem>) {
        for problem in problems {
            self.found += 1;
            let kept = if problem.is_warning {
                &mut self.warnings
            } else {
                &mut self.errors
            };
            if kept.len() < MAX_PROBLEMS {
                kept.push(problem);
            }
        }
    }

    /// Errors come first, so that warnings cannot displace them.
    fn reply(self, folder: &TapeFolder, checked: u64) -> TapeValidateReply {
        let valid = self.errors.is_empty();
        let mut problems = self.errors;
        problems.extend(self.warnings);
        problems.truncate(MAX_PROBLEMS);
        TapeValidateReply {
            root: folder.path().display().to_string(),
            checked,
            valid,
            left_out: self.found - problems.len() as u64,
            problems,
        }
    }
}

fn problems_of(which: &TapeFile, strict: bool) -> Vec<TapeProblem> {
    let text = match file::load(&which.path) {
        Ok(text) => text,
        Err(error) => return vec![problem(&which.path, &error)],
    };
    let found = validate(&text, strict).into_iter();
    found
        .map(|found| TapeProblem {
            line: Some(found.line),
            column: Some(found.column),
            is_warning: found.is_warning,
            ..problem(&which.path, &found.message)
        })
        .collect()
}

fn duplicate_problem(folder: &TapeFolder, duplicate: &Duplicate, strict: bool) -> TapeProblem {
    let Duplicate { first, second } = duplicate;
    let message = format!(
        "exchange {} is never played: exchange {} of {} has the same key and is older; remove one of them",
        second.exchange, first.exchange, first.tape
    );
    TapeProblem {
        line: Some(u64::from(second.line)),
        is_warning: !strict,
        ..problem(&folder.index.path(&second.tape), &message)
    }
}

/// Returns tapes that start in the middle of a conversation whose start is on no tape.
fn left_alone(folder: &TapeFolder, rules: &ContextRules) -> impl Iterator<Item = TapeProblem> {
    let tapes = folder.index.tapes_by_id().into_iter();
    let alone = tapes.filter(|tape| {
        let begin = begin(folder, tape.begin(), &tape.invocation, rules);
        begin.begins_in_middle && begin.begins_behind.is_none()
    });
    alone.map(|tape| TapeProblem {
        line: Some(tape.first_line()),
        is_warning: true,
        ..problem(&folder.index.path(&tape.id), &NO_LEAD)
    })
}
