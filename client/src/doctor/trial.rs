//! What `ccctl run` does, tried with a daemon of its own beside the user's: it starts, opens a terminal and writes a log.

use super::places::Places;
use crate::call::make_socket_folder;
use crate::check::{Check, checks as found};
use crate::demo::Home;
use crate::{Context, Failure};
use serde_json::json;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

const LOGS: &str = "sessions";

/// Tries it, unless no daemon may be started or its places are unknown, which other checks report.
pub(super) fn check(places: &Places, context: &Context) -> Option<Vec<Check>> {
    context.place().ok().filter(|place| place.may_start)?;
    let (socket, base) = (places.socket.as_ref().ok()?, places.base.as_deref()?);
    // A signal would leave the daemon and its directory behind.
    let is_stopped = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&is_stopped)).ok()?;
    }
    let _made = Made::before(&[socket.parent()?, base]);
    let failure = run(socket, places.socket_is_named, base).err();
    let failure = failure.map(|failure| failure.to_string());
    Some(found("trial", json!({ "failure": failure })))
}

fn run(socket: &Path, is_named: bool, base: &Path) -> Result<(), Failure> {
    make_socket_folder(socket, is_named)?;
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(base)
        .map_err(Failure::io(base.display()))?;
    let number = std::process::id();
    // Hardly longer than the user's own socket: the length of its path is limited.
    let socket = socket.with_file_name(format!(".{number}")).join("s");
    let home = Home::at(base.join(format!(".doctor-{number}")), socket)?;
    let ran = run_program(&home);
    let stopped = home.stop();
    ran.and(stopped)
}

fn run_program(home: &Home) -> Result<(), Failure> {
    let words = [
        "run",
        "--timeout",
        "10",
        "--",
        "sh",
        "-c",
        "test -t 1 && echo logged",
    ];
    let output = home.ccctl(&words)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.trim().trim_start_matches("ccctl: ").to_owned();
        let said = if said.is_empty() {
            format!("a program on a terminal failed: {}", output.status)
        } else {
            said
        };
        return Failure::failed(said);
    }
    let logs = home.folder().join(LOGS);
    let len = log_len(&logs).map_err(Failure::io(logs.display()))?;
    match len {
        0 => Failure::failed(format!("{}: nothing was logged", logs.display())),
        _ => Ok(()),
    }
}

fn log_len(logs: &Path) -> std::io::Result<u64> {
    let sessions = fs::read_dir(logs)?.flatten();
    let lens = sessions.map(|session| fs::metadata(session.path().join("output.log")));
    Ok(lens.flatten().map(|log| log.len()).sum())
}

/// Directories that were not there before; those that are empty are removed when this is dropped.
struct Made(Vec<PathBuf>);

impl Made {
    fn before(folders: &[&Path]) -> Self {
        let all = folders.iter().flat_map(|folder| folder.ancestors());
        let mut missing: Vec<PathBuf> = all
            .filter(|folder| !folder.exists())
            .map(Path::to_owned)
            .collect();
        // The innermost come first.
        missing.sort_by_key(|folder| std::cmp::Reverse(folder.components().count()));
        Self(missing)
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        for folder in &self.0 {
            let _ = fs::remove_dir(folder);
        }
    }
}
