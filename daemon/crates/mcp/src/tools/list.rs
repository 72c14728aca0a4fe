//! `session_list`.

use super::call::{Call, Mistake, Tool, ToolOutput};
use crate::output::state;
use ccd_protocol::session::{Session, SessionList, SessionListParams};
use serde::Deserialize;

/// Most sessions in a result: the newest.
const MAX_SESSIONS: usize = 100;

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct List {
    /// Include sessions that have ended.
    #[serde(default)]
    all: bool,
}

impl Tool for List {
    const NAME: &'static str = "session_list";
    const TITLE: &'static str = "List sessions";
    const DESCRIPTION: &'static str = "Lists terminal sessions, including those that people and other agents started: id, \
        what the program does, who started it.";
    const READS: bool = true;

    async fn run(self, call: &Call<'_>) -> Result<ToolOutput, Mistake> {
        let params = SessionListParams {
            all: self.all,
            waiting: true,
        };
        let mut sessions = call.calls.call::<SessionList>(&params).await?.sessions;
        sessions.retain(|session| call.sees(session));
        if sessions.is_empty() {
            return Ok("[no sessions]".to_owned().into());
        }
        let more = sessions.len().saturating_sub(MAX_SESSIONS);
        let mut lines: Vec<String> = sessions[more..].iter().map(line).collect();
        if more > 0 {
            lines.insert(0, format!("[{more} older sessions are left out]"));
        }
        Ok(lines.join("\n").into())
    }
}

fn line(session: &Session) -> String {
    let mut line = session.session_id.clone();
    if let Some(name) = &session.name {
        line.push_str(&format!(" ({name})"));
    }
    line.push_str(&format!(": {}", state(session)));
    if !session.args.is_empty() {
        let args = session.args.join(" ");
        let end = args.floor_char_boundary(80);
        line.push_str(&format!("; arguments: {}", &args[..end]));
    }
    line.push_str(&format!("; in {}", session.cwd));
    if let Some(client) = &session.created_by {
        line.push_str(&format!("; started by {client}"));
    }
    if !session.attached.is_empty() {
        let names: Vec<&str> = (session.attached.iter())
            .map(|attached| &*attached.client)
            .collect();
        line.push_str(&format!("; attached: {}", names.join(", ")));
    }
    line
}
