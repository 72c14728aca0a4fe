//! Makes a tape from a finished recording: the session has the output, the journal has the input.

use super::session_tape::SessionTape;
use crate::live::error::reason_text;
use crate::live::session::Session;
use crate::output::{Output, Stretch};
use ccd_protocol::session::EndReason;
use ccd_protocol::tape::{TapeExit, TapeUse};
use ccd_tape::decorate::RunFilter;
use ccd_tape::index::TapeId;
use ccd_tape::record::{
    EndEntry, FinishedTapes, MAX_OUTPUT_BYTES, PrintedOutput, RecorderState, Recording,
    RecordingEnd, now_us,
};
use ccd_tape::root::Root;
use ccd_terminal::holder::Exit;
use ccd_terminal::piped::Marks;
use std::io;
use std::path::Path;
use std::sync::Arc;

impl Session {
    /// Ends the recording before the program is ended by somebody else: what it prints then is no answer to an input.
    pub(crate) fn stop_recording(&self, reason: EndReason) {
        self.with_recording(|recording| self.end_recording(recording, reason, None));
    }

    fn end_recording(&self, recording: &Recording, reason: EndReason, exit: Option<Exit>) {
        recording.end(EndEntry {
            exit: exit.map(tape_exit),
            reason: reason_text(reason),
            offset: self.output.published(),
            at_us: now_us(),
        });
    }

    /// Makes the tape of the session, whose program has ended; `filters` run the filter programs that change it.
    pub(crate) async fn finish_tape(
        &self,
        reason: EndReason,
        filters: impl FnOnce() -> Box<RunFilter<'static>>,
    ) {
        let Some(tape) = self.tape() else { return };
        if let Some(live) = tape.live.get() {
            live.end();
        }
        if let Some(recording) = tape.recording() {
            let is_own = matches!(reason, EndReason::Exited | EndReason::Signalled);
            let exit = self.output.exit().filter(|_| is_own);
            self.end_recording(recording, reason, exit);
            let finished = self.make_tape(&tape, recording, filters()).await;
            if finished.problem.is_some() {
                // The tape that could not be written has freed disk space.
                recording.flush();
            }
            if let Some(problem) = &finished.problem {
                tracing::error!(session = %self.id(), problem, "the tape is incomplete");
                self.services.tape_kept.notify_one();
            }
            tape.outcome.lock().finished = Some(finished);
        }
        if tape.settings.summary {
            let TapeUse { used, new, .. } = tape.uses();
            let is_unused = |id: &TapeId| {
                [&used, &new]
                    .iter()
                    .all(|ids| !ids.iter().any(|known| **known == **id))
            };
            let mut unused = tape.root.ids();
            unused.retain(is_unused);
            tape.outcome.lock().unused = Some(unused);
        }
        self.note_past(&tape).await;
    }

    pub(super) async fn make_tape(
        &self,
        tape: &SessionTape,
        recording: &Recording,
        filters: Box<RunFilter<'static>>,
    ) -> FinishedTapes {
        let heard = RecorderState {
            hidden: recording.hidden().lines(),
            recognised: recording.hidden().recognised(),
            unwritten: recording.unwritten(),
        };
        let journal = recording.journal();
        finish(&tape.root, journal, &self.output, heard, Some(filters)).await
    }
}

/// Returns the end of a program as tapes have it.
pub(super) fn tape_exit(exit: Exit) -> TapeExit {
    TapeExit {
        code: exit.code,
        signal: exit.signal,
    }
}

/// Makes the tape of an ended session from its journal and `output`. Without `filter`, no filter program may run.
pub(super) async fn finish(
    root: &Arc<Root>,
    journal: &Path,
    output: &Output,
    heard: RecorderState,
    filter: Option<Box<RunFilter<'static>>>,
) -> FinishedTapes {
    let path = journal.to_owned();
    let opened = tokio::task::spawn_blocking(move || {
        let ended = RecordingEnd::read(&path, &heard.unwritten);
        ended.map(|ended| (ended, heard))
    });
    let (ended, heard) = match opened.await {
        Ok(Ok(opened)) => opened,
        Ok(Err(finished)) => return finished,
        Err(error) => {
            return FinishedTapes::problem(format!("the journal cannot be read: {error}"));
        }
    };
    let (start, before) = ended.start();
    let all = async {
        let before = read(output, before, Some(start)).await?;
        Ok::<_, io::Error>((before, read(output, start, None).await?))
    };
    let (before, mut printed) = match all.await {
        Ok(all) => all,
        Err(error) => {
            return FinishedTapes::problem(format!("the session's log cannot be read: {error}"));
        }
    };
    let (root, folder) = (Arc::clone(root), output.dir().to_owned());
    let made = tokio::task::spawn_blocking(move || {
        if ended.is_piped() {
            printed.streams = match Marks::read(&folder) {
                Ok(marks) => marks.changes().to_vec(),
                Err(error) => {
                    return FinishedTapes::problem(format!(
                        "standard error cannot be told from standard output: {error}"
                    ));
                }
            };
        }
        ended.finish(&root, &folder, &before.bytes, &printed, &heard, filter)
    });
    made.await.unwrap_or_else(|error| {
        FinishedTapes::problem(format!("the tape could not be made: {error}"))
    })
}

/// Reads output between two offsets, up to the maximum for a tape.
async fn read(output: &Output, start: u64, upto: Option<u64>) -> io::Result<PrintedOutput> {
    let upto = upto.unwrap_or(u64::MAX);
    let mut stretch = Stretch::from(start);
    output.read_on(&mut stretch, upto, MAX_OUTPUT_BYTES).await?;
    Ok(PrintedOutput {
        start,
        is_cut: stretch.end < upto && stretch.bytes.len() >= MAX_OUTPUT_BYTES,
        bytes: stretch.bytes,
        gaps: stretch.gaps,
        ..PrintedOutput::default()
    })
}
