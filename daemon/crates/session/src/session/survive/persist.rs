//! Sessions in the database: written down, forgotten, and found again by the next daemon.

use super::strays::has_recording;
use super::table::{DeleteSession, SessionRow, sessions};
use crate::interaction::Event;
use crate::interaction::shown_args;
use crate::output::Output;
use crate::output::log::LogWriter;
use crate::session::end::end_orphans;
use crate::session::error::{SessionError, reason_of, reason_text};
use crate::session::facts::Facts;
use crate::session::input::Input;
use crate::session::live::Session;
use crate::session::registry::Sessions;
use crate::session::services::Services;
use crate::session::start::Origin;
use crate::session::state::{CloseOrder, State};
use crate::session::tape::PastTape;
use ccd_protocol::SessionId;
use ccd_protocol::session::{EndReason, SessionState};
use ccd_store::StoreError;
use ccd_terminal::holder::{Adopted, Exit, Gap, Ring};
use rustix::process::Signal;
use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// What is known of the processes before this one.
pub struct Past<'a> {
    /// When the holder started.
    pub holder_since: &'a str,
    /// The last one was killed.
    pub has_crashed: bool,
    /// The database has nothing of what they wrote.
    pub database_is_new: bool,
}

impl Session {
    /// Writes a session's row; it survives a kill once this returns.
    pub async fn save(&self) -> Result<(), StoreError> {
        self.services.store.commit(row_of(self)).await
    }
}

impl Sessions {
    /// Removes an ended session: from the list, from the database, from the disk. Does nothing when it is not listed
    /// any more; another one may have its id then.
    pub async fn forget(&self, session: &Session) -> Result<(), SessionError> {
        let id = session.id();
        let is_it = |_: &SessionId, listed: &Arc<Session>| std::ptr::eq(&**listed, session);
        if self.all.remove_if(id, is_it).is_none() {
            return Ok(());
        }
        session.forgotten.cancel();
        if session.facts.transient {
            self.release(session);
        }
        let delete = || self.services.store.commit(DeleteSession(id.to_string()));
        let is_kept = !session.facts.transient && delete().await.is_err();
        let folder = session.output.dir().to_owned();
        match has_recording(&folder).await {
            true => {
                tracing::warn!(session = %id, "its log is kept until its tape can be made; the next start tries again");
            }
            false => remove_folder(&folder).await.map_err(SessionError::Files)?,
        }
        if is_kept {
            // A full disk has room for it now.
            delete().await?;
        }
        Ok(())
    }

    /// Forgets ended sessions whose time is over. Returns how many.
    pub async fn retain(&self, keep: Duration) -> Result<u64, SessionError> {
        let mut removed = 0;
        for session in self.list() {
            let ended_at = session.state().ended_at.clone();
            let age = ended_at.as_deref().and_then(ccd_text::clock::age_s);
            if session.is_dead() && age.is_some_and(|age| age >= keep.as_secs_f64()) {
                self.forget(&session).await?;
                removed += 1;
            }
        }
        Ok(removed)
    }

    /// Ends a session that was just started, and leaves nothing of it: nobody was told of it.
    pub async fn abandon(&self, session: &Session) {
        session.order_close(CloseOrder {
            reason: EndReason::Closed,
            grace: Duration::ZERO,
        });
        session.wait_dead().await;
        if let Err(error) = self.forget(session).await {
            tracing::warn!(session = %session.id(), %error, "could not clean up after a session that did not start");
        }
    }

