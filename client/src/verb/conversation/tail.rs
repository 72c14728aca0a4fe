//! `ccctl conversation tail`.

use super::{claude_dirs, named, with};
use crate::args::Given;
use crate::call::{Losses, garbled, is_elsewhere};
use crate::fields::Fields as _;
use crate::render::LiveConversation;
use crate::subscribe::Subscription;
use crate::{Context, Exit, Failure, caller};
use ccd_base::surrogate::mended;
use ccd_protocol::subscription::CONVERSATION_SUBSCRIBE;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Follows one conversation until its transcript is deleted, or those of a project for ever.
pub(super) fn tail(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let mut params = params(args)?;
    let has_one = args.is_given("conversation");
    if !context.global.json {
        params["kinds"] = json!(["turn", "pair", "end"]);
    }
    if context.style.is_terminal && !has_one {
        context.print_page("conversation tail", &params, None)?;
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
                let item: Value = serde_json::from_slice(&mended(json.get().as_bytes()))
                    .map_err(|error| garbled(CONVERSATION_SUBSCRIBE.name, &error))?;
                if context.global.json {
                    context.write_line(json.get())?;
                } else {
                    // In one piece, so that Ctrl-C leaves no half of it.
                    let text = context.rendered(|out| live.item(&item, out))?;
                    context.write_bytes(&text)?;
                }
                if has_one && item.text("end.reason") == "deleted" {
                    return Ok(Exit::Done);
                }
                // How far a file was followed, for the next connection.
                params["last"] = Value::Null;
                let end = item.number("offset") + item.number("length");
                params["from"][item.text("file")] = end.into();
            }
        }
    }
}

/// Subscribes on the next connection: the daemon may be restarted or killed.
fn subscribe(
    params: &Value,
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

fn params(args: &Given) -> Result<Value, Failure> {
    let last = json!({"last": args.at("last"), "from": {}});
    if args.is_given("conversation") {
        return Ok(with(&named(args)?, last));
    }
    let project = match (args.word("project"), args.has("all") || is_elsewhere()) {
        (Some(project), _) => Some(project.to_owned()),
        (None, true) => None,
        (None, false) => Some(caller::absolute(&work_tree())?),
    };
    Ok(with(
        &json!({"project": project, "claude_dirs": claude_dirs()}),
        last,
    ))
}

/// Returns the work tree that the current directory is in, else the current directory: Claude Code may have been started
/// at the top of it.
fn work_tree() -> PathBuf {
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    let top = here.ancestors().find(|dir| dir.join(".git").exists());
    top.map_or_else(|| here.clone(), Path::to_owned)
}
