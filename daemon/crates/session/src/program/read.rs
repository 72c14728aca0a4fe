//! Makes a document into a program that can be started: checks everything and parses every template.

use super::error::Mistake;
use super::secrets::asks_for_secret;
use super::template::{CommandTemplate, TemplateText, is_name};
use crate::durations::MAX_TIME;
use crate::keys;
use ccd_protocol::program::{ExpectStep, ProgramConfig, Response, SecretSource};
use ccd_protocol::tape::TapeOptions;
use ccd_text::expect::{Pattern, PatternError, Patterns};
use std::collections::BTreeSet;
use std::time::Duration;

pub(super) const MAX_STEPS: usize = 1000;

const MAX_INDICATORS: usize = 100;

pub const MAX_SAMPLE_LINES: usize = 100;

pub const MAX_SAMPLE_LINE_CHARS: usize = 1000;

/// A valid configuration.
#[derive(Debug)]
pub(super) struct CheckedProgram {
    pub(super) command: CommandTemplate,
    pub(super) timeout: Option<Duration>,
    is_shortened: bool,
    pub(super) steps: Vec<ConfiguredStep>,
    pub(super) ready: Vec<String>,
    pub(super) success: Vec<String>,
    pub(super) tape: Option<TapeOptions>,
}

/// A step, with what it types.
#[derive(Debug)]
pub struct ProgramStep<I> {
    pub pattern: Option<String>,
    pub input: Option<I>,
    pub newline: bool,
    pub is_optional: bool,
}

pub(super) type ConfiguredStep = ProgramStep<StepInput>;

#[derive(Debug)]
pub(super) enum StepInput {
    Text(TemplateText),
    Keys(Vec<String>),
    Secret(SecretTemplate),
}

#[derive(Debug)]
pub(super) struct SecretTemplate {
    pub(super) name: String,
    pub(super) env: Option<TemplateText>,
    pub(super) file: Option<TemplateText>,
    pub(super) prompt: Option<TemplateText>,
}

/// Returns what is wrong with a configuration, for the fuzzer; `None` if it is valid. Blocks.
#[cfg(feature = "fuzzing")]
pub fn fault(config: &ProgramConfig) -> Option<String> {
    match CheckedProgram::read(config) {
        Ok(program) => {
            program.placeholders();
            program.secrets();
            program.doubts();
            None
        }
        Err(mistake) => Some(mistake.to_string()),
    }
}

impl CheckedProgram {
    /// Checks a configuration. Compiles its patterns, so it must not run on an async thread.
    pub(super) fn read(config: &ProgramConfig) -> Result<Self, Mistake> {
        let command = CommandTemplate::parse(&config.command_template)
            .map_err(|error| Mistake::at("command_template", error))?;
        let timeout = config.typical_timeout.map(timeout).transpose()?;
        if config.expect_sequences.len() > MAX_STEPS {
            let what = format!("at most {MAX_STEPS} steps are allowed");
            return Err(Mistake::at("expect_sequences", what));
        }
        let steps = config.expect_sequences.iter().enumerate();
        let steps = steps
            .map(|(index, step)| ConfiguredStep::read(index, step))
            .collect::<Result<Vec<_>, _>>()?;
        check_order(&steps, !config.ready_indicators.is_empty())?;
        check_indicators("ready_indicators", &config.ready_indicators)?;
        check_indicators("success_indicators", &config.success_indicators)?;
        if config.sample_output.len() > MAX_SAMPLE_LINES {
            let what = format!("at most {MAX_SAMPLE_LINES} lines are allowed");
            return Err(Mistake::at("sample_output", what));
        }
        Ok(Self {
            command,
            timeout,
            is_shortened: config
                .typical_timeout
                .is_some_and(|seconds| seconds > MAX_TIME.as_secs_f64()),
            steps,
            ready: config.ready_indicators.clone(),
            success: config.success_indicators.clone(),
            tape: config.tape.as_ref().map(super::tape::read).transpose()?,
        })
    }

    /// Returns the names of all placeholders: those in the command, and those in the steps.
    pub(super) fn placeholders(&self) -> (BTreeSet<String>, BTreeSet<String>) {
        let (mut of_command, mut of_steps) = (BTreeSet::new(), BTreeSet::new());
        self.command.add_names(&mut of_command);
        for step in &self.steps {
            match &step.input {
                Some(StepInput::Text(text)) => text.add_names(&mut of_steps),
                Some(StepInput::Secret(source)) => source
                    .texts()
                    .for_each(|text| text.add_names(&mut of_steps)),
                Some(StepInput::Keys(_)) | None => {}
            }
        }
        (of_command, of_steps)
    }

    pub(super) fn secrets(&self) -> BTreeSet<String> {
        let secret = |step: &ConfiguredStep| match &step.input {
            Some(StepInput::Secret(source)) => Some(source.name.clone()),
            _ => None,
        };
        self.steps.iter().filter_map(secret).collect()
    }

