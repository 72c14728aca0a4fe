//! Sessions that an earlier worker has started: the holder has kept their terminals, and the disk the rest.

use super::error::SessionError;
use super::input::Input;
use super::live::{Facts, Session};
use super::registry::Sessions;
use super::task::signal_group;
use crate::holder::{Adopted, Spawned};
use crate::interaction::Event;
use crate::output::log::{self, LogWriter, Logged};
use crate::output::{Flusher, Output};
use crate::store::SessionRow;
use rustix::process::Signal;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How much of a log goes back to memory.
const TAIL_BYTES: u64 = 1 << 20;

impl Sessions {
    /// Goes on with a session.
    ///
    /// # Errors
    ///
    /// Its log cannot be written.
    pub(super) async fn adopt(
        self: &Arc<Self>,
        row: &SessionRow,
        facts: Facts,
        spawned: Spawned,
    ) -> Result<(), SessionError> {
        let folder = self.paths.sessions.join(facts.id.as_str());
        let config = self.config();
        let (mut ring, slot) = (spawned.ring, spawned.slot);
        let base = ring.log_base();
        let rotation = config.log_rotation_size;
        let log_folder = folder.clone();
        let resumed = tokio::task::spawn_blocking(move || -> io::Result<_> {
            let writer = LogWriter::resume(log_folder.clone(), base, rotation)?;
            let tail = tail_of(&log_folder, writer.end())?;
            Ok((writer, tail))
        });
        let (writer, tail) = resumed
            .await
            .map_err(io::Error::other)
            .flatten()
            .map_err(SessionError::Files)?;
        // The log's length is the truth, but for what was given up behind it.
        let logged = writer.end().max(ring.tail());
        let tail = if logged == writer.end() {
            tail
        } else {
            Vec::new()
        };
        let noted = ring.tail();
        let counted = usize::try_from(logged - noted).unwrap_or(0);
        let lines = ring.output_lines()
            + memchr::memchr_iter(b'\n', &ring.bytes(noted)[..counted]).count() as u64;
        if ring.set_tail(logged) {
            self.holder.space_freed(slot);
        }
        let output = Output::adopted(folder, ring, config.output_limit as u64, lines, &tail);
        let size = rustix::termios::tcgetwinsize(&spawned.master);
        let (rows, cols) = size.map_or((row.terminal_rows, row.terminal_cols), |size| {
            (size.ws_row, size.ws_col)
        });
        let age = crate::clock::age_s(&row.created_at).unwrap_or(0.0);
        let input = Input::new(Some(spawned.master));
        let session = Session::live(facts, output, Flusher::new(writer), input, rows, cols)
            .started_ago(Duration::try_from_secs_f64(age).unwrap_or_default());
        session
            .scanner()
            .feed(&tail, logged - tail.len() as u64, &mut Vec::new());
        session.recorded_upto.store(logged, Ordering::Release);
        let session = Arc::new(session);
        self.insert(Arc::clone(&session));
        let text = "the worker was started again; interactions of the last 250 ms may be missing";
        self.recorder
            .note(&session, None, Event::Trouble(text.into()));
        self.take_output(&session, usize::MAX);
        self.tracker
            .spawn(super::task::run(Arc::clone(&session), Arc::clone(self)));
        Ok(())
    }

    /// Ends a program that nobody was told of.
    pub(super) fn discard(&self, adopted: &Adopted) {
        signal_group(adopted.spawned.pid, Signal::KILL);
        self.holder.release(adopted.spawned.slot);
    }
}

/// The end of a log, as far as it is in one piece.
fn tail_of(folder: &Path, end: u64) -> io::Result<Vec<u8>> {
    let mut at = end.saturating_sub(TAIL_BYTES);
    let mut tail = Vec::new();
    while at < end {
        match log::read(folder, at, (end - at) as usize, end)? {
            Logged::Bytes(bytes) => {
                at += bytes.len() as u64;
                tail.extend_from_slice(&bytes);
            }
            Logged::Missing { resume } => {
                tail.clear();
                at = resume;
            }
        }
    }
    Ok(tail)
}
