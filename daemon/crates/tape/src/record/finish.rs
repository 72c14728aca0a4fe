//! The end of a recording: the tape is made, and what no tape has, or what is to be replaced, goes to the disk.

use super::build::Journalled;
pub use super::build::Printed;
use super::journal::{self, Begin};
use super::{Note, place};
use crate::decorate::RunFilter;
use crate::format::Tape;
use crate::key::Invocation;
use crate::root::Root;
use crate::settings::{Replay, Settings};
use crate::tools::{chain, count_removed, mask_known, redact_tape, shown_keys};
use ccd_protocol::tape::RecordMode;
use ccd_text::redact::KnownTexts;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Output that a tape takes. Its file is half as long again.
pub const MAX_OUTPUT_BYTES: usize = 32 << 20;

/// Output before the recording that is looked at for the prompt.
const PROMPT_BYTES: u64 = 8 << 10;

/// What came of a recording.
#[derive(Debug, Default, Clone)]
pub struct Finished {
    /// Tapes that were written.
    pub written: Vec<String>,
    /// Exchanges in them.
    pub recorded: u64,
    /// Exchanges that tapes had already.
    pub known: u64,
    pub problem: Option<String>,
    /// It needs programs, and none may run yet.
    pub is_put_off: bool,
}

/// What only the process that has recorded knows.
#[derive(Debug, Default)]
pub struct Heard {
    /// Lines that were typed unseen, and must not be shown where they were printed.
    pub hidden: Vec<String>,
    /// Likewise what its name has given away.
    pub recognised: Vec<String>,
    /// Lines that the journal had no room for.
    pub unwritten: Vec<u8>,
}

/// A recording that is over, before its tape is made: what its journal says.
pub struct Ended {
    journal: PathBuf,
    journalled: Journalled,
}

impl Ended {
    /// Reads a journal, and the lines that it had no room for. Blocks.
    ///
    /// # Errors
    ///
    /// What came of the recording: there is no tape, for a problem that says why.
    pub fn read(journal: &Path, unwritten: &[u8]) -> Result<Self, Finished> {
        let entries = || {
            let mut entries = journal::read(journal)?;
            entries.extend(journal::read_from(unwritten)?);
            Ok::<_, io::Error>(entries)
        };
        let entries = entries().map_err(|error| {
            Finished::problem(format!("{} cannot be read: {error}", journal.display()))
        })?;
        let journalled = Journalled::of(entries)
            .ok_or_else(|| Finished::problem(format!("{} is not a journal", journal.display())))?;
        Ok(Self {
            journal: journal.to_owned(),
            journalled,
        })
    }

    /// Offset of the output with which the recording begins, and of the first that is looked at for the prompt before it.
    pub fn start(&self) -> (u64, u64) {
        let start = self.journalled.begin.offset;
        (start, start.saturating_sub(PROMPT_BYTES))
    }

    /// Whether the program was between pipes: then the output has two streams.
    pub fn is_piped(&self) -> bool {
        self.journalled.begin.meta.pty.is_none()
    }

    /// Makes the tape of what was `printed` from the start on, `before` being what stood there before. Blocks.
    ///
    /// The journal and the note in `folder` go when the tape is there; otherwise the next start of the daemon tries again.
    /// Without `filter` no program may run.
    pub fn finish(
        self,
        root: &Arc<Root>,
        folder: &Path,
        before: &[u8],
        printed: &Printed,
        heard: &Heard,
        filter: Option<Box<RunFilter<'static>>>,
    ) -> Finished {
        let begin = self.journalled.begin.clone();
        let tape = self.journalled.tape(printed);
        let mut finished = write(root, &begin, tape, before, heard, filter);
        if let Some(problem) = &mut finished.problem {
            problem.push_str(&kept(&self.journal));
        } else if !finished.is_put_off {
            let _ = std::fs::remove_file(&self.journal);
            Note::remove(folder);
            if printed.is_cut {
                finished.problem = Some(format!(
                    "output after the first {MAX_OUTPUT_BYTES} bytes is not on the tape"
                ));
            }
        }
        finished
    }
}

/// What becomes of a recording of which no tape could be made.
fn kept(journal: &Path) -> String {
    let journal = journal.display();
    format!(
        "; the recording is kept in {journal}: the next start of the daemon tries again (`ccctl daemon restart`), \
        unless you delete that file"
    )
}

impl Finished {
    /// There is no tape.
    pub fn problem(text: String) -> Self {
        Self {
            problem: Some(text),
            ..Self::default()
        }
    }
}

/// Writes what of a tape is to be written. Blocks.
fn write(
    root: &Arc<Root>,
    begin: &Begin,
    mut tape: Tape,
    before: &[u8],
    heard: &Heard,
    filter: Option<Box<RunFilter<'static>>>,
) -> Finished {
    let settings = Settings::over(&begin.options, &Replay::default(), &root.path);
    let settings = match settings {
        Ok(settings) => settings,
        Err(error) => return Finished::problem(error.to_string()),
    };
    if filter.is_none() && settings.decorators.run_programs() {
        return Finished {
            is_put_off: true,
            ..Finished::default()
        };
    }
    let mut filter = filter.unwrap_or_else(|| Box::new(|_, _| Err("no program may run".into())));
    let hidden = KnownTexts::of(heard.hidden.iter().cloned().chain(shown_keys(&tape)));
    let recognised = KnownTexts::of(&heard.recognised);
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
            return Finished::problem(error.to_string());
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
    written.unwrap_or_else(|error| Finished::problem(error.to_string()))
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
