//! `ccctl`: turns a command line into calls of the daemon, and replies into text and an exit status.
//! Everything blocks: one connection, one request, one reply. There is no runtime to start.
//!
//! Layers, top first; none uses one before it: `verb` → `run`, `attach`, `top`, `picker`, `doctor`, `hooks`,
//! `hook`, `mcp`, `demo`, `complete`, `tape`, `tail`, `pager`, `secrets` → `context` → `fullscreen`, `output`,
//! `job_news`, `check` → `render`, `ask`, `subscribe`, `caller`, `man`, `own` → `call`, `terminal` → `args`, `lifeline`
//! → `detach_keys`, `exit_code`, `fields`, `named_file`, `program`, `typed`, `whole_file`, `writer`.

mod args;
mod ask;
mod attach;
mod call;
mod caller;
mod check;
mod complete;
mod context;
mod demo;
mod detach_keys;
mod doctor;
mod exit_code;
mod fields;
mod fullscreen;
mod hook;
mod hooks;
mod job_news;
mod lifeline;
mod man;
mod mcp;
mod named_file;
mod output;
mod own;
mod pager;
mod picker;
mod program;
mod render;
mod run;
mod secrets;
mod subscribe;
mod tail;
mod tape;
mod terminal;
mod top;
mod typed;
mod verb;
mod whole_file;
mod writer;

use args::{Ccctl, CommandLine};
use call::Failure;
use clap::error::ErrorKind;
use context::Context;
use exit_code::Exit;
use std::ffi::OsString;
use terminal::can_draw;

#[must_use]
pub fn main() -> u8 {
    let words: Vec<_> = std::env::args_os().collect();
    let args = match Ccctl::parse_words(&words) {
        Ok(args) => args,
        Err(error)
            if CommandLine::of(&words).is_hook()
                && !CommandLine::of(&words).is_policy()
                && !is_help(&error) =>
        {
            return hook::run(&serde_json::Value::Null, None).code();
        }
        Err(error) => return without_verb(&error, &words).code(),
    };
    let mut context = Context::new(args.global);
    let exit = match verb::dispatch(args.given, &mut context) {
        Ok(exit) => exit,
        Err(failure) => {
            context.report(&failure);
            failure.exit()
        }
    };
    exit.code()
}

/// Without a subcommand: shows help or the picker, and the mistake if there are other words.
fn without_verb(error: &clap::Error, words: &[OsString]) -> Exit {
    if let Some(global) = args::only_conversation(error, words)
        && !global.json
        && can_draw()
    {
        return picker::conversations(global).unwrap_or_else(|failure| {
            context::report(&failure, false);
            failure.exit()
        });
    }
    if CommandLine::of(words).is_empty() && !args::has_option(words, "--json") {
        context::print_help(args::help());
        return Exit::Done;
    }
    usage(error, words)
}

/// True for a request, which clap reports as an error.
fn is_help(error: &clap::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    )
}

/// Prints requested help and versions to standard output, and everything else to standard error.
fn usage(error: &clap::Error, words: &[OsString]) -> Exit {
    match error.kind() {
        _ if is_help(error) => {
            context::print_help(error.render());
            Exit::Done
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand
            if !args::has_option(words, "--json") =>
        {
            context::write_error(&error.render().to_string(), false);
            Exit::Usage
        }
        _ => {
            let failure = Failure::Usage(args::explain(error, words));
            context::report(&failure, args::has_option(words, "--json"));
            failure.exit()
        }
    }
}
