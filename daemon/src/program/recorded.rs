//! From the history of a session to the steps that do it again.

use super::read::MAX_STEPS;
use super::template::{escaped, quoted};
use crate::interaction::{Form, HIDDEN};
use crate::redact::MASK;
use crate::store::InteractionRow;
use ccd_protocol::program::{ExpectStep, Response, SecretSource};

/// Longest text of a match that is asked as a question.
const MAX_PROMPT_CHARS: usize = 200;

/// What a history gives.
#[derive(Debug, Default)]
pub(crate) struct Recorded {
    pub(crate) steps: Vec<ExpectStep>,
    /// Offset of the output at which something hidden was typed first.
    pub(crate) hidden_at: Option<u64>,
    pub(crate) warnings: Vec<String>,
}

/// Returns what was expected and sent, in order. `shown_chars` is the length at which the history cuts what was typed.
///
/// What stands masked in the history becomes a secret that is asked for.
pub(crate) fn from_rows(rows: &[InteractionRow], shown_chars: usize) -> Recorded {
    let mut recorded = Recorded::default();
    let mut inputs: Vec<Option<Input>> = Vec::new();
    let mut patterns: Vec<Option<Expected>> = Vec::new();
    for row in rows {
        match row.action.as_str() {
            "EXPECT" => {
                if let Some(expected) = expected(row) {
                    patterns.push(Some(expected));
                    inputs.push(None);
                }
            }
            "SEND" => {
                let Some(input) = Input::of(row) else {
                    let warning = format!(
                        "what was typed after step {} is not in the history",
                        inputs.len()
                    );
                    recorded.warnings.push(warning);
                    continue;
                };
                if input.is_secret() && recorded.hidden_at.is_none() {
                    let at = row.start_offset.and_then(|at| u64::try_from(at).ok());
                    recorded.hidden_at = Some(at.unwrap_or(0));
                }
                if input.text.chars().count() >= shown_chars {
                    recorded.warnings.push(format!(
                        "the response of step {} is cut, as the history has it",
                        inputs.len().max(1)
                    ));
                }
                match inputs.last_mut() {
                    Some(last @ None) => *last = Some(input),
                    Some(Some(last)) if last.goes_on_with(&input) => last.append(input),
                    _ => {
                        patterns.push(None);
                        inputs.push(Some(input));
                    }
                }
            }
            _ => {}
        }
    }
    if inputs.len() > MAX_STEPS {
        let warning = format!(
            "only the first {MAX_STEPS} of {} steps are kept",
            inputs.len()
        );
        recorded.warnings.push(warning);
    }
    let pairs = patterns.into_iter().zip(inputs).take(MAX_STEPS);
    for (index, (expected, input)) in pairs.enumerate() {
        if expected
            .as_ref()
            .is_some_and(|expected| is_masked(&expected.pattern))
        {
            let warning = format!(
                "the pattern of step {} had a secret in it: look at it",
                index + 1
            );
            recorded.warnings.push(warning);
        }
        recorded.steps.push(step(index, expected, input));
    }
    recorded
}

/// Returns program and arguments as a command template. What `redact` takes out becomes a placeholder.
pub(crate) fn command_template(words: &[String], redact: impl Fn(&str) -> String) -> String {
    let mut line = Vec::new();
    let mut secrets = 0;
    for (index, word) in words.iter().enumerate() {
        let mut shown = redact(word);
        if shown == *word && index > 0 {
            // An option and its value are told as a pair.
            let pair = format!("{} {word}", words[index - 1]);
            if !redact(&pair).ends_with(word.as_str()) {
                shown = MASK.to_owned();
            }
        }
        let mut template = escaped(&shown);
        if shown != *word {
            template = template.replace(HIDDEN, MASK);
            while let Some(at) = template.find(MASK) {
                secrets += 1;
                template.replace_range(at..at + MASK.len(), &format!("{{secret_{secrets}}}"));
            }
        }
        line.push(quoted(&template));
    }
    line.join(" ")
}

