//! `ccctl conversation tail`.

use super::{claude_dirs, named};
use crate::args::Given;
use crate::call::{Losses, is_elsewhere};
use crate::fields::Fields as _;
use crate::render::LiveConversation;
use crate::subscribe::Subscription;
use crate::{Context, Exit, Failure, caller};
use ccd_protocol::conversation::{
    ConversationEndReason, ConversationItem, ConversationItemKind as ItemKind,
    ConversationSubscribeParams,
};
use ccd_protocol::subscription::CONVERSATION_SUBSCRIBE;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Follows one conversation until its transcript is deleted, or those of a project for ever.
pub(super) fn tail(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let mut params = params(args)?;
    let has_one = args.is_given("conversation");
    if !context.global.json {
        params.kinds = vec![ItemKind::Turn, ItemKind::Pair, ItemKind::End];
    }
    if context.style.is_terminal && !has_one {
        context.remark(&match &params.project {
            Some(project) => format!("conversations started in {project} or below; Ctrl-C to end"),
            None => "all conversations; Ctrl-C to end".to_owned(),
        });
    }
    let mut live = LiveConversation::new(args.has("tools"), !has_one);
    let mut losses = Losses::since(Instant::now());
    let mut subscription = subscribe(&params, &mut losses, context)?;
    loop {
        match subscription.next() {
            // The next worker, or a new daemon, reads the same files.
            Err(Failure::Lost { .. }) => subscription = subscribe(&params, &mut losses, context)?,
            json => {
                let json = json?;
                let item: ConversationItem = subscription.parse(&json)?;
                if context.global.json {
                    context.write_line(json.get())?;
                } else {
                    // In one piece, so that Ctrl-C leaves no half of it.
                    let text = context.rendered(|out| live.item(&item, out))?;
                    context.write_bytes(&text)?;
                }
                if has_one && is_last(&item) {
                    return Ok(Exit::Done);
                }
                note_place(&item, &mut params);
            }
        }
    }
}

/// Subscribes on the next connection: the daemon may be restarted or killed.
fn subscribe(
    params: &ConversationSubscribeParams,
    losses: &mut Losses,
    context: &Context,
) -> Result<Subscription, Failure> {
    while losses.may_go_on() {
        match Subscription::start(context.connect()?, CONVERSATION_SUBSCRIBE, params) {
            Err(Failure::Lost { .. }) => {}
            subscribed => return subscribed,
        }
    }
    Failure::failed(
        "the daemon exits each time it starts to follow this conversation; ccctl daemon logs may show why",
    )
}

/// Notes how far a file was followed, for the next connection.
fn note_place(item: &ConversationItem, params: &mut ConversationSubscribeParams) {
    params.last = None;
    let end = item.offset + item.length;
    params.from.insert(item.file.clone(), end);
}

fn is_last(item: &ConversationItem) -> bool {
    let is_gone = |reason| reason == ConversationEndReason::Deleted;
    item.end.is_some_and(|end| is_gone(end.reason))
}

fn params(args: &Given) -> Result<ConversationSubscribeParams, Failure> {
    let params = ConversationSubscribeParams {
        last: args.count("last"),
        ..ConversationSubscribeParams::default()
    };
    if args.is_given("conversation") {
        let named = named(args)?;
        return Ok(ConversationSubscribeParams {
            session: named.session,
            file: named.file,
            claude_dirs: named.claude_dirs,
            ..params
        });
    }
    let project = match (args.word("project"), args.has("all") || is_elsewhere()) {
        (Some(project), _) => Some(project.to_owned()),
        (None, true) => None,
        (None, false) => Some(caller::absolute(&work_tree())?),
    };
    Ok(ConversationSubscribeParams {
        project,
        claude_dirs: claude_dirs(),
        ..params
    })
}

/// Returns the work tree that the current directory is in, else the current directory: Claude Code may have been started
/// at the top of it.
fn work_tree() -> PathBuf {
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    let top = here.ancestors().find(|dir| dir.join(".git").exists());
    top.map_or_else(|| here.clone(), Path::to_owned)
}
