//! Coding agents: which one works, which one waits for its user, which one is done.

use crate::method::methods;
use crate::named::named;
use crate::session::SessionCreateParams;
use crate::timeout::Timeout;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

methods! {
    AgentList = "agent.list" (AgentListParams) -> AgentListReply, "Lists the coding agents that are running or ended within the last day; those that need a person come first.", Large;
    AgentGet = "agent.get" (AgentParams) -> Agent, "Returns an agent with the text of its screen, if a session shows one.";
    AgentWait = "agent.wait" (AgentWaitParams) -> AgentWaitReply, "Waits until all of the given agents (or any of them) are in one of the given states.", Large;
    AgentAnswer = "agent.answer" (AgentAnswerParams) -> Agent, "Types the answer to an agent's question, if its screen still shows that question and the program reads its terminal.";
    AgentCreate = "agent.create" (AgentCreateParams) -> AgentCreateReply, "Starts an agent in a session; with `worktree`, creates a git work tree for it.";
}

named! {
    /// What an agent is doing, from the user's point of view. The states that need the user most come first.
    #[derive(Default)]
    AgentState {
        /// It waits for an answer: see `question`.
        Asks = "asks",
        /// It should be working, but nothing has happened for `agents.stuck_after_s`: no output, no processor time, no
        /// event.
        Stuck = "stuck",
        /// An unattended run has failed.
        Failed = "failed",
        /// The turn is over; it waits for the next prompt.
        Idle = "idle",
        /// An unattended run is done.
        Done = "done",
        /// It works.
        #[default]
        Working = "working",
        /// Its program has ended.
        Gone = "gone",
    }
}

named! {
    /// How something is known.
    #[derive(Default)]
    Known {
        /// The agent, the system or the daemon has said so.
        Fact = "fact",
        /// It was read from a screen, or follows from silence.
        #[default]
        Guess = "guess",
    }
}

named! {
    /// What a question is about.
    QuestionKind {
        /// May the agent use a tool?
        Permission = "permission",
        /// May it carry out its plan?
        Plan = "plan",
        /// It asks its user something.
        Question = "question",
        /// A tool server asks the user something.
        Elicitation = "elicitation",
    }
}

/// A question of an agent.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AgentQuestion {
    pub kind: QuestionKind,
    /// At most 2,000 characters, without control characters.
    pub text: String,
    /// The choices, in the order on the screen; empty if unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// The sub-agent that asks; absent: the agent itself.
    pub sub_agent: Option<String>,
}

impl AgentQuestion {
    /// A question without known choices.
    #[must_use]
    pub fn new(kind: QuestionKind, text: String) -> Self {
        Self {
            kind,
            text,
            choices: Vec::new(),
            sub_agent: None,
        }
    }
}

/// Lines that differ from the last commit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ChangedLines {
    pub added: u64,
    pub removed: u64,
}

/// A conversation of a coding agent that is running or ended within the last day.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Agent {
    /// The id of the conversation; if that is unknown, of the session.
    pub agent_id: String,
    /// The name of its session; otherwise the name that its user gave it, or the name of its directory. The methods
    /// `agent.*` accept it if it is unique.
    pub name: String,
    /// The name of the program, such as `claude`.
    pub program: String,
    pub state: AgentState,
    /// How the state is known.
    pub known: Known,
    /// Since when it is in this state, in UTC.
    pub since: String,
    /// The same in seconds; not affected by changes of the clock.
    pub for_s: f64,
    /// What it is doing: a tool and its subject, in one line.
    pub doing: Option<String>,
    pub question: Option<AgentQuestion>,
    /// Why its last turn or its run failed.
    pub error: Option<String>,
    /// Sub-agents at work.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub sub_agents: u64,
    pub cwd: Option<String>,
    /// The root of the work tree it is in.
    pub project: Option<String>,
    pub branch: Option<String>,
    /// Lines in tracked files of the work tree that differ from the last commit.
    pub changed: Option<ChangedLines>,
    pub last_prompt: Option<String>,
    /// The last answer, in one line.
    pub last_answer: Option<String>,
    /// Tokens of all responses, as `conversation.stats` counts them.
    pub tokens: Option<u64>,
    pub cost_usd: Option<f64>,
    /// Tokens of the last request and its response.
    pub context_tokens: Option<u64>,
    /// Their share of the model's context window, from 0 to 1.
    pub context: Option<f64>,
    pub session_id: Option<String>,
    pub conversation_id: Option<String>,
    pub pid: Option<i32>,
    /// It runs unattended, by `exec.run`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub headless: bool,
    /// The last lines of its screen; only in replies of `agent.get`.
    pub screen: Option<Vec<String>>,
}

/// Parameters of `agent.list`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AgentListParams {
    /// Reply at once with what is known from the last check, without branch, changed lines, tokens and cost. A new check is
    /// started, for the next call.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub brief: bool,
    /// Only agents in these states. Empty: all agents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<AgentState>,
}

/// Reply of `agent.list`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AgentListReply {
    /// Sorted by state, then by how long they have been in it.
    pub agents: Vec<Agent>,
    /// `agents.hosts` of the configuration. The client asks the daemons of these hosts as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
}

/// Names one agent.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AgentParams {
    /// Its id or a unique prefix of it, its name, or its session.
    pub agent: String,
}

/// Parameters of `agent.wait`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AgentWaitParams {
    /// As in `agent.get`. Empty: all agents that are running at the time of the call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// The states to wait for. Empty: `asks`, `idle`, `done`, `failed`, `stuck` and `gone`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub until: Vec<AgentState>,
    /// Return as soon as one of the agents is in one of the states.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub any: bool,
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub timeout_ms: Timeout,
}

/// Reply of `agent.wait`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AgentWaitReply {
    /// Those that are in one of the states.
    pub agents: Vec<Agent>,
}

/// Parameters of `agent.answer`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AgentAnswerParams {
    pub agent: String,
    /// The number of a choice (from 1), its text, or a prefix of its text that no other choice has.
    pub answer: String,
    /// The question to answer, as in `question.text`. Absent: the question that the agent asks now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
}

/// Parameters of `agent.create`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AgentCreateParams {
    /// Create a work tree with this new branch, next to the work tree of `cwd`, and start the agent there.
    pub worktree: Option<String>,
    #[serde(flatten)]
    pub session: SessionCreateParams,
}

/// Reply of `agent.create`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AgentCreateReply {
    pub session: crate::session::Session,
    /// The path of the work tree that was created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
}

/// Parameters of `agent.subscribe`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AgentSubscribeParams {}

/// One item of a subscription to agents.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AgentItem {
    pub seq: u64,
    /// At first all agents, then those that have changed.
    pub agents: Vec<Agent>,
    /// Ids of agents that are no longer listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
}
