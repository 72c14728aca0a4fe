//! `ccctl test`.

use super::chain::{Cancel, Followed};
use super::investigate::{
    Target, advised, cleanup, delete, failed, follow_with_line, listed, misplaced, result_of,
};
use crate::args::{
    BlackBoxArgs, BlackBoxGetArgs, BlackBoxRunArgs, BlackBoxVerb, FuzzRunArgs, ReportListArgs,
};
use crate::call::is_elsewhere;
use crate::fields::Fields as _;
use crate::render::filled;
use crate::{Context, Exit, Failure, caller};
use ccd_protocol::Method as _;
use ccd_protocol::black_box::{
    TestCleanup, TestDelete, TestFormat, TestGet, TestGetParams, TestLimits, TestList, TestRun,
    TestRunParams, TestType,
};
use ccd_protocol::job::JobState;
use serde_json::Value;
use std::path::Path;

pub(crate) fn dispatch(args: &BlackBoxArgs, context: &mut Context) -> Result<Exit, Failure> {
    match &args.verb {
        None => test(&args.run, context),
        Some(_) if args.run != BlackBoxRunArgs::default() => Err(misplaced("test", "a program")),
        Some(BlackBoxVerb::Run(args)) => test(args, context),
        Some(BlackBoxVerb::Fuzz(args)) => run("fuzz", &[TestType::Fuzz], args, context),
        Some(BlackBoxVerb::List(args)) => list(args, context),
        Some(BlackBoxVerb::Get(args)) => get(args, context),
        Some(BlackBoxVerb::Delete(args)) => delete::<TestDelete>(args, context),
        Some(BlackBoxVerb::Cleanup(args)) => cleanup::<TestCleanup>(args, context),
    }
}

fn test(args: &BlackBoxRunArgs, context: &mut Context) -> Result<Exit, Failure> {
    run("test", &args.types, &args.fuzz, context)
}

fn run(
    verb: &str,
    types: &[TestType],
    args: &FuzzRunArgs,
    context: &mut Context,
) -> Result<Exit, Failure> {
    let cancel = Cancel::listen()?;
    let params = params(types, args)?;
    let started = context.fetch::<TestRun>(&params);
    let started = started.map_err(|failure| match verb {
        "test" => advised::<BlackBoxVerb>(failure.of_verb(verb), verb, &params.program),
        verb => failure.of_verb(verb),
    });
    let started = started?.value;
    let job = match follow_with_line(&cancel, started.text("job"), line, context)? {
        Followed::Ended(job) => job,
        Followed::Left(exit) => return Ok(exit),
    };
    let result = result_of(verb, &job)?;
    for (file, format) in files(args.junit.as_deref(), args.html.as_deref()) {
        put(result.text("id"), file, format, context)?;
    }
    context.print_either(result.at("report"), |out| {
        let mut report = result.at("report").clone();
        report["path"] = result["path"].clone();
        out.reply(TestGet::NAME, &report)
    })?;
    match (job.state, cancel.by()) {
        (JobState::Done, _) => Ok(exit_of(result.at("report"))),
        (JobState::Cancelled, Some(signal)) => {
            context.note(&format!(
                "{verb}: cancelled; the report has the results so far"
            ));
            Ok(Exit::of_program(None, Some(signal)))
        }
        _ => Err(failed(verb, &job)),
    }
}

fn params(types: &[TestType], args: &FuzzRunArgs) -> Result<TestRunParams, Failure> {
    let target = Target::of(&args.target)?;
    Ok(TestRunParams {
        program: target.program,
        args: target.args,
        cwd: target.cwd,
        env: target.env,
        caller_env: target.inherited.caller_env,
        umask: target.inherited.umask,
        caller_limits: target.inherited.limits,
        types: types.to_vec(),
        seed: args.seed,
        baseline: args.baseline.as_deref().map(baseline).transpose()?,
        limits: TestLimits {
            fuzz_inputs: args.inputs,
            timeout_s: args.timeout,
            ..TestLimits::default()
        },
    })
}

/// Returns a baseline as the daemon knows it: the absolute path of a file here, or the name of a report.
fn baseline(which: &str) -> Result<String, Failure> {
    let path = Path::new(which);
    let is_here = !is_elsewhere() && path.symlink_metadata().is_ok();
    if which.contains('/') || is_here {
        caller::absolute(path)
    } else {
        Ok(which.to_owned())
    }
}

fn line(progress: &Value) -> Option<String> {
    let line = "… {test}[{of?} {done}/{of}][{findings?} · {findings:count finding}]";
    TestType::named(progress.text("test")).map(|_| filled(line, progress))
}

fn exit_of(report: &Value) -> Exit {
    Exit::of_success(
        report
            .list("results")
            .iter()
            .all(|result| result.has("passed")),
    )
}

fn files<'a>(
    junit: Option<&'a Path>,
    html: Option<&'a Path>,
) -> impl Iterator<Item = (&'a Path, TestFormat)> {
    let junit = junit.map(|file| (file, TestFormat::Junit));
    junit
        .into_iter()
        .chain(html.map(|file| (file, TestFormat::Html)))
}

fn put(
    report: &str,
    file: &Path,
    format: TestFormat,
    context: &mut Context,
) -> Result<(), Failure> {
    let params = TestGetParams {
        report: report.to_owned(),
        format,
    };
    let reply = context.fetch::<TestGet>(&params)?.value;
    context.write_to(file, reply.text("text").as_bytes())
}

fn list(args: &ReportListArgs, context: &mut Context) -> Result<Exit, Failure> {
    context.show::<TestList>(&listed(args))
}

fn get(args: &BlackBoxGetArgs, context: &mut Context) -> Result<Exit, Failure> {
    let mut files = files(args.junit.as_deref(), args.html.as_deref()).peekable();
    if files.peek().is_some() {
        for (file, format) in files {
            put(&args.report, file, format, context)?;
        }
        return Ok(Exit::Done);
    }
    let params = TestGetParams {
        report: args.report.clone(),
        format: TestFormat::Json,
    };
    let answer = context.fetch::<TestGet>(&params)?;
    context.print_as(TestGet::NAME, &answer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_line_says_which_test_runs_and_how_far_it_is() {
        let progress = json!({"test": "fuzz", "done": 300, "of": 1000, "findings": 2});
        assert_eq!(
            line(&progress).as_deref(),
            Some("… fuzz 300/1000 · 2 findings")
        );
        let progress = json!({"test": "help", "done": 0, "of": 0, "findings": 0});
        assert_eq!(line(&progress).as_deref(), Some("… help"));
        assert_eq!(line(&json!({"test": "other"})), None);
    }

    #[test]
    fn a_baseline_is_a_file_or_the_name_of_a_report() {
        assert_eq!(baseline("3f2a91bc").unwrap(), "3f2a91bc");
        assert_eq!(baseline("/no/such.json").unwrap(), "/no/such.json");
        assert!(baseline("./known.json").unwrap().ends_with("/known.json"));
    }
}
