//! A checked chain: everything in it that can be invalid has been checked.

use super::condition::{self, Look};
use super::error::ChainError;
use crate::failure::{CallError, Failure, invalid, require_absolute};
use ccd_base::shell::{MAX_COMMAND_BYTES, split};
use ccd_protocol::Timeout;
use ccd_protocol::chain::{Chain, ChainCommand};
use ccd_protocol::session::Pattern;
use ccd_session::durations::Deadline;
use ccd_session::program::asks_for_secret;
use ccd_session::{SessionError, Sessions};
use ccd_text::expect::Patterns;
use ccd_text::redact::{Values, redact_values};
use std::sync::Arc;

const MAX_STEPS: usize = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Direct,
    /// With its own shell.
    Shell,
    /// All steps in one shell.
    Shared,
}

pub(crate) struct Plan {
    pub(super) steps: Vec<Step>,
    pub(super) looks: Vec<Look>,
    pub(super) mode: Mode,
    pub(super) timeout: Timeout,
    pub(crate) warnings: Vec<String>,
    /// Commands that need a shell in a chain that has none.
    needs_shell: Vec<String>,
}

pub(super) struct Step {
    pub(super) order: i64,
    pub(super) given: ChainCommand,
    /// The command, split into words; empty if a shell runs it.
    pub(super) words: Vec<String>,
}

impl Mode {
    /// Returns the mode that the `shared` and `shell` fields of a chain or a request select; `None` if neither is set.
    pub(crate) fn selected(shared: bool, shell: bool) -> Result<Option<Self>, CallError> {
        match (shared, shell) {
            (true, true) => Err(invalid(
                "give shared (one shell for all commands) or shell (a shell for each command), not both",
            )),
            (true, false) => Ok(Some(Mode::Shared)),
            (false, true) => Ok(Some(Mode::Shell)),
            (false, false) => Ok(None),
        }
    }
}

impl Plan {
    /// Checks a chain; `mode` and `timeout` override its own.
    pub(crate) async fn check(
        sessions: &Sessions,
        chain: &Chain,
        mode: Option<Mode>,
        timeout: Timeout,
    ) -> Result<Self, Failure> {
        let own_mode = Mode::selected(chain.shared, chain.shell)?;
        let mut plan = Self {
            steps: Vec::new(),
            looks: Vec::new(),
            mode: mode.or(own_mode).unwrap_or(Mode::Direct),
            timeout: timeout_of(chain, timeout)?,
            warnings: Vec::new(),
            needs_shell: Vec::new(),
        };
        Deadline::start(plan.timeout, None, &mut plan.warnings).map_err(SessionError::from)?;
        if let Some(cwd) = &chain.cwd {
            require_absolute("cwd", cwd)?;
        }
        let commands = in_order(&chain.commands)?;
        let orders: Vec<i64> = commands.iter().map(|(order, _)| *order).collect();
        for (index, (order, command)) in commands.into_iter().enumerate() {
            plan.add(index, order, command, &orders)?;
        }
        plan.compile_patterns(sessions).await?;
        Ok(plan)
    }

    /// Returns the warnings for a chain that is saved. Commands that need a shell are only a warning in a chain without
    /// one, because `shell` can be given when the chain is run.
    pub(crate) fn warnings_to_save(mut self) -> Vec<String> {
        self.warnings.append(&mut self.needs_shell);
        let in_clear = self.steps.iter().filter(|step| {
            let expected = step.given.expect_pattern.as_deref();
            expected.is_some_and(asks_for_secret) && step.given.send_text.is_some()
        });
        self.warnings.extend(in_clear.map(|step| {
            format!(
                "step {}: send_text is stored as plain text; if it contains a password, run the chain from your own file instead",
                step.order
            )
        }));
        self.warnings
    }

    /// Rejects commands that need a shell, if there is none.
    pub(crate) fn ready(self) -> Result<Self, CallError> {
        match self.needs_shell.first() {
            Some(what) => Err(invalid(what)),
            None => Ok(self),
        }
    }

