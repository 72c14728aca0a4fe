//! Program configurations.

use super::style::{Colour, Style};
use super::table::{Cell, Table, printable};
use ccd_protocol::program::{ExpectStep, ProgramConfig, ProgramSummary, Response, SecretSource};
use std::io::{self, Write};

/// Writes one line a configuration.
///
/// # Errors
///
/// Those of `out`.
pub(crate) fn programs(
    all: &[ProgramSummary],
    out: &mut dyn Write,
    style: Style,
) -> io::Result<()> {
    let mut table = Table::new(["NAME", "STEPS", "TIME-OUT", "SET", "SECRETS", "COMMAND"]);
    for program in all {
        let command = match &program.error {
            Some(error) => Cell::coloured(printable(error), Colour::Bad),
            None => program.command_template.as_str().into(),
        };
        table.row([
            program.name.as_str().into(),
            program.steps.to_string().into(),
            seconds(program.typical_timeout).into(),
            program.placeholders.join(",").into(),
            program.secrets.join(",").into(),
            command,
        ]);
    }
    table.write(out, style)
}

/// Writes a configuration, one field a line.
///
/// # Errors
///
/// Those of `out`.
pub(crate) fn program(config: &ProgramConfig, out: &mut dyn Write, style: Style) -> io::Result<()> {
    let mut field = |name: &str, value: &str| {
        let name = style.paint(Colour::Dim, &format!("{name:<16}"));
        writeln!(out, "{name}{}", printable(value))
    };
    field("name", &config.name)?;
    field("command", &config.command_template)?;
    if config.typical_timeout.is_some() {
        field("time-out", &seconds(config.typical_timeout))?;
    }
    for (index, step) in config.expect_sequences.iter().enumerate() {
        field(&format!("step {}", index + 1), &step_line(step))?;
    }
    for (name, indicators) in [
        ("ready", &config.ready_indicators),
        ("success", &config.success_indicators),
    ] {
        for indicator in indicators {
            field(name, &format!("{indicator:?}"))?;
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

/// Such as `"word: " → secret PW ($PW)`.
fn step_line(step: &ExpectStep) -> String {
    let mut line = match &step.pattern {
        Some(pattern) => format!("{pattern:?}"),
        None => "when it waits for input".to_owned(),
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
    let enter = match step.newline || step.keys.is_some() {
        true => "",
        false => " without Enter",
    };
    format!("{line} → {typed}{enter}")
}

fn secret_text(secret: &SecretSource) -> String {
    let sources = [
        secret.env.as_ref().map(|name| format!("${name}")),
        secret.file.clone(),
        secret
            .prompt
            .as_ref()
            .map(|prompt| format!("prompt {prompt:?}")),
    ];
    let sources: Vec<String> = sources.into_iter().flatten().collect();
    let name = secret
        .name
        .as_ref()
        .map_or_else(String::new, |name| format!(" {name}"));
    match sources.is_empty() {
        true => format!("secret{name}"),
        false => format!("secret{name} from {}", sources.join(", else ")),
    }
}

fn seconds(timeout: Option<f64>) -> String {
    timeout.map_or_else(String::new, |seconds| format!("{seconds}s"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_is_read_from_top_to_bottom() {
        let json = r#"{"name": "db", "command_template": "psql -U {user}", "typical_timeout": 20.5,
            "expect_sequences": [
                {"pattern": "word: ", "response": {"secret": {"env": "PW", "prompt": "Password"}}, "optional": true},
                {"pattern": "a", "response": "b\u001b", "newline": false},
                {"keys": ["Up", "Enter"]},
                {"pattern": "c"}],
            "ready_indicators": ["=> "], "notes": "n", "sample_output": ["1", "2"]}"#;
        let config = serde_json::from_str(json).unwrap();
        let mut out = Vec::new();
        program(&config, &mut out, Style::default()).unwrap();
        let expected = r#"name            db
command         psql -U {user}
time-out        20.5s
step 1          "word: " (optional) → secret from $PW, else prompt "Password"
step 2          "a" → "b\u{1b}" without Enter
step 3          when it waits for input → keys Up Enter
step 4          "c"
ready           "=> "
notes           n
sample output   1
                2
"#;
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
