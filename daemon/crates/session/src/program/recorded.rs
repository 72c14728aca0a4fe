//! Makes the steps that repeat a session from its history.

use super::read::MAX_STEPS;
use super::template::escaped;
use crate::interaction::{Inexact, InputForm, InteractionRow};
use ccd_base::shell::quoted_template;
use ccd_protocol::program::{ExpectStep, Response, SecretSource};
use ccd_text::hidden::HIDDEN;
use ccd_text::redact::MASK;

/// Longest prompt of a program that is used as the question for a secret.
const MAX_PROMPT_CHARS: usize = 200;

#[derive(Debug, Default)]
pub struct RecordedSteps {
    pub steps: Vec<ExpectStep>,
    /// Offset of the output at the first hidden input.
    pub hidden_at: Option<u64>,
    pub warnings: Vec<String>,
}

/// Returns what was expected and sent, in order. `shown_chars` is the length at which the history truncates input.
/// Input that is masked in the history becomes a secret that is asked for.
pub fn from_rows(rows: &[InteractionRow], shown_chars: usize) -> RecordedSteps {
    let mut reader = HistoryReader::default();
    for row in rows {
        match row.action.as_str() {
            "RECV" => reader.received(row),
            "EXPECT" => reader.expected(row),
            "SEND" => reader.sent(row, shown_chars),
            _ => {}
        }
    }
    reader.finish()
}

#[derive(Default)]
struct HistoryReader {
    recorded: RecordedSteps,
    done: Vec<Done>,
    /// The last line of the output so far.
    last_line: String,
}

/// A pattern that was waited for, and the input that was typed then.
#[derive(Default)]
struct Done {
    expected: Option<Expected>,
    input: Option<RecordedInput>,
    /// The program's prompt before the input.
    asked: String,
}

impl HistoryReader {
    fn received(&mut self, row: &InteractionRow) {
        let text = row.output_text.as_deref().unwrap_or_default();
        self.last_line = text.lines().last().unwrap_or_default().trim().to_owned();
    }

    fn expected(&mut self, row: &InteractionRow) {
        if let Some(expected) = Expected::from_row(row) {
            self.last_line = expected.matched.trim().to_owned();
            self.done.push(Done {
                expected: Some(expected),
                ..Done::default()
            });
        }
    }

    fn sent(&mut self, row: &InteractionRow, shown_chars: usize) {
        let steps = self.done.len();
        let Some(input) = RecordedInput::from_row(row) else {
            self.warn(format!(
                "the input after step {steps} is not in the history"
            ));
            return;
        };
        if input.is_secret() && self.recorded.hidden_at.is_none() {
            let at = row.start_offset.and_then(|at| u64::try_from(at).ok());
            self.recorded.hidden_at = Some(at.unwrap_or(0));
        }
        if input.text.chars().count() >= shown_chars {
            self.warn(format!(
                "the input after step {steps} is cut short, as it is in the history"
            ));
        }
        let inexact = input.inexact.filter(|_| !input.is_secret());
        let asked = self.last_line.clone();
        match self.done.last_mut() {
            Some(last) if last.input.is_none() => (last.input, last.asked) = (Some(input), asked),
            Some(Done {
                input: Some(last), ..
            }) if last.goes_on_with(&input) => last.append(input),
            _ => self.done.push(Done {
                expected: None,
                input: Some(input),
                asked,
            }),
        }
        let step = self.done.len();
        match inexact {
            Some(Inexact::Bytes) => self.warn(format!(
                "the response of step {step} differs from what was typed, which contained bytes that are not text"
            )),
            Some(Inexact::Paste) => self.warn(format!(
                "the response of step {step} was pasted, but will be typed"
            )),
            None => {}
        }
    }

    fn finish(mut self) -> RecordedSteps {
        let count = self.done.len();
        if count > MAX_STEPS {
            self.warn(format!(
                "only the first {MAX_STEPS} of {count} steps are saved"
            ));
        }
        for (index, done) in std::mem::take(&mut self.done)
            .into_iter()
            .take(MAX_STEPS)
            .enumerate()
        {
            if done
                .expected
                .as_ref()
                .is_some_and(|expected| is_masked(&expected.pattern))
            {
                let number = index + 1;
                self.warn(format!(
                    "the pattern of step {number} contained a secret, which is masked: check it"
                ));
            }
            self.recorded.steps.push(step(index, done));
        }
        self.recorded
    }

