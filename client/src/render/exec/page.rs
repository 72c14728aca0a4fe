//! A run as a page.

use super::files::{files, total};
use super::summary::call;
use super::text::{dollars, seconds, verdict};
use crate::render::table::{field, fields};
use crate::render::{Colour, Style, age, on_one_line, readable};
use ccd_protocol::exec::{ExecutionResult, OutputFormat};
use serde_json::Value;
use std::io::{self, Write};
use std::time::SystemTime;

const NAMES: usize = 14;

/// Last lines of the error output that are shown of a run that did not succeed.
const MAX_ERROR_LINES: usize = 20;

/// Writes a run: what was asked for, the verdict, what changed, and the answer; `failure` is why it did not succeed.
pub(crate) fn execution(
    result: &ExecutionResult,
    failure: Option<&str>,
    columns: usize,
    out: &mut dyn Write,
    style: Style,
) -> io::Result<()> {
    head(result, failure, out, style)?;
    if !result.diff_info.is_empty() {
        heading("changes", out, style)?;
        files(&result.diff_info, usize::MAX, columns, out, style)?;
        writeln!(out, "  {}", total(&result.diff_info))?;
    }
    if !result.commits.is_empty() {
        heading("commits", out, style)?;
        let mut commits = result.commits.iter();
        commits.try_for_each(|commit| writeln!(out, "  {}", on_one_line(commit)))?;
    }
    if !result.policy_violations.is_empty() {
        heading("denied calls", out, style)?;
        let mut calls = result.policy_violations.iter();
        calls.try_for_each(|violation| writeln!(out, "  {}", call(violation)))?;
    }
    text("instruction", &result.instruction, out, style)?;
    text("answer", &answer(result), out, style)?;
    if failure.is_some() {
        let lines: Vec<&str> = result.stderr.lines().collect();
        let last = &lines[lines.len().saturating_sub(MAX_ERROR_LINES)..];
        text("error output", &last.join("\n"), out, style)?;
    }
    for log in result.logs.iter().flatten() {
        let line = on_one_line(&format!("{} {} {}", log.at, log.level, log.message));
        writeln!(out, "{}", style.paint(Colour::Dim, &line))?;
    }
    Ok(())
}

fn head(
    result: &ExecutionResult,
    failure: Option<&str>,
    out: &mut dyn Write,
    style: Style,
) -> io::Result<()> {
    let usage = &result.usage;
    let name = style.paint(Colour::Dim, &format!("{:<NAMES$}", "status"));
    writeln!(out, "{name}{}", verdict(result.status, style))?;
    if let Some(failure) = failure {
        field(NAMES, "error", &on_one_line(failure), out, style)?;
    }
    let age = match age(&result.timestamp, SystemTime::now()) {
        age if age.is_empty() => String::new(),
        age => format!(" ({age} ago)"),
    };
    let time = if result.status.has_ended() {
        seconds(result.execution_time)
    } else {
        String::new()
    };
    let exit_code = usage.exit_code.map(|code| code.to_string());
    fields(
        NAMES,
        &[
            ("run", result.request_id.clone()),
            ("conversation", result.session_id.clone()),
            ("repository", result.repo_path.clone()),
            ("requested", format!("{}{age}", result.timestamp)),
            ("time", time),
            ("model", usage.model.clone().unwrap_or_default()),
            ("claude", usage.version.clone().unwrap_or_default()),
            ("turns", some(usage.turns)),
            ("tool calls", some(usage.calls)),
            ("tokens", tokens(result)),
            ("cost", usage.cost_usd.map(dollars).unwrap_or_default()),
            (
                "tool policy",
                match result.mode.as_str() {
                    "all" => String::new(),
                    mode => mode.to_owned(),
                },
            ),
            ("exit status", exit_code.unwrap_or_default()),
            (
                "ended by",
                match usage.terminal_reason.as_deref() {
                    None | Some("completed") => String::new(),
                    Some(reason) => reason.to_owned(),
                },
            ),
        ],
        out,
        style,
    )?;
    let mut warnings = result.warnings.iter();
    warnings.try_for_each(|warning| field(NAMES, "warning", warning, out, style))
}

fn tokens(result: &ExecutionResult) -> String {
    let usage = &result.usage;
    let input = usage.input_tokens + usage.cache_read_tokens + usage.cache_creation_tokens;
    match input + usage.output_tokens {
        0 => String::new(),
        _ => format!(
            "{input} in ({} cached), {} out",
            usage.cache_read_tokens, usage.output_tokens
        ),
    }
}

fn some(count: u64) -> String {
    match count {
        0 => String::new(),
        count => count.to_string(),
    }
}

fn answer(result: &ExecutionResult) -> String {
    if result.output_format == OutputFormat::Text {
        return result.stdout.clone();
    }
    let records = result.stdout.split('\n').rev();
    let mut records = records.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let last = records.find(|record| record["type"] == "result");
    let answer = last.and_then(|record| Some(record["result"].as_str()?.to_owned()));
    answer.unwrap_or_default()
}

fn heading(name: &str, out: &mut dyn Write, style: Style) -> io::Result<()> {
    writeln!(out, "\n{}", style.paint(Colour::Heading, name))
}

fn text(name: &str, text: &str, out: &mut dyn Write, style: Style) -> io::Result<()> {
    if text.trim().is_empty() {
        return Ok(());
    }
    heading(name, out, style)?;
    let text = readable(text);
    let mut lines = text.trim_end().split('\n');
    lines.try_for_each(|line| writeln!(out, "{}", format!("  {line}").trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::exec::files::tests::file;
    use ccd_protocol::exec::{ExecutionStatus, FileStatus};

    #[test]
    fn a_page_has_what_was_asked_for_and_what_came_of_it() {
        let mut result = ExecutionResult {
            request_id: "3f2a".into(),
            status: ExecutionStatus::Failed,
            instruction: "add\na test".into(),
            stdout: "{\"type\":\"system\"}\n{\"type\":\"result\",\"result\":\"Done.\\u001b[2J\"}\n"
                .into(),
            stderr: "oh\n".into(),
            output_format: OutputFormat::StreamJson,
            execution_time: 4.2,
            session_id: "0b6f".into(),
            timestamp: "then".into(),
            diff_info: vec![file("a.rs", FileStatus::Added, 2, 0)],
            commits: vec!["c0ffee".into()],
            repo_path: "/srv/x".into(),
            mode: "whitelist".into(),
            ..ExecutionResult::default()
        };
        result.usage.input_tokens = 5;
        result.usage.cache_read_tokens = 100;
        result.usage.output_tokens = 7;
        let mut out = Vec::new();
        execution(&result, Some("no\nway"), 80, &mut out, Style::default()).unwrap();
        let expected = "\
status        failed
error         no way
run           3f2a
conversation  0b6f
repository    /srv/x
requested     then
time          4.2s
tokens        105 in (100 cached), 7 out
tool policy   whitelist

changes
  A a.rs +2
  1 file, +2 -0

commits
  c0ffee

instruction
  add
  a test

answer
  Done.

error output
  oh
";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
