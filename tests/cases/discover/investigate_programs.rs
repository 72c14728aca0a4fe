//! Investigations of real programs that read lines: what a person who knows them expects.

use super::investigated::{Investigated, investigate, investigate_together, is_missing};
use crate::support::session::lacks;
use crate::support::{Daemon, is_long_run};
use serde_json::json;

#[test]
fn sqlite3_has_dot_commands_and_a_prompt() {
    if lacks(&["sqlite3"]) {
        return;
    }
    let daemon = Daemon::start();
    let sqlite = investigate(&daemon, &["sqlite3"]);
    sqlite.is(true, false, &["sqlite>"]);
    sqlite.version_starts("3.");
    sqlite.ends_by(&[".quit", ".exit", "C-d"]);
    assert_eq!(sqlite.exit("quit"), None);
    assert_eq!(sqlite.report.help_commands, ["--help", ".help"]);
    sqlite.describes(&[".tables", ".schema", ".mode", ".import", ".headers"]);
    let commands = sqlite.report.commands.iter();
    let tested = commands.filter(|(name, command)| {
        name.starts_with('.') && !command.description.is_empty() && command.tested
    });
    assert!(tested.count() >= 30);
    sqlite.has_flags(&["-readonly", "-csv"]);
    assert!(sqlite.report.usage[0].contains("FILENAME"));
    let errors = &sqlite.report.error_messages;
    let is_unknown = |message: &str| message.contains("unknown command");
    assert!(errors.iter().any(|error| is_unknown(&error.message)));
    let main = sqlite.state("main");
    assert!(main.error_patterns.iter().any(|error| is_unknown(error)));
    let samples = main.output_samples.iter();
    let lengths = samples.map(|sample| sample.output.chars().count());
    assert_eq!(lengths.max(), Some(500));
}

#[test]
fn python3_has_a_prompt_and_ends_at_the_end_of_its_input() {
    if lacks(&["python3"]) {
        return;
    }
    let daemon = Daemon::start();
    let python = investigate(&daemon, &["python3"]);
    // The help of a newer Python has a prompt of its own.
    python.begins_with(">>>");
    python.version_starts("Python 3.");
    python.ends_by(&["C-d"]);
    python.helps(&["--help", "-h"]);
    let forms = &python.report.help_commands;
    assert!(!forms.iter().any(|form| form == "?" || form == "man"));
    python.has_flags(&["-c", "-m"]);
    let errors = &python.report.error_messages;
    let is_name_error = |message: &str| message.starts_with("NameError: name 'xyzzyq'");
    assert!(errors.iter().any(|error| is_name_error(&error.message)));
}

#[test]
fn bc_has_no_prompt_and_cat_neither() {
    if lacks(&["bc"]) {
        return;
    }
    let daemon = Daemon::start();
    let [bc, cat] = investigate_together(&daemon, [&["bc"], &["cat"]], &json!({}));
    bc.is(true, false, &[]);
    bc.version_starts("bc 1.");
    bc.ends_by(&["quit", "C-d"]);
    assert_eq!(bc.report.help_commands, ["--help", "-h"]);
    assert!(bc.has_flag("--mathlib") && bc.report.commands.is_empty());
    assert_eq!(bc.report.states.len(), 1);
    assert_eq!(bc.state("main").prompt, None);

    cat.is(true, false, &[]);
    cat.ends_by(&["C-d"]);
    assert_eq!(cat.exit("C-c"), Some(130));
    assert_eq!(cat.report.exit_commands.len(), 2);
    assert!(cat.has_flag("--number") && cat.report.commands.is_empty());
}