    fn add(
        &mut self,
        index: usize,
        order: i64,
        command: &ChainCommand,
        orders: &[i64],
    ) -> Result<(), CallError> {
        let place = format!("step {order}");
        if command.on_success && command.on_failure {
            return Err(invalid(format!(
                "{place}: it has both on_success and on_failure, so it would never run"
            )));
        }
        if let Some(condition) = &command.condition {
            condition::check(condition, index, orders, &mut self.looks)?;
        }
        let words = self.words(&place, &command.command)?;
        self.steps.push(Step {
            order,
            given: command.clone(),
            words,
        });
        Ok(())
    }

    fn words(&mut self, place: &str, command: &str) -> Result<Vec<String>, CallError> {
        let wrong = |what: &str| Err(invalid(format!("{place}: {what}")));
        if command.trim().is_empty() {
            return wrong("the command is empty");
        }
        if command.len() > MAX_COMMAND_BYTES {
            return wrong(&format!(
                "the command has more than {MAX_COMMAND_BYTES} bytes"
            ));
        }
        if self.mode != Mode::Direct {
            return Ok(Vec::new());
        }
        let words = match split(command) {
            Ok(words) => words,
            Err(what) => {
                self.needs_shell.push(format!("{place}: {what}"));
                return Ok(Vec::new());
            }
        };
        if let Some(what) = words.needs_shell {
            self.needs_shell.push(format!(
                "{place}: {what} needs a shell, and commands are not passed to one: run the chain with --shell or --shared (`shell`, `shared` in its file), or quote it"
            ));
        } else if let Some(what) = words.not_expanded {
            self.warnings.push(format!(
                "{place}: {what} is passed on unchanged, because commands are not passed to a shell"
            ));
        }
        Ok(words.words)
    }

    async fn compile_patterns(&mut self, sessions: &Sessions) -> Result<(), Failure> {
        for look in &mut self.looks {
            look.patterns = Some(compiled(sessions, &look.regex, &look.place).await?);
        }
        for step in &self.steps {
            if let Some(regex) = &step.given.expect_pattern {
                let place = format!("step {}: expect_pattern", step.order);
                let patterns = compiled(sessions, regex, &place).await?;
                if condition::matches(&patterns, "") {
                    let what =
                        "matches empty text, so it would match before the command has started";
                    return Err(invalid(format!("{place} {what}")).into());
                }
            }
        }
        Ok(())
    }
}

async fn compiled(sessions: &Sessions, regex: &str, place: &str) -> Result<Arc<Patterns>, Failure> {
    let list = [Pattern::Regex(regex.to_owned())];
    let compiled = sessions.line_patterns(&list).await;
    compiled.map_err(|error| match error {
        SessionError::Pattern(error) => {
            let place = place.to_owned();
            ChainError::Pattern { place, error }.into()
        }
        other => other.into(),
    })
}

/// Rejects secrets, which would be stored as plain text.
pub(crate) fn refuse_secrets(chain: &Chain) -> Result<(), CallError> {
    // It cannot fail: all keys are texts.
    let mut document = serde_json::to_value(chain).unwrap_or_default();
    match redact_values(Values::Document(&mut document)).first() {
        None => Ok(()),
        Some(secret) => Err(invalid(format!(
            "{} contains what looks like a secret, and secrets are not saved: let a shell read it from a variable, or run the chain from your own file",
            secret.place
        ))),
    }
}

/// Returns the number of each command: its own, else one more than that of the command before it.
pub(crate) fn numbers(commands: &[ChainCommand]) -> Vec<i64> {
    let mut next = 1_i64;
    let number = |command: &ChainCommand| {
        let number = command.sequence_order.unwrap_or(next);
        next = number.saturating_add(1);
        number
    };
    commands.iter().map(number).collect()
}

fn in_order(commands: &[ChainCommand]) -> Result<Vec<(i64, &ChainCommand)>, CallError> {
    if commands.is_empty() {
        return Err(invalid("the chain has no commands"));
    }
    if commands.len() > MAX_STEPS {
        return Err(invalid(format!(
            "the chain has {} commands: at most {MAX_STEPS} are allowed",
            commands.len()
        )));
    }
    let mut steps: Vec<(i64, &ChainCommand)> = Vec::with_capacity(commands.len());
    for (index, (order, command)) in numbers(commands).into_iter().zip(commands).enumerate() {
        let wrong = |what: &str| {
            invalid(format!(
                "commands[{index}].sequence_order is {order}: {what}"
            ))
        };
        if order < 0 {
            return Err(wrong("give 0 or more"));
        }
        if steps.iter().any(|(other, _)| *other == order) {
            return Err(wrong("another step has this number"));
        }
        steps.push((order, command));
    }
    steps.sort_by_key(|(order, _)| *order);
    Ok(steps)
}

