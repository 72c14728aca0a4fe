//! The end of a recording: the tape is made, and what no tape has, or what is to be replaced, goes to the disk.

use super::build::{Journalled, PRIVATE_KEY, Printed};
use super::journal::{self, Begin};
use super::{Note, place};
use crate::config::Replay;
use crate::output::{Output, Piece};
use crate::redact::{MASK, key_lines};
use crate::tape::decorate::RunFilter;
use crate::tape::format::{Exchange, Tape};
use crate::tape::key::Invocation;
use crate::tape::root::Root;
use crate::tape::settings::Settings;
use crate::tape::tools::{chain, redact_tape};
use ccd_protocol::tape::RecordMode;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Output that a tape takes. Its file is half as long again.
const MAX_OUTPUT_BYTES: usize = 32 << 20;

/// Output before the recording that is looked at for the prompt.
const PROMPT_BYTES: u64 = 8 << 10;

/// Bytes that are read at a time.
const PIECE_BYTES: usize = 1 << 20;

/// What came of a recording.
#[derive(Debug, Default, Clone)]
pub(crate) struct Finished {
    /// Tapes that were written.
    pub(crate) written: Vec<String>,
    /// Exchanges in them.
    pub(crate) recorded: u64,
    /// Exchanges that tapes had already.
    pub(crate) known: u64,
    pub(crate) problem: Option<String>,
}

/// What only the process that has recorded knows.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Heard<'a> {
    /// What was typed unseen, and must not be shown where it was printed.
    pub(crate) hidden: &'a [String],
    /// Lines that the journal had no room for.
    pub(crate) unwritten: &'a [u8],
}

/// Makes the tape of a session that has ended: its journal says what was typed, `output` has what was printed.
///
/// The journal goes when the tape is there; otherwise the next start of the daemon tries again.
pub(crate) async fn finish(
    root: &Arc<Root>,
    journal: &Path,
    output: &Output,
    heard: Heard<'_>,
    mut filter: Box<RunFilter<'static>>,
) -> Finished {
    let (path, unwritten) = (journal.to_owned(), heard.unwritten.to_vec());
    let entries = tokio::task::spawn_blocking(move || {
        let mut entries = journal::read(&path)?;
        entries.extend(journal::read_from(unwritten.as_slice())?);
        Ok(entries)
    });
    let entries = entries.await.map_err(io::Error::other).flatten();
    let journalled = match entries {
        Ok(entries) => Journalled::of(entries),
        Err(error) => return problem(format!("{} cannot be read: {error}", journal.display())),
    };
    let Some(journalled) = journalled else {
        return problem(format!("{} is no journal", journal.display()));
    };
    let start = journalled.begin.offset;
    let read = async {
        let before = read(output, start.saturating_sub(PROMPT_BYTES), Some(start)).await?;
        Ok::<_, io::Error>((before, read(output, start, None).await?))
    };
    let (before, (printed, is_cut)) = match read.await {
        Ok((before, printed)) => (before.0, printed),
        Err(error) => return problem(format!("the session's log cannot be read: {error}")),
    };
    let (root, hidden) = (Arc::clone(root), heard.hidden.to_vec());
    let made = tokio::task::spawn_blocking(move || {
        let begin = journalled.begin.clone();
        let tape = journalled.tape(&printed);
        write(&root, &begin, tape, &before.bytes, &hidden, &mut filter)
    });
    let mut finished = made
        .await
        .unwrap_or_else(|error| problem(format!("the tape could not be made: {error}")));
    if finished.problem.is_none() {
        let folder = output.dir().to_owned();
        let journal = journal.to_owned();
        let gone = tokio::task::spawn_blocking(move || {
            let _ = std::fs::remove_file(journal);
            Note::remove(&folder);
        });
        let _ = gone.await;
        if is_cut {
            finished.problem = Some(format!(
                "output behind the first {MAX_OUTPUT_BYTES} bytes is not on the tape"
            ));
        }
    }
    finished
}

fn problem(text: String) -> Finished {
    Finished {
        problem: Some(text),
        ..Finished::default()
    }
}

/// Reads output between two offsets; true when there was too much.
async fn read(output: &Output, start: u64, upto: Option<u64>) -> io::Result<(Printed, bool)> {
    let mut printed = Printed {
        start,
        bytes: Vec::new(),
        gaps: Vec::new(),
    };
    let mut at = start;
    loop {
        let left = upto.map_or(u64::MAX, |upto| upto.saturating_sub(at));
        if left == 0 {
            return Ok((printed, false));
        }
        if printed.bytes.len() >= MAX_OUTPUT_BYTES {
            return Ok((printed, true));
        }
        let max = usize::try_from(left)
            .unwrap_or(PIECE_BYTES)
            .min(PIECE_BYTES);
        match output.read(at, max).await? {
            Piece::Bytes(bytes) => {
                at += bytes.len() as u64;
                printed.bytes.extend_from_slice(&bytes);
            }
            Piece::Missing { resume } => {
                printed.gaps.push((at, resume));
                at = resume;
            }
            Piece::Pending | Piece::End => return Ok((printed, false)),
        }
    }
}

