//! Errors of the agent methods.

use ccd_agents::NotFound;
use ccd_protocol::{ErrorCode, ErrorData, Reportable};
use ccd_repository::RepositoryError;
use serde_json::json;

#[derive(Debug, thiserror::Error)]
pub(crate) enum AgentError {
    #[error("no agent has the name or session {asked:?}, or an id that starts with it")]
    NotFound { asked: String },
    #[error("several agents match {asked:?}: {}; give more of the id", .ids.join(", "))]
    Several { asked: String, ids: Vec<String> },
    #[error("the agent {agent} has no question now; it is {state}")]
    AsksNothing { agent: String, state: &'static str },
    #[error("the agent {agent} now asks something else: {question}")]
    OtherQuestion { agent: String, question: String },
    #[error(
        "the screen of the agent {agent} does not show the question: someone answered it, something else is in front of it, or it is too long for the screen; attach the agent to see it"
    )]
    NotShown { agent: String, screen: Vec<String> },
    #[error("the agent {agent} does not run in a session of ccd, so nothing can be typed into it")]
    NoSession { agent: String },
    #[error(
        "the agent {agent} does not have its terminal now: it was stopped, and fg resumes it, or another program is in front of it"
    )]
    NotInForeground { agent: String },
    #[error(
        "the question of the agent {agent} takes several choices: attach the agent to pick them"
    )]
    TakesSeveral { agent: String },
    #[error("the agent {agent} is not waiting for input now; try again")]
    NotReading { agent: String },
    #[error(
        "the answer was typed, but the agent {agent} still shows the question; attach it to see why"
    )]
    NotTaken { agent: String },
    #[error("{answer:?} is not one of the choices: {}", .choices.join(" | "))]
    NoChoice {
        answer: String,
        choices: Vec<String>,
    },
    #[error("the agent {agent} has ended")]
    Gone { agent: String },
    #[error("agents did not reach these states within {waited_ms} ms")]
    Timeout { waited_ms: u64 },
    #[error(transparent)]
    WorkTree(#[from] RepositoryError),
}

impl AgentError {
    pub(super) fn not_found(asked: &str, why: NotFound) -> Self {
        let asked = asked.to_owned();
        match why {
            NotFound::None => Self::NotFound { asked },
            NotFound::Several(ids) => Self::Several { asked, ids },
        }
    }
}

impl Reportable for AgentError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::NotFound { .. } | Self::Several { .. } => ErrorCode::AgentNotFound,
            Self::AsksNothing { .. }
            | Self::OtherQuestion { .. }
            | Self::NotShown { .. }
            | Self::NoSession { .. }
            | Self::NotReading { .. }
            | Self::NotInForeground { .. }
            | Self::TakesSeveral { .. }
            | Self::Gone { .. } => ErrorCode::AgentNotAsking,
            Self::NoChoice { .. } => ErrorCode::InvalidArgument,
            Self::Timeout { .. } | Self::NotTaken { .. } => ErrorCode::AgentTimeout,
            Self::WorkTree(_) => ErrorCode::RepositoryError,
        }
    }

    fn hint(&self) -> Option<&str> {
        match self {
            Self::NotFound { .. } => Some("agent.list lists the agents"),
            Self::NoSession { .. } => Some("answer in the terminal that it runs in"),
            _ => None,
        }
    }

    fn data(&self) -> ErrorData {
        match self {
            Self::NotShown { screen, .. } => {
                ErrorData::from_iter([("screen".into(), json!(screen))])
            }
            _ => ErrorData::new(),
        }
    }
}
