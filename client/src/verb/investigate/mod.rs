//! `ccctl investigate`, `probe`, `learn` and `map`.

mod follow;
mod learn;
mod map;
mod run;

use crate::args::{Given, subcommand_like};
use crate::{Context, Exit, Failure, caller, render};
use ccd_protocol::ErrorCode;
use serde_json::Value;

pub(in crate::verb) use follow::{JobEnd, follow_with_line};
pub(crate) use learn::learn;
pub(crate) use map::map;

pub(crate) fn dispatch(verb: &str, args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        _ if args.has_misplaced => Err(misplaced("investigate")),
        "" | "run" => run::run(args, context),
        "probe" => context.show("investigate.probe", &target(args)?),
        "learn" => learn(args, context),
        "map" => map(args, context),
        "show" => {
            let answer = context.fetch("investigate.get", &args.params())?;
            context.print(&answer, |report, out| {
                render::investigation(report, None, out)
            })
        }
        _ => context.carry_out(args),
    }
}

/// Options before a subcommand, which nothing would use.
pub(in crate::verb) fn misplaced(verb: &str) -> Failure {
    Failure::Usage(format!(
        "{verb}: a subcommand takes its options after its name; put -- before it if it is a program"
    ))
}

/// Adds the subcommand that was probably meant to the error that `program` does not exist.
pub(in crate::verb) fn advised(mut failure: Failure, verb: &str, program: &str) -> Failure {
    if let Failure::Refused { error, .. } = &mut failure
        && error.known() == Some(ErrorCode::TargetNotFound)
        && let Some(name) = subcommand_like(verb, program)
    {
        let advice = format!("; did you mean ccctl {verb} {name}?");
        error.message.push_str(&advice);
    }
    failure
}

/// A program to look at, as parameters.
pub(in crate::verb) fn target(args: &Given) -> Result<Value, Failure> {
    let (program, words) = args.program();
    target_of(program, words, args)
}

/// The same, of a program that is named in another way.
fn target_of(program: Option<String>, words: Vec<String>, args: &Given) -> Result<Value, Failure> {
    let mut params = caller::values(args, "")?;
    params["program"] = program.into();
    params["args"] = words.into();
    Ok(params)
}
