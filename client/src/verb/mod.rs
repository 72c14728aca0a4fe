//! The implementation of each command.

mod agents;
mod black_box;
mod chain;
mod coach;
mod config;
mod conversation;
mod daemon;
mod data;
mod dial;
mod exec;
mod file;
mod investigate;
mod job;
mod logs;
mod memory;
mod other;
mod over_there;
mod pages;
mod pattern;
mod record;
mod session;
mod stop;
mod tape;
mod upgrade;

use crate::args::{DaemonPath, Given};
use crate::fields::Fields as _;
use crate::tape::TapeCommand;
use crate::{
    Context, Exit, Failure, attach, caller, complete, demo, doctor, hook, hooks, man, mcp, run,
    tail, top,
};
use serde_json::Value;
use std::path::Path;

pub(crate) fn dispatch(given: Given, context: &mut Context) -> Result<Exit, Failure> {
    let args = &given.with_paths(|given, kind| match kind {
        DaemonPath::Text => file::read_text(Path::new(given)).map(Value::from),
        DaemonPath::Document => file::read_json(Path::new(given)),
        kind => caller::located(given, kind),
    })?;
    let (noun, verb) = args.command.split_once(' ').unwrap_or((&args.command, ""));
    match noun {
        "new" => session::create(args, context),
        "send" => session::send(args, context),
        "expect" => session::expect(args, context),
        "wait" => session::wait(args, context),
        "screen" => session::screen(args, context),
        "read" => session::read(args, context),
        "logs" => tail::tail(args, context).map_err(|failure| failure.of_verb("session.tail")),
        "attach" => attach::attach(args, context),
        "close" => session::close(args, context),
        "ls" => session::list(args.has("all"), context),
        "top" => top::top(args, context),
        "session" => session::dispatch(verb, args, context),
        "run" => run::run(args, context),
        "rec" => record::run(TapeCommand::Rec, args, context),
        "play" => record::run(TapeCommand::Play, args, context),
        "tape" => tape::dispatch(verb, args, context),
        "pattern" => pattern::dispatch(verb, args, context),
        "chain" => chain::dispatch(verb, args, context),
        "parallel" => chain::parallel(args, context),
        "watch" => chain::watch(args, context),
        "program" => context.carry_out(args),
        "conversation" => conversation::dispatch(verb, args, context),
        "coach" => coach::dispatch(verb, args, context),
        "exec" => exec::dispatch(verb, args, context),
        "agents" => agents::dispatch(verb, args, context),
        "memory" => memory::dispatch(verb, args, context),
        "investigate" => investigate::dispatch(verb, args, context),
        "test" => black_box::dispatch(verb, args, context),
        "job" => job::dispatch(verb, args, context),
        "config" => config::dispatch(verb, args, context),
        "daemon" => daemon::dispatch(verb, args, context),
        "data" => data::dispatch(verb, args, context),
        "hook" => {
            let socket = context.global.socket.as_deref();
            Ok(hook::run(args, socket))
        }
        "hooks" => hooks::dispatch(verb, args, context),
        "doctor" => doctor::doctor(context),
        "demo" => demo::demo(args.has("fast"), context),
        "dial" => dial::dial(context),
        // With a daemon on another host, ccctl over there does all of it.
        "mcp" => match context.place()?.host() {
            Some(host) => over_there::run(host, &["mcp".to_owned()]),
            None => mcp::mcp(context),
        },
        "call" => other::call(args, context),
        "completions" => {
            context.write_bytes(&complete::script(args.text("shell")))?;
            Ok(Exit::Done)
        }
        "complete" => complete::complete(args, context),
        "man" => {
            match args.path("dir") {
                None => context.write_bytes(&man::page()?)?,
                Some(folder) => man::write_pages(folder)?,
            }
            Ok(Exit::Done)
        }
        _ => other::version(context),
    }
}
