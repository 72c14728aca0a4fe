//! `ccctl investigate PROGRAM`.

use super::{advised, failed, follow_with_line, result_of, target};
use crate::args::Given;
use crate::fields::Fields as _;
use crate::render::filled;
use crate::verb::chain::{Cancel, Followed};
use crate::{Context, Exit, Failure, render};
use ccd_protocol::Method as _;
use ccd_protocol::investigate::InvestigateRun;
use ccd_protocol::job::JobState;
use serde_json::Value;

/// Investigates a program and prints the report, also that of an investigation that did not reach its end.
pub(super) fn run(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let mut params = target(args)?;
    params["safe_mode"] = args.has("unsafe").then_some(false).into();
    params["sandbox"] = args.has("sandbox").then_some(true).into();
    params["max_depth"] = args.at("max_depth").clone();
    params["timeout_s"] = args.at("timeout").clone();
    params["tape"] = args.at("tape").clone();
    let (result, exit) = match investigate(&params, context)? {
        Followed::Left(exit) => return Ok(exit),
        Followed::Ended(ended) => ended,
    };
    let report = result.at("report");
    context.print_either(report, |out| {
        render::investigation(report, Some(result.text("path")), out)
    })?;
    Ok(exit)
}

/// Returns the result, and the exit status for it.
pub(super) fn investigate(
    params: &Value,
    context: &Context,
) -> Result<Followed<(Value, Exit)>, Failure> {
    let cancel = Cancel::listen()?;
    let started = context.fetch(InvestigateRun::NAME, params);
    let job = started.map_err(|failure| {
        let failure = failure.of_verb("investigate");
        advised(failure, "investigate", params.text("program"))
    })?;
    let job = match follow_with_line(&cancel, job.value.text("job"), line, context)? {
        Followed::Ended(job) => job,
        Followed::Left(exit) => return Ok(Followed::Left(exit)),
    };
    let result = result_of("investigate", &job)?;
    let exit = match job.state {
        JobState::Done => Exit::Done,
        JobState::Cancelled => {
            context.note("investigate: cancelled; the report has what was found");
            cancel
                .by()
                .map_or(Exit::Failed, |signal| Exit::of_program(None, Some(signal)))
        }
        _ => {
            context.note(&failed("investigate", &job).to_string());
            Exit::Failed
        }
    };
    Ok(Followed::Ended((result, exit)))
}

fn line(progress: &Value) -> Option<String> {
    let line = "… [{state}: ]{asking}[{commands?} · {commands:count command}]\
                [{states?} · {states:count state}][{findings?} · {findings:count finding}]";
    progress["asking"]
        .is_string()
        .then(|| filled(line, progress))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_line_says_what_is_asked_and_what_was_found() {
        let progress =
            json!({"asking": "help", "state": "main", "commands": 32, "states": 1, "findings": 0});
        assert_eq!(
            line(&progress).as_deref(),
            Some("… main: help · 32 commands · 1 state")
        );
        let outside =
            json!({"asking": "bc --help", "state": "", "commands": 0, "states": 0, "findings": 0});
        assert_eq!(line(&outside).as_deref(), Some("… bc --help"));
        assert_eq!(line(&json!({})), None);
    }
}
