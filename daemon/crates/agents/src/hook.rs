//! One hook of Claude Code, as far as it says what an agent does. Read leniently: what is missing or of another type is as if
//! it were not there.

use ccd_base::about::about;
use ccd_base::surrogate::mended;
use ccd_protocol::SessionId;
use ccd_protocol::agent::{AgentQuestion, QuestionKind};
use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt;

use crate::words::{line, text};

/// Only so much of a payload is read: the long members, results of tools, come last.
const MAX_READ_BYTES: usize = 64 << 10;

/// Choices of a question that are shown.
const MAX_CHOICES: usize = 9;

/// Tools whose use is a question to the user.
const ASKS_USER: &str = "AskUserQuestion";
const SHOWS_PLAN: &str = "ExitPlanMode";

/// Members that are read; all others are skipped.
const MEMBERS: [&str; 16] = [
    "session_id",
    "hook_event_name",
    "transcript_path",
    "cwd",
    "agent_id",
    "agent_type",
    "source",
    "prompt",
    "tool_name",
    "tool_input",
    "tool_use_id",
    "message",
    "notification_type",
    "last_assistant_message",
    "error",
    "model",
];

/// Whose hook it is, and what it says.
#[derive(Debug, Clone, PartialEq)]
pub struct Hook {
    /// The id of the conversation.
    pub conversation: String,
    pub cwd: Option<String>,
    pub transcript: Option<String>,
    pub model: Option<String>,
    /// The sub-agent it comes from.
    pub sub_agent: Option<SubAgent>,
    pub event: Event,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubAgent {
    pub id: String,
    /// What it is called, such as `Explore`.
    pub kind: String,
}

/// A use of a tool. Some hooks have no id of it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ToolUse {
    pub id: Option<String>,
    pub name: String,
    /// What it is about, in one line.
    pub about: String,
}

