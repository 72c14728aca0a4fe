//! `ccctl hooks status`, and the checks of the hooks.

use super::command::{is_executable, is_same, on_path, own_path, program_of};
use super::daemon::Daemon;
use super::plugins::Plugin;
use super::survey::{Settings, Survey};
use crate::args::DEFAULT_EVENTS;
use crate::check::{self, Check, all_good};
use crate::render::{age, counted, size};
use crate::{Context, Exit, Failure};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Prints whether each hook is installed, when it last ran and how long it took; then the checks.
pub(super) fn status(context: &mut Context) -> Result<Exit, Failure> {
    let survey = Survey::take(context);
    let mut checks = checks(&survey);
    checks.push(survey.daemon.check(survey.has_hooks()).of("daemon"));
    let is_good = all_good(&checks);
    let all = json!({
        "ok": is_good,
        "events": events(&survey).map(|event| event_json(&survey, event)).collect::<Vec<_>>(),
        "files": survey.settings.iter().map(file_json).collect::<Vec<_>>(),
        "daemon_running": matches!(survey.daemon, Daemon::Running(_)),
        "spool": survey.spool,
        "checks": checks,
    });
    let shown = events(&survey).filter(|_| survey.has_hooks());
    let lines = shown.map(|event| event_line(&survey, event));
    let lines: Vec<Check> = lines.chain(checks).collect();
    context.print_either(&all, |out| check::write(&lines, out))?;
    Ok(Exit::of_success(is_good))
}

pub(crate) fn checks(survey: &Survey) -> Vec<Check> {
    let mut checks: Vec<Check> = survey.settings.iter().flat_map(of_settings).collect();
    checks.push(installation(survey).of("hooks"));
    checks.extend(programs(survey));
    checks.extend(spool(survey).map(|check| check.of("spool")));
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

fn event_line(survey: &Survey, event: &str) -> Check {
    let scopes = survey.scopes(event);
    let ran = survey.event(event).map(|status| {
        let ago = age(&status.last_at, SystemTime::now());
        let took = status.last_ms;
        let p99 = status.p99_ms.map(|ms| format!(", p99 {ms:.1} ms"));
        let count = counted(status.count, "time");
        format!(
            "ran {count}, last {ago} ago in {took:.1} ms{}",
            p99.unwrap_or_default()
        )
    });
    if scopes.is_empty() {
        let ran = ran.map(|ran| format!("; {ran}")).unwrap_or_default();
        return Check::warning(format!("not installed{ran}")).of(event);
    }
    let ran = match (ran, &survey.daemon) {
        (Some(ran), _) => format!("; {ran}"),
        (None, Daemon::Running(_)) => "; has not run since the daemon started".to_owned(),
        (None, _) => String::new(),
    };
    Check::ok(format!("installed ({}){ran}", scopes.join(", "))).of(event)
}

fn event_json(survey: &Survey, event: &str) -> Value {
    let found = survey.settings.iter().flat_map(|settings| &settings.found);
    let mut of_event = found.filter(|found| found.event == event);
    let status = survey.event(event);
    json!({
        "event": event,
        "installed": survey.scopes(event),
        "command": of_event.next().map(|found| &found.command),
        "count": status.map(|status| status.count),
        "last_at": status.map(|status| &status.last_at),
        "last_ms": status.map(|status| status.last_ms),
        "p99_ms": status.and_then(|status| status.p99_ms),
        "spooled": status.map(|status| status.spooled),
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
    let path = settings.path.display();
    let mut checks = Vec::new();
    if let Some(mistake) = &settings.mistake {
        checks.push(Check::wrong(mistake));
    }
    if settings.disables_all {
        let text = format!("{path}: disableAllHooks is true, so no hook runs; set it to false");
        checks.push(Check::wrong(text));
    }
    for command in &settings.others {
        let text = format!(
            "{path}: another program collects the same events: {command}; remove it if ccd is to replace it"
        );
        checks.push(Check::warning(text));
    }
    let name = settings.scope.name();
    checks.into_iter().map(|check| check.of(name)).collect()
}

fn installation(survey: &Survey) -> Check {
    let settings = survey.settings.iter();
    let mut places: Vec<&str> = settings
        .filter(|settings| !settings.found.is_empty())
        .map(|settings| settings.scope.name())
        .collect();
    places.extend(survey.plugin.is_some().then_some("plugin"));
    let missing = DEFAULT_EVENTS.iter();
    let missing: Vec<&str> = missing
        .copied()
        .filter(|event| survey.scopes(event).is_empty())
        .collect();
    match &places[..] {
        [] => Check::absent("not installed; ccctl hooks install adds them"),
        [_, _, ..] => Check::warning(format!(
            "installed twice, so each runs twice: {}; remove one",
            places.join(", ")
        )),
        [_] if !missing.is_empty() => Check::warning(format!(
            "not installed for {}; ccctl hooks install adds them",
            missing.join(", ")
        )),
        [place] => Check::ok(format!("installed ({place})")),
    }
}

/// The programs in the commands: they must exist, and should be this one.
fn programs(survey: &Survey) -> Vec<Check> {
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
        .map(|program| of_program(program, &own).of("ccctl"))
        .collect()
}

fn of_program(program: &Path, own: &Path) -> Check {
    let shown = program.display();
    if !program.is_absolute() {
        let found = on_path(program.as_os_str());
        return if found.is_some_and(|found| is_same(&found, own)) {
            Check::ok(format!("{shown}: found on PATH"))
        } else {
            Check::warning(format!(
                "{shown}: this ccctl is not on PATH, so the hooks may not find it"
            ))
        };
    }
    match (is_executable(program), is_same(program, own)) {
        (false, _) => Check::wrong(format!(
            "{shown}: no such program, so the hooks fail; run ccctl hooks install or plugin again"
        )),
        (true, false) => Check::warning(format!(
            "{shown}: not this ccctl, which is {}",
            own.display()
        )),
        (true, true) => Check::ok(shown.to_string()),
    }
}

fn spool(survey: &Survey) -> impl Iterator<Item = Check> {
    let spool = survey.spool;
    let waiting = format!(
        "{} ({}) in the spool",
        counted(spool.files, "payload"),
        size(spool.bytes)
    );
    let waits = match (spool.files, &survey.daemon) {
        (0, _) => Check::ok("empty"),
        (_, Daemon::Running(_)) => Check::warning(format!("{waiting}; the daemon takes them in")),
        _ => Check::warning(format!(
            "{waiting}; ccctl daemon start starts a daemon that takes them in"
        )),
    };
    let lost = (spool.lost > 0).then(|| {
        let lost = counted(spool.lost, "payload");
        let text = format!("{lost} lost: the spool was full or could not be written; start the daemon, which empties it");
        Check::wrong(text)
    });
    [Some(waits), lost].into_iter().flatten()
}

#[cfg(test)]
#[path = "status_tests.rs"]
mod tests;