/// A pattern that matched.
struct Expected {
    pattern: String,
    matched: String,
}

fn expected(row: &InteractionRow) -> Option<Expected> {
    let pattern = row.pattern_matched.clone()?;
    let matched = row.output_text.clone().unwrap_or_default();
    let is_exact = match Form::of_json(row.form.as_deref()) {
        Some(Form::Exact) => true,
        Some(Form::Regex) => false,
        Some(_) => return None,
        // Rows of older daemons do not say: what matched itself is itself.
        None => pattern == matched,
    };
    let pattern = match is_exact {
        true => literal(&pattern),
        false => pattern,
    };
    Some(Expected { pattern, matched })
}

/// The regular expression of a text.
fn literal(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for c in text.chars() {
        if r"\.+*?()|[]{}^$#&-~".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

/// What was typed at one place.
struct Input {
    text: String,
    keys: Option<Vec<String>>,
    ends_line: bool,
}

impl Input {
    /// `None` for what the history only counts.
    fn of(row: &InteractionRow) -> Option<Self> {
        let mut text = row.input_text.clone().unwrap_or_default();
        let form = Form::of_json(row.form.as_deref());
        let (keys, ends_line) = match form {
            Some(Form::Keys(names)) => (Some(names), false),
            Some(Form::Text) => (None, false),
            Some(Form::Event) => return None,
            _ => (None, true),
        };
        if ends_line && text.ends_with(['\r', '\n']) {
            text.pop();
        }
        Some(Self {
            text,
            keys,
            ends_line,
        })
    }

    fn is_secret(&self) -> bool {
        self.keys.is_none() && is_masked(&self.text)
    }

    /// Typed key by key, as people do.
    fn goes_on_with(&self, next: &Self) -> bool {
        match (&self.keys, &next.keys) {
            (Some(_), Some(_)) => true,
            (None, None) => !self.ends_line,
            _ => false,
        }
    }

    fn append(&mut self, next: Self) {
        self.text.push_str(&next.text);
        self.ends_line = next.ends_line;
        if let (Some(keys), Some(more)) = (&mut self.keys, next.keys) {
            keys.extend(more);
        }
    }
}

fn is_masked(text: &str) -> bool {
    text.contains(MASK) || text.contains(HIDDEN)
}

fn step(index: usize, expected: Option<Expected>, input: Option<Input>) -> ExpectStep {
    let mut step = ExpectStep {
        pattern: None,
        response: None,
        keys: None,
        newline: true,
        optional: false,
    };
    if let Some(input) = input {
        if input.keys.is_some() {
            step.keys = input.keys;
        } else if input.is_secret() {
            let secret = SecretSource {
                prompt: Some(escaped(&prompt(index, expected.as_ref()))),
                ..SecretSource::default()
            };
            step.response = Some(Response::Secret { secret });
            // Of keys that nobody saw it is not known whether the last was Enter.
            step.newline = input.ends_line || input.text.len() > HIDDEN.len();
        } else {
            step.response = Some(Response::Text(escaped(&input.text)));
            step.newline = input.ends_line;
        }
    }
    step.pattern = expected.map(|expected| expected.pattern);
    step
}

/// What to ask for a secret: what the program asked.
fn prompt(index: usize, expected: Option<&Expected>) -> String {
    let asked = expected.map(|expected| expected.matched.trim());
    let is_question = |text: &&str| {
        !text.is_empty()
            && text.chars().count() <= MAX_PROMPT_CHARS
            && !text.contains(char::is_control)
            && !is_masked(text)
    };
    match asked.filter(is_question) {
        Some(asked) => asked.to_owned(),
        None => format!("Secret of step {}:", index + 1),
    }
}

#[cfg(test)]
#[path = "recorded_tests.rs"]
mod tests;
