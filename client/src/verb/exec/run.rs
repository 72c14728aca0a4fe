//! `ccctl exec INSTRUCTION`: starts a run, follows it, and prints its result.

use super::live::{Live, Screen};
use super::outcome::{of_failure, of_result, refused};
use super::request::{format_of, params_of};
use crate::args::Given;
use crate::call::{Answer, DaemonAddress, fetch_within};
use crate::context::{note, say};
use crate::fields::Fields as _;
use crate::job_news::News;
use crate::render::{execution, filled, on_one_line, text};
use crate::verb::chain::{Cancel, Followed, follow};
use crate::{Context, Exit, Failure};
use ccd_protocol::exec::{ExecRunParams, OutputFormat, worktree_branch};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// What a run is known as in messages.
const NAME: &str = "exec";

/// How long a worker that replaced another one may take to end the other's runs, and the pause between two looks.
const SETTLE_LIMIT: Duration = Duration::from_secs(45);
const SETTLE_PAUSE: Duration = Duration::from_millis(200);

struct Run {
    params: ExecRunParams,
    started: Value,
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
        started: Value::Null,
        printed: 0,
    };
    match run.carry_out(args, context) {
        Ok(exit) => Ok(exit),
        Err(failure) => {
            let is_closed = failure.exit() == Exit::BrokenPipe;
            if output_format == OutputFormat::Text || is_closed {
                return Err(failure);
            }
            let result = refused(&failure, &run.params, &run.started);
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
        let answer = context.fetch("exec.run", &self.params)?;
        self.started = answer.value.clone();
        let id = answer.value.text("request_id");
        let Some(cancel) = cancel else {
            match format {
                OutputFormat::Text => context.write_line(id)?,
                _ => context.write_line(answer.json.get())?,
            }
            return Ok(Exit::Done);
        };
        let mut live = Live::start(format);
        let followed = self.follow(&cancel, &mut live, context);
        live.screen().end();
        let followed = followed.map_err(|failure| {
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
        cancel: &Cancel,
        live: &mut Live,
        context: &mut Context,
    ) -> Result<Followed<Answer<Value>>, Failure> {
        let place = context.place()?.without_start();
        let (place_of_run, shown) = (place.clone(), live.screen().clone());
        let run = self.started.clone();
        let stop = move || cancel_run(&place_of_run, &run, &shown);
        let job = self.started.text("job").to_owned();
        let followed = follow(cancel, place, &job, Some(0), stop, |news| {
            match news {
                News::Entry(entry) => {
                    let text = match entry.at("value") {
                        Value::String(text) => text.clone(),
                        other => other.to_string(),
                    };
                    // After a gap, the rest is taken from the result.
                    if self.params.output_format == OutputFormat::StreamJson
                        && entry.number("seq") == self.printed
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
            Followed::Ended(_) => settled(&self.started, context).map(Followed::Ended),
            Followed::Left(exit) => Ok(Followed::Left(exit)),
        }
    }

    fn print(
        &self,
        answer: &Answer<Value>,
        live: &Live,
        context: &mut Context,
    ) -> Result<(), Failure> {
        let result = &answer.value;
        let stdout = result.text("stdout");
        let unseen = "the daemon has not seen the end of the run yet; ccctl exec get shows it";
        let is_unseen = ["queued", "running"].contains(&result.text("status"));
        let failure = failure_of(result).or_else(|| is_unseen.then(|| unseen.to_owned()));
        let page = execution(result, failure.as_deref());
        match self.params.output_format {
            OutputFormat::Text => {
                live.print_answer(stdout, context)?;
                for log in result.list("logs") {
                    say(&filled("{at} {level} {message:line}", log));
                }
                if !live.is_shown() {
                    context.print_page("exec notes", &page, None)?;
                }
                // Nothing else says it: the branch is not checked out where the user is.
                if self.params.worktree && result.has("execution_time") {
                    let branch = worktree_branch(result.text("request_id"));
                    let path = result.text("repo_path");
                    note(&on_one_line(&format!(
                        "the work is in {path}, on the branch {branch}"
                    )));
                }
            }
            OutputFormat::Json => print_document(OutputFormat::Json, answer.json.get(), context)?,
            OutputFormat::StreamJson => {
                let missing = usize::try_from(self.printed).unwrap_or(usize::MAX);
                for line in lines(stdout).skip(missing) {
                    context.write_line(line)?;
                }
                print_document(OutputFormat::StreamJson, answer.json.get(), context)?;
            }
        }
        live.summary(&page);
        Ok(())
    }
}

/// Returns the result of a run. If the worker died, its job has ended before the run: the next worker first waits until
/// nothing of it is left. No daemon is started: the user may have stopped it.
fn settled(started: &Value, context: &Context) -> Result<Answer<Value>, Failure> {
    let place = context.place()?.without_start();
    let params = json!({"request_id": started["request_id"]});
    let deadline = Instant::now() + SETTLE_LIMIT;
    loop {
        let answer = fetch_within(&place, "exec.get", &params, None)?;
        let has_ended = !["queued", "running"].contains(&answer.value.text("status"));
        if has_ended || Instant::now() >= deadline {
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

/// Why a run did not succeed.
pub(super) fn failure_of(result: &Value) -> Option<String> {
    match result.at("error_message") {
        Value::String(message) => Some(message.clone()),
        _ => Some(text("run failure", result)).filter(|failure| !failure.is_empty()),
    }
}

fn cancel_run(place: &DaemonAddress, run: &Value, screen: &Screen) {
    screen.cancelling();
    screen.say(&filled(
        "ccctl: cancelling run {request_id}; press Ctrl-C again to exit without waiting",
        run,
    ));
    let params = json!({"request_id": run["request_id"]});
    if let Err(failure) = fetch_within(place, "exec.cancel", &params, None) {
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
