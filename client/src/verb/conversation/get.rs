//! `ccctl conversation get`.

use super::named;
use super::pages::Pages;
use crate::args::Given;
use crate::call::Answer;
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, pager, render};
use ccd_protocol::Method as _;
use ccd_protocol::conversation::{
    ConversationGet, ConversationGetReply, ConversationPageParams, ConversationTurnGet,
    ConversationTurnParams,
};
use serde::Serialize;
use serde_json::Value;
use std::cell::RefCell;

pub(super) fn get(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let params = ConversationPageParams {
        conversation: named(args)?,
        raw: args.has("raw"),
        ..ConversationPageParams::default()
    };
    if context.global.json || args.has("raw") {
        let first = context.call::<ConversationGet>(&params)?;
        return print_document(params, first, context);
    }
    // It may be in the last page: whether it exists is known before the pager starts.
    let at = args.word("at").map(|at| {
        let turn = context.fetch(
            ConversationTurnGet::NAME,
            &ConversationTurnParams {
                conversation: params.conversation.clone(),
                message_id: at.to_owned(),
            },
        )?;
        Ok::<_, Failure>(turn.value.text("messageId").to_owned())
    });
    let at = at.transpose()?;
    let place = context.place()?;
    let show = render::Show {
        tools: args.has("tools"),
        errors: args.has("errors"),
        at: at.as_deref(),
    };
    // A mistake in the name is reported without a pager. The pager may turn out not to exist, and the text is written again.
    let first = RefCell::new(Some(Pages::start(params.clone(), place.clone())?));
    pager::page(context, |out| {
        let (about, mut pages) = match first.take() {
            Some(first) => first,
            None => Pages::start(params.clone(), place.clone())?,
        };
        render::conversation(&about, &mut pages, show, out).map_err(Failure::Output)?;
        pages.end()
    })?;
    Ok(Exit::Done)
}

fn page(
    params: &ConversationPageParams,
    from: u64,
    context: &Context,
) -> Result<ConversationGetReply, Failure> {
    let params = ConversationPageParams {
        from: Some(from),
        ..params.clone()
    };
    Ok(context.call::<ConversationGet>(&params)?.value)
}

/// Prints a conversation as one document, without ever holding more than a page of it: the pages are read once for the
/// turns, and again for the pairs.
fn print_document(
    mut params: ConversationPageParams,
    first: Answer<ConversationGetReply>,
    context: &mut Context,
) -> Result<Exit, Failure> {
    let Some(next) = first.value.next else {
        context.write_line(first.json.get())?;
        return Ok(Exit::Done);
    };
    let (mut rest, turns, pairs) =
        split(first.value).map_err(|error| Failure::Output(error.into()))?;
    rest.truncate(rest.len().saturating_sub(1));
    context.render(|out| write!(out, "{rest},\"next\":null,\"turns\":[{turns}"))?;
    for (name, first) in [("", None), ("],\"pairs\":[", Some(pairs))] {
        let is_pairs = first.is_some();
        params.raw &= !is_pairs;
        let mut is_first = first.as_ref().is_some_and(String::is_empty);
        context.render(|out| write!(out, "{name}{}", first.unwrap_or_default()))?;
        let mut next = Some(next);
        while let Some(from) = next {
            let page = page(&params, from, context)?;
            next = page.next;
            let (_, turns, pairs) = split(page).map_err(|error| Failure::Output(error.into()))?;
            let items = if is_pairs { pairs } else { turns };
            if !items.is_empty() {
                let comma = if std::mem::take(&mut is_first) {
                    ""
                } else {
                    ","
                };
                context.render(|out| write!(out, "{comma}{items}"))?;
            }
        }
    }
    context.write_line("]}")?;
    Ok(Exit::Done)
}

/// Returns the members of a page without turns and pairs, as an object, and the items of these two, joined by commas.
fn split(mut page: ConversationGetReply) -> serde_json::Result<(String, String, String)> {
    let turns = items(&std::mem::take(&mut page.turns))?;
    let pairs = items(&std::mem::take(&mut page.pairs))?;
    let mut rest = serde_json::to_value(&page)?;
    if let Value::Object(members) = &mut rest {
        for name in ["turns", "pairs", "next"] {
            members.remove(name);
        }
    }
    Ok((rest.to_string(), turns, pairs))
}

fn items<T: Serialize>(list: &[T]) -> serde_json::Result<String> {
    let items: Vec<String> = list
        .iter()
        .map(serde_json::to_string)
        .collect::<Result<_, _>>()?;
    Ok(items.join(","))
}
