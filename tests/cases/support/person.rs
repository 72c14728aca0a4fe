//! A person at a terminal that is itself a session.

use super::daemon::Daemon;
use super::session::{OpenSession, program};
use ccd_protocol::session::SessionCreateParams;

pub(crate) const CCCTL: &str = env!("CARGO_BIN_EXE_ccctl_under_test");

/// Returns a person at a terminal: a bash in which `ccctl` finds the daemon.
pub(crate) fn person(daemon: &Daemon, rows: i64, cols: i64) -> OpenSession<'_> {
    let mut params = program(daemon, "bash", &["--norc", "--noprofile"]);
    params
        .env
        .insert("CCD_HOME".into(), daemon.home().display().to_string());
    params.env.insert("CCD_NO_START".into(), "1".into());
    params.env.insert("PS1".into(), "person> ".into());
    let person = daemon.open_with(&SessionCreateParams {
        rows: Some(rows),
        cols: Some(cols),
        ..params
    });
    person.expect("person> ");
    person
}

/// The keys that detach from a session.
pub(crate) const DETACH: &[&str] = &["C-\\", "d"];
