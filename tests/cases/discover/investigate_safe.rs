//! What safe mode refuses is never sent, and never started.

use super::investigated::{folder, investigate_with, params, report_of, script, started};
use crate::support::Daemon;
use crate::support::executable::write_script;
use crate::support::session::{assert_error, lacks};
use ccd_protocol::ErrorCode;
use ccd_protocol::investigate::{InvestigationEnd, InvestigationReport};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The lines that safe mode refuses: a rule, blanks, the line.
const REFUSED: &str =
    include_str!("../../../daemon/crates/discover/tests/fixtures/safety/refused.txt");

/// Shows the file `$2` as its help, and appends each line that it reads to `$1`.
const LOGGING: &str = r#"#!/bin/sh
while printf 'safe> ' && IFS= read -r line; do
    printf '%s\n' "$line" >>"$1"
    case $line in
        help) cat "$2" ;;
        quit) exit 0 ;;
        *) echo done ;;
    esac
done
"#;

/// Returns the refused lines; those of several lines are typed as such by nobody.
fn refused() -> Vec<String> {
    let lines = REFUSED.lines().filter(|line| !line.starts_with('#'));
    let lines = lines.filter_map(|line| Some(line.split_once(char::is_whitespace)?.1.trim()));
    let lines = lines.filter(|line| !line.contains("\\n"));
    let lines: Vec<String> = lines.map(str::to_owned).collect();
    assert!(lines.len() >= 200);
    lines
}

/// Investigates the logging program; returns what it received, and the report.
fn received(is_safe: bool) -> (Vec<String>, InvestigationReport) {
    let daemon = Daemon::start();
    let program = script(&daemon, "logging", LOGGING);
    let [log, help] = ["log", "help"].map(|name| daemon.home().join(name));
    // In the form of gdb, a command may have several words. Other forms are for lists of `.name` and `\name`.
    let list = refused().into_iter();
    let list = list.filter(|line| !line.starts_with(['.', '\\']));
    let list = list.chain(["status", "show it all"].map(str::to_owned));
    let list: String = list.map(|line| format!("{line} -- Say hello\n")).collect();
    fs::write(&help, format!("List of commands:\n\n{list}")).unwrap();
    let argv = [&program, log.to_str().unwrap(), help.to_str().unwrap()];
    let extra = json!({"safe_mode": is_safe, "timeout_s": 600});
    let found = investigate_with(&daemon, &argv, &extra);
    found.is_sound();
    let text = fs::read_to_string(&log).unwrap();
    (text.lines().map(str::to_owned).collect(), found.report)
}

#[test]
fn nothing_that_safe_mode_refuses_is_received() {
    let (lines, report) = received(true);
    let has = |line: &str| lines.iter().any(|received| received == line);
    for line in ["help", "status", "show it all"] {
        assert!(has(line), "{line}: {lines:?}");
    }
    let sent: Vec<_> = refused().into_iter().filter(|line| has(line)).collect();
    assert_eq!(sent, [""; 0]);
    assert!(report.safe_mode);
    let notes = report.safety_notes.iter();
    let refusals = notes.filter(|note| note.starts_with("refused "));
    assert!(refusals.count() >= 80, "{:?}", report.safety_notes);
}

#[test]
fn without_safe_mode_it_is_received_and_the_report_says_so() {
    let (lines, report) = received(false);
    let has = |line: &str| lines.iter().any(|received| received == line);
    let sent = refused().into_iter().filter(|line| has(line));
    assert!(sent.count() >= 80, "{lines:?}");
    assert!(!report.safe_mode);
}

/// A program whose `help` only lists names.
const CMD: &str = r#"
import cmd, sys
class Tool(cmd.Cmd):
    prompt = 'tool> '
    def log(self, name):
        open(sys.argv[1], 'a').write(name + '\n')
    def do_nuke(self, arg):
        'Wipe every table'
        self.log('nuke')
    def do_x(self, arg):
        'Wipe everything'
        self.log('x')
    def do_hello(self, arg):
        'Say hello'
        self.log('hello')
    def do_plain(self, arg):
        self.log('plain')
    def do_quit(self, arg):
        'Leave'
        return True
    def do_EOF(self, arg):
        return True
