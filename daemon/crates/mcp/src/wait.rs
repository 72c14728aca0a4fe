//! Waiting in the same call: until a pattern matches, the program waits for input, is silent, or has ended.

use crate::daemon::Calls;
use ccd_protocol::session::{
    ExpectResult, Pattern, SendExpect, Session, SessionExpect, SessionExpectParams, SessionState,
    SessionWait, SessionWaitParams, WaitFor,
};
use ccd_protocol::{ErrorCode, ErrorObject, Timeout};
use serde::Deserialize;
use std::time::{Duration, Instant};

/// How long to wait, unless the agent says: clients give a call up after a minute.
pub(crate) const DEFAULT_S: f64 = 30.0;

/// The longest wait of one call.
const MAX_S: f64 = 600.0;

/// Silence that counts, unless the agent says.
const SILENCE_S: f64 = 1.0;

/// Makes `^` and `$` match at lines, whatever ends them: that is what agents mean.
const LINES: &str = "(?mR)";

/// How long a program that has exited may take to clean up.
const LAST_MOMENT_MS: f64 = 2000.0;

/// What a call waits for, as its arguments say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, schemars(inline))]
pub(crate) enum Until {
    Input,
    Silence,
    Exit,
    None,
}

/// A wait, checked.
pub(crate) struct Wait {
    until: Condition,
    pub(crate) timeout: Duration,
}

enum Condition {
    Nothing,
    Pattern(String),
    For(WaitFor),
}

/// How a wait ended.
pub(crate) struct Waited {
    pub(crate) why: String,
    /// The end of the match: output after it is for the next call.
    pub(crate) matched_end: Option<u64>,
    /// The session afterwards.
    pub(crate) session: Session,
}

impl Waited {
    /// Returns the offset after the output that the call has waited for.
    pub(crate) fn end(&self) -> u64 {
        let printed = self.session.output.output_bytes;
        self.matched_end.unwrap_or(printed)
    }
}

impl Wait {
    /// Checks the arguments; without `until` and `pattern`, `default` applies.
    /// The error is a sentence for the agent.
    pub(crate) fn new(
        until: Option<Until>,
        default: Until,
        pattern: Option<String>,
        timeout_s: Option<f64>,
    ) -> Result<Self, String> {
        let until = match (until, pattern) {
            (Some(_), Some(_)) => return Err("give pattern or until, not both".to_owned()),
            (None, Some(pattern)) => Condition::Pattern(pattern),
            (until, None) => match until.unwrap_or(default) {
                Until::Input => Condition::For(WaitFor::Input),
                Until::Silence => Condition::For(WaitFor::Idle),
                Until::Exit => Condition::For(WaitFor::Exit),
                Until::None => Condition::Nothing,
            },
        };
        let timeout_s = checked_s(timeout_s, DEFAULT_S, MAX_S)?;
        Ok(Self {
            until,
            timeout: Duration::from_secs_f64(timeout_s),
        })
    }

    /// Returns the pattern in the form that a send takes, so that typing and waiting are one call.
    pub(crate) fn of_send(&self) -> Option<SendExpect> {
        let Condition::Pattern(pattern) = &self.until else {
            return None;
        };
        Some(SendExpect {
            patterns: vec![
                Pattern::Regex(format!("{LINES}{pattern}")),
                Pattern::Eof(true),
            ],
            timeout_ms: self.timeout_ms(),
            raw: false,
        })
    }

    fn timeout_ms(&self) -> Timeout {
        Timeout::After(self.timeout.as_secs_f64() * 1000.0)
    }

    /// Waits. A pattern is searched from the offset `from` on.
    pub(crate) async fn run(
        &self,
        calls: Calls<'_>,
        session: &str,
        from: u64,
    ) -> Result<Waited, ErrorObject> {
        let began = Instant::now();
        match &self.until {
            Condition::Nothing => self.after(calls, session, String::new(), None).await,
            Condition::Pattern(_) => {
                let expect = self.of_send().unwrap_or_default();
                let params = SessionExpectParams {
                    session: session.to_owned(),
                    patterns: expect.patterns,
                    timeout_ms: expect.timeout_ms,
                    from: Some(from),
                    raw: false,
                };
                let found = calls.call::<SessionExpect>(&params).await;
                self.searched(calls, session, found, began).await
            }
            Condition::For(condition) => {
                let params = SessionWaitParams {
                    session: session.to_owned(),
                    condition: *condition,
                    idle_ms: Some(SILENCE_S * 1000.0),
                    since: None,
                    timeout_ms: self.timeout_ms(),
                };
                match calls.call::<SessionWait>(&params).await {
                    Ok(reply) if reply.session.waiting_for_input.is_some() => Ok(Waited {
                        why: String::new(),
                        matched_end: None,
                        session: reply.session,
                    }),
                    Ok(reply) => {
                        let why = match &*reply.reason {
                            "idle" => format!("no output for {SILENCE_S} s"),
                            _ => String::new(),
                        };
                        self.after(calls, session, why, None).await
                    }
                    Err(error) => self.cut_short(calls, session, error).await,
                }
            }
        }
    }

