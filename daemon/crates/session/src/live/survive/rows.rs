//! Converts sessions to rows of the database, and rows to sessions.

use super::table::SessionRow;
use crate::interaction::shown_words;
use crate::live::attach::Size;
use crate::live::error::{reason_of, reason_text};
use crate::live::facts::SessionFacts;
use crate::live::services::Services;
use crate::live::session::Session;
use crate::live::start::Origin;
use crate::live::state::CurrentState;
use crate::output::Output;
use ccd_protocol::SessionId;
use ccd_protocol::session::{Gap as RecordedGap, SessionState};
use ccd_terminal::holder::{Exit, Gap};
use ccd_text::redact::redact;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

pub(super) fn row_of(session: &Session) -> SessionRow {
    let state = session.state().clone();
    let output = session.output.facts();
    // Secrets are masked: only a running session needs them.
    let mut args = shown_words(session);
    let program = args.remove(0);
    SessionRow {
        program,
        args: args_to_json(&args),
        cwd: redact(&session.facts.cwd).text.into_owned(),
        last_activity: ccd_base::clock::seconds_ago(session.idle().as_secs_f64()),
        exitstatus: state.exit.and_then(|exit| exit.code),
        signal: state.exit.and_then(|exit| exit.signal),
        state: match state.phase {
            SessionState::Alive => "alive",
            // The end is written to the database before the rest of the session is cleaned up.
            SessionState::Zombie if state.end_reason.is_some() => "dead",
            SessionState::Zombie => "zombie",
            SessionState::Dead => "dead",
        }
        .into(),
        end_reason: state.end_reason.map(reason_text),
        ended_at: state.ended_at,
        output_lines: number(output.lines),
        output_bytes: number(output.bytes),
        rotated_at: output.rotated_at,
        gaps: gaps_to_json(&output.gaps),
        success: state.success,
        name: session.name().map(|name| name.to_string()),
        ..row_of_start(&session.facts, state.size)
    }
}

/// Returns the row of a session that is about to start.
pub(super) fn row_of_start(facts: &SessionFacts, (rows, cols): Size) -> SessionRow {
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
        state: "alive".into(),
        terminal_rows: rows,
        terminal_cols: cols,
        shell: facts.shell,
        transient: facts.transient,
        session_timeout_s: facts.idle_limit.as_secs_f64(),
        max_session_runtime_s: facts.runtime_limit.as_secs_f64(),
        gaps: gaps_to_json(&[]),
        config: facts.origin.as_ref().map(|origin| origin.name.to_string()),
        started_by: facts.started_by.clone(),
        start_error: facts.start_error.clone(),
        created_by: facts.created_by.clone(),
        ..SessionRow::default()
    }
}

fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

pub(super) fn gaps_to_json(gaps: &[Gap]) -> String {
    serde_json::to_string(&recorded_gaps(gaps)).unwrap_or_default()
}

/// Returns the gaps as a session's record has them.
pub(in crate::live) fn recorded_gaps(gaps: &[Gap]) -> Vec<RecordedGap> {
    let recorded = |&Gap { offset, len }: &Gap| RecordedGap {
        offset,
        length: len,
    };
    gaps.iter().map(recorded).collect()
}

fn gaps_of_json(json: &str) -> Vec<Gap> {
    let gaps: Vec<RecordedGap> = serde_json::from_str(json).unwrap_or_default();
    let gap = |RecordedGap { offset, length }| Gap {
        offset,
        len: length,
    };
    gaps.into_iter().map(gap).collect()
}

/// Makes an ended session from its row; `None` if the row is not valid.
pub(super) fn session_of(
    services: &Arc<Services>,
    row: &SessionRow,
    is_of_this_holder: bool,
) -> Option<Session> {
    let id = SessionId::parse(&row.session_id).ok()?;
    let number = |value: i64| u64::try_from(value).unwrap_or(0);
    let output = Output::ended(
        services.folders.session(&id),
        number(row.output_bytes),
        number(row.output_lines),
        gaps_of_json(&row.gaps),
    );
    let has_exit = row.exitstatus.is_some() || row.signal.is_some();
    let size = (row.terminal_rows, row.terminal_cols);
    let state = CurrentState {
        exit: has_exit.then_some(Exit {
            code: row.exitstatus,
            signal: row.signal,
        }),
        end_reason: row.end_reason.as_deref().and_then(reason_of),
        ended_at: row.ended_at.clone(),
        success: row.success,
        ..CurrentState::new(SessionState::Dead, size)
    };
    let facts = SessionFacts {
        is_of_this_holder,
        ..facts_of(row, &[])?
    };
    let session = Session::without_program(Arc::clone(services), facts, output, state);
    session
        .recorded_upto
        .store(number(row.output_bytes), Ordering::Release);
    session.set_last_activity(ccd_base::clock::age_s(&row.last_activity).unwrap_or(0.0));
    Some(session)
}

/// Returns what the database knows about the configuration that started a session.
fn origin_of(name: &str, success: &[String]) -> Option<Arc<Origin>> {
    let name = SessionId::parse(name).ok()?;
    Some(Arc::new(Origin {
        name,
        success: success.to_vec(),
        has_start: false,
    }))
}

fn args_to_json(args: &[String]) -> String {
    serde_json::to_string(args).unwrap_or_else(|_| String::from("[]"))
}

/// Returns the facts that a row has; `success` are the indicators of the session's configuration, if they are known.
pub(super) fn facts_of(row: &SessionRow, success: &[String]) -> Option<SessionFacts> {
    Some(SessionFacts {
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
        started_by: row.started_by.clone(),
        start_error: row.start_error.clone(),
        created_by: row.created_by.clone(),
        plain: false,
        pipes: false,
        pid: row.pid,
        slot: None,
        tty_device: 0,
        is_of_this_holder: false,
        output_limit: 1,
        reuse_hash: [0; 32],
        origin: (row.config.as_deref()).and_then(|name| origin_of(name, success)),
        redacts_log: ccd_text::redact::is_on(None),
    })
}
