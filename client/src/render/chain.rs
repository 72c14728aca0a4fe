//! Chains, and the results of commands.

use super::Printer;
use super::style::{Colour, is_utf8};
use super::template::fill;
use crate::fields::Fields as _;
use serde_json::Value;
use std::io;

/// Lines of output that are shown of a command that failed in parallel with others.
const LAST_LINES: usize = 10;

pub(crate) fn step(step: &Value, out: &mut Printer<'_>) -> io::Result<()> {
    if step.has("skipped_reason") {
        let text = "{sequence_order} {command}: {skipped_reason}";
        return marked(("-", "skipped", Colour::Dim), text, step, out);
    }
    result("{sequence_order}", step, out)?;
    output(step, usize::MAX, out)
}

/// Writes the result of one of several commands; if it failed, with the end of its output, or with all of it if asked
/// for.
pub(crate) fn parallel_command(
    command: &Value,
    shows_output: bool,
    out: &mut Printer<'_>,
) -> io::Result<()> {
    result("{index:next}", command, out)?;
    match (shows_output, command.has("success")) {
        (true, _) => output(command, usize::MAX, out),
        (false, true) => Ok(()),
        (false, false) => output(command, LAST_LINES, out),
    }
}

/// Writes the list of a job's result; nothing if the job has no list that is known here.
pub(crate) fn job_list(job: &Value, out: &mut Printer<'_>) -> io::Result<()> {
    let mut steps = job.list("result.steps").iter();
    steps.try_for_each(|one| step(one, out))?;
    let mut commands = job.list("result.results").iter();
    commands.try_for_each(|one| parallel_command(one, true, out))?;
    let mut hits = job.list("result.hits").iter();
    hits.try_for_each(|hit| writeln!(out, "{}", hit.text("line")))
}

fn result(place: &str, of: &Value, out: &mut Printer<'_>) -> io::Result<()> {
    let mark = if of.has("success") {
        ("✓", "ok", Colour::Good)
    } else {
        ("✗", "failed", Colour::Bad)
    };
    marked(mark, &format!("{place} {{&command result}}"), of, out)
}

/// Writes a template after a sign or, where there are no signs, after its word.
fn marked(
    (sign, word, colour): (&str, &str, Colour),
    template: &str,
    of: &Value,
    out: &mut Printer<'_>,
) -> io::Result<()> {
    let is_sign = out.style.is_terminal && is_utf8();
    let mark = out.paint(colour, if is_sign { sign } else { word });
    let line = fill(template, of, 0, out.style);
    out.lines([line], &format!("{mark} "))
}

/// Writes the last lines of an output, each indented by two spaces.
fn output(result: &Value, most: usize, out: &mut Printer<'_>) -> io::Result<()> {
    let lines: Vec<&str> = result.text("output").lines().collect();
    let from = lines.len().saturating_sub(most);
    let omitted = result.number("omitted_bytes");
    if omitted > 0 {
        writeln!(out, "  ({omitted} bytes before this are omitted)")?;
    } else if from > 0 {
        writeln!(out, "  ({from} lines before these are omitted)")?;
    }
    lines[from..]
        .iter()
        .try_for_each(|line| writeln!(out, "  {line}"))
}
