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
use crate::call::{DaemonAddress, garbled, request_at};
use crate::caller::{self, claude_dirs};
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, render};
use ccd_base::surrogate::mended;
use serde_json::value::RawValue;
use serde_json::{Value, json};
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
            let mut params = named(args)?;
            params["uuid"] = args.at("uuid").clone();
            let json = request_at(&context.place()?, "conversation.record", &params)?;
            context.print_json();
            let record = member(&json, "record");
            let shown = record.filter(|_| !context.global.json).unwrap_or(&json);
            context.write_line(shown.get()).map(|()| Exit::Done)
        }
        "tool" => {
            let mut params = named(args)?;
            params["tool_use_id"] = args.at("tool_use_id").clone();
            let json = request_at(&context.place()?, "conversation.tool", &params)?;
            context.print_json();
            context.write_line(json.get()).map(|()| Exit::Done)
        }
        _ => {
            let answer = context.fetch("conversation.tree", &named(args)?)?;
            context.print(&answer, render::sub_agents)
        }
    }
}

/// Returns which conversation the command line names: a file if the word has a slash or there is one, otherwise a session.
fn named(args: &Given) -> Result<Value, Failure> {
    let word = args.text("conversation");
    if word.contains('/') || Path::new(word).is_file() {
        return in_file(word);
    }
    Ok(json!({"session": word, "claude_dirs": claude_dirs()}))
}

fn in_file(file: &str) -> Result<Value, Failure> {
    Ok(json!({"file": caller::absolute(Path::new(file))?}))
}

/// Returns these parameters with further ones.
fn with(params: &Value, more: Value) -> Value {
    let mut all = params.clone();
    if let (Value::Object(all), Value::Object(more)) = (&mut all, more) {
        all.extend(more);
    }
    all
}

/// Calls a method whose reply has records of Claude Code, in which half a character may be escaped.
fn fetch_mended(place: &DaemonAddress, method: &str, params: &Value) -> Result<Value, Failure> {
    let json = request_at(place, method, params)?;
    serde_json::from_slice(&mended(json.get().as_bytes())).map_err(|error| garbled(method, &error))
}

/// Returns a member of an object as it was received.
fn member<'a>(json: &'a RawValue, name: &str) -> Option<&'a RawValue> {
    let members: std::collections::HashMap<&str, &RawValue> =
        serde_json::from_str(json.get()).ok()?;
    members.get(name).copied()
}
