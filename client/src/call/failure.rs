//! Why a command failed, and the line that reports it.

use super::connect_error::ConnectError;
use super::hint::{self, hint};
use super::host::is_elsewhere;
use super::repeatable::is_repeatable;
use crate::Exit;
use ccd_protocol::ErrorObject;
use serde_json::json;
use std::fmt::Display;
use std::io;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Connect(#[from] ConnectError),
    #[error("{method}: {}", message_of(.method, .error))]
    Refused {
        method: String,
        error: Box<ErrorObject>,
    },
    /// The connection ended before the reply. A request that was not read was not carried out.
    #[error("{method}: {}", message_of_loss(.method, *.was_read))]
    Lost { method: String, was_read: bool },
    /// The daemon hangs or is stopped. It may still carry out the request later.
    #[error("{method}: {}", message_of_silence(.method, *.pid))]
    Silent { method: String, pid: Option<i32> },
    #[error("{method}: the reply cannot be read: {why}")]
    Garbled { method: String, why: String },
    #[error("{0}")]
    Usage(String),
    #[error("{0}")]
    NotFound(String),
    #[error("{0}")]
    Failed(String),
    #[error("{0}")]
    TimedOut(String),
    #[error("{what}: {source}")]
    Io { what: String, source: io::Error },
    #[error("could not write the output: {0}")]
    Output(#[source] io::Error),
}

impl Failure {
    pub(crate) fn io<E: Into<io::Error>>(what: impl Display) -> impl FnOnce(E) -> Self {
        move |source| Failure::Io {
            what: what.to_string(),
            source: source.into(),
        }
    }

    /// Refuses a command line.
    pub(crate) fn usage<T>(text: impl Into<String>) -> Result<T, Self> {
        Err(Self::Usage(text.into()))
    }

    pub(crate) fn failed<T>(text: impl Into<String>) -> Result<T, Self> {
        Err(Self::Failed(text.into()))
    }

    /// Returns the same failure with the typed command in place of the method that it called.
    pub(crate) fn of_verb(self, verb: &str) -> Self {
        let method = verb.to_owned();
        match self {
            Failure::Refused { error, .. } => Failure::Refused { method, error },
            Failure::Lost { was_read, .. } => Failure::Lost { method, was_read },
            Failure::Silent { pid, .. } => Failure::Silent { method, pid },
            Failure::Garbled { why, .. } => Failure::Garbled { method, why },
            other => other,
        }
    }

    pub(crate) fn exit(&self) -> Exit {
        match self {
            Failure::Connect(error) => error.exit(),
            Failure::Refused { error, .. } => error.known().map_or(Exit::Failed, Exit::of_error),
            Failure::Lost { .. } => Exit::NoDaemon,
            Failure::Garbled { .. } => Exit::Internal,
            Failure::Usage(_) => Exit::Usage,
            Failure::NotFound(_) => Exit::NotFound,
            Failure::TimedOut(_) => Exit::TimedOut,
            Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::BrokenPipe,
            Failure::Silent { .. }
            | Failure::Failed(_)
            | Failure::Io { .. }
            | Failure::Output(_) => Exit::Failed,
        }
    }

    /// The line for people, without a newline.
    pub(crate) fn line(&self) -> String {
        format!("ccctl: {}", on_one_line(&self.to_string()))
    }

    /// The line for programs, without a newline: `{"error": {code?, message, data}}`. Errors of ccctl itself have no
    /// code, and the exit status as their kind; for a request without a reply, `done` says whether it was carried out.
    pub(crate) fn json(&self) -> String {
        let error = match self {
            Failure::Refused { error, .. } => json!(error),
            _ => json!({"message": self.to_string(), "data": {"kind": self.exit().kind()}}),
        };
        let mut line = json!({ "error": error });
        let done = match self {
            Failure::Lost { was_read, .. } => Some(if *was_read { "unknown" } else { "no" }),
            Failure::Silent { .. } => Some("unknown"),
            _ => None,
        };
        if let Some(done) = done {
            line["error"]["data"]["done"] = done.into();
        }
        line.to_string()
    }

    /// The daemon's data about the error, except the hint, as lines for `-v`.
    pub(crate) fn details(&self) -> Vec<String> {
        let Failure::Refused { error, .. } = self else {
            return Vec::new();
        };
        let mut lines = vec![format!("  code: {}", error.code)];
        for (key, value) in error.data.iter().flatten() {
            match value.as_str() {
                _ if key == "hint" => {}
                Some(text) if text.contains('\n') => {
                    lines.push(format!("  {key}:"));
                    lines.extend(text.lines().map(|line| format!("    {line}")));
                }
                Some(text) => lines.push(format!("  {key}: {text}")),
                None => lines.push(format!("  {key}: {value}")),
            }
        }
        lines
    }

    /// The last lines of a program whose start by a configuration failed: without them, nothing shows why.
    pub(crate) fn last_lines(&self) -> Vec<String> {
        const MAX_LINES: usize = 10;
        let data = self.refusal().and_then(|error| error.data.as_ref());
        let data = data.filter(|data| data.contains_key("step"));
        let output = data.and_then(|data| data.get("recent_output")?.as_str());
        let lines = output.unwrap_or_default().lines().rev();
        let shown = lines
            .skip_while(|line| line.trim().is_empty())
            .take(MAX_LINES);
        let mut shown: Vec<String> = shown.map(|line| format!("  {line}")).collect();
        if !shown.is_empty() {
            shown.push("the program's last output:".to_owned());
        }
        shown.reverse();
        shown
    }

    pub(crate) fn refusal(&self) -> Option<&ErrorObject> {
        match self {
            Failure::Refused { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// How many bytes of its input a refused send has typed.
pub(crate) fn written_bytes(error: &ErrorObject) -> Option<usize> {
    let written = error.data.as_ref()?.get("written_bytes")?.as_u64()?;
    written.try_into().ok()
}

pub(super) fn message_of(method: &str, error: &ErrorObject) -> String {
    let message = hint::in_options(&error.message);
    match hint(method, error) {
        Some(hint) => format!("{message}; {hint}"),
        None => message.into_owned(),
    }
}

/// What is known about a request without a reply, and what to do.
fn message_of_loss(method: &str, was_read: bool) -> String {
    if !was_read {
        return "the daemon closed the connection before it read the request, so nothing was done; \
                ccctl daemon status shows whether one is running"
            .to_owned();
    }
    let lost = if is_elsewhere() {
        "the connection to the other host, or the daemon there, ended before the reply"
    } else {
        "the daemon was restarted or killed before it replied"
    };
    format!("{lost}; {}", after_loss(method))
}

/// What to do if the daemon does not reply, and what is known about the request.
fn message_of_silence(method: &str, pid: Option<i32>) -> String {
    let daemon = match pid {
        Some(pid) => format!("the daemon (pid {pid})"),
        None => "the daemon".to_owned(),
    };
    let silent =
        format!("{daemon} does not reply; ccctl daemon stop --force ends it and its sessions");
    if is_repeatable(method) {
        silent
    } else {
        format!("{silent}; {}", after_loss(method))
    }
}

/// What to do after the loss of a reply, in terms of the command line.
fn after_loss(method: &str) -> String {
    let changes_nothing =
        is_repeatable(method) || method.ends_with(".subscribe") || method == "session.tail";
    match method {
        "run" | "run.once" => "the program is ended too".to_owned(),
        "exec" => "the run may continue: check with ccctl exec list".to_owned(),
        _ => hint::after_loss(method).unwrap_or_else(|| {
            if changes_nothing {
                "ccctl daemon status shows whether one is running".to_owned()
            } else {
                "it is unknown whether it was done: check with ccctl daemon status".to_owned()
            }
        }),
    }
}

fn on_one_line(text: &str) -> String {
    text.split(['\n', '\r'])
        .map(str::trim_end)
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccd_protocol::ErrorCode;

    fn refused() -> Failure {
        let error = serde_json::json!({
            "code": ErrorCode::ExpectTimeout as i32,
            "message": "no pattern matched\nwithin 5 ms",
            "data": {"kind": "expect_timeout", "hint": "wait longer", "recent_output": "a\nb"},
        });
        Failure::Refused {
            method: "session.expect".into(),
            error: serde_json::from_value(error).unwrap(),
        }
    }

    #[test]
    fn an_error_is_one_line_that_says_what_to_do() {
        assert_eq!(
            refused().of_verb("session.tail").line(),
            "ccctl: session.tail: no pattern matched within 5 ms; -v shows the recent output"
        );
        assert_eq!(refused().exit(), Exit::TimedOut);
        let details = refused().details();
        assert!(details.contains(&"  kind: expect_timeout".to_owned()));
        assert!(details.ends_with(&["  recent_output:".into(), "    a".into(), "    b".into()]));
        assert!(!details.iter().any(|line| line.contains("hint")));
    }

    #[test]
    fn a_lost_request_says_what_is_known_and_what_to_do() {
        let lost = |method: &str, was_read| Failure::Lost {
            method: method.into(),
            was_read,
        };
        assert_eq!(
            lost("session.send", true).line(),
            "ccctl: session.send: the daemon was restarted or killed before it replied; it is unknown whether the input \
             was typed: check with ccctl read before you send it again"
        );
        assert!(
            lost("session.send", true)
                .json()
                .contains(r#""done":"unknown""#)
        );
        let unread = lost("session.send", false);
        assert!(unread.line().contains("so nothing was done"));
        assert!(unread.json().contains(r#""done":"no""#));
        for (method, end) in [
            ("memory.save", "check with ccctl memory status"),
            ("data.forget", "check with ccctl data"),
            ("run", "before it replied; the program is ended too"),
        ] {
            let line = lost(method, true).line();
            assert!(line.ends_with(end), "{line}");
        }
        for method in ccd_protocol::methods() {
            let told = lost(method.name, true).line();
            assert!(
                told.contains("check with")
                    || told.contains("--from")
                    || is_repeatable(method.name)
                    || told.contains("is ended too"),
                "{told}"
            );
        }
    }

    #[test]
    fn a_request_without_a_reply_says_so_and_what_is_known() {
        let silent = |method: &str, pid| Failure::Silent {
            method: method.into(),
            pid,
        };
        assert_eq!(
            silent("daemon.status", Some(7)).line(),
            "ccctl: daemon.status: the daemon (pid 7) does not reply; ccctl daemon stop --force ends it and its sessions"
        );
        let send = silent("session.send", None);
        assert!(
            send.line()
                .contains("the daemon does not reply; ccctl daemon stop --force")
        );
        assert!(send.line().contains("whether the input was typed"));
        assert!(send.json().contains(r#""done":"unknown""#));
        assert_eq!(send.exit(), Exit::Failed);
    }

    #[test]
    fn programs_get_code_and_data() {
        let line: serde_json::Value = serde_json::from_str(&refused().json()).unwrap();
        assert_eq!(line["error"]["code"], ErrorCode::ExpectTimeout as i32);
        assert_eq!(line["error"]["data"]["recent_output"], "a\nb");
    }
}
