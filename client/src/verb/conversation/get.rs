//! `ccctl conversation get`.

use super::pages::Pages;
use super::{named, with};
use crate::args::Given;
use crate::call::{DaemonAddress, garbled, request_at};
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, pager, render};
use ccd_base::surrogate::mended;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::cell::RefCell;

pub(super) fn get(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let (conversation, place) = (named(args)?, context.place()?);
    if context.global.json || args.has("raw") {
        return print_document(conversation, args.has("raw"), &place, context);
    }
    // It may be in the last page: whether it exists is known before the pager starts.
    let at = args.word("at").map(|at| {
        let params = with(&conversation, json!({ "message_id": at }));
        context.fetch("conversation.turn", &params)
    });
    let at = at.transpose()?;
    let show = render::Show {
        tools: args.has("tools"),
        errors: args.has("errors"),
        at: at.as_ref().map(|turn| turn.value.text("messageId")),
    };
    // A mistake in the name is reported without a pager. The pager may turn out not to exist, and the text is written again.
    let first = RefCell::new(Some(Pages::start(&conversation, place.clone())?));
    pager::page(context, |out| {
        let (about, mut pages) = match first.take() {
            Some(first) => first,
            None => Pages::start(&conversation, place.clone())?,
        };
        render::conversation(&about, &mut pages, show, out).map_err(Failure::Output)?;
        pages.end()
    })?;
    Ok(Exit::Done)
}

/// The parts of a page, as they were received.
#[derive(Deserialize)]
struct Items<'a> {
    #[serde(borrow)]
    turns: Vec<&'a RawValue>,
    #[serde(borrow)]
    pairs: Vec<&'a RawValue>,
    next: Option<u64>,
}

/// Prints a conversation as one document, without ever holding more than a page of it: after the first one, the pages
/// are read once for the turns, and again for the pairs.
fn print_document(
    conversation: Value,
    is_raw: bool,
    place: &DaemonAddress,
    context: &mut Context,
) -> Result<Exit, Failure> {
    let wrong = |error: serde_json::Error| garbled("conversation.get", &error);
    let mut params = with(&conversation, json!({ "raw": is_raw }));
    let first = request_at(place, "conversation.get", &params)?;
    let items: Items<'_> = serde_json::from_str(first.get()).map_err(wrong)?;
    if items.next.is_none() {
        context.write_line(first.get())?;
        return Ok(Exit::Done);
    }
    let mut rest: Value = serde_json::from_slice(&mended(first.get().as_bytes())).map_err(wrong)?;
    if let Value::Object(members) = &mut rest {
        members.retain(|name, _| !["turns", "pairs", "next"].contains(&name.as_str()));
    }
    let mut start = rest.to_string();
    start.truncate(start.len() - 1);
    start += ",\"next\":null,\"turns\":[";
    for (name, is_pairs) in [(&*start, false), ("],\"pairs\":[", true)] {
        context.render(|out| write!(out, "{name}"))?;
        params["raw"] = (is_raw && !is_pairs).into();
        let (mut next, mut comma) = (Some(0), "");
        while let Some(from) = next {
            params["from"] = from.into();
            let page = request_at(place, "conversation.get", &params)?;
            let page: Items<'_> = serde_json::from_str(page.get()).map_err(wrong)?;
            next = page.next;
            let items = if is_pairs { page.pairs } else { page.turns };
            context.render(|out| {
                items.iter().try_for_each(|item| {
                    let comma = std::mem::replace(&mut comma, ",");
                    write!(out, "{comma}{item}")
                })
            })?;
        }
    }
    context.write_line("]}")?;
    Ok(Exit::Done)
}
