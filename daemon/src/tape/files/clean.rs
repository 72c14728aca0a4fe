//! `tape.redact`.

use super::error::FilesError;
use super::which::{Folder, Which};
use crate::redact::redact;
use crate::tape::format::{
    Annotations, EditError, Edits, Step, Tape, comments, file, place, read, written_text,
    written_value,
};
use crate::tape::tools::{Removal, redact_tape};
use ccd_protocol::tape::{RedactedTape, TapeProblem, TapeRedactReply};

/// Places of secrets that are told of one tape.
const MAX_PLACES: usize = 100;

/// Tapes of one reply.
const MAX_TAPES: usize = 10_000;

/// Tapes that could not be read or written, in one reply.
const MAX_PROBLEMS: usize = 1_000;

/// Looks for secrets in a tape, or in all of the folder; `inplace`: takes them out, and leaves everything else as it is.
///
/// # Errors
///
/// The tape is not found; or it alone was asked for, and cannot be read or written.
pub(crate) fn clean(
    folder: &Folder,
    given: Option<&str>,
    inplace: bool,
) -> Result<TapeRedactReply, FilesError> {
    let tapes = folder.one_or_all(given)?;
    let mut reply = TapeRedactReply {
        root: folder.path().display().to_string(),
        checked: tapes.len() as u64,
        is_done: inplace,
        ..TapeRedactReply::default()
    };
    for which in tapes {
        let found = secrets_of(&which, inplace);
        if inplace && found.as_ref().is_ok_and(|found| !found.is_empty()) {
            folder.root.refresh(&which.path);
        }
        match found {
            Ok(removals) if removals.is_empty() => {}
            Ok(removals) if reply.tapes.len() < MAX_TAPES => {
                reply.tapes.push(told(which.id, &removals));
            }
            Ok(_) => {}
            Err(error) if given.is_some() => return Err(error),
            Err(error) => {
                if reply.problems.len() < MAX_PROBLEMS {
                    reply.problems.push(TapeProblem {
                        path: which.path.display().to_string(),
                        message: error.to_string(),
                        ..TapeProblem::default()
                    });
                }
            }
        }
    }
    Ok(reply)
}

fn secrets_of(which: &Which, inplace: bool) -> Result<Vec<Removal>, FilesError> {
    if !inplace {
        return Ok(planned(which, &file::load(&which.path)?)?.1);
    }
    let mut done = Vec::new();
    file::replace(&which.path, |text| {
        let (edits, removals) = planned(which, text)?;
        done = removals;
        match done.is_empty() {
            true => Ok(None),
            false => edits
                .apply()
                .map(Some)
                .map_err(|error| failed(which, &error)),
        }
    })?;
    Ok(done)
}

/// What is to be changed in the text of a tape, and where secrets stand in it.
fn planned<'a>(which: &Which, text: &'a [u8]) -> Result<(Edits<'a>, Vec<Removal>), FilesError> {
    let old = read(text).map_err(|error| which.wrong(error))?;
    let mut new = old.clone();
    let mut removals = redact_tape(&mut new);
    let mut edits = Edits::of(text).map_err(|error| which.wrong(error))?;
    let changed = change(&mut edits, &old, &new);
    changed.map_err(|error| failed(which, &error))?;
    // A tape that can be read is text.
    for span in comments(std::str::from_utf8(text).unwrap_or_default()) {
        if edits.is_changed(&span) {
            continue;
        }
        let comment = String::from_utf8_lossy(&text[span.clone()]);
        let clean = redact(&comment);
        if clean.removed > 0 {
            removals.push(Removal {
                place: format!("the comment in line {}", place(text, span.start).0),
                count: clean.removed,
            });
            edits.set_span(span, &clean.text);
        }
    }
    Ok((edits, removals))
}

fn failed(which: &Which, error: &EditError) -> FilesError {
    FilesError::Redaction {
        path: which.path.display().to_string(),
        why: error.to_string(),
    }
}

/// Makes of `old` what `new` is, and touches nothing that is the same.
fn change(edits: &mut Edits<'_>, old: &Tape, new: &Tape) -> Result<(), EditError> {
    use Step::{Item, Key};
    let meta = Key("meta");
    for (index, (old, new)) in old.meta.args.iter().zip(&new.meta.args).enumerate() {
        if old != new {
            edits.set(&[meta, Key("args"), Item(index)], &written_text(new))?;
        }
    }
    for (name, new) in &new.meta.env {
        if old.meta.env.get(name) != Some(new) {
            edits.set(&[meta, Key("env"), Key(name)], &written_text(new))?;
        }
    }
    if old.meta.cwd != new.meta.cwd {
        edits.set(&[meta, Key("cwd")], &written_text(&new.meta.cwd))?;
    }
    if let Some(tag) = new
        .meta
        .tag
        .as_ref()
        .filter(|_| old.meta.tag != new.meta.tag)
    {
        edits.set(&[meta, Key("tag")], &written_text(tag))?;
    }
    if old.meta.redact != new.meta.redact {
        edits.set(&[meta, Key("redact")], &new.meta.redact.to_string())?;
    }
    members(edits, &[meta], (&old.meta.other, &new.meta.other))?;
    members(
        edits,
        &[Key("session")],
        (&old.session.other, &new.session.other),
    )?;
    for (index, (old, new)) in old.exchanges.iter().zip(&new.exchanges).enumerate() {
        let at = [Key("exchanges"), Item(index)];
        if old.pre.prompt != new.pre.prompt {
            let prompt = [at[0], at[1], Key("pre"), Key("prompt")];
            edits.set(&prompt, &written_text(&new.pre.prompt))?;
        }
        if old.input != new.input {
            edits.set_input(index, &new.input)?;
        }
        for (chunk, (old, new)) in old.chunks.iter().zip(&new.chunks).enumerate() {
            if old.data != new.data {
                edits.set_chunk(index, chunk, &new.data)?;
            }
        }
        let notes = [at[0], at[1], Key("annotations")];
        members(edits, &notes, (&old.annotations, &new.annotations))?;
    }
    Ok(())
}

/// Changes the members of an object that differ.
fn members(
    edits: &mut Edits<'_>,
    object: &[Step<'_>],
    (old, new): (&Annotations, &Annotations),
) -> Result<(), EditError> {
    for (name, value) in new
        .iter()
        .filter(|(name, value)| old.get(*name) != Some(value))
    {
        let path: Vec<Step<'_>> = object.iter().copied().chain([Step::Key(name)]).collect();
        edits.set(&path, &written_value(value))?;
    }
    Ok(())
}

fn told(tape_id: String, removals: &[Removal]) -> RedactedTape {
    RedactedTape {
        tape_id,
        removed: removals.iter().map(|removal| removal.count as u64).sum(),
        places: removals
            .iter()
            .take(MAX_PLACES)
            .map(|removal| removal.place.clone())
            .collect(),
    }
}