/// Writes what of a tape is to be written. Blocks.
fn write(
    root: &Arc<Root>,
    begin: &Begin,
    mut tape: Tape,
    before: &[u8],
    hidden: &[String],
    filter: &mut RunFilter<'_>,
) -> Finished {
    let settings = Settings::over(&begin.options, &Replay::default(), &root.path);
    let settings = match settings {
        Ok(settings) => settings,
        Err(error) => return problem(error.to_string()),
    };
    let keys = typed_keys(&tape);
    mask_hidden(&mut tape, &[hidden, &keys].concat());
    if begin.options.redact != Some(false) {
        redact_tape(&mut tape);
    }
    if let Err(error) = settings.decorators.apply(&mut tape, filter) {
        return problem(error.to_string());
    }
    chain(&mut tape, before, begin.state.clone());
    let meta = &tape.meta;
    let invocation = Invocation::new(&meta.program, &meta.args, &meta.env, &meta.cwd);
    let written = match settings.record {
        RecordMode::Overwrite => place::overwrite(root, &settings, &invocation, &tape),
        _ => place::add(root, &settings, &invocation, tape),
    };
    written.unwrap_or_else(|error| problem(error.to_string()))
}

/// The lines of private keys that were typed, as the program has shown them: nothing else knows them any more.
fn typed_keys(tape: &Tape) -> Vec<String> {
    let exchanges = tape.exchanges.iter();
    let of_key = exchanges.filter(|exchange| exchange.annotations.contains_key(PRIVATE_KEY));
    let shown = of_key.flat_map(|exchange| {
        let chunks = exchange.chunks.iter();
        let output: Vec<u8> = chunks.flat_map(|chunk| &chunk.data).copied().collect();
        key_lines(&output)
    });
    let mut keys: Vec<String> = shown.collect();
    // One may be a part of another.
    keys.sort_by_key(|key| std::cmp::Reverse(key.len()));
    keys.dedup();
    keys
}

/// What was typed unseen is not shown where the program has printed it.
fn mask_hidden(tape: &mut Tape, hidden: &[String]) {
    for exchange in &mut tape.exchanges {
        for text in hidden.iter().flat_map(|text| text.lines()) {
            if text.len() >= MIN_HIDDEN_BYTES {
                mask(exchange, text.as_bytes());
            }
        }
    }
}

/// A shorter text says nothing, and stands in much.
const MIN_HIDDEN_BYTES: usize = 4;

/// Puts the mask in place of a text in an exchange's output, also where it goes over the border of chunks.
fn mask(exchange: &mut Exchange, text: &[u8]) {
    let mut chunks: Vec<Vec<u8>> = exchange
        .chunks
        .iter_mut()
        .map(|chunk| std::mem::take(&mut chunk.data))
        .collect();
    let removed = mask_in_chunks(&mut chunks, text);
    for (chunk, data) in exchange.chunks.iter_mut().zip(chunks) {
        chunk.data = data;
    }
    if removed > 0 {
        let before = exchange.annotations.get("redacted");
        let before = before.and_then(serde_json::Value::as_u64).unwrap_or(0);
        let all = before + removed as u64;
        exchange.annotations.insert("redacted".into(), all.into());
    }
}

/// The mask goes where the text begins; every other byte stays in its chunk. Returns how often it stood there.
fn mask_in_chunks(chunks: &mut [Vec<u8>], text: &[u8]) -> usize {
    let whole = chunks.concat();
    let places: Vec<usize> = memchr::memmem::find_iter(&whole, text).collect();
    if places.is_empty() {
        return 0;
    }
    let (mut start, mut next) = (0, 0);
    for chunk in chunks {
        let end = start + chunk.len();
        let mut clean = Vec::with_capacity(chunk.len());
        let mut copied = start;
        while let Some(&place) = places.get(next).filter(|place| **place < end) {
            // It may have begun in an earlier chunk, which has the mask.
            if place >= start {
                clean.extend_from_slice(&whole[copied..place]);
                clean.extend_from_slice(MASK.as_bytes());
            }
            copied = (place + text.len()).min(end);
            if place + text.len() > end {
                break;
            }
            next += 1;
        }
        clean.extend_from_slice(&whole[copied..end]);
        *chunk = clean;
        start = end;
    }
    places.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hidden_text_is_masked_wherever_chunks_are_cut() {
        let text = b"you typed hunter2 and hunter2!";
        for cut in 0..=text.len() {
            let (a, b) = text.split_at(cut);
            let mut chunks = [a.to_vec(), b.to_vec()];
            assert_eq!(mask_in_chunks(&mut chunks, b"hunter2"), 2);
            assert_eq!(chunks.concat(), b"you typed *** and ***!", "{cut}");
        }
    }
}
