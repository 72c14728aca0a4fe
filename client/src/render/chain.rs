//! Chains, and the results of commands.

use super::style::{Colour, is_utf8};
use super::table::{Cell, Column, columns};
use super::{Printer, printable};
use crate::typed::typed;
use ccd_protocol::chain::{
    Chain, ChainCommand, ChainStep, ChainSummary, CommandResult, ParallelCommand, WatchHit,
};
use ccd_protocol::job::Job;
use serde::de::DeserializeOwned;
use std::io::{self, Write};
use std::time::Duration;

/// Lines of output that are shown of a command that failed in parallel with others.
const LAST_LINES: usize = 10;

pub(crate) const CHAINS: &[Column<ChainSummary>] = &columns! { |chain|
    "NAME" => &chain.name,
    "STEPS" => chain.step_count,
    "SHELL" => shell(chain.shared, chain.shell),
    "TIMEOUT" => seconds(chain.timeout),
    "CWD" => Cell::maybe(&chain.cwd),
    "PROBLEM" => Cell::maybe(&chain.problem),
};

pub(crate) fn chain(chain: &Chain, out: &mut Printer<'_>) -> io::Result<()> {
    let timeout = match seconds(chain.timeout) {
        none if none.is_empty() => none,
        time => format!("{time} per step"),
    };
    let fields = [
        ("name", chain.name.clone().unwrap_or_default()),
        ("directory", chain.cwd.clone().unwrap_or_default()),
        ("timeout", timeout),
        ("shell", shell(chain.shared, chain.shell).to_owned()),
    ];
    out.fields(16, &fields)?;
    let steps: Vec<(i64, &ChainCommand)> = (1..).zip(&chain.commands).collect();
    let columns = columns! { |(place, step): (i64, &ChainCommand)|
        "STEP" => step.sequence_order.unwrap_or(*place),
        "COMMAND" => &step.command,
        "WHEN" => when(step),
        "EXPECT" => Cell::maybe(&step.expect_pattern),
        "SEND" => Cell::maybe(&step.send_text),
    };
    out.table(&steps, &columns)
}

fn when(step: &ChainCommand) -> String {
    let condition = step.condition.as_ref();
    let condition = condition.and_then(|condition| serde_json::to_string(condition).ok());
    let mut when = Vec::new();
    when.extend(step.on_success.then(|| "on success".to_owned()));
    when.extend(step.on_failure.then(|| "on failure".to_owned()));
    when.extend(condition);
    when.join(", ")
}

pub(crate) fn step(step: &ChainStep, out: &mut Printer<'_>) -> io::Result<()> {
    let place = step.sequence_order.to_string();
    match &step.skipped_reason {
        Some(why) => {
            let mark = mark("-", "skipped", Colour::Dim, out);
            let command = printable(&step.result.command);
            writeln!(out, "{mark} {place} {command}: {}", printable(why))
        }
        None => {
            command_line(&place, &step.result, out)?;
            output(&step.result, usize::MAX, out)
        }
    }
}

/// Writes the result of one of several commands; if it failed, with the end of its output, or with all of it if asked
/// for.
pub(crate) fn parallel_command(
    command: &ParallelCommand,
    shows_output: bool,
    out: &mut Printer<'_>,
) -> io::Result<()> {
    let place = (command.index + 1).to_string();
    command_line(&place, &command.result, out)?;
    match (shows_output, command.result.success) {
        (true, _) => output(&command.result, usize::MAX, out),
        (false, true) => Ok(()),
        (false, false) => output(&command.result, LAST_LINES, out),
    }
}

/// Writes the list of a job's result; nothing if the job has no list that is known here.
pub(crate) fn job_list(job: &Job, out: &mut Printer<'_>) -> io::Result<()> {
    for result in list::<ChainStep>(job, "steps") {
        step(&result, out)?;
    }
    for result in list::<ParallelCommand>(job, "results") {
        parallel_command(&result, true, out)?;
    }
    for hit in list::<WatchHit>(job, "hits") {
        writeln!(out, "{}", hit.line)?;
    }
    Ok(())
}

