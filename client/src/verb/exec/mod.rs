//! `ccctl exec`.

mod live;
mod outcome;
mod records;
mod request;
mod run;

use crate::args::{Given, subcommand_like};
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure};

/// Carries out `ccctl exec`. Its exit statuses are its own, so failures are reported here.
pub(crate) fn dispatch(verb: &str, args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let done = match verb {
        _ if args.has_misplaced => Failure::usage(
            "exec: a subcommand takes its options after its name, and an instruction is one word; quote it, or put -- before it",
        ),
        "" => refuse_misspelling(args.text("instruction")).and_then(|()| run::run(args, context)),
        "run" => run::run(args, context),
        "get" => records::get(args, context),
        _ => context.carry_out(args),
    };
    done.or_else(|failure| {
        context.report(&failure);
        Ok(outcome::of_failure(&failure))
    })
}

/// A run costs money, so it is not started by a word that is almost a subcommand.
fn refuse_misspelling(word: &str) -> Result<(), Failure> {
    // After -- whatever comes is an instruction.
    let is_meant = std::env::args_os().any(|arg| arg == "--");
    match subcommand_like("exec", word).filter(|_| !is_meant) {
        Some(name) => Failure::usage(format!(
            "exec: {word}: no such subcommand; did you mean {name}? To run it as an instruction: ccctl exec run {word}"
        )),
        None => Ok(()),
    }
}
