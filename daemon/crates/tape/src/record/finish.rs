//! The end of a recording: a tape is made, and its new or replaced exchanges are written to disk.

use super::RecordingNote;
use super::build::Journalled;
pub use super::build::PrintedOutput;
use super::journal::{self, Begin};
use super::place::{self, FinishedTapes};
use crate::decorate::RunFilter;
use crate::format::Tape;
use crate::key::Invocation;
use crate::root::Root;
use crate::settings::{DEBUG, ReplayDefaults, TapeSettings};
use crate::tools::{chain, count_removed, mask_known, redact_tape, shown_keys};
use ccd_protocol::tape::{RecordMode, TapeUse};
use ccd_text::redact::KnownTexts;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum output on a tape. Its file is about one and a half times as large.
pub const MAX_OUTPUT_BYTES: usize = 32 << 20;

/// How much output before the recording is searched for the prompt.
const PROMPT_BYTES: u64 = 8 << 10;

/// What only the recording process knows.
#[derive(Debug, Default)]
pub struct RecorderState {
    /// Hidden input, which must be masked wherever it was printed.
    pub hidden: Vec<String>,
    /// Secrets that were recognised by name; they are masked in the same way.
    pub recognised: Vec<String>,
    /// Journal lines that could not be written.
    pub unwritten: Vec<u8>,
}

/// A finished recording before its tape is made: the contents of its journal.
pub struct RecordingEnd {
    journal: PathBuf,
    journalled: Journalled,
}

impl RecordingEnd {
    /// Reads a journal, and the lines that could not be written to it. Blocks.
    /// The error is the result of a recording without a tape, with the problem that prevented it.
    pub fn read(journal: &Path, unwritten: &[u8]) -> Result<Self, FinishedTapes> {
        let entries = journal::read(journal).and_then(|mut entries| {
            entries.extend(journal::read_from(unwritten)?);
            Ok(entries)
        });
        let entries = entries.map_err(|error| {
            FinishedTapes::problem(format!("{} cannot be read: {error}", journal.display()))
        })?;
        let journalled = Journalled::from_entries(entries).ok_or_else(|| {
            FinishedTapes::problem(format!("{} is not a journal", journal.display()))
        })?;
        Ok(Self {
            journal: journal.to_owned(),
            journalled,
        })
    }

    /// Returns the output offset at which the recording starts, and the one from which output is searched for the
    /// prompt before it.
    pub fn start(&self) -> (u64, u64) {
        let start = self.journalled.begin.offset;
        (start, start.saturating_sub(PROMPT_BYTES))
    }

    /// Returns whether the program ran with pipes, so that its output has two streams.
    pub fn is_piped(&self) -> bool {
        self.journalled.begin.meta.pty.is_none()
    }

    /// Makes the tape. `printed` is the output from the start of the recording, `before` the output before it. Blocks.
    /// The journal and the note in `folder` are removed once the tape is written; otherwise they are kept for the next
    /// attempt. Without `filter`, no program may run.
    pub fn finish(
        self,
        root: &Arc<Root>,
        folder: &Path,
        before: &[u8],
        printed: &PrintedOutput,
        recorder: &RecorderState,
        filter: Option<Box<RunFilter<'static>>>,
    ) -> FinishedTapes {
        let begin = self.journalled.begin.clone();
        let tape = self.journalled.tape(printed);
        let mut finished = write(root, &begin, tape, before, recorder, filter);
        if let Some(problem) = &mut finished.problem {
            problem.push_str(&kept(&self.journal));
        } else if !finished.is_put_off {
            let _ = std::fs::remove_file(&self.journal);
            RecordingNote::remove(folder);
            if printed.is_cut {
                finished.problem = Some(format!(
                    "output after the first {MAX_OUTPUT_BYTES} bytes is not on the tape"
                ));
            }
        }
        finished
    }
}

/// Returns the message for a recording of which no tape could be made.
fn kept(journal: &Path) -> String {
    let journal = journal.display();
    format!(
        "; the recording is kept in {journal}: the daemon tries again every few minutes (at once after `ccctl daemon restart`), \
        unless you delete that file"
    )
}

impl FinishedTapes {
    /// Notes the result in a session's use of tapes.
    pub fn note_in(&self, uses: &mut TapeUse) {
        (uses.recorded, uses.known) = (self.recorded, self.known);
        uses.new.clone_from(&self.written);
        uses.written.clone_from(&self.written);
        if self.problem.is_some() {
            uses.problem.clone_from(&self.problem);
        }
    }

    /// Returns the result when there is no tape.
    pub fn problem(text: String) -> Self {
        Self {
            problem: Some(text),
            ..Self::default()
        }
    }
}

/// Writes the exchanges of a tape that are new or to be replaced. Blocks.
pub(crate) fn write(
    root: &Arc<Root>,
    begin: &Begin,
    mut tape: Tape,
    before: &[u8],
    recorder: &RecorderState,
    filter: Option<Box<RunFilter<'static>>>,
) -> FinishedTapes {
    let settings = TapeSettings::over(&begin.options, &ReplayDefaults::default(), &root.path);
    let settings = match settings {
        Ok(settings) => settings,
        Err(error) => return FinishedTapes::problem(error.to_string()),
    };
    if filter.is_none() && settings.decorators.run_programs() {
        return FinishedTapes {
            is_put_off: true,
            ..FinishedTapes::default()
        };
    }
    let mut filter = filter.unwrap_or_else(|| Box::new(|_, _| Err("no program may run".into())));
    let hidden = KnownTexts::new(recorder.hidden.iter().cloned().chain(shown_keys(&tape)));
    let recognised = KnownTexts::new(&recorder.recognised);
    let is_redacted = begin.options.redact != Some(false);
    let redact = |tape: &mut Tape| {
        mask_known_texts(tape, &hidden);
        if is_redacted {
            redact_tape(tape);
        }
        // This comes after the rules: a mask inside a secret could hide the rest of it from them.
        if mask_known_texts(tape, &recognised) > 0 && is_redacted {
            redact_tape(tape);
        }
    };
    redact(&mut tape);
    if !settings.decorators.is_empty() {
        let is_logged = begin.flags.iter().any(|flag| flag == DEBUG);
        let decorators = settings.decorators.clone().logged(is_logged);
        if let Err(error) = decorators.apply(&mut tape, &mut *filter) {
            return FinishedTapes::problem(error.to_string());
        }
        // Decorators may have produced text that contains secrets.
        redact(&mut tape);
    }
    chain(&mut tape, before, begin.state.clone());
    let meta = &tape.meta;
    let invocation = Invocation::new(meta);
    let written = match settings.record {
        RecordMode::Overwrite => place::overwrite(root, &settings, &invocation, &tape),
        _ => place::add(root, &settings, &invocation, tape),
    };
    written.unwrap_or_else(|error| FinishedTapes::problem(error.to_string()))
}

/// Masks known secrets in the output; returns how many were masked.
fn mask_known_texts(tape: &mut Tape, texts: &KnownTexts) -> usize {
    let each = tape.exchanges.iter_mut().map(|exchange| {
        let removed = mask_known(exchange, texts);
        count_removed(exchange, removed);
        removed
    });
    each.sum()
}
