//! `ccctl doctor`: whether everything is in place for the daemon, its sessions and Claude Code.

mod claude;
mod daemon;
mod databases;
mod disk;
mod folders;
mod limits;
mod places;
mod processes;
mod program;
mod report;
mod service;
mod trial;

use crate::check::all_good;
use crate::hooks::{self, Survey};
use crate::{Context, Exit, Failure};
use places::Places;

/// Checks everything and prints one line for each check; the exit status is 1 if something is wrong. The only daemon that
/// it starts is one of its own, for a moment.
pub(crate) fn doctor(context: &mut Context) -> Result<Exit, Failure> {
    let survey = Survey::take(context);
    let places = Places::find(&survey, context.global.socket.as_deref());
    let elsewhere = daemon::elsewhere(&survey);
    let mut checks = Vec::new();
    if elsewhere.is_empty() {
        checks.extend(survey.daemon.check(survey.has_hooks()));
    }
    checks.extend(daemon::checks(&survey, context));
    checks.extend(service::checks(&survey, &places));
    checks.extend(folders::checks(&places));
    checks.extend(databases::checks(&places));
    checks.extend(disk::checks(&places));
    checks.extend(limits::checks(&survey));
    // Where looking finds what is wrong, a trial finds the same again. A daemon on another socket does not disturb it.
    if all_good(&checks) {
        checks.extend(trial::check(&places, context).into_iter().flatten());
    }
    checks.extend(elsewhere);
    checks.extend(hooks::checks(&survey));
    checks.extend(claude::checks(&survey));
    report::print(checks, context)
}
