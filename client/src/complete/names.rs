//! Values that complete a word: names from the daemon, if it replies at once, and words that are known here.

use super::line::TypedLine;
use super::offered::Offered;
use crate::args::{Global, NameKind};
use crate::call::DaemonAddress;
use crate::caller::given_path;
use crate::names::{Name, Names};
use std::time::Duration;

/// How long to wait for a reply.
const PATIENCE: Duration = Duration::from_millis(300);

/// Keys other than characters; `C-`, `M-` or `S-` in front adds a modifier.
const KEYS: [&str; 28] = [
    "Enter", "Escape", "Tab", "BTab", "Space", "BSpace", "Up", "Down", "Left", "Right", "Home",
    "End", "PageUp", "PageDown", "Insert", "Delete", "F1", "F2", "F3", "F4", "F5", "F6", "F7",
    "F8", "F9", "F10", "F11", "F12",
];

/// Returns the values of a kind that start with `current`.
pub(super) fn values(kind: &Offered, line: &TypedLine<'_>, current: &str) -> Vec<Name> {
    let mut all = match kind {
        Offered::Words(words) => words.iter().map(|word| bare(word)).collect(),
        Offered::Keys => return keys(current),
        Offered::Names(kind @ (NameKind::LiveSessions | NameKind::Sessions)) => {
            sessions(*kind == NameKind::Sessions, line, current)
        }
        Offered::Names(kind) => of_daemon(*kind, line),
        Offered::TranscriptOrFile => of_daemon(NameKind::Transcripts, line),
        Offered::Variables => std::env::vars_os()
            .filter_map(|(name, _)| Some(bare(name.to_str()?)))
            .collect(),
        Offered::Files | Offered::Folders | Offered::Programs | Offered::Nothing => Vec::new(),
    };
    all.retain(|Name { value, .. }| !value.is_empty() && value.starts_with(current));
    all.sort();
    all.dedup_by(|a, b| a.value == b.value);
    all
}

/// The daemon that the line names, or the default one. Another host is not asked: the connection would take too long.
fn daemon(line: &TypedLine<'_>) -> Option<Names> {
    let global = Global {
        socket: line.socket.clone(),
        host: line.host.clone(),
        ..Global::default()
    };
    let place = DaemonAddress::find(&global, |name| std::env::var_os(name)).ok()?;
    let tapes = given_path(line.tapes.as_deref()).ok().flatten();
    let is_here = place.host().is_none();
    is_here.then(|| Names::new(place).within(PATIENCE).with_tapes(tapes))
}

fn of_daemon(kind: NameKind, line: &TypedLine<'_>) -> Vec<Name> {
    let names = daemon(line).and_then(|daemon| daemon.list(kind).ok());
    names.unwrap_or_default()
}

/// Sessions by name; by id if they have no name that can be typed, or if the start of the id is typed.
fn sessions(all: bool, line: &TypedLine<'_>, current: &str) -> Vec<Name> {
    let sessions = daemon(line).and_then(|daemon| daemon.sessions(all).ok());
    let mut found = Vec::new();
    for session in sessions.into_iter().flatten() {
        let (name, about) = (session.name, session.about);
        // A name that looks like an option is accepted only after `--`.
        let is_name = !name.is_empty() && (!name.starts_with('-') || current.starts_with('-'));
        let is_id = !is_name || (!current.is_empty() && session.id.starts_with(current));
        let values = [is_name.then_some(name), is_id.then_some(session.id)];
        found.extend(values.into_iter().flatten().map(|value| Name {
            value,
            about: about.clone(),
        }));
    }
    found
}

fn bare(value: &str) -> Name {
    Name {
        value: value.to_owned(),
        about: String::new(),
    }
}

/// Keys after the last comma; with a modifier only if the start of one is typed.
fn keys(current: &str) -> Vec<Name> {
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
        .map(|name| bare(&format!("{before}{modifier}{name}")))
        .collect()
}
