//! Resources: the output and the screen of each session, and the coding agents.

use crate::output::{DEFAULT_BYTES, between};
use crate::policy::Reach;
use crate::tools::{Call, Mistake, screen_text};
use ccd_protocol::agent::{AgentList, AgentListParams};
use ccd_protocol::session::{
    Session, SessionList, SessionListParams, SessionScreen, SessionScreenParams,
};
use ccd_protocol::{ErrorCode, ErrorObject};
use rmcp::model::{ErrorData, Resource as Listed, ResourceContents, ResourceTemplate};

const SCHEME: &str = "ccd://session/";
const TEXT: &str = "text/plain";

/// The coding agents; see `agent.list`.
const AGENTS: &str = "ccd://agents";
const JSON: &str = "application/json";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Resource {
    pub(crate) uri: String,
    /// Id or name of the session; empty for the agents.
    pub(crate) session: String,
    kind: ResourceKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ResourceKind {
    /// The output from an offset on, or its end.
    Output(Option<u64>),
    Screen,
    Agents,
}

impl Resource {
    pub(crate) fn is_agents(&self) -> bool {
        self.kind == ResourceKind::Agents
    }

    /// Reads an address; `None` if it is not one of ours.
    pub(crate) fn parse(uri: &str) -> Option<Self> {
        if uri == AGENTS {
            return Some(Self {
                uri: uri.to_owned(),
                session: String::new(),
                kind: ResourceKind::Agents,
            });
        }
        let (session, rest) = uri.strip_prefix(SCHEME)?.split_once('/')?;
        let kind = match rest.split_once('?') {
            None if rest == "output" => ResourceKind::Output(None),
            None if rest == "screen" => ResourceKind::Screen,
            Some(("output", query)) => {
                ResourceKind::Output(Some(query.strip_prefix("from=")?.parse().ok()?))
            }
            _ => return None,
        };
        (!session.is_empty()).then(|| Self {
            uri: uri.to_owned(),
            session: session.to_owned(),
            kind,
        })
    }
}

/// Lists the resources of the live sessions that the agent sees.
pub(crate) async fn list(call: &Call<'_>) -> Result<Vec<Listed>, ErrorData> {
    let params = SessionListParams::default();
    let sessions = call
        .calls
        .call::<SessionList>(&params)
        .await
        .map_err(failed)?;
    let seen = sessions
        .sessions
        .into_iter()
        .filter(|session| call.sees(session));
    let agents = Listed::new(AGENTS, "agents")
        .with_description("Coding agents: which one asks, works, is idle, done or has failed")
        .with_mime_type(JSON);
    let of_sessions = seen.flat_map(|session| listed(&session));
    Ok(std::iter::once(agents).chain(of_sessions).collect())
}

/// Returns the coding agents: with `mcp.sessions: own`, those in sessions that this agent sees.
async fn agents(call: &Call<'_>) -> Result<String, ErrorObject> {
    let listed = call
        .calls
        .call::<AgentList>(&AgentListParams::default())
        .await?;
    let mut agents = listed.agents;
    if call.policy.sessions == Reach::Own {
        let params = SessionListParams {
            all: true,
            ..SessionListParams::default()
        };
        let mut sessions = call.calls.call::<SessionList>(&params).await?.sessions;
        sessions.retain(|session| call.sees(session));
        agents.retain(|agent| {
            let mut ids = sessions.iter().map(|session| &session.session_id);
            ids.any(|id| agent.session_id.as_ref() == Some(id))
        });
    }
    Ok(serde_json::to_string(&agents).unwrap_or_default())
}

fn listed(session: &Session) -> [Listed; 2] {
    let id = &session.session_id;
    let name = session.name.as_deref().unwrap_or(id);
    let program = &session.program;
    [
        ("output", format!("The end of the output of {program}")),
        ("screen", format!("What the terminal of {program} shows")),
    ]
    .map(|(kind, description)| {
        Listed::new(format!("{SCHEME}{id}/{kind}"), format!("{name}: {kind}"))
            .with_description(description)
            .with_mime_type(TEXT)
    })
}

pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let templates = [
        (
            "output",
            "output",
            "The end of the output of a session, live or ended",
        ),
        (
            "output{?from}",
            "output from",
            "The output of a session from a byte offset on",
        ),
        ("screen", "screen", "What the terminal of a session shows"),
    ];
    let template = |(path, name, description): (&str, &str, &str)| {
        ResourceTemplate::new(format!("{SCHEME}{{session}}/{path}"), name)
            .with_description(description)
            .with_mime_type(TEXT)
    };
    templates.map(template).into()
}

/// Returns the resource at an address, whose session exists and may be seen, and where its output ends.
pub(crate) async fn find(call: &Call<'_>, uri: &str) -> Result<(Resource, u64), ErrorData> {
    let mut resource = Resource::parse(uri).ok_or_else(|| missing(uri, "no such resource"))?;
    if resource.is_agents() {
        return Ok((resource, 0));
    }
    let session = call.session(&resource.session).await;
    resource.session = session.map_err(|Mistake(sentence)| missing(uri, &sentence))?;
    let record = call.calls.record(&resource.session).await.map_err(failed)?;
    Ok((resource, record.output.output_bytes))
}

pub(crate) async fn read(call: &Call<'_>, uri: &str) -> Result<ResourceContents, ErrorData> {
    let (Resource { session, kind, .. }, end) = find(call, uri).await?;
    let text = match kind {
        ResourceKind::Agents => {
            let agents = agents(call).await.map_err(failed)?;
            return Ok(ResourceContents::text(agents, uri).with_mime_type(JSON));
        }
        ResourceKind::Screen => {
            let params = SessionScreenParams {
                session,
                ..SessionScreenParams::default()
            };
            let screen = call.calls.call::<SessionScreen>(&params).await;
            screen_text(&screen.map_err(failed)?)
        }
        ResourceKind::Output(from) => {
            let start = from.unwrap_or_else(|| end.saturating_sub(DEFAULT_BYTES));
            between(call.calls, &session, (start, end), DEFAULT_BYTES)
                .await
                .map_err(failed)?
        }
    };
    Ok(ResourceContents::text(text, uri))
}

fn missing(uri: &str, sentence: &str) -> ErrorData {
    ErrorData::resource_not_found(format!("{uri}: {sentence}"), None)
}

fn failed(error: ErrorObject) -> ErrorData {
    match error.known() {
        Some(ErrorCode::SessionNotFound) => ErrorData::resource_not_found(error.message, None),
        _ => ErrorData::internal_error(error.message, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_a_session_and_a_kind() {
        let kind = |uri| Resource::parse(uri).map(|resource| resource.kind);
        assert_eq!(kind("ccd://session/a/screen"), Some(ResourceKind::Screen));
        assert_eq!(
            kind("ccd://session/a/output"),
            Some(ResourceKind::Output(None))
        );
        assert_eq!(
            kind("ccd://session/a/output?from=7"),
            Some(ResourceKind::Output(Some(7)))
        );
        for wrong in [
            "",
            "ccd://session/",
            "ccd://session//screen",
            "ccd://session/a",
            "ccd://session/a/log",
            "ccd://session/a/output?from=-1",
            "ccd://session/a/output?to=1",
            "file:///etc/passwd",
        ] {
            assert_eq!(kind(wrong), None, "{wrong}");
        }
    }
}
