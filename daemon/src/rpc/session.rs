//! `session.*`.

use super::register::{checked_method, method, read};
use super::{CallError, Module, RpcError};
use crate::daemon::Daemon;
use ccd_protocol::Done;
use ccd_protocol::session::{
    Action, Interaction, SessionCleanup, SessionClose, SessionCreate, SessionEcho, SessionExpect,
    SessionGet, SessionHistory, SessionHistoryParams, SessionHistoryReply, SessionList,
    SessionListReply, SessionPan, SessionPipe, SessionRead, SessionResize, SessionRun,
    SessionScreen, SessionSend, SessionSignal, SessionWait,
};
use ccd_session::interaction::{InteractionRow, interactions};
use ccd_session::program::check_tape_options;
use ccd_session::session::records_with_waiting;
use jsonrpsee::core::RegisterMethodError;
use serde::Deserialize;
use serde_json::Value;

/// The part of a request in which unknown members are rejected.
#[derive(Deserialize)]
struct OfTape {
    #[serde(default)]
    tape: Value,
}

const DEFAULT_HISTORY_LEN: u64 = 200;
const MAX_HISTORY_LEN: u64 = 10_000;

pub(super) fn register(module: &mut Module) -> Result<(), RegisterMethodError> {
    checked_method::<SessionCreate, _, _>(module, check_tape, |daemon, peer, params| async move {
        Ok(daemon.sessions.create(&peer, params).await?)
    })?;
    method::<SessionList, _, _>(module, |daemon, _, params| async move {
        let listed = daemon.listed(params.all).await?;
        let mut sessions = if params.waiting {
            records_with_waiting(listed).await
        } else {
            listed.iter().map(|session| session.record(None)).collect()
        };
        // A list would contain the same names once for each session that has played a tape.
        for tape in sessions
            .iter_mut()
            .filter_map(|session| session.tape.as_mut())
        {
            tape.unused = None;
        }
        Ok(SessionListReply { sessions })
    })?;
    method::<SessionGet, _, _>(module, |daemon, _, params| async move {
        let session = daemon.sessions.find(&params.session).await?;
        let waiting = match params.waiting {
            Some(false) => None,
            _ => session.waiting_for_input().await,
        };
        Ok(session.record(waiting))
    })?;
    method::<SessionSend, _, _>(module, |daemon, peer, params| async move {
        let session = daemon.sessions.find(&params.session).await?;
        Ok(session.send(&peer, &params).await?)
    })?;
    method::<SessionExpect, _, _>(module, |daemon, peer, params| async move {
        let session = daemon.sessions.find(&params.session).await?;
        Ok(session.expect(&peer, &params).await?)
    })?;
    method::<SessionWait, _, _>(module, |daemon, peer, params| async move {
        let session = daemon.sessions.find(&params.session).await?;
        Ok(session.wait_for_client(&peer, &params).await?)
    })?;
    method::<SessionRead, _, _>(module, |daemon, peer, params| async move {
        let session = daemon.sessions.find(&params.session).await?;
        Ok(session.read(&peer, &params).await?)
    })?;
    method::<SessionScreen, _, _>(module, |daemon, _, params| async move {
        let session = daemon.sessions.find(&params.session).await?;
        Ok(session.screen(&params).await?)
    })?;
    method::<SessionRun, _, _>(module, |daemon, peer, params| async move {
        let session = daemon.sessions.find(&params.session).await?;
        Ok(session.run(&peer, &params).await?)
    })?;
    method::<SessionPipe, _, _>(module, |daemon, _, params| async move {
        let session = daemon.sessions.find(&params.session).await?;
        Ok(session.pipe(&params).await?)
    })?;
    method::<SessionSignal, _, _>(module, |daemon, _, params| async move {
        daemon
            .sessions
            .find(&params.session)
            .await?
            .signal(&params)?;
        Ok(Done {})
    })?;
    method::<SessionResize, _, _>(module, |daemon, peer, params| async move {
        let session = daemon.sessions.find(&params.session).await?;
        session.resize(&peer, &params)?;
        Ok(Done {})
    })?;
    method::<SessionPan, _, _>(module, |daemon, peer, params| async move {
        let session = daemon.sessions.find(&params.session).await?;
        session.pan(&peer, &params)?;
        Ok(Done {})
    })?;
    method::<SessionEcho, _, _>(module, |daemon, _, params| async move {
        let session = daemon.sessions.find(&params.session).await?;
        Ok(session.echo(&params)?)
    })?;
    method::<SessionClose, _, _>(module, |daemon, _, params| async move {
        let session = daemon.sessions.find(&params.session).await?;
        Ok(session.close(&params).await?)
    })?;
    method::<SessionHistory, _, _>(module, |daemon, _, params| async move {
        history(&daemon, &params).await
    })?;
    method::<SessionCleanup, _, _>(module, |daemon, _, params| async move {
        Ok(daemon.sessions.cleanup(&params).await?)
    })
}

/// Unknown tape options are rejected: a misspelt option such as `fallbak` would silently have no effect.
fn check_tape(params: &str) -> Result<(), CallError> {
    match read::<OfTape>(params)?.tape {
        Value::Object(tape) => {
            check_tape_options(&tape).map_err(|mistake| CallError::Params(mistake.to_string()))
        }
        _ => Ok(()),
    }
}

async fn history(
    daemon: &Daemon,
    params: &SessionHistoryParams,
) -> Result<SessionHistoryReply, RpcError> {
    let session = daemon.sessions.find(&params.session).await?;
    let limit = params
        .limit
        .unwrap_or(DEFAULT_HISTORY_LEN)
        .min(MAX_HISTORY_LEN);
    let before = match &params.before {
        Some(before) => before.parse().map_err(|_| {
            CallError::InvalidArgument(format!(
                "before is {before:?}, which is not the id of a history row"
            ))
        })?,
        None => i64::MAX,
    };
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    // The reply includes everything that happened before this call.
    daemon.services.recorder.flush().await;
    let store = &daemon.services.store;
    let rows = interactions(store, session.id().as_str(), limit, before).await?;
    Ok(SessionHistoryReply {
        interactions: rows.into_iter().map(interaction).collect(),
    })
}

fn interaction(row: InteractionRow) -> Interaction {
    let number = |value: Option<i64>| value.and_then(|value| u64::try_from(value).ok());
    Interaction {
        id: row.id.to_string(),
        session_id: row.session_id,
        timestamp: row.timestamp,
        action: serde_json::from_value(row.action.into()).unwrap_or(Action::Error),
        input_text: row.input_text,
        output_text: row.output_text,
        pattern_matched: row.pattern_matched,
        client: row.client,
        client_pid: row.client_pid,
        error_kind: row.error_kind,
        waited_ms: number(row.waited_ms),
        exit_code: row.exit_code,
        start: number(row.start_offset),
        end: number(row.end_offset),
    }
}
