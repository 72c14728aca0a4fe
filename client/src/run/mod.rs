//! `ccctl run`: runs one program in a terminal until it exits.

mod collect;
mod dialogue;
mod grace;
mod input;
mod interrupt;
mod pace;
mod request;
mod signals;
mod stream;
mod typing;

use crate::args::Given;
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, secrets, tape};
use std::io::{self, IsTerminal as _};

pub(crate) use grace::ends_by;
pub(crate) use request::for_one_run;
pub(crate) use stream::{Start, create, start};

pub(crate) fn run(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let result = if !args.has("expect") && !args.has("send") {
        as_pipe(args, context)
    } else {
        dialogue::run(args, context)
    };
    or_failed_start(result, "run", context)
}

fn as_pipe(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let is_interactive =
        io::stdin().is_terminal() && io::stdout().is_terminal() && !context.global.json;
    let mut params = request::session(args, !is_interactive)?;
    params.secrets = secrets::given(&args.words("secret"))?;
    params.tape = tape::named(args)?;
    // As with rec and play: a tape that is recorded with pipes plays with pipes.
    params.pipes = params.tape.is_some() && !is_interactive;
    let start = Start {
        params,
        follows_size: args.size().is_none(),
        contains: args.words("contains"),
        verb: "run",
    };
    stream::start(start, context)
}

/// Reports a program that cannot be started, and returns a shell's status for it.
pub(crate) fn or_failed_start(
    result: Result<Exit, Failure>,
    verb: &str,
    context: &Context,
) -> Result<Exit, Failure> {
    match result.map_err(|failure| failure.of_verb(verb)) {
        Err(failure) => match request::exit_of_failed_start(&failure) {
            Some(exit) => {
                context.report(&failure);
                Ok(exit)
            }
            None => Err(failure),
        },
        done => done,
    }
}
