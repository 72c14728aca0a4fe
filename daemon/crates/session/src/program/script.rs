//! A start with all values filled in.

use super::error::{MissingSecret, ProgramError};
use super::read::{CheckedProgram, ConfiguredStep, ProgramStep, SecretTemplate, StepInput};
use super::template::TemplateText;
use ccd_base::nearest::nearest;
use ccd_protocol::SessionId;
use ccd_protocol::session::Secrets;
use ccd_protocol::tape::TapeOptions;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

/// The values in a request that names a configuration.
#[derive(Debug, Clone, Copy)]
pub struct ScriptRequest<'a> {
    pub name: &'a SessionId,
    pub set: &'a BTreeMap<String, String>,
    pub secrets: &'a BTreeMap<String, String>,
    /// The request has its own program, so that the configuration's command needs no values.
    pub has_program: bool,
}

/// How to start one session and get it ready.
#[derive(Debug)]
pub struct Script {
    pub name: SessionId,
    pub program: String,
    pub args: Vec<String>,
    pub timeout: Option<Duration>,
    pub steps: Vec<ScriptStep>,
    pub ready: Vec<String>,
    pub success: Vec<String>,
    pub tape: Option<TapeOptions>,
    /// Secrets that the request does not contain: without them the start must not begin.
    pub missing: Vec<MissingSecret>,
    /// Secrets in the command line or in texts, which must not appear in a record.
    pub hidden: Secrets,
}

pub type ScriptStep = ProgramStep<ScriptInput>;

pub enum ScriptInput {
    Text(String),
    Keys(Vec<String>),
    Secret(String),
}

/// Does not show what is typed.
impl fmt::Debug for ScriptInput {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            ScriptInput::Text(_) => "Text",
            ScriptInput::Keys(_) => "Keys",
            ScriptInput::Secret(_) => "Secret",
        })
    }
}

impl Script {
    pub(super) fn new(
        program: &CheckedProgram,
        wanted: ScriptRequest<'_>,
    ) -> Result<Self, ProgramError> {
        let (of_command, of_steps) = program.placeholders();
        let secrets = program.secrets();
        let placeholders = &of_command | &of_steps;
        check_keys(wanted, "placeholder", wanted.set, &placeholders)?;
        // A value of the command line may also be a secret.
        let may_be_secret = &secrets | &placeholders;
        check_keys(wanted, "secret", wanted.secrets, &may_be_secret)?;
        let values = values_of(wanted, &placeholders)?;
        let needed = if wanted.has_program {
            &of_steps
        } else {
            &placeholders
        };
        let is_missing = |name: &&String| !values.contains_key(*name);
        let missing: Vec<String> = needed.iter().filter(is_missing).cloned().collect();
        if !missing.is_empty() {
            let name = wanted.name.clone();
            return Err(ProgramError::NoValues { name, missing });
        }
        let of_steps = values.iter().filter(|(key, _)| of_steps.contains(*key));
        let typed = wanted.secrets.iter();
        let typed = typed.filter(|(key, _)| secrets.contains(*key));
        let mut lines = of_steps.chain(typed);
        lines.try_for_each(|(key, value)| check_line(wanted, key, value))?;
        let (command, args) = program.command.fill(&values);
        let wanted = ScriptRequest {
            set: &values,
            ..wanted
        };
        let missing = missing_secrets(program, wanted);
        let steps = program.steps.iter().map(|step| filled(step, wanted));
        let hidden = secret_values(wanted, &placeholders);
        let hidden = hidden.map(|(key, value)| (key.clone(), value.clone()));
        Ok(Self {
            name: wanted.name.clone(),
            program: command,
            args,
            timeout: program.timeout,
            steps: steps.collect(),
            ready: program.ready.clone(),
            success: program.success.clone(),
            tape: program.tape.clone(),
            missing,
            hidden: Secrets(hidden.collect()),
        })
    }

    /// Returns true if there is something to wait for before the session is ready.
    pub(crate) fn has_start(&self) -> bool {
        !self.steps.is_empty() || !self.ready.is_empty()
    }
}

/// Returns the values of placeholders, including those that were passed as secrets.
fn values_of(
    wanted: ScriptRequest<'_>,
    placeholders: &BTreeSet<String>,
) -> Result<BTreeMap<String, String>, ProgramError> {
    let mut values = wanted.set.clone();
    for (key, value) in secret_values(wanted, placeholders) {
        if values.insert(key.clone(), value.clone()).is_some() {
            return Err(ProgramError::Twice {
                name: wanted.name.clone(),
                key: key.clone(),
            });
        }
    }
    Ok(values)
}

fn secret_values<'a>(
    wanted: ScriptRequest<'a>,
    placeholders: &BTreeSet<String>,
) -> impl Iterator<Item = (&'a String, &'a String)> {
    let secrets = wanted.secrets.iter();
    secrets.filter(|(key, _)| placeholders.contains(*key))
}

fn check_keys(
    wanted: ScriptRequest<'_>,
    kind: &'static str,
    given: &BTreeMap<String, String>,
    known: &BTreeSet<String>,
) -> Result<(), ProgramError> {
    match given.keys().find(|key| !known.contains(*key)) {
        None => Ok(()),
        Some(key) => Err(ProgramError::UnknownKey {
            name: wanted.name.clone(),
            kind,
            key: key.clone(),
            nearest: nearest(key, known.iter().map(String::as_str)).map(str::to_owned),
        }),
    }
}

