//! `ccctl conversation get`.

use super::named;
use crate::args::ConversationGetArgs;
use crate::call::Answer;
use crate::terminal::output_columns;
use crate::{Context, Exit, Failure, pager, render};
use ccd_protocol::conversation::{
    ConversationGet, ConversationGetReply, ConversationPageParams, ConversationTurn,
    ConversationTurnGet, ConversationTurnParams,
};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::io::{self, Write};

/// Assumed if the terminal reports no size.
pub(super) const COLUMNS: usize = 80;

/// Sub-agents are looked for at most so deep.
const MAX_DEPTH: usize = 50;

pub(super) fn get(args: &ConversationGetArgs, context: &mut Context) -> Result<Exit, Failure> {
    let params = ConversationPageParams {
        conversation: named(&args.conversation)?,
        ..ConversationPageParams::default()
    };
    let first = context.call::<ConversationGet>(&params)?;
    if context.global.json {
        return print_document(params, first, context);
    }
    let mut whole = first.value;
    while let Some(from) = whole.next {
        let page = page(&params, from, context)?;
        whole.turns.extend(page.turns);
        whole.pairs.extend(page.pairs);
        whole.next = page.next;
    }
    let at = args.at.as_ref().map(|at| {
        let params = ConversationTurnParams {
            conversation: params.conversation.clone(),
            message_id: at.clone(),
        };
        let turn = context.call::<ConversationTurnGet>(&params)?.value;
        Ok::<_, Failure>(in_main_conversation(turn, &whole.turns))
    });
    let at = at.transpose()?;
    let style = context.style;
    let show = render::Show {
        tools: args.tools,
        errors: args.errors,
        at: at.as_deref(),
        columns: output_columns().unwrap_or(COLUMNS),
    };
    pager::page(context, |out| {
        render::conversation(&whole, show, out, style)
    })?;
    Ok(Exit::Done)
}

/// Returns the id of a turn; for one of a sub-agent, of the turn of the main conversation that led to it.
fn in_main_conversation(turn: ConversationTurn, all: &[ConversationTurn]) -> String {
    let mut turn = &turn;
    // Hostile files have circles.
    for _ in 0..MAX_DEPTH {
        let Some(parent) = &turn.parent_tool_use_id else {
            break;
        };
        let has_call = |raw: &RawValue| {
            let block: Value = serde_json::from_str(raw.get()).unwrap_or_default();
            block["id"] == parent.as_str()
        };
        let mut turns = all.iter();
        match turns.find(|turn| turn.content_blocks.iter().any(|raw| has_call(raw))) {
            Some(above) => turn = above,
            None => break,
        }
    }
    turn.message_id.clone()
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
    params: ConversationPageParams,
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
    context.render(|out: &mut dyn Write| -> io::Result<()> { writeln!(out, "]}}") })?;
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