fn timeout_of(chain: &Chain, given: Timeout) -> Result<Timeout, CallError> {
    match (given, chain.timeout) {
        (Timeout::Default, Some(seconds)) if seconds > 0.0 => Ok(Timeout::After(seconds * 1000.0)),
        (Timeout::Default, Some(seconds)) => Err(invalid(format!(
            "timeout is {seconds}: give more than 0 seconds, or leave it out"
        ))),
        (given, _) => Ok(given),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn chain(value: Value) -> Chain {
        serde_json::from_value(value).unwrap()
    }

    fn orders(commands: Value) -> Result<Vec<i64>, String> {
        let chain = chain(json!({ "commands": commands }));
        in_order(&chain.commands)
            .map(|steps| steps.iter().map(|(order, _)| *order).collect())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn steps_run_by_their_numbers_and_those_without_follow_the_one_before() {
        let step = |order: Option<i64>| json!({"command": "a", "sequence_order": order});
        assert_eq!(orders(json!([step(None), step(None)])), Ok(vec![1, 2]));
        assert_eq!(
            orders(json!([step(Some(20)), step(Some(3)), step(None)])),
            Ok(vec![3, 4, 20])
        );
        assert_eq!(orders(json!([step(Some(0)), step(None)])), Ok(vec![0, 1]));
        let twice = orders(json!([step(Some(2)), step(Some(2))])).unwrap_err();
        assert_eq!(
            twice,
            "commands[1].sequence_order is 2: another step has this number"
        );
        assert!(
            orders(json!([step(Some(-1))]))
                .unwrap_err()
                .contains("0 or more")
        );
        assert!(orders(json!([])).unwrap_err().contains("no commands"));
        let many: Vec<Value> = (0..=MAX_STEPS).map(|_| step(None)).collect();
        assert!(orders(json!(many)).unwrap_err().contains("at most 256"));
    }

    #[test]
    fn a_secret_is_not_saved() {
        let with = |field: &str, text: &str| {
            let mut command = json!({"command": "a"});
            command[field] = json!(text);
            refuse_secrets(&chain(json!({ "commands": [command] })))
        };
        let error = with(
            "command",
            "curl -H 'Authorization: Bearer abcdefghijklmnopqrstuvwx'",
        )
        .unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("commands[0].command contains"),
            "{error}"
        );
        assert!(with("send_text", "password=hunter2").is_err());
        for (chain, place) in [
            (
                json!({"commands": [{"command": "a", "condition": {"any": [{"not": {"output_matches": "token=hunter2hunter2"}}]}}]}),
                "commands[0].condition.any[0].not.output_matches contains",
            ),
            (
                json!({"commands": [{"command": "a"}], "cwd": "/srv/password=hunter2hunter2"}),
                "cwd contains",
            ),
        ] {
            let refused = refuse_secrets(&self::chain(chain)).unwrap_err().to_string();
            assert!(refused.starts_with(place), "{refused}");
        }
        assert!(with("command", "curl -H \"Authorization: Bearer $TOKEN\"").is_ok());
        assert!(with("send_text", "yes").is_ok());
    }

    #[test]
    fn a_time_is_more_than_nothing() {
        let timeout = |seconds: f64, given| {
            timeout_of(&chain(json!({"commands": [], "timeout": seconds})), given)
        };
        assert_eq!(
            timeout(1.5, Timeout::Default).unwrap(),
            Timeout::After(1500.0)
        );
        assert_eq!(timeout(1.5, Timeout::Forever).unwrap(), Timeout::Forever);
        assert!(timeout(0.0, Timeout::Default).is_err());
        assert!(timeout(-1.0, Timeout::Default).is_err());
    }
}
