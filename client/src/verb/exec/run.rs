//! `ccctl exec INSTRUCTION`: starts a run, follows it, and prints its result.

use super::live::{Live, Screen};
use super::outcome::{of_failure, of_result, refused};
use super::request::{format_of, params_of};
use crate::args::Given;
use crate::call::{Answer, DaemonAddress, call_at};
use crate::context::{note, say};
use crate::fields::Fields as _;
use crate::job_news::News;
use crate::render::{message, on_one_line, run_notes};
use crate::verb::chain::{Cancel, Followed, follow};
use crate::{Context, Exit, Failure};
use ccd_protocol::exec::{
    ExecCancel, ExecGet, ExecRun, ExecRunParams, ExecStarted, ExecutionParams, ExecutionResult,
    ExecutionStatus, OutputFormat, worktree_branch,
};
use serde_json::Value;
use std::time::{Duration, Instant};

/// What a run is known as in messages.
const NAME: &str = "exec";

/// How long a worker that replaced another one may take to end the other's runs, and the pause between two looks.
const SETTLE_LIMIT: Duration = Duration::from_secs(45);
const SETTLE_PAUSE: Duration = Duration::from_millis(200);

struct Run {
    params: ExecRunParams,
    started: Option<ExecStarted>,
    /// Lines of Claude Code that were printed, in the format `stream-json`.
    printed: u64,
}

/// Runs Claude Code, and prints what it did. In a JSON format, errors of the call are printed as a result.
pub(super) fn run(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let output_format = format_of(args, context.global.json);
    let mut run = Run {
        params: ExecRunParams {
            output_format,
            ..ExecRunParams::default()
        },
        started: None,
        printed: 0,
    };
    match run.carry_out(args, context) {
        Ok(exit) => Ok(exit),
        Err(failure) => {
            let is_closed = failure.exit() == Exit::BrokenPipe;
            if output_format == OutputFormat::Text || is_closed {
                return Err(failure);
            }
            let result = refused(&failure, &run.params, run.started.as_ref());
            let json =
                serde_json::to_string(&result).map_err(|error| Failure::Output(error.into()))?;
            print_document(output_format, &json, context)?;
            Ok(of_failure(&failure))
        }
    }
}

impl Run {
    fn carry_out(&mut self, args: &Given, context: &mut Context) -> Result<Exit, Failure> {
        let format = self.params.output_format;
        if format != OutputFormat::Text {
            context.print_json();
        }
        self.params = params_of(args, format, context.global.verbose)?;
        let cancel = (!args.has("detach")).then(Cancel::listen).transpose()?;
        let answer = context.call::<ExecRun>(&self.params)?;
        self.started = Some(answer.value.clone());
        let Some(cancel) = cancel else {
            match format {
                OutputFormat::Text => context.write_line(&answer.value.request_id)?,
                _ => context.write_line(answer.json.get())?,
            }
            return Ok(Exit::Done);
        };
        let mut live = Live::start(format);
        let followed = self.follow(&answer.value, &cancel, &mut live, context);
        live.screen().end();
        let followed = followed.map_err(|failure| {
            let id = &answer.value.request_id;
            note(&format!(
                "run {id} was not followed to its end; ccctl exec get {id} shows it"
            ));
            after_start(failure)
        });
        match followed? {
            Followed::Left(exit) => Ok(exit),
            Followed::Ended(answer) => {
                self.print(&answer, &live, context)?;
                Ok(of_result(&answer.value))
            }
        }
    }

    /// Waits for the end of the run, and shows or prints what Claude Code prints.
    fn follow(
        &mut self,
        started: &ExecStarted,
        cancel: &Cancel,
        live: &mut Live,
        context: &mut Context,
    ) -> Result<Followed<Answer<ExecutionResult>>, Failure> {
        let place = context.place()?.without_start();
        let (place_of_run, shown) = (place.clone(), live.screen().clone());
        let request_id = started.request_id.clone();
        let stop = move || cancel_run(&place_of_run, &request_id, &shown);
        let followed = follow(cancel, place, &started.job, Some(0), stop, |news| {
            match news {
                News::Entry(entry) => {
                    let text = match entry.value {
                        Value::String(text) => text,
                        other => other.to_string(),
                    };
                    // After a gap, the rest is taken from the result.
                    if self.params.output_format == OutputFormat::StreamJson
                        && entry.seq == self.printed
                    {
                        live.screen().above(|| context.write_line(&text))?;
                        self.printed += 1;
                    }
                    live.line(&text, context)?;
                }
                News::Changed(job) => live.progress(&job),
                News::Omitted(_) | News::Ended(_) => {}
            }
            Ok(())
        })?;
        match followed {
            Followed::Ended(_) => settled(&started.request_id, context).map(Followed::Ended),
            Followed::Left(exit) => Ok(Followed::Left(exit)),
        }
    }