    /// Takes over what an earlier daemon left: ended sessions are listed, those that lived when it
    /// was killed get their last output from the rings, what still runs of them is ended, and they are listed as ended.
    ///
    /// # Errors
    ///
    /// The database or the folders cannot be read.
    pub async fn recover(
        self: &Arc<Self>,
        adopted: Vec<Adopted>,
        past: &Past<'_>,
    ) -> Result<u64, SessionError> {
        let mut killed = 0;
        let rows = sessions(&self.services.store).await?;
        let listed: HashSet<String> = rows.iter().map(|row| row.session_id.clone()).collect();
        let mut unfinished: HashSet<String> = rows
            .iter()
            .filter(|row| row.state != "dead")
            .map(|row| row.session_id.clone())
            .collect();
        if past.database_is_new {
            unfinished.extend(super::adopt::ids_of(&adopted));
        }
        let alive = self.adopt_all(adopted, &unfinished, past.has_crashed).await;
        if past.database_is_new {
            for session in self.list() {
                if !session.facts.transient {
                    session.save().await?;
                }
            }
        }
        let lived: Vec<String> = unfinished.difference(&alive).cloned().collect();
        let ended = end_orphans(&lived).await;
        for mut row in rows {
            if alive.contains(&row.session_id) {
                continue;
            }
            let was_alive = row.state != "dead";
            let mut cursor = 0;
            if was_alive {
                killed += 1;
                let leader_signal = ended
                    .get(&row.session_id)
                    .and_then(|ended| ended.get(&row.pid).copied());
                // The kernel hangs up the terminals of a killed daemon.
                let signal = leader_signal.unwrap_or(Signal::HUP);
                cursor = self.finish_killed(&mut row, signal).await;
            }
            let Some(session) = session_of(&self.services, &row, past.holder_since) else {
                continue;
            };
            session.output.advance_cursor(cursor);
            self.services
                .finish_killed_tape(session.output.dir(), &session.output, None)
                .await;
            *session.past_tape() = PastTape::of(session.output.dir());
            let session = Arc::new(session);
            self.insert(Arc::clone(&session));
            if was_alive {
                session.save().await?;
                let text = "the daemon was killed; history of its last 250 ms may be missing";
                session.note(None, Event::Trouble(text.into()));
                session.note_end();
            }
        }
        self.remove_strays(&listed, &alive)
            .await
            .map_err(SessionError::Files)?;
        Ok(killed)
    }

    /// Brings the row of a session that lived when the daemon was killed to its end; returns its cursor.
    ///
    /// `signal` has ended its program, unless the killed daemon saw another end.
    async fn finish_killed(&self, row: &mut SessionRow, signal: Signal) -> u64 {
        let mut cursor = 0;
        let folder = self.services.folders.sessions.join(&row.session_id);
        let ring_path = self.services.folders.ring(&row.session_id);
        let rotation = self.services.settings().log_rotation_size;
        self.services.remove_stray_pipe(&row.session_id);
        let salvaged =
            tokio::task::spawn_blocking(move || salvage(&folder, &ring_path, rotation)).await;
        match salvaged
            .map_err(io::Error::other)
            .and_then(|salvaged| salvaged)
        {
            Ok(salvaged) => {
                row.output_bytes = i64::try_from(salvaged.end).unwrap_or(i64::MAX);
                row.output_lines = i64::try_from(salvaged.lines).unwrap_or(i64::MAX);
                row.exitstatus = salvaged.exit.and_then(|exit| exit.code);
                row.signal = salvaged.exit.and_then(|exit| exit.signal);
                row.gaps = gaps_to_json(&salvaged.gaps);
                cursor = salvaged.cursor;
            }
            Err(error) => {
                tracing::error!(session = row.session_id, %error, "could not restore all output of a killed daemon's session");
            }
        }
        if row.exitstatus.is_none() && row.signal.is_none() {
            row.signal = Some(signal.as_raw());
        }
        // Of one that ended well nobody has looked for the indicators.
        row.success = row
            .config
            .as_ref()
            .and((row.exitstatus != Some(0)).then_some(false));
        row.state = "dead".into();
        row.end_reason = Some(reason_text(EndReason::DaemonKilled).into());
        row.ended_at = Some(ccd_text::clock::now());
        cursor
    }
}