fn list<T: DeserializeOwned>(job: &Job, key: &str) -> Vec<T> {
    let result = job.result.as_ref();
    let list = result.and_then(|result| result.get(key)?.as_array());
    let values = list.into_iter().flatten();
    values.filter_map(|value| typed(value).ok()).collect()
}

fn seconds(timeout: Option<f64>) -> String {
    timeout
        .map(|seconds| format!("{seconds} s"))
        .unwrap_or_default()
}

fn shell(shared: bool, shell: bool) -> &'static str {
    match (shared, shell) {
        (true, _) => "shared",
        (false, true) => "each",
        (false, false) => "",
    }
}

fn command_line(place: &str, result: &CommandResult, out: &mut Printer<'_>) -> io::Result<()> {
    let mark = if result.success {
        mark("✓", "ok", Colour::Good, out)
    } else {
        mark("✗", "failed", Colour::Bad, out)
    };
    let why = match (&result.error, result.exit_code) {
        (Some(error), _) => format!(": {error}"),
        (None, Some(code)) if code != 0 => format!(": exit status {code}"),
        _ => String::new(),
    };
    let took = Duration::from_millis(result.duration_ms).as_secs_f64();
    let took = out.paint(Colour::Dim, &format!("({took:.1} s)"));
    let command = printable(&result.command);
    writeln!(out, "{mark} {place} {command}{} {took}", printable(&why))
}

/// Writes the last lines of an output, each indented by two spaces.
fn output(result: &CommandResult, most: usize, out: &mut dyn Write) -> io::Result<()> {
    let lines: Vec<&str> = result.output.lines().collect();
    let from = lines.len().saturating_sub(most);
    if result.omitted_bytes > 0 {
        let omitted = result.omitted_bytes;
        writeln!(out, "  ({omitted} bytes before this are omitted)")?;
    } else if from > 0 {
        writeln!(out, "  ({from} lines before these are omitted)")?;
    }
    lines[from..]
        .iter()
        .try_for_each(|line| writeln!(out, "  {line}"))
}

fn mark(sign: &str, word: &str, colour: Colour, out: &Printer<'_>) -> String {
    let is_sign = out.style.is_terminal && is_utf8();
    out.paint(colour, if is_sign { sign } else { word })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::printer::printed;

    fn result(output: &str, exit_code: i32) -> CommandResult {
        CommandResult {
            command: "make".into(),
            output: output.into(),
            exit_code: Some(exit_code),
            success: exit_code == 0,
            duration_ms: 1240,
            ..CommandResult::default()
        }
    }

    #[test]
    fn a_step_tells_how_it_went_and_what_it_printed() {
        let mut done = ChainStep {
            sequence_order: 2,
            ran: true,
            skipped_reason: None,
            result: result("a\nb\n", 0),
        };
        assert_eq!(
            printed(|out| step(&done, out)),
            "ok 2 make (1.2 s)\n  a\n  b\n"
        );
        done.result = result("", 3);
        assert_eq!(
            printed(|out| step(&done, out)),
            "failed 2 make: exit status 3 (1.2 s)\n"
        );
        done.skipped_reason = Some("on_success: step 1 has failed".into());
        let skipped = "skipped 2 make: on_success: step 1 has failed\n";
        assert_eq!(printed(|out| step(&done, out)), skipped);
    }

    #[test]
    fn of_commands_side_by_side_the_end_of_a_failed_one_is_shown() {
        let lines: String = (0..12).map(|n| format!("{n}\n")).collect();
        let command = |exit_code| ParallelCommand {
            index: 0,
            result: result(&lines, exit_code),
        };
        let good = printed(|out| parallel_command(&command(0), false, out));
        assert_eq!(good, "ok 1 make (1.2 s)\n");
        let bad = printed(|out| parallel_command(&command(1), false, out));
        assert!(
            bad.starts_with(
                "failed 1 make: exit status 1 (1.2 s)\n  (2 lines before these are omitted)\n  2\n"
            ),
            "{bad}"
        );
        let all = printed(|out| parallel_command(&command(0), true, out));
        assert_eq!(all.lines().count(), 13);
    }
}
