//! `ccctl run`: one program on a terminal, from its start to its status.

mod collect;
mod dialogue;
mod input;
mod interrupt;
mod request;
mod signals;
mod stream;
mod typing;

use crate::args::RunArgs;
use crate::context::Context;
use crate::exit_code::Exit;
use crate::failure::Failure;

/// Runs a program and passes its status on.
///
/// # Errors
///
/// Those of the calls; a program that cannot be started is told here and ends with 126 or 127.
pub(crate) fn run(args: &RunArgs, context: &mut Context) -> Result<Exit, Failure> {
    let result = if args.expect.is_empty() && args.send.is_empty() {
        stream::run(args, context)
    } else {
        dialogue::run(args, context)
    };
    match result.map_err(|failure| failure.of_verb("run")) {
        Err(failure) => match request::exit_of_failed_start(&failure) {
            Some(exit) => {
                context.tell(&failure);
                Ok(exit)
            }
            None => Err(failure),
        },
        done => done,
    }
}
