//! Recovery after a daemon was killed: finds its sessions, and saves their last output from the ring files.

use super::persist::SessionEnd;
use super::rows::{gaps_to_json, session_of};
use super::table::{SessionRow, unfinished, without_session};
use crate::interaction::HistoryEvent;
use crate::live::end::end_orphans;
use crate::live::error::{SessionError, reason_of, reason_text};
use crate::live::output::LOST_RING;
use crate::live::registry::Sessions;
use crate::live::tape::PastTape;
use crate::output::log::LogWriter;
use ccd_protocol::session::EndReason;
use ccd_store::blocking_io;
use ccd_terminal::holder::{Adopted, Exit, Gap, Ring, Traces};
use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// What is known about the processes before this one.
pub struct PastProcesses<'a> {
    pub holder_since: &'a str,
    pub has_crashed: bool,
    /// The database is new, so it contains nothing that the earlier processes wrote.
    pub database_is_new: bool,
}

impl Sessions {
    /// Takes over what an earlier daemon left. For sessions that were alive when it was killed, saves their last output
    /// from the ring files, ends the processes that are still running, and lists them as ended. Sessions that ended
    /// earlier are not read.
    pub async fn recover(
        self: &Arc<Self>,
        adopted: Vec<Adopted>,
        past: &PastProcesses<'_>,
    ) -> Result<u64, SessionError> {
        let mut killed = 0;
        let _ = self.ended.holder_since.set(past.holder_since.to_owned());
        let rows = unfinished(&self.services.store).await?;
        let mut unfinished: HashSet<String> =
            rows.iter().map(|row| row.session_id.clone()).collect();
        if past.database_is_new {
            unfinished.extend(super::adopt::ids_of(&adopted));
        }
        let alive = self.adopt_all(adopted, &unfinished, past.has_crashed).await;
        let begun = self.services.logger.begin();
        begun.map_err(SessionError::Files)?;
        if past.database_is_new {
            for session in self.list() {
                if session.facts.is_logged() {
                    session.save().await?;
                }
            }
        }
        let mut lived: Vec<String> = unfinished.difference(&alive).cloned().collect();
        // Transient sessions need not have a row, and may have left processes when their programs ended.
        let mut ringed = self.ringed().map_err(SessionError::Files)?;
        ringed.retain(|id| !alive.contains(id));
        let ringed: Vec<&str> = ringed.iter().map(String::as_str).collect();
        let strays = without_session(&self.services.store, &ringed).await?;
        lived.extend(strays.iter().cloned());
        let traces: Vec<_> = lived.iter().map(|id| Traces::from_id(id)).collect();
        end_orphans(&self.services.processes, &traces).await;
        let mut without_files = Vec::new();
        let mut with_ring = alive.clone();
        for mut row in rows {
            if alive.contains(&row.session_id) {
                continue;
            }
            let cursor = self.finish_killed(&mut row).await;
            let reason = row.end_reason.as_deref().and_then(reason_of);
            let trouble = match reason {
                Some(EndReason::DaemonKilled) => {
                    Some("the daemon was killed; history of its last 250 ms may be missing")
                }
                Some(EndReason::RingLost) => Some(LOST_RING),
                _ => None,
            };
            killed += u64::from(reason == Some(EndReason::DaemonKilled));
            let is_of_this_holder = row.created_at.as_str() >= past.holder_since;
            let Some(session) = session_of(&self.services, &row, is_of_this_holder) else {
                continue;
            };
            session.output.advance_cursor(cursor);
            self.services
                .finish_killed_tape(session.output.dir(), &session.output, None)
                .await;
            *session.past_tape.lock() = PastTape::read(session.output.dir());
            let session = Arc::new(session);
            self.insert(Arc::clone(&session));
            match session.save().await {
                // It can be read, and deleted to make room; the next start records its end, from the ring.
                Err(error) if error.is_full() => {
                    with_ring.insert(session.id().to_string());
                    tracing::error!(session = %session.id(), %error, "the end of a session could not be recorded");
                }
                saved => saved?,
            }
            if let Some(trouble) = trouble {
                session.note(None, HistoryEvent::Trouble(trouble.into()));
            }
            session.note_end();
            if session.is_past() {
                without_files.push(session);
            }
        }
        let at = &self.services.folders.sessions;
        let strays = strays.iter().map(|id| at.join(id)).collect();
        self.remove_strays(strays).await;
        self.remove_rings(&with_ring);
        let sessions = Arc::clone(self);
        self.services.tracker.spawn(async move {
            for session in without_files {
                sessions.remove_files(&session, &session).await;
                sessions.keep_past(&session).await;
            }
        });
        Ok(killed)
    }

