//! `tape.redact`.

use super::error::FilesError;
use super::folder::{TapeFile, TapeFolder, problem};
use crate::format::{
    Annotations, Chunk, EditError, Edits,
    PathStep::{self, Item, Key},
    Tape, chunk_comment, comments, file, meta_json, place, pre_json, read, session_json,
    written_input, written_output, written_value,
};
use crate::tools::{Removal, redact_tape};
use ccd_protocol::tape::{RedactedTape, TapeRedactReply};
use ccd_text::redact::{Redacted, redact};
use serde_json::Value;
use std::collections::HashSet;

const MAX_PLACES: usize = 100;

const MAX_TAPES: usize = 10_000;

/// Maximum number of tapes in one reply that could not be read or written.
const MAX_PROBLEMS: usize = 1_000;

/// Looks for secrets in a tape, or in all tapes of the directory. With `inplace` it removes them, and changes nothing
/// else.
pub fn clean(
    folder: &TapeFolder,
    given: Option<&str>,
    inplace: bool,
) -> Result<TapeRedactReply, FilesError> {
    let folder = &folder.now();
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
            Err(error) => reply.problems.push(problem(&which.path, &error)),
        }
    }
    if given.is_none() {
        reply.problems.extend(folder.nameless().cloned());
    }
    reply.problems.truncate(MAX_PROBLEMS);
    Ok(reply)
}

fn secrets_of(which: &TapeFile, inplace: bool) -> Result<Vec<Removal>, FilesError> {
    if !inplace {
        return Ok(planned(which, &file::load(&which.path)?)?.1);
    }
    let mut done = Vec::new();
    file::replace(&which.path, |text| {
        let (edits, removals) = planned(which, text)?;
        done = removals;
        let text = (!done.is_empty()).then(|| edits.apply()).transpose();
        text.map_err(|error| failed(which, &error))
    })?;
    Ok(done)
}

/// Returns the edits of a tape's text, and the positions of secrets in it.
fn planned<'a>(which: &TapeFile, text: &'a [u8]) -> Result<(Edits<'a>, Vec<Removal>), FilesError> {
    let old = read(text).map_err(|error| which.wrong(error))?;
    let mut new = old.clone();
    let mut removals = redact_tape(&mut new);
    let mut edits = Edits::parse(text).map_err(|error| which.wrong(error))?;
    let changed = change(&mut edits, &old, &new);
    changed.map_err(|error| failed(which, &error))?;
    let generated = generated_comments(&old, &new);
    // A tape that was parsed is valid UTF-8.
    for span in comments(std::str::from_utf8(text).unwrap_or_default()) {
        if edits.is_changed(&span) {
            continue;
        }
        let comment = String::from_utf8_lossy(&text[span.clone()]);
        let shown = comment.strip_prefix("//").map(str::trim);
        if shown.is_some_and(|shown| generated.contains(shown)) {
            continue;
        }
        let clean = clean_comment(&comment);
        if clean.removed > 0 {
            removals.push(Removal {
                place: format!("the comment in line {}", place(text, span.start).0),
                count: clean.removed,
            });
            edits.replace(span, clean.text.into_owned());
        }
    }
    Ok((edits, removals))
}

/// Returns the comments that the writer makes for chunks without secrets. The rules have seen the output itself, where
/// a line end is one character and not the two of its escape.
fn generated_comments(old: &Tape, new: &Tape) -> HashSet<String> {
    fn chunks(tape: &Tape) -> impl Iterator<Item = &Chunk> {
        tape.exchanges.iter().flat_map(|exchange| &exchange.chunks)
    }
    let both = chunks(old).zip(chunks(new));
    let clean = both.filter(|(old, new)| old.data == new.data);
    clean
        .filter_map(|(chunk, _)| chunk_comment(&chunk.data))
        .collect()
}

