//! `tape.validate`.

use super::error::FilesError;
use super::list::begin;
use super::which::{Folder, Which};
use crate::format::{file, validate};
use crate::index::{Duplicate, IndexedTape};
use crate::key::Rules;
use ccd_protocol::tape::{TapeProblem, TapeValidateReply};
use std::sync::Arc;

/// Problems of one reply.
const MAX_PROBLEMS: usize = 1_000;

/// Of a tape that begins where none leads.
const NO_LEAD: &str = "it starts in the middle of a recording, and no tape leads up to it: with `strict` it never plays; \
    restore the tape that comes before it, or record it again";

/// Reads a tape, or all of the folder, and returns what is wrong with them. Two exchanges with the same key, and tapes to
/// which no other leads, are told of when all are read.
///
/// # Errors
///
/// The tape is not found.
pub fn check(
    folder: &Folder,
    given: Option<&str>,
    strict: bool,
    rules: &Rules,
) -> Result<TapeValidateReply, FilesError> {
    let folder = &folder.now();
    let tapes = folder.one_or_all(given)?;
    let mut told = Told::default();
    for which in &tapes {
        told.add(problems_of(which, strict));
    }
    if given.is_none() {
        told.add(folder.nameless().cloned());
        let (found, more) = folder.index.duplicates(rules, MAX_PROBLEMS);
        told.add(
            found
                .iter()
                .map(|duplicate| of_duplicate(folder, duplicate)),
        );
        told.found += more;
        told.add(left_alone(folder, rules));
    }
    Ok(told.reply(folder, tapes.len() as u64))
}

/// What was found, and of it so much as a reply has room for.
#[derive(Default)]
struct Told {
    errors: Vec<TapeProblem>,
    warnings: Vec<TapeProblem>,
    found: u64,
}

impl Told {
    fn add(&mut self, problems: impl IntoIterator<Item = TapeProblem>) {
        for problem in problems {
            self.found += 1;
            let kept = match problem.is_warning {
                true => &mut self.warnings,
                false => &mut self.errors,
            };
            if kept.len() < MAX_PROBLEMS {
                kept.push(problem);
            }
        }
    }

    /// The errors come first: no number of warnings may hide one.
    fn reply(self, folder: &Folder, checked: u64) -> TapeValidateReply {
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

fn problems_of(which: &Which, strict: bool) -> Vec<TapeProblem> {
    let path = which.path.display().to_string();
    let text = match file::load(&which.path) {
        Ok(text) => text,
        Err(error) => {
            return vec![TapeProblem {
                path,
                message: error.to_string(),
                ..TapeProblem::default()
            }];
        }
    };
    let found = validate(&text, strict).into_iter();
    found
        .map(|problem| TapeProblem {
            path: path.clone(),
            line: Some(problem.line),
            column: Some(problem.column),
            message: problem.message,
            is_warning: problem.is_warning,
        })
        .collect()
}

fn of_duplicate(folder: &Folder, duplicate: &Duplicate) -> TapeProblem {
    let Duplicate { first, second } = duplicate;
    TapeProblem {
        path: folder.index.path(&second.tape).display().to_string(),
        line: Some(u64::from(second.line)),
        column: None,
        message: format!(
            "exchange {} is never played: exchange {} of {} has the same key and is older; remove one of them",
            second.exchange, first.exchange, first.tape
        ),
        is_warning: true,
    }
}

/// Tapes that begin in the middle of a conversation whose begin no tape has.
fn left_alone(folder: &Folder, rules: &Rules) -> impl Iterator<Item = TapeProblem> {
    let mut tapes: Vec<&Arc<IndexedTape>> = folder.index.tapes().collect();
    tapes.sort_unstable_by(|a, b| a.id.cmp(&b.id));
    let alone = tapes.into_iter().filter(|tape| {
        let begin = begin(folder, tape.begin(), &tape.invocation, rules);
        begin.begins_in_middle && begin.begins_behind.is_none()
    });
    alone.map(|tape| TapeProblem {
        path: folder.index.path(&tape.id).display().to_string(),
        line: Some(tape.first_line()),
        column: None,
        message: NO_LEAD.to_owned(),
        is_warning: true,
    })
}
