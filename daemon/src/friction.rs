//! Friction that the daemon sees itself: failed commands, timeouts of expect, the same input again and again.
//! It reads the rows of the history as they are written, so it delays no call, and all texts are redacted already.

use ccd_coach::{Coach, Friction};
use ccd_protocol::ErrorCode;
use ccd_protocol::coach::SignalType;
use ccd_protocol::exec::{ExecutionStatus, ExecutionSummary};
use ccd_session::Sessions;
use ccd_session::interaction::InteractionRow;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::Arc;

/// The name of the client through which a person types.
const PERSON: &str = "ccctl attach";

/// Inputs of one text, without a match in between, that count as a repetition.
const REPEATED: u32 = 3;

const MAX_SESSIONS: usize = 1024;

#[derive(Debug, Default)]
struct Seen {
    /// A client other than a person has driven it.
    is_driven: bool,
    cwd: String,
    program: String,
    /// It is a program of `run`, not a session that outlives its client.
    is_run: bool,
    last_input: String,
    /// How often it was sent without a match in between.
    count: u32,
}

/// Records a run of Claude Code that did not succeed, unless a client cancelled it.
pub(crate) fn note_failed_run(coach: &Coach, run: &ExecutionSummary, cwd: &str) {
    if run.status == ExecutionStatus::Success {
        return;
    }
    let content = run.error_message.clone().unwrap_or_default();
    let context = json!({"command": "ccctl exec", "action": "exec", "status": run.status.name(), "error_kind": run.error_kind, "request_id": run.request_id});
    let found = finding(SignalType::CommandFailure, content, context);
    note(coach, &run.session_id, cwd, found);
}

fn note(coach: &Coach, session_id: &str, cwd: &str, finding: Option<Finding>) {
    if let Some((signal_type, content, context)) = finding {
        coach.note(Friction {
            signal_type,
            session_id: session_id.to_owned(),
            cwd: cwd.to_owned(),
            content,
            context,
        });
    }
}

/// Returns what the history calls with its rows.
pub(crate) fn watch(
    coach: &Arc<Coach>,
    sessions: &Arc<Sessions>,
) -> impl FnMut(&[InteractionRow]) + Send + 'static {
    let (coach, sessions) = (Arc::clone(coach), Arc::clone(sessions));
    let mut known: HashMap<String, Seen> = HashMap::new();
    move |rows| {
        for row in rows {
            if known.len() >= MAX_SESSIONS {
                known.clear();
            }
            let seen = known
                .entry(row.session_id.clone())
                .or_insert_with(|| about(&sessions, &row.session_id));
            let found = seen.judge(row);
            note(&coach, &row.session_id, &seen.cwd, found);
            if has_ended(row) {
                known.remove(&row.session_id);
            }
        }
    }
}

fn about(sessions: &Sessions, id: &str) -> Seen {
    let Ok(session) = sessions.find_listed(id) else {
        return Seen::default();
    };
    let facts = &session.facts;
    Seen {
        cwd: facts.cwd.clone(),
        program: ccd_session::interaction::shown_command(&*session),
        is_run: facts.transient,
        ..Seen::default()
    }
}

fn has_ended(row: &InteractionRow) -> bool {
    row.pattern_matched.as_deref() == Some("eof")
}

type Finding = (SignalType, String, Map<String, Value>);

impl Seen {
    /// Returns the friction in a row, and remembers what later ones need.
    fn judge(&mut self, row: &InteractionRow) -> Option<Finding> {
        if row.client.as_deref().is_some_and(|client| client != PERSON) {
            self.is_driven = true;
        }
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        match (row.action.as_str(), row.exit_code) {
            ("SEND", _) => return self.sent(text(&row.input_text)),
            ("EXPECT", _) => self.count = 0,
            (_, Some(exit_code)) if exit_code != 0 && self.is_driven => {
                let command = match (has_ended(row), self.is_run) {
                    (true, true) => self.program.clone(),
                    (true, false) => return None, // a session that ends is no failed command
                    (false, _) => self.last_input.clone(),
                };
                let output = text(&row.output_text);
                let preview: String = output.chars().take(500).collect();
                let context = json!({"command": command, "exit_code": exit_code, "action": "run", "stderr_preview": preview});
                return finding(SignalType::CommandFailure, output, context);
            }
            ("ERROR", _) if self.is_driven => {
                let is_timeout = row.error_kind.as_deref() == Some(ErrorCode::ExpectTimeout.kind());
                if is_timeout {
                    let context = json!({"command": self.program, "action": "expect", "pattern": row.pattern_matched, "waited_ms": row.waited_ms});
                    return finding(SignalType::CommandFailure, text(&row.output_text), context);
                }
            }
            _ => {}
        }
        None
    }

    fn sent(&mut self, input: String) -> Option<Finding> {
        if input != self.last_input {
            self.last_input = input;
            self.count = 0;
        }
        self.count += 1;
        let is_text = self.last_input.trim().len() > 1 && self.last_input != "***";
        if self.count != REPEATED || !is_text || !self.is_driven {
            return None;
        }
        let similar = vec![self.last_input.clone(); REPEATED as usize - 1];
        let context =
            json!({"similar_count": similar.len(), "similar_messages": similar, "action": "send"});
        finding(SignalType::Repetition, self.last_input.clone(), context)
    }
}

fn finding(signal_type: SignalType, content: String, context: Value) -> Option<Finding> {
    let Value::Object(mut context) = context else {
        return None;
    };
    context.retain(|_, value| !value.is_null() && *value != "");
    Some((signal_type, content, context))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(action: &str) -> InteractionRow {
        InteractionRow {
            id: 0,
            session_id: "s".into(),
            timestamp: String::new(),
            action: action.into(),
            input_text: None,
            output_text: Some("it failed".into()),
            pattern_matched: None,
            client: Some("ccctl".into()),
            client_pid: None,
            start_offset: None,
            end_offset: None,
            form: None,
            error_kind: None,
            waited_ms: None,
            exit_code: None,
        }
    }

    fn send(text: &str, client: &str) -> InteractionRow {
        InteractionRow {
            input_text: Some(text.into()),
            client: Some(client.into()),
            ..row("SEND")
        }
    }

    #[test]
    fn a_command_that_fails_is_friction_unless_a_person_typed_it() {
        for (client, expected) in [("ccctl", true), (PERSON, false)] {
            let mut seen = Seen::default();
            assert!(seen.judge(&send("make", client)).is_none());
            let failed = InteractionRow {
                exit_code: Some(2),
                client: None,
                ..row("RECV")
            };
            let found = seen.judge(&failed);
            assert_eq!(found.is_some(), expected);
            if let Some((signal_type, _, context)) = found {
                assert_eq!(signal_type, SignalType::CommandFailure);
                assert_eq!(
                    (&context["command"], &context["exit_code"]),
                    (&json!("make"), &json!(2))
                );
            }
        }
    }

    #[test]
    fn a_timeout_of_expect_and_the_third_like_input_are_friction() {
        let mut seen = Seen::default();
        let timeout = InteractionRow {
            error_kind: Some("expect_timeout".into()),
            pattern_matched: Some("ready".into()),
            ..row("ERROR")
        };
        let (_, _, context) = seen.judge(&timeout).unwrap();
        assert_eq!(context["action"], "expect");
        for expected in [false, false, true, false] {
            assert_eq!(seen.judge(&send("retry", "ccctl")).is_some(), expected);
        }
        seen.judge(&send("retry", "ccctl"));
        seen.judge(&row("EXPECT"));
        assert!(seen.judge(&send("retry", "ccctl")).is_none());
    }
}