    fn warn(&mut self, warning: String) {
        self.recorded.warnings.push(warning);
    }
}

/// Returns program and arguments as a command template. Parts that `redact` removes become placeholders.
pub fn command_template(words: &[String], redact: impl Fn(&str) -> String) -> String {
    let mut line = Vec::new();
    let mut secrets = 0;
    for (index, word) in words.iter().enumerate() {
        let mut shown = redact(word);
        if shown == *word && index > 0 {
            // An option and its value are redacted as a pair.
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
                template.replace_range(
                    at..at + MASK.len(),
                    &format!("{{secret_argument_{secrets}}}"),
                );
            }
        }
        line.push(quoted_template(&template));
    }
    line.join(" ")
}

struct Expected {
    pattern: String,
    matched: String,
}

impl Expected {
    /// `None` if it is not a pattern.
    fn from_row(row: &InteractionRow) -> Option<Self> {
        let pattern = row.pattern_matched.clone()?;
        let matched = row.output_text.clone().unwrap_or_default();
        let is_exact = match InputForm::from_json(row.form.as_deref()) {
            Some(InputForm::Exact) => true,
            Some(InputForm::Regex) => false,
            Some(_) => return None,
            // Rows of older daemons do not say: a pattern that matched itself is taken to be exact.
            None => pattern == matched,
        };
        let pattern = if is_exact { literal(&pattern) } else { pattern };
        Some(Self { pattern, matched })
    }
}

/// Returns the regular expression that matches a text.
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

struct RecordedInput {
    text: String,
    keys: Option<Vec<String>>,
    ends_line: bool,
    inexact: Option<Inexact>,
}

impl RecordedInput {
    /// `None` for input that the history only counts.
    fn from_row(row: &InteractionRow) -> Option<Self> {
        let mut text = row.input_text.clone().unwrap_or_default();
        let form = InputForm::from_json(row.form.as_deref());
        let (keys, ends_line) = match form.clone() {
            Some(InputForm::Keys(names)) => (Some(names), false),
            Some(InputForm::Text) => (None, false),
            Some(InputForm::Inexact { has_enter, .. }) => (None, has_enter),
            Some(InputForm::Event) => return None,
            _ => (None, true),
        };
        if ends_line && text.ends_with('\r') {
            text.pop();
        }
        Some(Self {
            text,
            keys,
            ends_line,
            inexact: match form {
                Some(InputForm::Inexact { how, .. }) => Some(how),
                _ => None,
            },
        })
    }

    fn is_secret(&self) -> bool {
        self.keys.is_none() && is_masked(&self.text)
    }

    /// Returns true if `next` belongs to the same line, typed key by key, as people do.
    fn goes_on_with(&self, next: &Self) -> bool {
        match (&self.keys, &next.keys) {
            (Some(_), Some(_)) => true,
            (None, None) => !self.ends_line && !self.text.ends_with(['\r', '\n']),
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

fn step(index: usize, done: Done) -> ExpectStep {
    let mut step = ExpectStep {
        pattern: done.expected.map(|expected| expected.pattern),
        response: None,
        keys: None,
        newline: true,
        optional: false,
    };
    let Some(input) = done.input else {
        return step;
    };
    if input.is_secret() {
        let secret = SecretSource {
            prompt: Some(escaped(&prompt(index, &done.asked))),
            ..SecretSource::default()
        };
        step.response = Some(Response::Secret { secret });
        // If the keys are hidden, it is unknown whether the last one was Enter.
        step.newline = input.ends_line || input.text.len() > HIDDEN.len();
    } else if input.keys.is_some() {
        step.keys = input.keys;
    } else {
        step.response = Some(Response::Text(escaped(&input.text)));
        step.newline = input.ends_line;
    }
    step
}

/// Returns the question for a secret: the program's prompt if it is suitable.
fn prompt(index: usize, asked: &str) -> String {
    let is_question = !asked.is_empty()
        && asked.chars().count() <= MAX_PROMPT_CHARS
        && !asked.contains(char::is_control)
        && !is_masked(asked);
    if is_question {
        asked.to_owned()
    } else {
        format!("Secret for step {}:", index + 1)
    }
}

#[cfg(test)]
#[path = "recorded_tests.rs"]
mod tests;
