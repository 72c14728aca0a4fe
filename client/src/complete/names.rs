//! Values that complete a word: names from the daemon, if it replies at once, and words that are known here.

use super::line::TypedLine;
use super::offered::Offered;
use crate::args::{Global, Offer};
use crate::call::{Connection, DaemonAddress};
use crate::caller::{claude_dirs, given_path};
use crate::fields::Fields as _;
use crate::render::{counted, joined, on_one_line};
use ccd_protocol::exec::PERMISSION_MODES;
use serde_json::{Value, json};
use std::time::Duration;

/// How long to wait for a reply.
const PATIENCE: Duration = Duration::from_millis(300);

/// Keys other than characters; `C-`, `M-` or `S-` in front adds a modifier.
const KEYS: [&str; 28] = [
    "Enter", "Escape", "Tab", "BTab", "Space", "BSpace", "Up", "Down", "Left", "Right", "Home",
    "End", "PageUp", "PageDown", "Insert", "Delete", "F1", "F2", "F3", "F4", "F5", "F6", "F7",
    "F8", "F9", "F10", "F11", "F12",
];

/// A word for the command line and, after a tab, the first line of what is said about it.
pub(super) fn offer(word: &str, about: &str) -> String {
    let about = about.lines().next().unwrap_or_default().replace('\t', " ");
    if about.is_empty() {
        word.to_owned()
    } else {
        format!("{word}\t{about}")
    }
}

fn word_of(offer: &str) -> &str {
    offer.split('\t').next().unwrap_or_default()
}

/// Returns the values of a kind that start with `current`.
pub(super) fn values(kind: &Offered, line: &TypedLine<'_>, current: &str) -> Vec<String> {
    let mut all: Vec<String> = match kind {
        Offered::Words(words) => words.clone(),
        Offered::Named(Offer("keys")) => return keys(current),
        Offered::Named(Offer("live")) => sessions(false, line, current),
        Offered::Named(Offer("sessions")) => sessions(true, line, current),
        Offered::Named(Offer("variables")) => std::env::vars_os()
            .filter_map(|(name, _)| name.into_string().ok())
            .collect(),
        Offered::Named(Offer("methods")) => ccd_protocol::methods()
            .map(|method| method.name.to_owned())
            .collect(),
        Offered::Named(Offer("permission_modes")) => PERMISSION_MODES
            .iter()
            .map(|mode| (*mode).to_owned())
            .collect(),
        Offered::Named(offer) => match offer.words_in("offered words") {
            Some(words) => words.into_iter().map(str::to_owned).collect(),
            None => of_daemon(*offer, line).unwrap_or_default(),
        },
        Offered::Files | Offered::Folders | Offered::Programs | Offered::Nothing => Vec::new(),
    };
    all.retain(|offer| !word_of(offer).is_empty() && word_of(offer).starts_with(current));
    all.sort();
    all.dedup_by(|a, b| word_of(a) == word_of(b));
    all
}

/// Calls a method of the daemon that the line names, or of the default one, if one is running. Another host is not asked: the
/// connection would take too long.
fn ask(line: &TypedLine<'_>, method: &str, params: &Value) -> Option<Value> {
    let global = Global {
        socket: line.socket.clone(),
        host: line.host.clone(),
        ..Global::default()
    };
    let place = DaemonAddress::find(&global, |name| std::env::var_os(name)).ok()?;
    if place.host().is_some() {
        return None;
    }
    let stream = place.without_start().without_questions().connect().ok()?;
    let mut connection = Connection::limited(stream, PATIENCE).ok()?;
    let reply = connection.request(method, params).ok()?;
    serde_json::from_str(reply.get()).ok()
}

/// Names from a list: its method, the member that has the list, that of the name, and those that say something about it.
fn of_daemon(wanted: Offer, line: &TypedLine<'_>) -> Option<Vec<String>> {
    let source = wanted.words_in("offered names")?;
    let [method, list, name, about @ ..] = &source[..] else {
        return None;
    };
    let params = match *method {
        "tape.list" => json!({"root": given_path(line.tapes.as_deref()).ok()?}),
        "conversation.list" => json!({ "claude_dirs": claude_dirs() }),
        "coach.ledger" if wanted.0 == "pending" => json!({"status": "pending"}),
        _ => json!({}),
    };
    let reply = ask(line, method, &params)?;
    let item = |one: &Value| offer(one.text(name), &self::about(one, about));
    Some(reply.list(list).iter().map(item).collect())
}

/// Sessions by name; by id if they have no name that can be typed, or if the start of the id is typed.
fn sessions(all: bool, line: &TypedLine<'_>, current: &str) -> Vec<String> {
    let reply = ask(line, "session.list", &json!({ "all": all })).unwrap_or_default();
    let mut found = Vec::new();
    for session in reply.list("sessions") {
        let (name, id) = (session.text("name"), session.text("session_id"));
        let is_alive = session.text("state") == "alive";
        let ended = if is_alive { "" } else { "(ended) " };
        let about = format!("{ended}{}", command(session));
        // A name that looks like an option is accepted only after `--`.
        let is_name = !name.is_empty() && (!name.starts_with('-') || current.starts_with('-'));
        let is_id = !is_name || (!current.is_empty() && id.starts_with(current));
        let values = [is_name.then_some(name), is_id.then_some(id)];
        found.extend(
            values
                .into_iter()
                .flatten()
                .map(|value| offer(value, &about)),
        );
    }
    found
}

/// What members of an item say about it; of a program, its command line.
fn about(item: &Value, keys: &[&str]) -> String {
    let parts = keys.iter().map(|key| match &item[*key] {
        Value::String(_) if *key == "program" => command(item),
        Value::String(text) => on_one_line(text),
        Value::Number(count) => {
            counted(count.as_u64().unwrap_or(0), key.trim_end_matches("_count"))
        }
        _ => String::new(),
    });
    joined("  ", parts.filter(|part| !part.is_empty()))
}

fn command(item: &Value) -> String {
    let args = item.list("args").iter();
    let words = std::iter::once(&item["program"]).chain(args);
    on_one_line(&joined(" ", words.filter_map(Value::as_str)))
}

/// Keys after the last comma; with a modifier only if the start of one is typed.
fn keys(current: &str) -> Vec<String> {
    let (before, key) = current
        .rsplit_once(',')
        .map_or(("", current), |(keys, key)| (&current[..=keys.len()], key));
    let (modifier, rest) = match key.get(..2) {
        Some(modifier @ ("C-" | "M-" | "S-")) => (modifier, &key[2..]),
        _ => ("", key),
    };
    let letters = ('a'..='z')
        .map(String::from)
        .filter(|_| !modifier.is_empty() && modifier != "S-");
    let names = KEYS.iter().map(|name| (*name).to_owned()).chain(letters);
    let modifiers = ["C-", "M-", "S-"]
        .iter()
        .filter(|_| modifier.is_empty())
        .map(|name| (*name).to_owned());
    names
        .chain(modifiers)
        .filter(|name| name.starts_with(rest))
        .map(|name| format!("{before}{modifier}{name}"))
        .collect()
}
