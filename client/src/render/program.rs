//! Program configurations.

use super::Printer;
use super::style::Colour;
use super::table::{Cell, Column, columns};
use ccd_protocol::program::{ExpectStep, ProgramConfig, ProgramSummary, Response, SecretSource};
use std::io;

/// A command is truncated to no less.
const MIN_COMMAND_COLUMNS: usize = 20;

pub(crate) const PROGRAMS: &[Column<ProgramSummary>] = &columns! { |program|
    "NAME" => &program.name,
    "STEPS" => program.steps,
    "TIMEOUT" => seconds(program.typical_timeout),
    "SET" => program.placeholders.join(","),
    "SECRETS" => program.secrets.join(","),
    "COMMAND" (MIN_COMMAND_COLUMNS, 0) => match &program.error {
        Some(error) => Cell::coloured(error, Colour::Bad),
        None => Cell::from(&program.command_template),
    },
};

pub(crate) fn program(config: &ProgramConfig, out: &mut Printer<'_>) -> io::Result<()> {
    let mut field = |name: &str, value: &str| out.field(16, name, value);
    field("name", &config.name)?;
    field("command", &config.command_template)?;
    if config.typical_timeout.is_some() {
        field("timeout", &seconds(config.typical_timeout))?;
    }
    for (index, step) in config.expect_sequences.iter().enumerate() {
        field(&format!("step {}", index + 1), &step_line(step))?;
    }
    for (name, indicators) in [
        ("ready", &config.ready_indicators),
        ("success", &config.success_indicators),
    ] {
        for indicator in indicators {
            field(name, &as_written(indicator))?;
        }
    }
    if let Some(notes) = &config.notes {
        field("notes", notes)?;
    }
    for (index, line) in config.sample_output.iter().enumerate() {
        field(if index == 0 { "sample output" } else { "" }, line)?;
    }
    Ok(())
}

/// Describes a step, such as `"word: " → secret PW ($PW)`.
fn step_line(step: &ExpectStep) -> String {
    let mut line = match &step.pattern {
        Some(pattern) => as_written(pattern),
        None => "when the program waits for input".to_owned(),
    };
    if step.optional {
        line.push_str(" (optional)");
    }
    let typed = match (&step.response, &step.keys) {
        (Some(Response::Text(text)), _) => format!("{text:?}"),
        (Some(Response::Secret { secret }), _) => secret_text(secret),
        (None, Some(keys)) => format!("keys {}", keys.join(" ")),
        (None, None) => return line,
    };
    let enter = if step.newline || step.keys.is_some() {
        ""
    } else {
        " without Enter"
    };
    format!("{line} → {typed}{enter}")
}

/// Quotes a pattern without escapes: regular expressions are hard enough to read without more backslashes.
fn as_written(pattern: &str) -> String {
    format!("\"{pattern}\"")
}

fn secret_text(secret: &SecretSource) -> String {
    let variable = secret.env.as_ref().map(|name| format!("${name}"));
    let prompt = secret.prompt.as_ref();
    let prompt = prompt.map(|prompt| format!("prompt {prompt:?}"));
    let sources = [variable, secret.file.clone(), prompt];
    let sources: Vec<String> = sources.into_iter().flatten().collect();
    let name = secret.name.as_ref().map(|name| format!(" {name}"));
    let name = name.unwrap_or_default();
    if sources.is_empty() {
        format!("secret{name}")
    } else {
        format!("secret{name} from {}", sources.join(", or "))
    }
}

fn seconds(timeout: Option<f64>) -> String {
    timeout.map_or_else(String::new, |seconds| format!("{seconds}s"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::printer::printed;

    #[test]
    fn a_configuration_is_read_from_top_to_bottom() {
        let json = r#"{"name": "db", "command_template": "psql -U {user}", "typical_timeout": 20.5,
            "expect_sequences": [
                {"pattern": "word: ", "response": {"secret": {"env": "PW", "prompt": "Password"}}, "optional": true},
                {"pattern": "a", "response": "b\u001b", "newline": false},
                {"keys": ["Up", "Enter"]},
                {"pattern": "\\(c"}],
            "ready_indicators": ["=> "], "notes": "n", "sample_output": ["1", "2"]}"#;
        let config = serde_json::from_str(json).unwrap();
        let text = printed(|out| program(&config, out));
        let expected = r#"name            db
command         psql -U {user}
timeout         20.5s
step 1          "word: " (optional) → secret from $PW, or prompt "Password"
step 2          "a" → "b\u{1b}" without Enter
step 3          when the program waits for input → keys Up Enter
step 4          "\(c"
ready           "=> "
notes           n
sample output   1
                2
"#;
        assert_eq!(text, expected);
    }
}
