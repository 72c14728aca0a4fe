//! `ccctl coach`.

mod decide;
mod editor;
mod form;
mod records;
mod review;
mod rule;
mod try_out;
mod walk;

use crate::args::Given;
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, render};
use std::io::{self, IsTerminal as _};

pub(crate) fn dispatch(verb: &str, args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        "review" => review::review(args, context),
        "approve" => decide::approve(args, context),
        "rule" => rule::rule(args, context),
        "edit" => decide::edit(args, context),
        "report" => {
            let answer = context.fetch("coach.report", &args.params())?;
            context.print(&answer, render::report)
        }
        "patterns" => try_out::patterns(args.word("group"), context),
        "detect" => try_out::detect(args.text("file"), context),
        "forget" => records::forget(args, context),
        "export" => records::export(args.path("output"), context),
        _ => context.carry_out(args),
    }
}

/// True if there is a person who can answer questions and use an editor.
fn is_interactive(context: &Context) -> bool {
    !context.global.json && io::stdin().is_terminal() && io::stdout().is_terminal()
}
