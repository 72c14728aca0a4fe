//! A run as a page.

use super::files::{files, total};
use super::summary::call;
use super::text::verdict;
use crate::render::short::{dollars, seconds};
use crate::render::{Colour, Printer, age, on_one_line, readable};
use ccd_protocol::exec::{ExecutionResult, OutputFormat};
use serde_json::Value;
use std::io;
use std::time::SystemTime;

const NAMES: usize = 14;

/// Last lines of the error output that are shown of a run that did not succeed.
const MAX_ERROR_LINES: usize = 20;

/// Writes a run: what was asked for, the verdict, what changed, and the answer; `failure` is why it did not succeed.
pub(crate) fn execution(
    result: &ExecutionResult,
    failure: Option<&str>,
    out: &mut Printer<'_>,
) -> io::Result<()> {
    head(result, failure, out)?;
    if !result.diff_info.is_empty() {
        heading("changes", out)?;
        files(&result.diff_info, usize::MAX, out)?;
        writeln!(out, "  {}", total(&result.diff_info))?;
    }
    if !result.commits.is_empty() {
        heading("commits", out)?;
        let mut commits = result.commits.iter();
        commits.try_for_each(|commit| writeln!(out, "  {}", on_one_line(commit)))?;
    }
    if !result.policy_violations.is_empty() {
        heading("denied calls", out)?;
        let mut calls = result.policy_violations.iter();
        calls.try_for_each(|violation| writeln!(out, "  {}", call(violation)))?;
    }
    text("instruction", &result.instruction, out)?;
    text("answer", &answer(result), out)?;
    if failure.is_some() {
        let lines: Vec<&str> = result.stderr.lines().collect();
        let last = &lines[lines.len().saturating_sub(MAX_ERROR_LINES)..];
        text("error output", &last.join("\n"), out)?;
    }
    for log in result.logs.iter().flatten() {
        let line = on_one_line(&format!("{} {} {}", log.at, log.level, log.message));
        out.line(Colour::Dim, &line)?;
    }
    Ok(())
}

fn head(result: &ExecutionResult, failure: Option<&str>, out: &mut Printer<'_>) -> io::Result<()> {
    let usage = &result.usage;
    let name = out.paint(Colour::Dim, &format!("{:<NAMES$}", "status"));
    writeln!(out, "{name}{}", verdict(result.status, out.style))?;
    if let Some(failure) = failure {
        out.field(NAMES, "error", &on_one_line(failure))?;
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
    let ended_by = usage.terminal_reason.as_deref().unwrap_or_default();
    let exit_code = usage.exit_code.map(|code| code.to_string());
    out.fields(
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
            ("tool policy", unless(&result.mode, "all")),
            ("exit status", exit_code.unwrap_or_default()),
            ("ended by", unless(ended_by, "completed")),
        ],
    )?;
    let mut warnings = result.warnings.iter();
    warnings.try_for_each(|warning| out.field(NAMES, "warning", warning))
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

/// The text, or an empty one in place of what goes without saying.
fn unless(text: &str, usual: &str) -> String {
    let text = Some(text).filter(|text| *text != usual);
    text.unwrap_or_default().to_owned()
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

fn heading(name: &str, out: &mut Printer<'_>) -> io::Result<()> {
    writeln!(out, "\n{}", out.paint(Colour::Heading, name))
}

fn text(name: &str, text: &str, out: &mut Printer<'_>) -> io::Result<()> {
    if text.trim().is_empty() {
        return Ok(());
    }
    heading(name, out)?;
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
        let text = crate::render::printer::printed(|out| execution(&result, Some("no\nway"), out));
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
        assert_eq!(text, expected);
    }
}
