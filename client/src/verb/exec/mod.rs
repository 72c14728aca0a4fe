//! `ccctl exec`.

mod live;
mod outcome;
mod records;
mod request;
mod run;

use crate::args::{ExecArgs, ExecRunArgs, ExecVerb, subcommand_like};
use crate::{Context, Exit, Failure};

/// Carries out `ccctl exec`. Its exit statuses are its own, so failures are reported here.
pub(crate) fn dispatch(args: &ExecArgs, context: &mut Context) -> Result<Exit, Failure> {
    let done = match &args.verb {
        None => refuse_misspelling(args.run.instruction.as_deref())
            .and_then(|()| run::run(&args.run, context)),
        Some(_) if args.run != ExecRunArgs::default() => Failure::usage(
            "exec: a subcommand takes its options after its name, and an instruction is one word; quote it, or put -- before it",
        ),
        Some(verb) => subcommand(verb, context),
    };
    done.or_else(|failure| {
        context.report(&failure);
        Ok(outcome::of_failure(&failure))
    })
}

/// A run costs money, so it is not started by a word that is almost a subcommand.
fn refuse_misspelling(instruction: Option<&str>) -> Result<(), Failure> {
    let word = instruction.unwrap_or_default();
    // After -- whatever comes is an instruction.
    let is_meant = std::env::args_os().any(|arg| arg == "--");
    match subcommand_like::<ExecVerb>(word).filter(|_| !is_meant) {
        Some(name) => Failure::usage(format!(
            "exec: {word}: no such subcommand; did you mean {name}? To run it as an instruction: ccctl exec run {word}"
        )),
        None => Ok(()),
    }
}

fn subcommand(verb: &ExecVerb, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        ExecVerb::Run(args) => run::run(args, context),
        ExecVerb::List(args) => records::list(args, context),
        ExecVerb::Get(args) => records::get(args, context),
        ExecVerb::Cancel { execution } => records::cancel(execution, context),
        ExecVerb::Sessions { repo_path, status } => {
            records::sessions(repo_path.as_deref(), *status, context)
        }
        ExecVerb::Session { conversation } => records::session(conversation, context),
        ExecVerb::End { conversation } => records::end(conversation, context),
        ExecVerb::Cleanup { older_than } => records::cleanup(*older_than, context),
    }
}
