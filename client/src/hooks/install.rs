//! `ccctl hooks install` and `ccctl hooks uninstall`.

use super::command::{command, own_path};
use super::daemon::connection;
use super::diff::diff;
use super::file::{Scope, SettingsFile, invalid};
use super::recording;
use super::settings::{self, Mistake};
use super::survey::Survey;

use crate::args::{DEFAULT_EVENTS, EVENTS, Given};
use crate::fields::Fields as _;
use crate::hook::unusual;
use crate::{Context, Exit, Failure, caller, named_file, render};
use ccd_protocol::Method as _;
use ccd_protocol::daemon::{ConfigGet, ConfigGetParams};
use serde_json::json;
use std::path::PathBuf;

/// What is left of a file that had nothing but our hooks.
const NOTHING: &str = "{}\n";

/// The events to install, in the spelling of Claude Code.
fn events(args: &Given) -> Vec<&'static str> {
    let wanted = args.list("events");
    if wanted.is_empty() {
        return DEFAULT_EVENTS.to_vec();
    }
    let all = EVENTS.iter().copied();
    all.filter(|event| wanted.contains(&(*event).into()))
        .collect()
}

struct Change {
    file: SettingsFile,
    /// The new content; `None` if the file is to be removed.
    new: Option<String>,
    /// How many events are installed or removed.
    events: usize,
    /// The copy of the file before its first change: one that is made, or one that is no longer needed.
    backup: Option<PathBuf>,
}

/// Adds our hooks. On an error, the file is unchanged.
pub(super) fn install(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let file = SettingsFile::read(scope(args))?;
    let program = caller::text(own_path().map_err(Failure::io("ccctl"))?)
        .map_err(|_| Failure::Usage("the path of ccctl is not UTF-8; move ccctl".into()))?;
    let command = command(&program, &options(args, context));
    let mistaken = |mistake: Mistake| invalid(&file.path, &mistake);
    let events = events(args);
    let new = settings::install(file.text(), &events, &command).map_err(mistaken)?;
    let mut change = Change {
        new: Some(new),
        events: events.len(),
        backup: None,
        file,
    };
    let is_update = has_hooks(change.file.text());
    if !args.has("dry_run") && change.is_any() {
        // A file with our hooks is not what is to be restored.
        if !is_update {
            change.backup = change.file.back_up()?;
        }
        change.file.replace(change.new.as_deref())?;
    }
    if !args.has("dry_run") && !events.is_empty() {
        recording::begin().map_err(Failure::io("the base directory"))?;
    }
    let done = if is_update { "updated" } else { "installed" };
    report(done, &change, args, context)
}

pub(super) fn uninstall(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let file = SettingsFile::read(scope(args))?;
    let mistaken = |mistake: Mistake| invalid(&file.path, &mistake);
    let mut change = removal(file.text(), named_file::read_text(&file.backup_path()).ok())
        .map_err(mistaken)
        .map(|(new, events, is_original)| Change {
            backup: is_original.then(|| file.backup_path()),
            new,
            events,
            file,
        })?;
    if change.file.text.is_none() {
        change.new = None;
    }
    if !args.has("dry_run") && change.is_any() {
        change.file.replace(change.new.as_deref())?;
        // What it kept is in the file again.
        change.backup.as_ref().map(std::fs::remove_file);
    }
    if !args.has("dry_run") && !Survey::take(context).has_hooks() {
        recording::end().map_err(Failure::io("the base directory"))?;
    }
    report("removed", &change, args, context)
}

/// Returns the text without our hooks (`None` if only they were there), the number of their events, and whether the text is
/// that of the backup. It is if nothing but our hooks has changed since, so that even empty lists are as they were.
fn removal(text: &str, backup: Option<String>) -> Result<(Option<String>, usize, bool), Mistake> {
    let mut events: Vec<&'static str> = Vec::new();
    if !settings::is_blank(text) {
        let found = settings::installed(&settings::parse(text)?);
        events = EVENTS.to_vec();
        events.retain(|event| found.iter().any(|found| found.event == *event));
    }
    let new = settings::uninstall(text)?;
    let is_original = |backup: &String| {
        let again = settings::install(backup, &events, "ccctl hook");
        let again = again.and_then(|with| settings::uninstall(&with));
        new != text && again.is_ok_and(|again| again == new)
    };
    Ok(match backup {
        Some(backup) if is_original(&backup) => (Some(backup), events.len(), true),
        None if new == NOTHING && new != text => (None, events.len(), false),
        _ => (Some(new), events.len(), false),
    })
}