    /// Explains the result of a search.
    pub(crate) async fn searched(
        &self,
        calls: Calls<'_>,
        session: &str,
        found: Result<ExpectResult, ErrorObject>,
        began: Instant,
    ) -> Result<Waited, ErrorObject> {
        match found {
            Ok(found) if found.index == 0 => {
                let why = format!("pattern matched after {}", seconds(began.elapsed()));
                let session = calls.record(session).await?;
                if asks(&found) || session.state != SessionState::Alive {
                    return self
                        .after(calls, &session.session_id, why, Some(found.end))
                        .await;
                }
                Ok(Waited {
                    why,
                    matched_end: Some(found.end),
                    session,
                })
            }
            Ok(_) => {
                let why = "the program ended before the pattern matched".to_owned();
                self.after(calls, session, why, None).await
            }
            Err(error) => self.cut_short(calls, session, error).await,
        }
    }

    /// A wait that was not successful, but is no mistake.
    async fn cut_short(
        &self,
        calls: Calls<'_>,
        session: &str,
        error: ErrorObject,
    ) -> Result<Waited, ErrorObject> {
        let mut why = match error.known() {
            Some(ErrorCode::ExpectTimeout | ErrorCode::Timeout) => format!(
                "still waiting after {}; to continue, call session_read with from, and with until or pattern",
                seconds(self.timeout)
            ),
            Some(ErrorCode::HandedOver) => {
                "the daemon is being replaced and the session keeps running; wait again with session_read"
                    .to_owned()
            }
            _ => return Err(error),
        };
        let text = |key: &str| error.data.as_ref()?.get(key)?.as_str();
        if let Some(miss) = text("closest_miss") {
            why.push_str("; ");
            why.push_str(miss);
        }
        let was_discarded =
            (error.data.as_ref()).is_some_and(|data| data.contains_key("discarded"));
        if was_discarded {
            why.push_str("; the program discarded the input without reading it; send it again");
        }
        self.after(calls, session, why, None).await
    }

    async fn after(
        &self,
        calls: Calls<'_>,
        session: &str,
        why: String,
        matched_end: Option<u64>,
    ) -> Result<Waited, ErrorObject> {
        let mut session = calls.look(session).await?;
        if session.state == SessionState::Zombie {
            // Its exit status is known in a moment.
            let limit = Timeout::After(LAST_MOMENT_MS);
            if let Ok(reply) = calls.wait(&session.session_id, WaitFor::Exit, limit).await {
                session = reply.session;
            }
        }
        Ok(Waited {
            why,
            matched_end,
            session,
        })
    }
}

/// Ends of lines that ask for something: questions, and the prompts of shells and interpreters.
const PROMPT_ENDS: [char; 6] = [':', '?', '>', '$', '#', '%'];

/// Returns whether a match is in a line that asks for something, perhaps for input that is hidden.
fn asks(found: &ExpectResult) -> bool {
    let before = found.before.rsplit('\n').next().unwrap_or_default();
    let text = format!("{before}{}", found.matched);
    let line = text.rsplit('\n').next().unwrap_or_default();
    line.trim_end().ends_with(PROMPT_ENDS) || line.to_ascii_lowercase().contains("pass")
}

/// Checks the argument `timeout_s`.
pub(crate) fn checked_s(given_s: Option<f64>, default_s: f64, max_s: f64) -> Result<f64, String> {
    let timeout_s = given_s.unwrap_or(default_s);
    if (0.0..=max_s).contains(&timeout_s) {
        Ok(timeout_s)
    } else {
        Err(format!(
            "timeout_s is {timeout_s}; it must be from 0 to {max_s}"
        ))
    }
}

/// Returns a duration in words.
pub(crate) fn seconds(duration: Duration) -> String {
    let seconds = (duration.as_secs_f64() * 1000.0).round() / 1000.0;
    format!("{seconds} s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_for_one_thing_and_has_a_limit() {
        let new = |until, pattern: Option<&str>, timeout_s| {
            Wait::new(until, Until::Input, pattern.map(str::to_owned), timeout_s)
        };
        assert!(new(Some(Until::Exit), Some("x"), None).is_err());
        for wrong in [-1.0, 601.0, f64::NAN, f64::INFINITY] {
            assert!(new(None, None, Some(wrong)).is_err(), "{wrong}");
        }
        let wait = new(None, None, None).unwrap_or_else(|error| panic!("{error}"));
        assert!(matches!(wait.until, Condition::For(WaitFor::Input)));
        assert_eq!(wait.timeout, Duration::from_secs(30));
        let wait = new(None, Some("x"), Some(0.0)).unwrap_or_else(|error| panic!("{error}"));
        assert!(wait.of_send().is_some());
    }
}