/// Fails on control characters: a line end in a value would type a second line, and others are keys.
fn check_line(wanted: ScriptRequest<'_>, key: &str, value: &str) -> Result<(), ProgramError> {
    match value.chars().find(|c| c.is_control()) {
        None => Ok(()),
        Some(found) => Err(ProgramError::Control {
            name: wanted.name.clone(),
            key: key.to_owned(),
            found,
        }),
    }
}

fn missing_secrets(program: &CheckedProgram, wanted: ScriptRequest<'_>) -> Vec<MissingSecret> {
    let mut missing: Vec<MissingSecret> = Vec::new();
    for (index, step) in program.steps.iter().enumerate() {
        let Some(StepInput::Secret(source)) = &step.input else {
            continue;
        };
        let is_known = missing.iter().any(|known| known.name == source.name);
        if !is_known && !wanted.secrets.contains_key(&source.name) {
            missing.push(missing_secret(index, source, wanted.set));
        }
    }
    missing
}

fn missing_secret(
    index: usize,
    source: &SecretTemplate,
    set: &BTreeMap<String, String>,
) -> MissingSecret {
    let filled = |text: &Option<TemplateText>| text.as_ref().map(|text| text.fill(set));
    MissingSecret {
        name: source.name.clone(),
        step: index + 1,
        env: filled(&source.env),
        file: filled(&source.file),
        prompt: filled(&source.prompt),
    }
}

fn filled(step: &ConfiguredStep, wanted: ScriptRequest<'_>) -> ScriptStep {
    ScriptStep {
        pattern: step.pattern.clone(),
        input: step.input.as_ref().map(|input| match input {
            StepInput::Text(text) => ScriptInput::Text(text.fill(wanted.set)),
            StepInput::Keys(keys) => ScriptInput::Keys(keys.clone()),
            StepInput::Secret(source) => {
                let secret = wanted.secrets.get(&source.name);
                ScriptInput::Secret(secret.cloned().unwrap_or_default())
            }
        }),
        newline: step.newline,
        is_optional: step.is_optional,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn script(
        set: &[(&str, &str)],
        secrets: &[(&str, &str)],
        has_program: bool,
    ) -> Result<Script, ProgramError> {
        let document = json!({
            "command_template": "ssh -p {port} {host}",
            "expect_sequences": [
                {"pattern": "login:", "response": "{user}"},
                {"pattern": "word:", "response": {"secret": {"env": "PW", "prompt": "{user}?"}}},
                {"pattern": "again:", "response": {"secret": {"env": "PW"}}},
            ],
        });
        let program = CheckedProgram::read(&serde_json::from_value(document).unwrap()).unwrap();
        let owned = |pair: &(&str, &str)| (pair.0.to_owned(), pair.1.to_owned());
        let map = |pairs: &[(&str, &str)]| BTreeMap::from_iter(pairs.iter().map(owned));
        let name = SessionId::parse("box").unwrap();
        let (set, secrets) = (map(set), map(secrets));
        Script::new(
            &program,
            ScriptRequest {
                name: &name,
                set: &set,
                secrets: &secrets,
                has_program,
            },
        )
    }

    fn refused(set: &[(&str, &str)], secrets: &[(&str, &str)]) -> String {
        script(set, secrets, false).unwrap_err().to_string()
    }

    const ALL: [(&str, &str); 3] = [("port", "22"), ("host", "h"), ("user", "me")];

    #[test]
    fn all_missing_values_are_named_at_once() {
        assert_eq!(
            refused(&[("host", "h")], &[]),
            "the program configuration 'box' needs values for {port}, {user}"
        );
        assert!(script(&[("user", "me")], &[], true).is_ok());
    }

    #[test]
    fn a_key_that_nothing_asks_for_is_told_with_the_nearest() {
        let known = [ALL.as_slice(), &[("usr", "x")]].concat();
        assert_eq!(
            refused(&known, &[]),
            "the program configuration 'box' has no placeholder \"usr\" (did you mean \"user\"?)"
        );
        assert_eq!(
            refused(&ALL, &[("password", "x")]),
            "the program configuration 'box' has no secret \"password\""
        );
    }

    #[test]
    fn a_value_types_one_line_and_is_not_shown_in_the_error() {
        let told = refused(&[("port", "22"), ("host", "h"), ("user", "me\rrm")], &[]);
        let cause = "\"user\" contains the control character '\\r'";
        assert!(told.contains(cause), "{told}");
        let told = refused(&ALL, &[("PW", "hunter2\n")]);
        assert!(!told.contains("hunter2"), "{told}");
        // An argument may contain any character.
        let host = [("port", "22"), ("host", "a\nb"), ("user", "me")];
        let args = script(&host, &[], false).unwrap().args;
        assert_eq!(args, ["-p", "22", "a\nb"]);
    }

    #[test]
    fn a_value_of_the_command_line_may_be_a_secret() {
        let rest = [("port", "22"), ("user", "me")];
        let script = script(&rest, &[("host", "h"), ("PW", "x")], false).unwrap();
        assert_eq!(script.args, ["-p", "22", "h"]);
        assert_eq!(script.hidden.0.keys().collect::<Vec<_>>(), ["host"]);
        let told = refused(&ALL, &[("host", "hunter2")]);
        assert!(told.contains("\"host\"") && !told.contains("hunter2"));
    }

    #[test]
    fn a_secret_is_missed_once_and_never_printed() {
        let missing = script(&ALL, &[], false).unwrap().missing;
        assert_eq!(missing.len(), 1);
        let first = (missing[0].step, missing[0].prompt.as_deref());
        assert_eq!(first, (2, Some("me?")));
        let script = script(&ALL, &[("PW", "hunter2")], false).unwrap();
        assert!(script.missing.is_empty());
        assert!(!format!("{script:?}").contains("hunter2"));
    }
}