fn has_hooks(text: &str) -> bool {
    settings::parse(text).is_ok_and(|root| !settings::installed(&root).is_empty())
}

impl Change {
    fn is_any(&self) -> bool {
        self.file.text != self.new
    }
}

fn scope(args: &Given) -> Scope {
    if args.has("project") {
        Scope::Project
    } else {
        Scope::User
    }
}

/// The options to write into the command: the given time limit or the daemon's, and what else a running daemon's configuration
/// says about hooks.
fn options(args: &Given, context: &Context) -> Vec<String> {
    let mut connection = connection(context).ok().flatten();
    let mut value = |key: &str| {
        let key = key.to_owned();
        let connection = connection.as_mut()?;
        let entry = connection.fetch(ConfigGet::NAME, &ConfigGetParams { key });
        Some(entry.ok()?.value["value"].take())
    };
    let mut number = |key| value(key).and_then(|value| value.as_u64());
    let timeout_ms = args
        .count("timeout_ms")
        .or_else(|| number("hooks.timeout_ms"));
    let spool_bytes = number("hooks.spool_bytes");
    let no_memory = value("memory.load").is_some_and(|value| value == false);
    unusual(timeout_ms, spool_bytes, no_memory)
}

fn report(
    done: &str,
    change: &Change,
    args: &Given,
    context: &mut Context,
) -> Result<Exit, Failure> {
    let is_dry = args.has("dry_run");
    let path = change.file.path.display().to_string();
    let new = change.new.as_deref().unwrap_or_default();
    let patch = is_dry.then(|| diff(change.file.text(), new, &path));
    if let Some(patch) = patch.as_ref().filter(|_| !context.global.json) {
        context.render(|out| render::patch(patch, out))?;
        return Ok(Exit::Done);
    }
    let mut changed = json!({
        "path": path,
        "changed": change.is_any() && !is_dry,
        "events": change.events,
        "backup": change.backup.as_ref().map(crate::check::shown),
        "diff": patch,
    });
    if context.global.json {
        context.write_json(&changed)?;
        return Ok(Exit::Done);
    }
    changed["done"] = done.into();
    context.write_line(&render::text("hooks changed", &changed))?;
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn installed(text: &str) -> String {
        settings::install(text, &["Stop", "PreToolUse"], "/x/ccctl hook").unwrap()
    }

    #[test]
    fn a_file_that_changed_in_nothing_else_becomes_what_it_was() {
        for original in [
            "",
            "{ }",
            "{\n}\n",
            "{\"hooks\": { }}",
            "{\"hooks\":{\"Stop\":[ ]}, \"a\":1}",
        ] {
            let with = installed(original);
            let (new, events, is_original) = removal(&with, Some(original.into())).unwrap();
            assert_eq!(new.as_deref(), Some(original));
            assert_eq!((events, is_original), (2, true));
            let edited = with.replacen('{', "{\"b\": 1, ", 1);
            let (new, _, is_original) = removal(&edited, Some(original.into())).unwrap();
            assert!(!is_original);
            assert!(new.unwrap().contains("\"b\": 1"));
        }
    }

    #[test]
    fn a_file_of_our_own_is_removed_and_others_are_not() {
        let other = "{\n  \"a\": 1\n}";
        for (text, left) in [
            (&*installed(""), None),
            (NOTHING, Some(NOTHING)),
            ("", Some("")),
            (&installed(other), Some(other)),
        ] {
            assert_eq!(removal(text, None).unwrap().0.as_deref(), left);
        }
        // An old backup says nothing about a file that was edited since.
        let (new, _, is_original) = removal(other, Some(other.into())).unwrap();
        assert_eq!((new.as_deref(), is_original), (Some(other), false));
    }
}
