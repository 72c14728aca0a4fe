//! `ccctl conversation`.

mod all;
mod export;
mod find;
mod get;
mod import;
mod open;
mod pages;
mod tail;

use crate::args::ConversationVerb;
use crate::caller::{self, claude_dirs};
use crate::{Context, Exit, Failure, render};
use ccd_protocol::Method as _;
use ccd_protocol::conversation::{
    ConversationParams, ConversationRecordGet, ConversationRecordParams, ConversationTool,
    ConversationToolParams, ConversationTreeGet,
};
use std::path::Path;

pub(crate) fn dispatch(verb: &ConversationVerb, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        ConversationVerb::List(args) => find::list(args, context),
        ConversationVerb::Search(args) => find::search(args, context),
        ConversationVerb::Stats(args) => find::stats(args, context),
        ConversationVerb::Get(args) => get::get(args, context),
        ConversationVerb::Import { files } => import::import(files, context),
        ConversationVerb::Tail(args) => tail::tail(args, context),
        ConversationVerb::Export(args) => match &args.all {
            Some(dir) => all::export_all(dir, args, context),
            None => export::export(args, context),
        },
        ConversationVerb::Open {
            conversation,
            follow,
        } => open::open(conversation, *follow, context),
        ConversationVerb::Record { conversation, uuid } => {
            let params = ConversationRecordParams {
                conversation: named(conversation)?,
                uuid: uuid.clone(),
            };
            let answer = context.call::<ConversationRecordGet>(&params)?;
            context.print_json();
            context.print(&answer, |reply, out| {
                writeln!(out, "{}", reply.record.get())
            })
        }
        ConversationVerb::Tool {
            conversation,
            tool_use_id,
        } => {
            let params = ConversationToolParams {
                conversation: named(conversation)?,
                tool_use_id: tool_use_id.clone(),
            };
            let answer = context.fetch(ConversationTool::NAME, &params)?;
            context.print_json();
            context.write_line(answer.json.get())?;
            Ok(Exit::Done)
        }
        ConversationVerb::Tree { conversation } => {
            let answer = context.call::<ConversationTreeGet>(&named(conversation)?)?;
            context.print(&answer, render::sub_agents)
        }
    }
}

/// Returns which conversation a word of the command line names: a file if it has a slash or there is one, otherwise a session.
fn named(word: &str) -> Result<ConversationParams, Failure> {
    if word.contains('/') || Path::new(word).is_file() {
        return Ok(ConversationParams {
            file: Some(caller::absolute(Path::new(word))?),
            ..ConversationParams::default()
        });
    }
    Ok(ConversationParams {
        session: Some(word.to_owned()),
        claude_dirs: claude_dirs(),
        ..ConversationParams::default()
    })
}