impl ToolUse {
    /// Returns whether both may be the same use.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (&self.id, &other.id) {
            (Some(id), Some(other)) => id == other,
            _ => self.name == other.name && self.about == other.about,
        }
    }

    /// `Bash: cargo test`
    pub(crate) fn line(&self) -> String {
        if self.about.is_empty() {
            self.name.clone()
        } else {
            format!("{}: {}", self.name, self.about)
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A conversation starts, or goes on after a compaction.
    Start {
        source: String,
    },
    Prompt(String),
    ToolStarts(ToolUse, Option<AgentQuestion>),
    ToolEnds(ToolUse),
    /// All tools of one response are done.
    BatchEnds,
    Asks(ToolUse, AgentQuestion),
    /// A question of a tool server; `None`: it was answered.
    Elicits(Option<AgentQuestion>),
    /// Claude Code has waited for a permission or for input for some seconds.
    Notifies(Notice),
    Stops {
        answer: Option<String>,
    },
    /// The turn ended with an error of the API.
    Fails {
        error: String,
    },
    SubAgentStarts,
    SubAgentStops,
    Compacts,
    Ends,
}

impl Event {
    /// Returns whether it is a question to the user.
    pub(crate) fn asks(&self) -> bool {
        matches!(
            self,
            Self::Asks(..) | Self::ToolStarts(_, Some(_)) | Self::Elicits(Some(_))
        )
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    Permission(String),
    Idle,
    Elicitation(String),
}

/// The members of a payload that say something about an agent, as they came. Reading them is cheap; [`Self::hook`], which masks
/// secrets, is for when nobody waits for the hook any more.
#[derive(Debug)]
pub struct HookPayload {
    pub conversation: String,
    fields: Fields,
}

impl HookPayload {
    /// Reads the start of a payload; `None` if it is of no conversation.
    pub fn read(payload: &[u8]) -> Option<Self> {
        let fields = Fields::read(payload);
        let conversation = fields.id("session_id")?;
        Some(Self {
            conversation,
            fields,
        })
    }

    /// Returns whether a program begins or resumes the conversation.
    #[must_use]
    pub fn is_start(&self) -> bool {
        self.fields.text("hook_event_name").as_deref() == Some("SessionStart")
    }

    /// Returns what it says; `None` if that is nothing about an agent.
    #[must_use]
    pub fn hook(&self) -> Option<Hook> {
        let fields = &self.fields;
        let owned = |member| fields.text(member).map(Cow::into_owned);
        Some(Hook {
            conversation: self.conversation.clone(),
            cwd: owned("cwd"),
            transcript: owned("transcript_path"),
            model: fields.text("model").map(|model| line(&model)),
            sub_agent: fields.id("agent_id").map(|id| SubAgent {
                id,
                kind: line(&fields.text("agent_type").unwrap_or_default()),
            }),
            event: fields.event()?,
        })
    }
}

#[derive(Debug, Default)]
struct Fields(Map<String, Value>);

impl Fields {
    /// Reads the members at the start of a payload.
    fn read(payload: &[u8]) -> Self {
        let start = mended(&payload[..payload.len().min(MAX_READ_BYTES)]);
        let mut fields = Self::default();
        // An error is the end of what was read, or of what can be.
        let _ = serde_json::Deserializer::from_slice(&start).deserialize_map(&mut fields);
        fields
    }

    fn text(&self, member: &str) -> Option<Cow<'_, str>> {
        let text = self.0.get(member)?.as_str()?;
        (!text.is_empty()).then_some(Cow::Borrowed(text))
    }

    /// An id has the same letters as those of sessions.
    fn id(&self, member: &str) -> Option<String> {
        let id = self.text(member)?;
        SessionId::parse(&id).is_ok().then(|| id.into_owned())
    }

    fn tool(&self) -> Option<ToolUse> {
        Some(ToolUse {
            id: self.id("tool_use_id"),
            name: line(&self.text("tool_name")?),
            about: line(&about(self.0.get("tool_input").unwrap_or(&Value::Null))),
        })
    }

    fn event(&self) -> Option<Event> {
        let said = |member| text(&self.text(member).unwrap_or_default());
        Some(match &*self.text("hook_event_name")? {
            "SessionStart" => Event::Start {
                source: line(&self.text("source").unwrap_or_default()),
            },
            "UserPromptSubmit" => Event::Prompt(said("prompt")),
            "PreToolUse" => {
                let tool = self.tool()?;
                let question = self.question_of(&tool);
                Event::ToolStarts(tool, question)
            }
            "PostToolUse" | "PostToolUseFailure" | "PermissionDenied" => {
                Event::ToolEnds(self.tool()?)
            }
            "PostToolBatch" => Event::BatchEnds,
            "PermissionRequest" => {
                let tool = self.tool()?;
                let question = self
                    .question_of(&tool)
                    .unwrap_or_else(|| AgentQuestion::new(QuestionKind::Permission, tool.line()));
                Event::Asks(tool, question)
            }
            "Elicitation" => Event::Elicits(Some(AgentQuestion::new(
                QuestionKind::Elicitation,
                said("message"),
            ))),
            "ElicitationResult" => Event::Elicits(None),
            "Notification" => Event::Notifies(self.notice()?),
            "Stop" => Event::Stops {
                answer: self.text("last_assistant_message").map(|said| text(&said)),
            },
            "StopFailure" => Event::Fails {
                error: said("error"),
            },
            "SubagentStart" => Event::SubAgentStarts,
            "SubagentStop" => Event::SubAgentStops,
            "PreCompact" => Event::Compacts,
            "SessionEnd" => Event::Ends,
            _ => return None,
        })
    }

    /// Notices without a type are of older versions, which are known by their words.
    fn notice(&self) -> Option<Notice> {
        let message = self.text("message").unwrap_or_default();
        match &*self.text("notification_type").unwrap_or_default() {
            "permission_prompt" => Some(Notice::Permission(text(&message))),
            "idle_prompt" => Some(Notice::Idle),
            "elicitation_dialog" => Some(Notice::Elicitation(text(&message))),
            "" if message.contains("permission") => Some(Notice::Permission(text(&message))),
            "" if message.contains("waiting for your input") => Some(Notice::Idle),
            _ => None,
        }
    }

    fn question_of(&self, tool: &ToolUse) -> Option<AgentQuestion> {
        let input = self.0.get("tool_input")?;
        match &*tool.name {
            ASKS_USER => {
                let first = &input["questions"][0];
                let said = |value: &Value| value.as_str().map(text);
                let options = first["options"].as_array().into_iter().flatten();
                Some(AgentQuestion {
                    choices: options
                        .filter_map(|option| option["label"].as_str().map(line))
                        .take(MAX_CHOICES)
                        .collect(),
                    ..AgentQuestion::new(QuestionKind::Question, said(&first["question"])?)
                })
            }
            SHOWS_PLAN => {
                let plan = input["plan"].as_str().unwrap_or_default();
                Some(AgentQuestion::new(QuestionKind::Plan, text(plan)))
            }
            _ => None,
        }
    }
}

impl<'de> Visitor<'de> for &mut Fields {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<Cow<'_, str>>()? {
            if MEMBERS.contains(&&*name) {
                let value = map.next_value()?;
                self.0.insert(name.into_owned(), value);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parse(payload: &Value) -> Option<Hook> {
        HookPayload::read(payload.to_string().as_bytes())?.hook()
    }

    #[test]
    fn the_start_of_a_payload_that_is_long_or_cut_off_is_enough() {
        let long = "x".repeat(1 << 20);
        let payload = json!({"session_id": "c", "hook_event_name": "PostToolUse", "tool_name": "Read", "tool_input": {"file_path": "/a"}, "tool_response": long, "tool_use_id": "t"});
        let tool = ToolUse {
            id: None,
            name: "Read".into(),
            about: "/a".into(),
        };
        // Members are sorted here, so the id is cut off.
        let hook = HookPayload::read(
            br#"{"session_id":"c","hook_event_name":"PostToolUse","tool_name":"Read","tool_input":{"file_path":"/a"},"tool_resp"#,
        );
        assert_eq!(hook.unwrap().hook().unwrap().event, Event::ToolEnds(tool));
        assert!(parse(&payload).is_some());
    }

    #[test]
    fn other_types_hostile_ids_and_unknown_events_are_nothing() {
        for payload in [
            json!([]),
            json!({"session_id": 1, "hook_event_name": "Stop"}),
            json!({"session_id": "../../etc", "hook_event_name": "Stop"}),
            json!({"session_id": "c", "hook_event_name": "Later"}),
            json!({"session_id": "c", "hook_event_name": "PreToolUse", "tool_name": ["Bash"]}),
        ] {
            assert_eq!(parse(&payload), None, "{payload}");
        }
        assert!(HookPayload::read(b"\xff{").is_none());
    }

    #[test]
    fn a_question_to_the_user_has_its_choices() {
        let input = json!({"questions": [{"question": "Which?", "options": [{"label": "Red"}, {"label": 5}, {"label": "Blue\u{1b}[2J"}]}]});
        for event in ["PreToolUse", "PermissionRequest"] {
            let payload = json!({"session_id": "c", "hook_event_name": event, "tool_name": "AskUserQuestion", "tool_input": input});
            let (Event::ToolStarts(_, Some(question)) | Event::Asks(_, question)) =
                parse(&payload).unwrap().event
            else {
                panic!("{event}");
            };
            assert_eq!(question.text, "Which?");
            assert_eq!(question.choices, ["Red", "Blue[2J"]);
        }
    }
}