/// Returns a comment without its secrets. In a comment on one line, an escaped line end may end a secret.
fn clean_comment(comment: &str) -> Redacted<'static> {
    let signs: &[(&str, &str)] = if comment.starts_with("//") {
        &[("\\r", "\r"), ("\\n", "\n"), ("\\e", "\u{1b}")]
    } else {
        &[]
    };
    let text = signs
        .iter()
        .fold(comment.to_owned(), |text, (sign, meant)| {
            text.replace(sign, meant)
        });
    let clean = redact(&text);
    let back = clean.text.into_owned();
    let back = signs
        .iter()
        .fold(back, |text, (sign, meant)| text.replace(meant, sign));
    Redacted {
        text: back.into(),
        removed: clean.removed,
    }
}

fn failed(which: &TapeFile, error: &EditError) -> FilesError {
    FilesError::Redaction {
        path: which.path.display().to_string(),
        why: error.to_string(),
    }
}

/// Edits `old` to be equal to `new`, without touching parts that are equal.
fn change(edits: &mut Edits<'_>, old: &Tape, new: &Tape) -> Result<(), EditError> {
    let meta = (&meta_json(&old.meta), &meta_json(&new.meta));
    members(edits, &[Key("meta")], meta)?;
    let session = (&session_json(&old.session), &session_json(&new.session));
    members(edits, &[Key("session")], session)?;
    for (index, (old, new)) in old.exchanges.iter().zip(&new.exchanges).enumerate() {
        let at = |part| [Key("exchanges"), Item(index), Key(part)];
        value(
            edits,
            &at("pre"),
            (&pre_json(&old.pre), &pre_json(&new.pre)),
        )?;
        if old.input != new.input {
            edits.set(&at("input"), &written_input(&new.input))?;
        }
        let notes = (&old.annotations, &new.annotations);
        members(edits, &at("annotations"), notes)?;
        if old.chunks.len() != new.chunks.len() {
            edits.set(&at("output"), &written_output(&new.chunks))?;
            continue;
        }
        for (chunk, (old, new)) in old.chunks.iter().zip(&new.chunks).enumerate() {
            if old.data != new.data {
                edits.set_chunk(index, chunk, &new.data)?;
            }
        }
    }
    Ok(())
}

/// Replaces the parts of a value that differ.
fn value(
    edits: &mut Edits<'_>,
    path: &[PathStep<'_>],
    (old, new): (&Value, &Value),
) -> Result<(), EditError> {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => members(edits, path, (old, new)),
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            let mut items = old.iter().zip(new).enumerate();
            items.try_for_each(|(index, item)| value(edits, &[path, &[Item(index)]].concat(), item))
        }
        _ if old == new => Ok(()),
        _ => edits.set(path, &written_value(new)),
    }
}

