//! `ccctl hooks status`, and the checks of the hooks.

use super::command::{own_path, program_of};
use super::daemon::Daemon;
use super::plugins::Plugin;
use super::survey::Survey;
use crate::args::DEFAULT_EVENTS;
use crate::check::{self, Check, all_good, checks as found, shown};
use crate::fields::Fields as _;
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
    let mut files = json!(survey.settings);
    for file in files.as_array_mut().into_iter().flatten() {
        if let Some(file) = file.as_object_mut() {
            file.retain(|name, _| !["found", "others", "enabledPlugins"].contains(&name.as_str()));
        }
    }
    let all = json!({
        "ok": is_good,
        "events": events,
        "files": files,
        "daemon_running": matches!(survey.daemon, Daemon::Running(_)),
        "spool": survey.spool,
        "checks": checks,
    });
    let listed = events.into_iter().filter(|_| survey.has_hooks());
    let lines = listed.flat_map(|event| event_line(&survey, event));
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
    let mut events = DEFAULT_EVENTS.to_vec();
    for event in survey.found().map(|found| found.text("event")) {
        if !events.contains(&event) {
            events.push(event);
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
    let mut of_event = survey.found().filter(|found| found["event"] == event);
    let ran = survey.event(event);
    json!({
        "event": event,
        "installed": survey.scopes(event),
        "command": of_event.next().map(|found| &found["command"]),
        "count": ran["count"],
        "last_at": ran["last_at"],
        "last_ms": ran["last_ms"],
        "p99_ms": ran["p99_ms"],
        "spooled": ran["spooled"],
    })
}

/// The settings of one scope, if something about them is worth a line.
fn of_settings(settings: &Value) -> Vec<Check> {
    let other = |command| json!({"path": settings["path"], "command": command});
    let others = settings.list("others").iter().map(other);
    let checks = [
        found("settings", settings.clone()),
        found("settings/disabled", settings.clone()),
        found("settings/other", others.collect()),
    ];
    let scope = settings.text("scope");
    checks
        .into_iter()
        .flatten()
        .map(|check| check.named(scope))
        .collect()
}

fn installation(survey: &Survey) -> Value {
    let settings = survey
        .settings
        .iter()
        .filter(|settings| settings.has("found"));
    let mut places: Vec<&str> = settings.map(|settings| settings.text("scope")).collect();
    places.extend(survey.plugin.is_some().then_some("plugin"));
    let missing = DEFAULT_EVENTS
        .iter()
        .filter(|event| survey.scopes(event).is_empty());
    json!({"places": places, "missing": missing.collect::<Vec<_>>()})
}

/// The programs in the commands: they must exist, and should be this one.
fn programs(survey: &Survey) -> Value {
    let of_plugin = survey.plugin.as_ref().and_then(Plugin::hook);
    let commands = survey.found().map(|found| found.text("command"));
    let commands = commands.chain(of_plugin.as_deref());
    let mut programs: Vec<PathBuf> = commands.filter_map(program_of).collect();
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
        "path": shown(program),
        "is_absolute": program.is_absolute(),
        "is_found": by_name.is_some_and(|found| is_same(&found, own)),
        "is_program": is_executable(program),
        "is_own": is_same(program, own),
        "own": shown(own),
    })
}

#[cfg(test)]
#[path = "status_tests.rs"]
mod tests;