#[test]
fn bash_is_explored_by_its_help_only() {
    let daemon = Daemon::start();
    let bash = investigate(&daemon, &["bash"]);
    let prompt = bash.report.prompts[0].clone();
    bash.is(true, false, &[&prompt]);
    assert!(prompt.ends_with(['$', '#']), "{prompt:?}");
    bash.version_starts("GNU bash");
    bash.ends_by(&["exit", "C-d"]);
    assert_eq!(bash.report.exit_commands.len(), 2);
    assert_eq!(bash.report.help_commands, ["--help", "help"]);
    let commands = &bash.report.commands;
    assert!(commands.len() >= 40 && commands.values().all(|command| !command.tested));
    for name in ["cd", "export", "alias", "trap"] {
        assert!(commands.contains_key(name), "{name}");
    }
    assert!(bash.notes("it is a shell"));
    // At its prompt, any other word would have been a program.
    let sampled = &bash.state("main").output_samples;
    let mut samples = sampled.iter();
    assert!(samples.all(|sample| ["xyzzyq", "help"].contains(&&*sample.command)));
}

#[test]
fn git_and_cargo_have_sub_commands_and_wait_for_nothing() {
    if lacks(&["git"]) {
        return;
    }
    let daemon = Daemon::start();
    let is_plain = |found: &Investigated| {
        found.is(false, false, &[]);
        let report = &found.report;
        assert!(report.states.is_empty() && report.exit_commands.is_empty());
        assert!(report.commands.values().all(|command| !command.tested));
    };
    let git = investigate(&daemon, &["git"]);
    is_plain(&git);
    git.version_starts("git version 2.");
    git.describes(&["commit", "status", "log", "cherry-pick", "rev-parse"]);
    assert!(git.report.commands.len() >= 100);
    git.helps(&["--help", "help -a"]);
    assert!(git.report.usage[0].starts_with("git "));
    git.has_flags(&["-C", "-c", "--git-dir", "--work-tree", "--no-pager", "-P"]);

    if is_missing("cargo") {
        return;
    }
    let cargo = investigate(&daemon, &["cargo"]);
    is_plain(&cargo);
    cargo.version_starts("cargo 1.");
    cargo.describes(&["build", "test", "run", "metadata"]);
    assert!(cargo.report.commands.len() >= 30);
    cargo.has_flags(&["--verbose", "-V"]);
    cargo.helps(&["--help", "help", "--list"]);
}

#[test]
fn gdb_has_commands_in_classes() {
    // Each of its commands is tried in a new gdb, which takes half a minute of processor time. What its help says is a test
    // of ccd-discover.
    if lacks(&["gdb"]) || !is_long_run() {
        return;
    }
    let daemon = Daemon::start();
    let gdb = investigate(&daemon, &["gdb"]);
    gdb.begins_with("(gdb)");
    gdb.version_starts("GNU gdb");
    gdb.ends_by(&["quit", "q", "C-d"]);
    gdb.describes(&["break", "backtrace", "info registers"]);
    assert!(gdb.report.commands.len() >= 200);
    gdb.helps(&["help", "help all", "--help"]);
    gdb.has_flags(&["--batch", "--args"]);
}

#[test]
fn node_has_dot_commands_and_an_editor() {
    if is_missing("node") {
        return;
    }
    let daemon = Daemon::start();
    let node = investigate(&daemon, &["node"]);
    node.begins_with(">");
    node.version_starts("v");
    node.ends_by(&[".exit", "C-d"]);
    node.describes(&[".break", ".clear", ".editor", ".exit", ".load", ".save"]);
    assert!(node.state("main").transitions.contains_key(".editor"));
    node.helps(&["--help", ".help"]);
    node.has_flags(&["--eval"]);
}

#[test]
fn what_only_prints_or_sleeps_waits_for_nothing() {
    let daemon = Daemon::start();
    let programs = [&["echo", "hi"][..], &["true"], &["sleep", "60"]];
    let [echo, none, sleep] = investigate_together(&daemon, programs, &json!({}));
    echo.is(false, false, &[]);
    assert!(echo.report.commands.is_empty() && echo.has_flag("-n"));
    assert!(echo.report.exit_commands.is_empty() && echo.report.states.is_empty());
    assert_eq!(echo.report.args, ["hi"]);
    none.is(false, false, &[]);
    assert_eq!(none.report.program, "true");
    // The end of what does nothing is awaited for as long as a step may take.
    sleep.is(false, false, &[]);
    assert!(sleep.notes("it did not wait for input"));
}