/// Replaces the members of an object that differ; those that are gone become null.
fn members(
    edits: &mut Edits<'_>,
    object: &[PathStep<'_>],
    (old, new): (&Annotations, &Annotations),
) -> Result<(), EditError> {
    let gone = old.keys().filter(|name| !new.contains_key(*name));
    for (name, now) in new.iter().chain(gone.map(|name| (name, &Value::Null))) {
        let path = [object, &[Key(name)]].concat();
        match old.get(name) {
            Some(before) => value(edits, &path, (before, now))?,
            None => edits.set(&path, &written_value(now))?,
        }
    }
    Ok(())
}

fn told(tape_id: String, removals: &[Removal]) -> RedactedTape {
    let places = removals.iter().take(MAX_PLACES);
    RedactedTape {
        tape_id,
        removed: removals.iter().map(|removal| removal.count as u64).sum(),
        places: places.map(|removal| removal.place.clone()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::write;
    use crate::tools::tests::{exchange, tape};

    fn cleaned(text: &str) -> (String, Vec<Removal>) {
        let which = TapeFile {
            id: "a".into(),
            path: "/t/a.json5".into(),
        };
        let (edits, removals) = planned(&which, text.as_bytes()).unwrap();
        (edits.apply().unwrap(), removals)
    }

    fn taped(chunks: &[&str]) -> String {
        write(&tape(vec![exchange("", chunks)]))
    }

    #[test]
    fn a_comment_of_the_writer_shows_what_its_chunk_has() {
        // A secret that a rule finds only in the escapes is not one.
        let innocent = taped(&["Enter your password:\r\nname> "]);
        assert!(innocent.contains("// Enter your password:\\r\\nname>"));
        assert_eq!(cleaned(&innocent).1, []);
        let secret = taped(&["password=hunter2\r\nok: 1\r\n"]);
        let (clean, removals) = cleaned(&secret);
        let comment = " // password=***\\r\\nok: 1\\r\\n\n";
        assert!(clean.contains(comment), "{clean}");
        assert_eq!(removals.len(), 1, "{removals:?}");
    }

    #[test]
    fn a_secret_in_several_chunks_leaves_no_rest() {
        let (clean, removals) = cleaned(&taped(&["password=hun", "ter", "2", "\r\nok\r\n"]));
        assert_eq!(removals.len(), 1, "{removals:?}");
        let tape = read(clean.as_bytes()).unwrap();
        let output: Vec<u8> = tape.exchanges[0].output().collect();
        assert_eq!(output, b"password=***\r\nok\r\n");
    }

    #[test]
    fn a_secret_in_a_comment_of_a_person_ends_where_its_line_does() {
        let text =
            taped(&["ok"]).replace("// ok", "// it said password=hunter2\\r\\nand token: none");
        let (clean, removals) = cleaned(&text);
        let comment = "// it said password=***\\r\\nand token: none\n";
        assert!(clean.contains(comment), "{clean}");
        assert!(removals[0].place.starts_with("the comment in line "));
        let block = text.replace("// it said", "/* C:\\new */ // it said");
        assert!(cleaned(&block).0.contains("/* C:\\new */"));
    }

    #[test]
    fn the_times_of_keys_do_not_give_away_how_long_a_secret_was() {
        let line = "export TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345";
        let text = format!(
            "{{ meta: {{ program: 'p' }}, exchanges: [ {{ input: {{ type: 'line', dataText: '{line}' }}, \
             annotations: {{ keys: [[0, 50, 0], [9, {}, 0]], note: 'x' }} }} ] }}",
            line.len() - 49
        );
        let (clean, removals) = cleaned(&text);
        assert!(clean.contains(" keys: null, note: 'x' }"), "{clean}");
        assert_eq!(removals.len(), 1, "{removals:?}");
        assert_eq!(cleaned(&clean).1, []);
    }

    #[test]
    fn a_typed_key_becomes_input_that_was_typed_hidden() {
        use crate::key::StateHash;
        let body = "Ab1Cd2Ef3Gh4Ij5K".repeat(4);
        let mut state = StateHash::start();
        let end = "-----END PRIVATE KEY-----";
        let lines = ["-----BEGIN PRIVATE KEY-----", &body, end, "ls"];
        let exchanges = lines.map(|line| {
            let mut exchange = exchange(&format!("{line}\r"), &[]);
            exchange.pre.state_hash = Some(state.value());
            state.feed(&exchange.input.bytes);
            exchange
        });
        let text = write(&tape(exchanges.to_vec()));
        let (clean, removals) = cleaned(&text);
        assert!(!clean.contains("Ab1C"), "{clean}");
        assert_eq!(removals[0].place, "exchanges[1].input");
        let tape = read(clean.as_bytes()).unwrap();
        let hidden = &tape.exchanges[1];
        assert!(hidden.pre.hidden);
        assert_eq!(hidden.input.bytes, b"***\r");
        assert_eq!(hidden.pre.state_hash, exchanges[1].pre.state_hash);
        // Typing it again leads to the same states.
        let mut state = StateHash::start();
        for exchange in &tape.exchanges {
            assert_eq!(exchange.pre.state_hash, Some(state.value()));
            if exchange.pre.hidden {
                state.feed_hidden()
            } else {
                state.feed(&exchange.input.bytes)
            }
        }
        assert_eq!(cleaned(&clean).1, []);
    }
}
