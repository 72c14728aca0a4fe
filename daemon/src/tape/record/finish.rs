//! The end of a recording: the tape is made, and what no tape has, or what is to be replaced, goes to the disk.

use super::build::{Journalled, Printed};
use super::journal::{self, Begin};
use super::{Note, place};
use crate::config::Replay;
use crate::output::{Output, Piece};
use crate::piped::Marks;
use crate::redact::KnownTexts;
use crate::tape::decorate::RunFilter;
use crate::tape::format::Tape;
use crate::tape::key::Invocation;
use crate::tape::root::Root;
use crate::tape::settings::Settings;
use crate::tape::tools::{chain, count_removed, mask_known, redact_tape, shown_keys};
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
    /// It needs programs, and none may run yet.
    pub(crate) is_put_off: bool,
}

/// What only the process that has recorded knows.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Heard<'a> {
    /// What was typed unseen, and must not be shown where it was printed.
    pub(crate) hidden: &'a [String],
    /// Likewise what its name has given away.
    pub(crate) recognised: &'a [String],
    /// Lines that the journal had no room for.
    pub(crate) unwritten: &'a [u8],
}

/// Makes the tape of a session that has ended: its journal says what was typed, `output` has what was printed.
///
/// The journal goes when the tape is there; otherwise the next start of the daemon tries again. Without `filter` no
/// program may run.
pub(crate) async fn finish(
    root: &Arc<Root>,
    journal: &Path,
    output: &Output,
    heard: Heard<'_>,
    filter: Option<Box<RunFilter<'static>>>,
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
        return problem(format!("{} is not a journal", journal.display()));
    };
    let start = journalled.begin.offset;
    let read = async {
        let before = read(output, start.saturating_sub(PROMPT_BYTES), Some(start)).await?;
        Ok::<_, io::Error>((before, read(output, start, None).await?))
    };
    let (before, (mut printed, is_cut)) = match read.await {
        Ok((before, printed)) => (before.0, printed),
        Err(error) => return problem(format!("the session's log cannot be read: {error}")),
    };
    let root = Arc::clone(root);
    let hidden = [heard.hidden, heard.recognised].map(<[String]>::to_vec);
    let folder = output.dir().to_owned();
    let made = tokio::task::spawn_blocking(move || {
        let begin = journalled.begin.clone();
        if begin.meta.pty.is_none() {
            printed.marks = match Marks::of(&folder) {
                Ok(marks) => marks,
                Err(error) => {
                    return problem(format!(
                        "standard error cannot be told from standard output: {error}"
                    ));
                }
            };
        }
        let tape = journalled.tape(&printed);
        write(&root, &begin, tape, &before.bytes, &hidden, filter)
    });
    let mut finished = made
        .await
        .unwrap_or_else(|error| problem(format!("the tape could not be made: {error}")));
    if let Some(problem) = &mut finished.problem {
        problem.push_str(&kept(journal));
    } else if !finished.is_put_off {
        let folder = output.dir().to_owned();
        let journal = journal.to_owned();
        let gone = tokio::task::spawn_blocking(move || {
            let _ = std::fs::remove_file(journal);
            Note::remove(&folder);
        });
        let _ = gone.await;
        if is_cut {
            finished.problem = Some(format!(
                "output after the first {MAX_OUTPUT_BYTES} bytes is not on the tape"
            ));
        }
    }
    finished
}

/// What becomes of a recording of which no tape could be made.
fn kept(journal: &Path) -> String {
    let journal = journal.display();
    format!(
        "; the recording is kept in {journal}: the next start of the daemon tries again (`ccctl daemon restart`), \
        unless you delete that file"
    )
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
        marks: Marks::default(),
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
    [hidden, recognised]: &[Vec<String>; 2],
    filter: Option<Box<RunFilter<'static>>>,
) -> Finished {
    let settings = Settings::over(&begin.options, &Replay::default(), &root.path);
    let settings = match settings {
        Ok(settings) => settings,
        Err(error) => return problem(error.to_string()),
    };
    if filter.is_none() && settings.decorators.run_programs() {
        return Finished {
            is_put_off: true,
            ..Finished::default()
        };
    }
    let mut filter = filter.unwrap_or_else(|| Box::new(|_, _| Err("no program may run".into())));
    let lines = hidden.iter().flat_map(|text| text.split(['\r', '\n']));
    let long = lines.filter(|text| text.len() >= MIN_HIDDEN_BYTES);
    let hidden = KnownTexts::of(long.map(str::to_owned).chain(shown_keys(&tape)));
    let recognised = KnownTexts::of(recognised);
    let is_redacted = begin.options.redact != Some(false);
    let redact = |tape: &mut Tape| {
        mask_known_texts(tape, &hidden);
        if is_redacted {
            redact_tape(tape);
        }
        // Behind the rules: a mask in a secret may hide from them what else belongs to it.
        if mask_known_texts(tape, &recognised) > 0 && is_redacted {
            redact_tape(tape);
        }
    };
    redact(&mut tape);
    if !settings.decorators.is_empty() {
        if let Err(error) = settings.decorators.apply(&mut tape, &mut *filter) {
            return problem(error.to_string());
        }
        // What they have made of it may show more than there was.
        redact(&mut tape);
    }
    chain(&mut tape, before, begin.state.clone());
    let meta = &tape.meta;
    let invocation = Invocation::of(meta);
    let written = match settings.record {
        RecordMode::Overwrite => place::overwrite(root, &settings, &invocation, &tape),
        _ => place::add(root, &settings, &invocation, tape),
    };
    written.unwrap_or_else(|error| problem(error.to_string()))
}

/// What nobody may see is not shown where the program has printed it; returns how often it was.
fn mask_known_texts(tape: &mut Tape, texts: &KnownTexts) -> usize {
    let each = tape.exchanges.iter_mut().map(|exchange| {
        let removed = mask_known(exchange, texts);
        count_removed(exchange, removed);
        removed
    });
    each.sum()
}

/// A shorter text says nothing, and stands in much.
pub(super) const MIN_HIDDEN_BYTES: usize = 4;