pub(super) async fn remove_folder(folder: &Path) -> io::Result<()> {
    match tokio::fs::remove_dir_all(folder).await {
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            tokio::fs::remove_file(folder).await
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// What was found of a session after a kill.
pub(super) struct Salvaged {
    pub(super) end: u64,
    pub(super) lines: u64,
    exit: Option<Exit>,
    pub(super) gaps: Vec<Gap>,
    cursor: u64,
}

/// Appends to the log what only the ring has.
pub(super) fn salvage(folder: &Path, ring_path: &Path, rotation: u64) -> io::Result<Salvaged> {
    let ring = match Ring::open(ring_path) {
        Ok(ring) => ring,
        // The machine was started anew, or the kill hit before the ring was made.
        Err(_) => {
            let writer = LogWriter::resume(folder.to_owned(), 0, rotation)?;
            return Ok(Salvaged {
                end: writer.end(),
                lines: 0,
                exit: None,
                gaps: Vec::new(),
                cursor: 0,
            });
        }
    };
    let mut writer = LogWriter::resume(folder.to_owned(), ring.log_base(), rotation)?;
    // The log's length is the truth. Behind it the ring has everything, or it was given up.
    let from = writer.end().max(ring.tail());
    let rest = ring.bytes(from).to_vec();
    if !rest.is_empty() {
        writer.append(from, &rest)?;
    }
    // The log may be ahead of the tail: the kill came between the write and the note of it.
    let newlines = memchr::memchr_iter(b'\n', ring.bytes(ring.tail())).count() as u64;
    let salvaged = Salvaged {
        end: writer.end(),
        lines: ring.output_lines() + newlines,
        exit: ring.status(),
        gaps: ring.gaps(),
        cursor: ring.cursor(),
    };
    Ok(salvaged)
}

fn row_of(session: &Session) -> SessionRow {
    let state = session.state().clone();
    let output = session.output.facts();
    SessionRow {
        // Only what lives needs them as they are.
        args: args_to_json(&shown_args(session)),
        last_activity: ccd_text::clock::seconds_ago(session.idle().as_secs_f64()),
        exitstatus: state.exit.and_then(|exit| exit.code),
        signal: state.exit.and_then(|exit| exit.signal),
        state: match state.phase {
            SessionState::Alive => "alive",
            // Its end is written down before the rest of it goes.
            SessionState::Zombie if state.end_reason.is_some() => "dead",
            SessionState::Zombie => "zombie",
            SessionState::Dead => "dead",
        }
        .into(),
        end_reason: state.end_reason.map(|reason| reason_text(reason).into()),
        ended_at: state.ended_at,
        output_lines: number(output.lines),
        output_bytes: number(output.bytes),
        rotated_at: output.rotated_at,
        gaps: gaps_to_json(&output.gaps),
        success: state.success,
        ..row_of_start(&session.facts, state.rows, state.cols)
    }
}

/// The row of a session that is about to start.
pub(super) fn row_of_start(facts: &Facts, rows: u16, cols: u16) -> SessionRow {
    SessionRow {
        session_id: facts.id.to_string(),
        name: facts.name.as_ref().map(SessionId::to_string),
        program: facts.program.clone(),
        args: args_to_json(&facts.args),
        cwd: facts.cwd.clone(),
        timeout: facts.timeout.as_secs_f64(),
        created_at: facts.created_at.clone(),
        last_activity: facts.created_at.clone(),
        persist: facts.persist,
        encoding: facts.encoding.name().to_owned(),
        pid: facts.pid,
        exitstatus: None,
        signal: None,
        state: "alive".into(),
        end_reason: None,
        ended_at: None,
        terminal_rows: rows,
        terminal_cols: cols,
        shell: facts.shell,
        transient: facts.transient,
        session_timeout_s: facts.idle_limit.as_secs_f64(),
        max_session_runtime_s: facts.runtime_limit.as_secs_f64(),
        output_lines: 0,
        output_bytes: 0,
        rotated_at: None,
        gaps: gaps_to_json(&[]),
        config: facts.origin.as_ref().map(|origin| origin.name.to_string()),
        success: None,
    }
}

fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn gaps_to_json(gaps: &[Gap]) -> String {
    let gaps: Vec<_> = gaps
        .iter()
        .map(|gap| serde_json::json!({"offset": gap.offset, "length": gap.len}))
        .collect();
    serde_json::Value::from(gaps).to_string()
}

fn gaps_of_json(json: &str) -> Vec<Gap> {
    let gaps: Vec<ccd_protocol::session::Gap> = serde_json::from_str(json).unwrap_or_default();
    gaps.into_iter()
        .map(|gap| Gap {
            offset: gap.offset,
            len: gap.length,
        })
        .collect()
}

/// An ended session from its row; `None` when the row is not one of ours.
fn session_of(services: &Arc<Services>, row: &SessionRow, holder_since: &str) -> Option<Session> {
    let id = SessionId::parse(&row.session_id).ok()?;
    let number = |value: i64| u64::try_from(value).unwrap_or(0);
    let output = Output::ended(
        services.folders.session(&id),
        number(row.output_bytes),
        number(row.output_lines),
        gaps_of_json(&row.gaps),
    );
    let has_exit = row.exitstatus.is_some() || row.signal.is_some();
    let state = State {
        phase: SessionState::Dead,
        exit: has_exit.then_some(Exit {
            code: row.exitstatus,
            signal: row.signal,
        }),
        end_reason: row.end_reason.as_deref().and_then(reason_of),
        ended_at: row.ended_at.clone(),
        rows: row.terminal_rows,
        cols: row.terminal_cols,
        forced: false,
        killed: Vec::new(),
        success: row.success,
    };
    let facts = Facts {
        is_of_this_holder: row.created_at.as_str() >= holder_since,
        ..facts_of(row)?
    };
    let session = Session::new(
        Arc::clone(services),
        facts,
        output,
        Input::new(None, CancellationToken::new(), None),
        state,
    );
    session
        .recorded_upto
        .store(number(row.output_bytes), Ordering::Release);
    session.set_last_activity(ccd_text::clock::age_s(&row.last_activity).unwrap_or(0.0));
    Some(session)
}

/// What the database knows of the configuration that started a session.
fn origin_of(name: &str) -> Option<Arc<Origin>> {
    let name = SessionId::parse(name).ok()?;
    Some(Arc::new(Origin {
        name,
        success: Vec::new(),
        has_start: false,
    }))
}

fn args_to_json(args: &[String]) -> String {
    serde_json::to_string(args).unwrap_or_else(|_| String::from("[]"))
}

pub(super) fn facts_of(row: &SessionRow) -> Option<Facts> {
    Some(Facts {
        id: SessionId::parse(&row.session_id).ok()?,
        name: row
            .name
            .as_deref()
            .and_then(|name| SessionId::parse(name).ok()),
        program: row.program.clone(),
        args: serde_json::from_str(&row.args).unwrap_or_default(),
        cwd: row.cwd.clone(),
        created_at: row.created_at.clone(),
        persist: row.persist,
        encoding: ccd_text::expect::encoding_for(&row.encoding).unwrap_or(encoding_rs::UTF_8),
        timeout: Duration::try_from_secs_f64(row.timeout).unwrap_or_default(),
        idle_limit: Duration::try_from_secs_f64(row.session_timeout_s).unwrap_or_default(),
        runtime_limit: Duration::try_from_secs_f64(row.max_session_runtime_s).unwrap_or_default(),
        log_limit_bytes: 0,
        shell: row.shell,
        transient: row.transient,
        plain: false,
        pipes: false,
        pid: row.pid,
        slot: None,
        tty_device: 0,
        is_of_this_holder: false,
        output_limit: 1,
        reuse_hash: [0; 32],
        origin: row.config.as_deref().and_then(origin_of),
        redacts_log: ccd_text::redact::is_on(None),
    })
}