    /// Returns warnings about settings that are allowed but probably not intended.
    pub(super) fn doubts(&self) -> Vec<String> {
        let mut doubts = Vec::new();
        if self.is_shortened {
            doubts.push("typical_timeout was shortened to 30 days".to_owned());
        }
        if let Some((at, c)) = self.command.shell_character {
            doubts.push(format!(
                "command_template: {c} at byte {at} is passed on unchanged, because the line is not passed to a shell; quote it, or start sh -c '…'"
            ));
        }
        for (index, step) in self.steps.iter().enumerate() {
            let asks = step.pattern.as_deref().is_some_and(asks_for_secret);
            if asks && matches!(step.input, Some(StepInput::Text(_))) {
                doubts.push(format!(
                    "expect_sequences[{index}].response is stored as plain text; use {{\"secret\": {{\"env\": \"NAME\"}}}} to keep a password out of the file"
                ));
            }
        }
        doubts
    }
}

impl ConfiguredStep {
    fn read(index: usize, step: &ExpectStep) -> Result<Self, Mistake> {
        let place = format!("expect_sequences[{index}]");
        let wrong = |what: &str| Err(Mistake::at(&place, what));
        if step.response.is_some() && step.keys.is_some() {
            return wrong("give response or keys, not both");
        }
        if step.pattern.is_none() && step.response.is_none() && step.keys.is_none() {
            return wrong("the step has nothing to wait for and nothing to type");
        }
        if step.optional && step.pattern.is_none() {
            return wrong("an optional step needs a pattern");
        }
        if let Some(pattern) = &step.pattern {
            check_pattern(&format!("{place}.pattern"), pattern)?;
        }
        let input = match (&step.response, &step.keys) {
            (Some(Response::Text(text)), _) => Some(StepInput::Text(read_text(
                &format!("{place}.response"),
                text,
            )?)),
            (Some(Response::Secret { secret }), _) => {
                Some(StepInput::Secret(SecretTemplate::read(index, secret)?))
            }
            (None, Some(keys)) => {
                check_keys(&place, keys)?;
                Some(StepInput::Keys(keys.clone()))
            }
            (None, None) => None,
        };
        Ok(Self {
            pattern: step.pattern.clone(),
            input,
            newline: step.newline,
            is_optional: step.optional,
        })
    }
}

impl SecretTemplate {
    fn read(index: usize, source: &SecretSource) -> Result<Self, Mistake> {
        let place = format!("expect_sequences[{index}].response.secret");
        let texts = [
            ("env", &source.env),
            ("file", &source.file),
            ("prompt", &source.prompt),
        ];
        if source.name.is_none() && texts.iter().all(|(_, text)| text.is_none()) {
            return Err(Mistake::at(place, "give env, file or prompt"));
        }
        let name = source.name.as_ref().or(source.env.as_ref());
        let name = match name.filter(|name| source.name.is_some() || is_name(name)) {
            Some(name) if is_name(name) => name.clone(),
            Some(name) => {
                let what = format!("{name:?}: give letters, digits and _");
                return Err(Mistake::at(format!("{place}.name"), what));
            }
            None => format!("secret_{}", index + 1),
        };
        let [env, file, prompt] = texts.map(|(field, text)| {
            text.as_ref()
                .map(|text| read_text(&format!("{place}.{field}"), text))
                .transpose()
        });
        Ok(Self {
            name,
            env: env?,
            file: file?,
            prompt: prompt?,
        })
    }

    fn texts(&self) -> impl Iterator<Item = &TemplateText> {
        [&self.env, &self.file, &self.prompt].into_iter().flatten()
    }
}

/// Converts a timeout as in a request: 0 checks once, and more than 30 days are shortened to 30 days.
fn timeout(seconds: f64) -> Result<Duration, Mistake> {
    let shortest = seconds.min(MAX_TIME.as_secs_f64());
    let timeout = Duration::try_from_secs_f64(shortest).ok();
    timeout.filter(|_| !seconds.is_nan()).ok_or_else(|| {
        let what = format!("{seconds}: give seconds, 0 or more");
        Mistake::at("typical_timeout", what)
    })
}

fn read_text(place: &str, text: &str) -> Result<TemplateText, Mistake> {
    TemplateText::parse(text).map_err(|error| Mistake::at(place, error))
}

/// Checks that optional steps are followed by a pattern or an indicator that can be waited for together with theirs.
fn check_order(steps: &[ConfiguredStep], has_indicators: bool) -> Result<(), Mistake> {
    let optional = |(index, step): (usize, &ConfiguredStep)| step.is_optional.then_some(index);
    for index in steps.iter().enumerate().filter_map(optional) {
        let what = match steps.get(index + 1) {
            Some(next) if next.pattern.is_none() => {
                "the step after an optional step needs a pattern, which shows that this step is to be skipped"
            }
            None if !has_indicators => {
                "the last step is optional, so give ready_indicators to show when the program has started"
            }
            _ => continue,
        };
        return Err(Mistake::at(format!("expect_sequences[{index}]"), what));
    }
    Ok(())
}

fn check_keys(place: &str, keys: &[String]) -> Result<(), Mistake> {
    let mut faults = keys.iter().enumerate();
    let fault = faults.find_map(|(index, key)| Some((index, keys::fault(key)?)));
    fault.map_or(Ok(()), |(index, fault)| {
        let fault = format!("{fault}; words are given as `response`");
        Err(Mistake::at(format!("{place}.keys[{index}]"), fault))
    })
}

