//! `ccctl test`.

use super::chain::{Cancel, Followed};
use super::investigate::{advised, follow_with_line, misplaced, target};
use crate::args::Given;
use crate::call::is_elsewhere;
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, caller};
use ccd_protocol::black_box::TestType;
use serde_json::{Value, json};
use std::path::Path;

pub(crate) fn dispatch(verb: &str, args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        _ if args.has_misplaced => Err(misplaced("test")),
        "" | "run" => run("test", args.at("types"), args, context),
        "fuzz" => run("fuzz", &json!([TestType::Fuzz]), args, context),
        "show" => get(args, context),
        _ => context.carry_out(args),
    }
}

fn run(verb: &str, types: &Value, args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let cancel = Cancel::listen()?;
    let mut params = target(args)?;
    // The other limits are those of the tests.
    let limits = params.as_object_mut().and_then(|all| all.remove("limits"));
    params["caller_limits"] = limits.unwrap_or_else(|| json!({}));
    params["types"] = types.clone();
    params["seed"] = args.at("seed").clone();
    params["baseline"] = args.word("baseline").map(baseline).transpose()?.into();
    params["limits"] = json!({"fuzz_inputs": args.at("inputs"), "timeout_s": args.at("timeout")});
    let started = context.fetch("test.run", &params);
    let started = started.map_err(|failure| match verb {
        "test" => advised(failure.of_verb(verb), verb, params.text("program")),
        verb => failure.of_verb(verb),
    });
    let started = started?.value;
    let (result, exit) = match follow_with_line(verb, &cancel, &started, context)? {
        Followed::Ended(ended) => ended,
        Followed::Left(exit) => return Ok(exit),
    };
    for (file, format) in files(args) {
        put(result.text("id"), file, format, context)?;
    }
    context.print_either(result.at("report"), |out| {
        let mut report = result.at("report").clone();
        report["path"] = result["path"].clone();
        out.reply("test.get", &report)
    })?;
    Ok(match exit? {
        Exit::Done => exit_of(result.at("report")),
        exit => exit,
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

fn exit_of(report: &Value) -> Exit {
    let mut results = report.list("results").iter();
    Exit::of_success(results.all(|result| result.has("passed")))
}

fn files(args: &Given) -> impl Iterator<Item = (&Path, &'static str)> {
    let formats = ["junit", "html"].into_iter();
    formats.filter_map(|format| Some((args.path(format)?, format)))
}

fn put(report: &str, file: &Path, format: &str, context: &mut Context) -> Result<(), Failure> {
    let params = json!({"report": report, "format": format});
    let reply = context.fetch("test.get", &params)?.value;
    context.write_to(file, reply.text("text").as_bytes())
}

fn get(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let report = args.text("report");
    let mut files = files(args).peekable();
    if files.peek().is_some() {
        for (file, format) in files {
            put(report, file, format, context)?;
        }
        return Ok(Exit::Done);
    }
    let params = json!({"report": report, "format": "json"});
    context.show("test.get", &params)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_baseline_is_a_file_or_the_name_of_a_report() {
        assert_eq!(baseline("3f2a91bc").unwrap(), "3f2a91bc");
        assert_eq!(baseline("/no/such.json").unwrap(), "/no/such.json");
        assert!(baseline("./known.json").unwrap().ends_with("/known.json"));
    }
}