    /// Completes the row of a session that was alive when the daemon was killed, or whose end could not be recorded;
    /// returns its cursor.
    /// How its program ended is unknown, unless the earlier daemon has reaped it.
    async fn finish_killed(&self, row: &mut SessionRow) -> u64 {
        let mut cursor = 0;
        let mut end = SessionEnd {
            reason: EndReason::DaemonKilled,
            at: ccd_base::clock::now(),
        };
        let folder = self.services.folders.sessions.join(&row.session_id);
        let ring_path = self.services.folders.ring(&row.session_id);
        let rotation = self.services.settings().log_rotation_size;
        self.services.remove_stray_pipe(&row.session_id);
        match blocking_io(move || salvage(&folder, &ring_path, rotation)).await {
            Ok(salvaged) => {
                row.output_bytes = i64::try_from(salvaged.end).unwrap_or(i64::MAX);
                row.output_lines = i64::try_from(salvaged.lines).unwrap_or(i64::MAX);
                row.exitstatus = salvaged.exit.and_then(|exit| exit.code);
                row.signal = salvaged.exit.and_then(|exit| exit.signal);
                row.gaps = gaps_to_json(&salvaged.gaps);
                cursor = salvaged.cursor;
                end = salvaged.recorded_end.unwrap_or(end);
            }
            Err(error) => {
                tracing::error!(session = row.session_id, %error, "could not restore all output of a killed daemon's session");
            }
        }
        // If the exit status is 0, success is unknown: its output was not searched for the indicators.
        let has_failed = row.signal.is_some() || row.exitstatus.is_some_and(|status| status != 0);
        row.success = row.config.as_ref().and(has_failed.then_some(false));
        row.state = "dead".into();
        row.end_reason = Some(reason_text(end.reason));
        row.ended_at = Some(end.at);
        cursor
    }
}

/// What was recovered of a session after a kill.
pub(super) struct Salvaged {
    pub(super) end: u64,
    pub(super) lines: u64,
    exit: Option<Exit>,
    pub(super) gaps: Vec<Gap>,
    cursor: u64,
    /// Set if the session ended and only its row could not be written, or if its ring is damaged.
    recorded_end: Option<SessionEnd>,
}

/// Appends the output that is only in the ring to the log. What does not fit is a gap.
pub(super) fn salvage(folder: &Path, ring_path: &Path, rotation: u64) -> io::Result<Salvaged> {
    let ring = match Ring::open(ring_path) {
        Ok(ring) => ring,
        // Without damage, the machine was restarted, or the kill came before the ring file was created.
        Err(error) => {
            let writer = LogWriter::resume(folder.to_owned(), 0, rotation)?;
            let lost = error.is_damage().then(|| SessionEnd {
                reason: EndReason::RingLost,
                at: ccd_base::clock::now(),
            });
            return Ok(Salvaged {
                end: writer.end(),
                lines: 0,
                exit: None,
                gaps: Vec::new(),
                cursor: 0,
                recorded_end: lost,
            });
        }
    };
    let mut writer = LogWriter::resume(folder.to_owned(), ring.log_base(), rotation)?;
    // The log's length decides. After it, everything is in the ring or was given up.
    let from = writer.end().max(ring.tail());
    let rest = ring.bytes(from).to_vec();
    let end = from + rest.len() as u64;
    let mut gaps = ring.gaps();
    if let Err(error) = writer.append(from, &rest) {
        tracing::error!(folder = %folder.display(), %error, "the last output of a session is lost");
        let offset = writer.end().max(from);
        gaps.push(Gap {
            offset,
            len: end - offset,
        });
    }
    // The log may be ahead of the ring's tail, if the kill came after the write and before the tail was updated.
    let newlines = memchr::memchr_iter(b'\n', ring.bytes(ring.tail())).count() as u64;
    let salvaged = Salvaged {
        end,
        lines: ring.output_lines() + newlines,
        exit: ring.status(),
        gaps,
        cursor: ring.cursor(),
        recorded_end: SessionEnd::parse(&ring.note()),
    };
    Ok(salvaged)
}
