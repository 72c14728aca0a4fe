//! Where a recording is written: new exchanges to a new tape, replaced ones to the tapes that they are on.

use crate::format::file::{FileError, replace};
use crate::format::{
    EditError, Edits, Exchange, FormatError, Meta, Tape, WORK_TREE_PATCH, read, write,
};
use crate::index::{Fits, Hit};
use crate::key::{ContextRules, Fingerprint, Invocation};
use crate::root::Root;
use crate::settings::TapeSettings;
use crate::tools::marks::{KEYS, RESIZES};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Annotations that a recording writes itself.
const OWN_NOTES: [&str; 9] = [
    "commits",
    "decorators",
    "ended",
    "hidden",
    KEYS,
    "missing_bytes",
    "redacted",
    RESIZES,
    WORK_TREE_PATCH,
];

/// The result of a recording.
#[derive(Debug, Default, Clone)]
pub struct FinishedTapes {
    /// Tapes that were written.
    pub written: Vec<String>,
    /// Exchanges on them.
    pub recorded: u64,
    /// Exchanges that were already on a tape.
    pub known: u64,
    pub problem: Option<String>,
    /// Programs must run to finish it, and none may run yet.
    pub is_put_off: bool,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum PlaceError {
    #[error("the tape cannot be written: {0}")]
    File(#[from] FileError),
    #[error("the tape cannot be changed: {0}")]
    Edit(#[from] EditError),
    #[error("the tape cannot be read: line {}, column {}: {}", .0.line, .0.column, .0.fault)]
    Format(#[from] FormatError),
    #[error("no free name was found in {0}: give another --name")]
    NoName(PathBuf),
}

/// Writes a new tape with the exchanges that are on no tape. Blocks.
pub(super) fn add(
    root: &Arc<Root>,
    settings: &TapeSettings,
    invocation: &Invocation,
    mut tape: Tape,
) -> Result<FinishedTapes, PlaceError> {
    let fits = fits_of(root, &settings.rules, invocation);
    let all = tape.exchanges.len();
    tape.exchanges
        .retain(|exchange| known(&fits, exchange).is_none());
    // A tape is not written if it would only have exchanges that never answer.
    let mut exchanges = tape.exchanges.iter();
    if exchanges.all(|exchange| exchange.input.unfinished) {
        tape.exchanges.clear();
    }
    let mut finished = FinishedTapes {
        recorded: tape.exchanges.len() as u64,
        known: (all - tape.exchanges.len()) as u64,
        ..FinishedTapes::default()
    };
    if tape.exchanges.is_empty() {
        return Ok(finished);
    }
    let text = write(&tape);
    let verb = verb_of(&tape.meta);
    let added = root.add_tape(&settings.name, &tape.meta, verb, &text)?;
    let (id, path) = added.ok_or_else(|| PlaceError::NoName(root.path.clone()))?;
    root.wrote(&id, &path);
    finished.written.push(id);
    Ok(finished)
}

/// Returns the part of a name that replaces a missing tag: the first argument, such as `status` of `git status`.
fn verb_of(meta: &Meta) -> &str {
    let is_word = |arg: &&String| arg.starts_with(|c: char| c.is_ascii_alphabetic());
    let verb = meta.args.first().filter(is_word);
    verb.map_or("session", String::as_str)
}

/// Replaces the exchanges that are on tapes, and nothing else. Blocks.
pub(super) fn overwrite(
    root: &Arc<Root>,
    settings: &TapeSettings,
    invocation: &Invocation,
    tape: &Tape,
) -> Result<FinishedTapes, PlaceError> {
    let fits = fits_of(root, &settings.rules, invocation);
    let mut finished = FinishedTapes::default();
    let mut by_tape: BTreeMap<String, Vec<(u32, &Exchange)>> = BTreeMap::new();
    for exchange in &tape.exchanges {
        if let Some(hit) = known(&fits, exchange) {
            let of_tape = by_tape.entry(hit.tape.id.to_string()).or_default();
            of_tape.push((hit.exchange, exchange));
        }
    }
    for (id, exchanges) in by_tape {
        let path = root.index().path(&id);
        replace(&path, |bytes: &[u8]| changed(bytes, &exchanges).map(Some))?;
        root.wrote(&id, &path);
        finished.recorded += exchanges.len() as u64;
        finished.written.push(id);
    }
    Ok(finished)
}

/// Returns the text of a tape with some exchanges replaced.
fn changed(bytes: &[u8], exchanges: &[(u32, &Exchange)]) -> Result<String, PlaceError> {
    let old = read(bytes)?;
    let mut edits = Edits::parse(bytes)?;
    for (number, exchange) in exchanges {
        let number = *number as usize;
        let mut exchange = (*exchange).clone();
        // Annotations that a person has added are kept.
        let noted = old.exchanges.get(number).map(|old| &old.annotations);
        for (name, value) in noted.into_iter().flatten() {
            if !OWN_NOTES.contains(&name.as_str()) && !exchange.annotations.contains_key(name) {
                exchange.annotations.insert(name.clone(), value.clone());
            }
        }
        edits.set_exchange(number, &exchange)?;
    }
    Ok(edits.apply()?)
}

fn fits_of(root: &Arc<Root>, rules: &ContextRules, invocation: &Invocation) -> Fits {
    root.index().fits(rules, &rules.context_of(invocation))
}

/// Finds the exchange if it is already on a tape.
fn known(fits: &Fits, exchange: &Exchange) -> Option<Hit> {
    if exchange.input.unfinished {
        return None;
    }
    let state = Fingerprint::parse(exchange.pre.state_hash.as_deref()?);
    if exchange.input.bytes.is_empty() {
        fits.start().find(|hit| hit.state() == state)
    } else {
        fits.exact(&exchange.pre.prompt, &exchange.input.bytes, state)
    }
}
