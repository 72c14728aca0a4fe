//! An investigation of psql with a real server of PostgreSQL.

use super::investigated::investigate_with;
use crate::hook::claude::NOBODY;
use crate::support::session::lacks;
use crate::support::{Daemon, eventually, is_long_run};
use rustix::process::{Pid, Signal, geteuid, kill_process};
use serde_json::json;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// A server with an empty database, which listens only on a socket in its folder.
struct Postgres {
    server: Child,
    folder: TempDir,
}

/// The server's programs are not on the PATH.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?.flatten();
    let folders = versions.map(|version| version.path().join("bin"));
    let mut with_server = folders.filter(|bin| bin.join("initdb").is_file());
    with_server.next()
}

impl Postgres {
    fn start(bin: &Path) -> Self {
        let folder = tempfile::Builder::new().prefix("ccd-").tempdir().unwrap();
        if geteuid().is_root() {
            chown(folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let data = folder.path().join("data");
        let mut initdb = as_user(&bin.join("initdb"), folder.path());
        let options = "-U owner -A trust -E UTF8 --locale C --no-sync";
        initdb.args(options.split(' '));
        let made = initdb.arg("-D").arg(&data).output().unwrap();
        assert!(made.status.success(), "{made:?}");
        let mut postgres = as_user(&bin.join("postgres"), folder.path());
        postgres.args(["-F", "-c", "listen_addresses="]);
        postgres.arg("-D").arg(&data).arg("-k").arg(folder.path());
        let server = postgres.spawn().unwrap();
        let server = Self { server, folder };
        let status = data.join("postmaster.pid");
        eventually("the server is ready", || {
            let text = std::fs::read_to_string(&status).unwrap_or_default();
            text.contains("ready").then_some(())
        });
        server
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // It ends its sessions, too.
        let _ = kill_process(Pid::from_child(&self.server), Signal::INT);
        let _ = self.server.wait();
    }
}

/// Returns a command of a user without rights, because the server refuses root; it ends with the test.
fn as_user(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "INT"]);
    if geteuid().is_root() {
        let id = NOBODY.to_string();
        command.args(["--reuid", &id, "--regid", &id, "--clear-groups"]);
    }
    command.arg(program).current_dir(folder);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

#[test]
fn psql_has_backslash_commands_and_the_prompt_of_its_database() {
    // Each of its commands is tried, which takes ten seconds of processor time.
    if lacks(&["psql", "setpriv"]) || !is_long_run() {
        return;
    }
    let Some(bin) = programs() else {
        eprintln!("skipped: no server of PostgreSQL is installed");
        return;
    };
    let postgres = Postgres::start(&bin);
    let daemon = Daemon::start();
    let host = postgres.folder.path();
    let extra = json!({"env": {"PGHOST": host, "PGUSER": "owner", "PGDATABASE": "postgres"}});
    let psql = investigate_with(&daemon, &["psql"], &extra);
    psql.begins_with("postgres=#");
    psql.version_starts("psql (PostgreSQL)");
    psql.ends_by(&["\\q", "exit", "quit", "C-d"]);
    psql.helps(&["--help", "help", "\\?", "\\h"]);
    psql.describes(&["\\dt", "\\conninfo", "\\timing", "\\l"]);
    let commands = &psql.report.commands;
    let backslashes = commands.keys().filter(|name| name.starts_with('\\'));
    assert!(backslashes.count() >= 80);
    assert!(commands.contains_key("CREATE TABLE"));
    let shown = psql.sample("main", "\\conninfo");
    assert!(shown.contains("database \"postgres\""), "{shown}");
    psql.has_flags(&["--dbname", "-h"]);
    // It changes a password, which is no less dangerous because its name may be masked.
    assert!(psql.notes("refused \\password (credentials)"));
    assert!(!commands["\\password"].tested);
    let formats = &psql.report.data_formats;
    assert!(formats.iter().any(|format| format == "table"));
}
