//! `ccctl hooks status`, and the checks of the hooks.

use super::command::{own_path, program_of};
use super::daemon::Daemon;
use super::plugins::Plugin;
use super::survey::{Settings, Survey};
use crate::args::DEFAULT_EVENTS;
use crate::check::{self, Check, all_good, checks as found};
use crate::program::{is_executable, is_same, on_path};
use crate::{Context, Exit, Failure};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Prints whether each hook is installed, when it last ran and how long it took; then the checks.
pub(super) fn status(context: &mut Context) -> Result<Exit, Failure> {
    let survey = Survey::take(context);
    let mut checks = checks(&survey);
    checks.extend(survey.daemon.check(survey.has_hooks()));
    let is_good = all_good(&checks);
    let events: Vec<Value> = events(&survey)
        .map(|event| facts_of(&survey, event))
        .collect();
    let all = json!({
        "ok": is_good,
        "events": events,
        "files": survey.settings.iter().map(file_json).collect::<Value>(),
        "daemon_running": matches!(survey.daemon, Daemon::Running(_)),
        "spool": survey.spool,
        "checks": checks,
    });
    let shown = events.into_iter().filter(|_| survey.has_hooks());
    let lines = shown.flat_map(|event| event_line(&survey, event));
    let lines: Vec<Check> = lines.chain(checks).collect();
    context.print_either(&all, |out| check::write(&lines, out))?;
    Ok(Exit::of_success(is_good))
}

pub(crate) fn checks(survey: &Survey) -> Vec<Check> {
    let mut spool = json!(survey.spool);
    spool["is_running"] = matches!(survey.daemon, Daemon::Running(_)).into();
    let mut checks: Vec<Check> = survey.settings.iter().flat_map(of_settings).collect();
    checks.extend(found("hooks", installation(survey)));
    checks.extend(found("ccctl", programs(survey)));
    checks.extend(found("spool", spool.clone()));
    checks.extend(found("spool/lost", spool));
    checks
}

/// The events that are to be installed, and others that are.
fn events(survey: &Survey) -> impl Iterator<Item = &str> {
    let found = survey.settings.iter().flat_map(|settings| &settings.found);
    let mut events = DEFAULT_EVENTS.to_vec();
    for found in found {
        if !events.contains(&&*found.event) {
            events.push(&found.event);
        }
    }
    events.into_iter()
}

fn event_line(survey: &Survey, mut facts: Value) -> Vec<Check> {
    let event = facts["event"].as_str().unwrap_or_default().to_owned();
    facts["is_asked"] = matches!(survey.daemon, Daemon::Running(_)).into();
    let lines = found("hooks/event", facts).into_iter();
    lines.map(|line| line.named(&event)).collect()
}

fn facts_of(survey: &Survey, event: &str) -> Value {
    let found = survey.settings.iter().flat_map(|settings| &settings.found);
    let mut of_event = found.filter(|found| found.event == event);
    let ran = survey.event(event);
    json!({
        "event": event,
        "installed": survey.scopes(event),
        "command": of_event.next().map(|found| &found.command),
        "count": ran["count"],
        "last_at": ran["last_at"],
        "last_ms": ran["last_ms"],
        "p99_ms": ran["p99_ms"],
        "spooled": ran["spooled"],
    })
}

fn file_json(settings: &Settings) -> Value {
    json!({
        "scope": settings.scope.name(),
        "path": settings.path,
        "exists": settings.exists,
        "error": settings.mistake,
        "hooks": settings.found.len(),
        "disable_all_hooks": settings.disables_all,
    })
}

/// The settings of one scope, if something about them is worth a line.
fn of_settings(settings: &Settings) -> Vec<Check> {
    let other = |command| json!({"path": settings.path, "command": command});
    let checks = [
        found("settings", json!({"mistake": settings.mistake})),
        found("settings/disabled", file_json(settings)),
        found(
            "settings/other",
            settings.others.iter().map(other).collect(),
        ),
    ];
    let name = settings.scope.name();
    checks
        .into_iter()
        .flatten()
        .map(|check| check.named(name))
        .collect()
}

fn installation(survey: &Survey) -> Value {
    let settings = survey
        .settings
        .iter()
        .filter(|settings| !settings.found.is_empty());
    let mut places: Vec<&str> = settings.map(|settings| settings.scope.name()).collect();
    places.extend(survey.plugin.is_some().then_some("plugin"));
    let missing = DEFAULT_EVENTS
        .iter()
        .filter(|event| survey.scopes(event).is_empty());
    json!({"places": places, "missing": missing.collect::<Vec<_>>()})
}

/// The programs in the commands: they must exist, and should be this one.
fn programs(survey: &Survey) -> Value {
    let found = survey.settings.iter().flat_map(|settings| &settings.found);
    let of_plugin = survey.plugin.as_ref().and_then(Plugin::hook);
    let mut programs: Vec<PathBuf> = found
        .filter_map(|found| program_of(&found.command))
        .chain(of_plugin.and_then(|command| program_of(&command)))
        .collect();
    programs.sort();
    programs.dedup();
    let own = own_path().unwrap_or_default();
    programs
        .iter()
        .map(|program| of_program(program, &own))
        .collect()
}

fn of_program(program: &Path, own: &Path) -> Value {
    let by_name = on_path(program.as_os_str()).filter(|_| !program.is_absolute());
    json!({
        "path": program,
        "is_absolute": program.is_absolute(),
        "is_found": by_name.is_some_and(|found| is_same(&found, own)),
        "is_program": is_executable(program),
        "is_own": is_same(program, own),
        "own": own,
    })
}

#[cfg(test)]
#[path = "status_tests.rs"]
mod tests;