fn check_indicators(field: &str, indicators: &[String]) -> Result<(), Mistake> {
    if indicators.len() > MAX_INDICATORS {
        let what = format!("at most {MAX_INDICATORS} are allowed");
        return Err(Mistake::at(field, what));
    }
    let mut indexed = indicators.iter().enumerate();
    indexed.try_for_each(|(index, pattern)| check_pattern(&format!("{field}[{index}]"), pattern))
}

fn check_pattern(place: &str, pattern: &str) -> Result<(), Mistake> {
    let compiled = Patterns::compile(&[Pattern::Regex(pattern.to_owned())], false);
    compiled.map(drop).map_err(|error| {
        let what = match error {
            PatternError::Syntax { at, message, .. } => format!("wrong at byte {at}: {message}"),
            other => other.to_string(),
        };
        Mistake::in_pattern(place, what)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn read(document: Value) -> Result<CheckedProgram, Mistake> {
        CheckedProgram::read(&serde_json::from_value(document).unwrap())
    }

    fn mistake(document: Value) -> String {
        read(document).unwrap_err().to_string()
    }

    #[test]
    fn each_mistake_is_told_with_its_place() {
        for (document, expected) in [
            (
                json!({"command_template": "a 'b"}),
                "command_template: the quote ' is not closed, at byte 2",
            ),
            (
                json!({"command_template": "x", "ready_indicators": ["ok", "("]}),
                "ready_indicators[1]: wrong at byte 0: unclosed group",
            ),
            (
                json!({"command_template": "x", "typical_timeout": -1}),
                "typical_timeout: -1: give seconds, 0 or more",
            ),
        ] {
            assert_eq!(mistake(document), expected);
        }
        for (step, expected) in [
            (
                json!({"pattern": "a{"}),
                ".pattern: wrong at byte 1: unclosed counted repetition",
            ),
            (
                json!({"pattern": "a", "response": "{a b}"}),
                ".response: a '{' without a name and '}' (write {{ for a brace) at byte 0",
            ),
            (
                json!({"pattern": "a", "response": "b", "keys": ["Up"]}),
                ": give response or keys, not both",
            ),
            (
                json!({"keys": ["Up", "Entr"]}),
                ".keys[1]: no key is named \"Entr\", did you mean Enter?; words are given as `response`",
            ),
            (
                json!({}),
                ": the step has nothing to wait for and nothing to type",
            ),
            (
                json!({"pattern": "a", "response": {"secret": {}}}),
                ".response.secret: give env, file or prompt",
            ),
            (
                json!({"response": {"secret": {"name": "a b"}}}),
                ".response.secret.name: \"a b\": give letters, digits and _",
            ),
            (
                json!({"response": "a", "optional": true}),
                ": an optional step needs a pattern",
            ),
            (
                json!({"pattern": "a", "optional": true}),
                ": the last step is optional, so give ready_indicators to show when the program has started",
            ),
        ] {
            let told = mistake(json!({"command_template": "x", "expect_sequences": [step]}));
            assert_eq!(told, format!("expect_sequences[0]{expected}"));
        }
    }

    #[test]
    fn a_time_out_is_one_of_a_request() {
        let timeout = |seconds: f64| {
            read(json!({"command_template": "x", "typical_timeout": seconds})).unwrap()
        };
        assert_eq!(timeout(0.0).timeout, Some(Duration::ZERO));
        assert_eq!(timeout(1.5).doubts(), Vec::<String>::new());
        let longest = timeout(1e300);
        assert_eq!(longest.timeout, Some(MAX_TIME));
        assert_eq!(
            longest.doubts(),
            ["typical_timeout was shortened to 30 days"]
        );
    }

    #[test]
    fn placeholders_and_secrets_are_found_wherever_they_stand() {
        let program = read(json!({
            "command_template": "ssh {host}",
            "expect_sequences": [
                {"pattern": "login", "response": "{user}"},
                {"pattern": "a", "response": {"secret": {"env": "PW"}}},
                {"pattern": "b", "response": {"secret": {"file": "~/.{realm}"}}},
                {"pattern": "c", "response": {"secret": {"prompt": "{user}?", "name": "pin"}}},
            ],
        }))
        .unwrap();
        let (of_command, of_steps) = program.placeholders();
        assert_eq!(Vec::from_iter(of_command), ["host"]);
        assert_eq!(Vec::from_iter(of_steps), ["realm", "user"]);
        assert_eq!(Vec::from_iter(program.secrets()), ["PW", "pin", "secret_3"]);
    }

    #[test]
    fn what_is_hardly_meant_is_doubted() {
        let program = read(json!({
            "command_template": "a | b",
            "expect_sequences": [{"pattern": "Password:", "response": "x"}],
        }))
        .unwrap();
        let doubts = program.doubts();
        assert!(doubts[0].contains("| at byte 2"), "{doubts:?}");
        assert!(doubts[1].contains("plain text"), "{doubts:?}");
    }
}
