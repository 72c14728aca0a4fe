//! The implementation of each command.

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
mod pattern;
mod program;
mod record;
mod session;
mod stop;
mod tape;
mod upgrade;

use crate::args::Noun;
use crate::tape::TapeCommand;
use crate::{
    Context, Exit, Failure, attach, complete, demo, doctor, hook, hooks, man, mcp, run, tail, top,
};

pub(crate) fn dispatch(noun: &Noun, context: &mut Context) -> Result<Exit, Failure> {
    match noun {
        Noun::New(args) => session::create(args, context),
        Noun::Send(args) => session::send(args, context),
        Noun::Expect(args) => session::expect(args, context),
        Noun::Wait(args) => session::wait(args, context),
        Noun::Screen(args) => session::screen(args, context),
        Noun::Read(args) => session::read(args, context),
        Noun::Logs(args) => {
            tail::tail(args, context).map_err(|failure| failure.of_verb("session.tail"))
        }
        Noun::Attach(args) => attach::attach(args, context),
        Noun::Close(args) => session::close(args, context),
        Noun::Ls(args) => session::list(args.all, context),
        Noun::Top(args) => top::top(args, context),
        Noun::Session(verb) => session::dispatch(verb, context),
        Noun::Run(args) => run::run(args, context),
        Noun::Rec(args) => record::run(TapeCommand::Rec, args, context),
        Noun::Play(args) => record::run(TapeCommand::Play, args, context),
        Noun::Tape(verb) => tape::dispatch(verb, context),
        Noun::Pattern(verb) => pattern::dispatch(verb, context),
        Noun::Chain(verb) => chain::dispatch(verb, context),
        Noun::Parallel(args) => chain::parallel(args, context),
        Noun::Watch(args) => chain::watch(args, context),
        Noun::Program(verb) => program::dispatch(verb, context),
        Noun::Coach(verb) => coach::dispatch(verb, context),
        Noun::Exec(args) => exec::dispatch(args, context),
        Noun::Conversation(verb) => conversation::dispatch(verb, context),
        Noun::Memory(verb) => memory::dispatch(verb, context),
        Noun::Investigate(args) => investigate::dispatch(args, context),
        Noun::Test(args) => black_box::dispatch(args, context),
        Noun::Job(verb) => job::dispatch(verb, context),
        Noun::Config(verb) => config::dispatch(verb, context),
        Noun::Daemon(verb) => daemon::dispatch(verb, context),
        Noun::Data(args) => data::dispatch(args, context),
        Noun::Hook(args) => Ok(hook::run(args, context.global.socket.as_deref())),
        Noun::Hooks(verb) => hooks::dispatch(verb, context),
        Noun::Doctor(_) => doctor::doctor(context),
        Noun::Demo(args) => demo::demo(args.fast, context),
        Noun::Dial(_) => dial::dial(context),
        // With a daemon on another host, ccctl over there does all of it.
        Noun::Mcp(_) => match context.place()?.host() {
            Some(host) => over_there::run(host, &["mcp".to_owned()]),
            None => mcp::mcp(context),
        },
        Noun::Call(args) => other::call(args, context),
        Noun::Completions(args) => {
            context.write_bytes(&complete::script(args.shell))?;
            Ok(Exit::Done)
        }
        Noun::Complete(args) => complete::complete(args, context),
        Noun::Man(args) => {
            match &args.dir {
                None => context.write_bytes(&man::page()?)?,
                Some(folder) => man::write_pages(folder)?,
            }
            Ok(Exit::Done)
        }
        Noun::Version(_) => other::version(context),
    }
}