    fn print(
        &self,
        answer: &Answer<ExecutionResult>,
        live: &Live,
        context: &mut Context,
    ) -> Result<(), Failure> {
        let result = &answer.value;
        match self.params.output_format {
            OutputFormat::Text => {
                live.print_answer(&result.stdout, context)?;
                report_logs(result);
                if !live.is_shown() {
                    report(result);
                }
                // Nothing else says it: the branch is not checked out where the user is.
                if self.params.worktree && result.execution_time > 0.0 {
                    let (path, branch) = (&result.repo_path, worktree_branch(&result.request_id));
                    note(&on_one_line(&format!(
                        "the work is in {path}, on the branch {branch}"
                    )));
                }
            }
            OutputFormat::Json => print_document(OutputFormat::Json, answer.json.get(), context)?,
            OutputFormat::StreamJson => {
                let missing = usize::try_from(self.printed).unwrap_or(usize::MAX);
                for line in lines(&result.stdout).skip(missing) {
                    context.write_line(line)?;
                }
                print_document(OutputFormat::StreamJson, answer.json.get(), context)?;
            }
        }
        live.summary(result, failure_of(result).as_deref());
        Ok(())
    }
}

/// Returns the result of a run. If the worker died, its job has ended before the run: the next worker first waits until
/// nothing of it is left. No daemon is started: the user may have stopped it.
fn settled(request_id: &str, context: &Context) -> Result<Answer<ExecutionResult>, Failure> {
    let place = context.place()?.without_start();
    let params = ExecutionParams {
        request_id: request_id.to_owned(),
    };
    let deadline = Instant::now() + SETTLE_LIMIT;
    loop {
        let answer = call_at::<ExecGet>(&place, &params)?;
        if answer.value.status.has_ended() || Instant::now() >= deadline {
            return Ok(answer);
        }
        std::thread::sleep(SETTLE_PAUSE);
    }
}

/// A failure to follow a run, which was started. Whatever request was lost, the run may continue.
fn after_start(failure: Failure) -> Failure {
    match failure {
        Failure::Lost { .. } => Failure::Lost {
            method: NAME.to_owned(),
            was_read: true,
        },
        failure => failure.of_verb(NAME),
    }
}

/// Lines end at `\n` alone: other line ends are part of texts in JSON.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.split('\n').filter(move |_| !text.is_empty())
}

/// Prints a result, a JSON object, as a document or as the last line of a stream.
fn print_document(format: OutputFormat, json: &str, context: &mut Context) -> Result<(), Failure> {
    match (format, json.trim_start().strip_prefix('{')) {
        (OutputFormat::StreamJson, Some(fields)) => {
            context.write_line(&format!("{{\"type\":\"execution_result\",{fields}"))
        }
        _ => context.write_line(json),
    }
}

/// Reports on standard error what a run did, what its user should know, and why it did not succeed.
fn report(result: &ExecutionResult) {
    let warnings = result.warnings.iter().map(|warning| message(warning));
    let notes = run_notes(result).into_iter().chain(warnings);
    notes.for_each(|line| note(&line));
    if let Some(failure) = failure_of(result) {
        note(&format!("{NAME}: {}", message(&failure)));
    }
}

fn failure_of(result: &ExecutionResult) -> Option<String> {
    match (&result.error_message, result.status) {
        (Some(message), _) => Some(message.clone()),
        (None, ExecutionStatus::Success) => None,
        (None, status) => Some(format!("the run ended as {}", status.name())),
    }
}

fn report_logs(result: &ExecutionResult) {
    for log in result.logs.iter().flatten() {
        say(&on_one_line(&format!(
            "{} {} {}",
            log.at, log.level, log.message
        )));
    }
}

fn cancel_run(place: &DaemonAddress, request_id: &str, screen: &Screen) {
    screen.cancelling();
    screen.say(&format!(
        "ccctl: cancelling run {request_id}; press again to exit without waiting"
    ));
    let params = ExecutionParams {
        request_id: request_id.to_owned(),
    };
    if let Err(failure) = call_at::<ExecCancel>(place, &params) {
        screen.say(&failure.line());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_cannot_be_followed_may_continue() {
        let lost = Failure::Lost {
            method: "exec.get".into(),
            was_read: false,
        };
        assert_eq!(
            after_start(lost).line(),
            "ccctl: exec: the daemon was restarted or killed before it replied; the run may continue: check with ccctl exec list"
        );
    }

    #[test]
    fn lines_are_split_at_newlines_alone() {
        let all = |text| lines(text).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(all(""), Vec::<String>::new());
        assert_eq!(all("a\u{2028}b\r\n\nc\n"), ["a\u{2028}b\r", "", "c"]);
        assert_eq!(all("half"), ["half"]);
    }
}