Tool().cmdloop()
"#;

#[test]
fn commands_without_description_are_explained_before_they_are_tried() {
    if lacks(&["python3"]) {
        return;
    }
    let daemon = Daemon::start();
    let [program, log] = ["tool.py", "log"].map(|name| daemon.home().join(name));
    fs::write(&program, CMD).unwrap();
    let argv = ["python3", program.to_str().unwrap(), log.to_str().unwrap()];
    let found = investigate_with(&daemon, &argv, &json!({}));
    let text = fs::read_to_string(&log).unwrap();
    let mut received: Vec<&str> = text.lines().collect();
    received.sort_unstable();
    assert_eq!(received, ["hello", "plain"]);
    let described = |name: &str| &*found.report.commands[name].description;
    assert_eq!(described("x"), "Wipe everything");
    assert_eq!(described("hello"), "Say hello");
    assert_eq!(described("plain"), "");
    for name in ["nuke", "x"] {
        assert!(found.notes(&format!("refused {name} (destructive_help)")));
    }
}

/// Returns all files below a folder with their content.
fn content(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = crate::support::files::files(folder).into_iter();
    let content = files.map(|file| (file.display().to_string(), fs::read(&file).unwrap()));
    content.collect()
}

#[test]
fn programs_that_run_commands_leave_the_files_of_their_caller_alone() {
    let daemon = Daemon::start();
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    for (name, text) in [
        ("notes.txt", "mine"),
        (".bashrc", "echo x"),
        (".vimrc", "\" x"),
        (".git/config", "[core]\n"),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let before = content(folder.path());
    let extra = json!({
        "cwd": folder.path(),
        "env": {"PATH": std::env::var("PATH").unwrap()},
        "caller_env": {"HOME": folder.path()},
    });
    let programs = ["bash", "vim notes.txt", "sqlite3 notes.txt", "ed notes.txt"];
    let argvs = programs.map(|line| line.split(' ').collect::<Vec<_>>());
    let installed = argvs.iter().filter(|argv| !lacks(&argv[..1]));
    let jobs = installed.map(|argv| started(&daemon, argv, &extra));
    for job in jobs.collect::<Vec<String>>() {
        let report = report_of(&daemon, &job).report;
        assert_eq!(report.end, InvestigationEnd::Complete, "{report:?}");
    }
    assert_eq!(content(folder.path()), before);
}

#[test]
fn a_program_that_is_refused_itself_is_not_started() {
    let daemon = Daemon::start();
    let bin = daemon.home().join("bin");
    fs::create_dir(&bin).unwrap();
    let log = daemon.home().join("log");
    let logs = format!("#!/bin/sh\necho $0 >>{}\n", log.display());
    for name in ["shutdown", "rm", "mkfs.ext4"] {
        write_script(&bin.join(name), &logs);
    }
    let env = json!({"caller_env": {"PATH": format!("{}:/usr/bin:/bin", bin.display())}});
    let mut connection = daemon.connect();
    for (argv, rule) in [
        (&["shutdown", "-h", "now"][..], "shutdown"),
        (&["rm", "-rf", "x"], "deletion"),
        (&["mkfs.ext4", "x"], "disk"),
    ] {
        for method in ["investigate.run", "investigate.probe"] {
            let error = connection.error(method, &params(argv, &env));
            assert_error(&error, ErrorCode::RefusedUnsafe);
            assert_eq!(error["data"]["rule"], rule, "{error}");
        }
    }
    let reports = fs::read_dir(folder(&daemon)).map(Iterator::count);
    assert!(!log.exists() && reports.unwrap_or(0) == 0);
    // What a program is named in safe mode counts only there.
    let unsafe_mode = json!({"safe_mode": false, "caller_env": env["caller_env"]});
    investigate_with(&daemon, &["mkfs.ext4", "x"], &unsafe_mode);
    assert!(log.exists());
}
