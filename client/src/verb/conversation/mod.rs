//! `ccctl conversation`.

mod all;
mod export;
mod find;
mod get;
mod import;
mod open;
mod pages;
mod tail;

use crate::args::Given;
use crate::caller::{self, claude_dirs};
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, render};
use ccd_protocol::Method as _;
use ccd_protocol::conversation::{
    ConversationParams, ConversationRecordGet, ConversationRecordParams, ConversationTool,
    ConversationToolParams, ConversationTreeGet,
};
use std::path::Path;

pub(crate) fn dispatch(verb: &str, args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        "list" => find::list(args, context),
        "search" => find::search(args, context),
        "stats" => find::stats(args, context),
        "get" => get::get(args, context),
        "import" => import::import(&args.words("files"), context),
        "tail" => tail::tail(args, context),
        "export" => match args.path("all") {
            Some(dir) => all::export_all(dir, args, context),
            None => export::export(args, context),
        },
        "open" => open::open(args, context),
        "record" => {
            let params = ConversationRecordParams {
                conversation: named(args)?,
                uuid: args.text("uuid").to_owned(),
            };
            let answer = context.call::<ConversationRecordGet>(&params)?;
            context.print_json();
            context.print(&answer, |reply, out| {
                writeln!(out, "{}", reply.record.get())
            })
        }
        "tool" => {
            let params = ConversationToolParams {
                conversation: named(args)?,
                tool_use_id: args.text("tool_use_id").to_owned(),
            };
            let answer = context.fetch(ConversationTool::NAME, &params)?;
            context.print_json();
            context.write_line(answer.json.get())?;
            Ok(Exit::Done)
        }
        _ => {
            let answer = context.call::<ConversationTreeGet>(&named(args)?)?;
            context.print(&answer, render::sub_agents)
        }
    }
}

/// Returns which conversation the command line names: a file if the word has a slash or there is one, otherwise a session.
fn named(args: &Given) -> Result<ConversationParams, Failure> {
    let word = args.text("conversation");
    if word.contains('/') || Path::new(word).is_file() {
        return in_file(word);
    }
    Ok(ConversationParams {
        session: Some(word.to_owned()),
        claude_dirs: claude_dirs(),
        ..ConversationParams::default()
    })
}

fn in_file(file: &str) -> Result<ConversationParams, Failure> {
    Ok(ConversationParams {
        file: Some(caller::absolute(Path::new(file))?),
        ..ConversationParams::default()
    })
}
