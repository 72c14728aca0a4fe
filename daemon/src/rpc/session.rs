//! `session.*`.

use super::register::read;
use super::{CallError, Failure, Module, RpcResult, invalid};
use crate::daemon::Daemon;
use ccd_protocol::Done;
use ccd_protocol::session::{
    Action, Interaction, SessionCleanup, SessionClose, SessionCreate, SessionEcho, SessionExpect,
    SessionGet, SessionHistory, SessionHistoryParams, SessionHistoryReply, SessionList,
    SessionListReply, SessionPan, SessionPipe, SessionRead, SessionRename, SessionResize,
    SessionRun, SessionScreen, SessionSend, SessionSignal, SessionWait,
};
use ccd_session::interaction::{InteractionRow, interactions};
use ccd_session::program::check_tape_options;
use ccd_session::records_with_waiting;
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

pub(super) fn register(module: &mut Module) {
    module.add_checked::<SessionCreate, _, _>(check_tape, async |daemon, peer, params| {
        daemon.sessions.create(&peer, params).await
    });
    module.add::<SessionList, _, Failure>(async |daemon, _, params| {
        let listed = daemon.listed(params.all).await?;
        let mut sessions = if params.waiting {
            records_with_waiting(listed).await
        } else {
            listed.iter().map(|session| session.record(None)).collect()
        };
        // A list would contain the same names once for each session that has played a tape.
        let tapes = sessions
            .iter_mut()
            .filter_map(|session| session.tape.as_mut());
        tapes.for_each(|tape| tape.unused = None);
        Ok(SessionListReply { sessions })
    });
    module.add::<SessionGet, _, Failure>(async |daemon, _, params| {
        let session = daemon.sessions.find(&params.session).await?;
        let waiting = match params.waiting {
            Some(false) => None,
            _ => session.waiting_for_input().await,
        };
        Ok(session.record(waiting))
    });
    module.add::<SessionSend, _, _>(async |daemon, peer, params| {
        let session = daemon.sessions.find(&params.session).await?;
        session.send(&peer, params).await
    });
    module.add::<SessionExpect, _, _>(async |daemon, peer, params| {
        let session = daemon.sessions.find(&params.session).await?;
        session.expect(&peer, &params).await
    });
    module.add::<SessionWait, _, _>(async |daemon, peer, params| {
        let session = daemon.sessions.find(&params.session).await?;
        session.wait_for_client(&peer, &params).await
    });
    module.add::<SessionRead, _, _>(async |daemon, peer, params| {
        let session = daemon.sessions.find(&params.session).await?;
        session.read(&peer, &params).await
    });
    module.add::<SessionScreen, _, _>(async |daemon, _, params| {
        let session = daemon.sessions.find(&params.session).await?;
        session.screen(&params).await
    });
    module.add::<SessionRun, _, _>(async |daemon, peer, params| {
        let session = daemon.sessions.find(&params.session).await?;
        session.run(&peer, &params).await
    });
    module.add::<SessionPipe, _, _>(async |daemon, _, params| {
        let session = daemon.sessions.find(&params.session).await?;
        session.pipe(&params).await
    });
    module.add::<SessionSignal, _, _>(async |daemon, _, params| {
        let session = daemon.sessions.find(&params.session).await?;
        session.signal(&params).map(|()| Done {})
    });
    module.add::<SessionResize, _, _>(async |daemon, peer, params| {
        let session = daemon.sessions.find(&params.session).await?;
        session.resize(&peer, &params).map(|()| Done {})
    });
    module.add::<SessionRename, _, _>(async |daemon, _, params| {
        daemon.sessions.rename(&params).await.map(|()| Done {})
    });
    module.add::<SessionPan, _, _>(async |daemon, peer, params| {
        let session = daemon.sessions.find(&params.session).await?;
        session.pan(&peer, &params).map(|()| Done {})
    });
    module.add::<SessionEcho, _, _>(async |daemon, _, params| {
        let session = daemon.sessions.find(&params.session).await?;
        session.echo(&params)
    });
    module.add::<SessionClose, _, _>(async |daemon, _, params| {
        let session = daemon.sessions.find(&params.session).await?;
        session.close(&params).await
    });
    module.add::<SessionHistory, _, _>(async |daemon, _, params| history(&daemon, &params).await);
    module.add::<SessionCleanup, _, _>(async |daemon, _, params| {
        daemon.sessions.cleanup(&params).await
    });
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

async fn history(daemon: &Daemon, params: &SessionHistoryParams) -> RpcResult<SessionHistoryReply> {
    let session = daemon.sessions.find(&params.session).await?;
    let limit = params.limit.unwrap_or(DEFAULT_HISTORY_LEN);
    let before = match &params.before {
        Some(before) => before.parse().map_err(|_| {
            invalid(format!(
                "before is {before:?}, which is not the id of a history row"
            ))
        })?,
        None => i64::MAX,
    };
    let limit = i64::try_from(limit.min(MAX_HISTORY_LEN)).unwrap_or(i64::MAX);
    // The reply includes everything that happened before this call.
    daemon.services.recorder.flush(session.id()).await;
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
