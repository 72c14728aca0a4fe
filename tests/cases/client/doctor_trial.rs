//! `ccctl doctor` reports what `ccctl run` would.

use crate::support::client::{Installation, Ran};
use crate::support::executable;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Runs `ccctl` with the socket below this runtime directory.
fn with_runtime(installation: &Installation, runtime: &Path, words: &[&str]) -> Ran {
    let mut command = installation.ccctl(words);
    command
        .env_remove("CCD_HOME")
        .env("XDG_RUNTIME_DIR", runtime);
    Ran::of(command.output().unwrap())
}

/// Returns a check, its state and its text.
fn check(ran: &Ran, name: &str) -> Option<(String, String)> {
    let reply: Value = serde_json::from_str(&ran.stdout).unwrap();
    let checks = reply["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["name"] == name)?;
    let text = |field: &str| check[field].as_str().unwrap().to_owned();
    Some((text("state"), text("text")))
}

fn trial(ran: &Ran) -> Option<(String, String)> {
    check(ran, "trial")
}

/// Finds what is wrong as `run` says it.
#[track_caller]
fn finds(installation: &Installation, name: &str, what: &str) {
    let runtime = installation.bin().with_file_name("runtime");
    let ran = with_runtime(installation, &runtime, &["doctor", "--json"]);
    let (state, text) = check(&ran, name).unwrap();
    assert_eq!((ran.code, &*state), (Some(1), "wrong"), "{text}");
    let ran = with_runtime(installation, &runtime, &["run", "--", "true"]);
    assert_eq!(ran.code, Some(3));
    assert_eq!(ran.stderr.trim(), format!("ccctl: {text}"));
    assert!(text.contains(what), "{text}");
}

#[test]
fn what_keeps_a_daemon_from_starting_is_wrong_as_run_says_it() {
    let installation = Installation::new();
    let runtime = installation.bin().with_file_name("runtime");
    fs::create_dir(&runtime).unwrap();
    std::os::unix::fs::symlink("gone", runtime.join("ccd")).unwrap();
    let link = format!(
        "{}/ccd is a link to nothing; set XDG_RUNTIME_DIR to",
        runtime.display()
    );
    finds(&installation, "daemon", &link);
    fs::remove_file(runtime.join("ccd")).unwrap();
    // Only a start finds this.
    let ccd = installation.bin().join("ccd");
    fs::remove_file(&ccd).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    let script = format!(
        "#!/bin/sh\n[ \"$1\" != --version ] || {{ echo ccd {version}; exit; }}\necho 'ccd: no luck today' >&2; exit 1\n"
    );
    executable::write_script(&ccd, &script);
    finds(&installation, "trial", "ccd: no luck today");
}

#[test]
fn the_trial_leaves_nothing_and_is_not_made_if_no_daemon_may_start() {
    let installation = Installation::new();
    let runtime = installation.bin().with_file_name("runtime");
    let ran = with_runtime(&installation, &runtime, &["doctor", "--json", "--no-start"]);
    assert_eq!((ran.code, trial(&ran)), (Some(0), None), "{ran:?}");
    let ran = with_runtime(&installation, &runtime, &["doctor", "--json"]);
    assert_eq!(trial(&ran).unwrap().0, "ok", "{ran:?}");
    let left = fs::read_dir(installation.bin().parent().unwrap()).unwrap();
    let names: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["bin"]);
    assert_eq!(installation.run(&["daemon", "start"]).code, Some(0));
    let before = installation.run(&["session", "list", "--all"]).stdout;
    let ran = installation.run(&["doctor", "--json"]);
    assert_eq!(trial(&ran).unwrap().0, "ok", "{ran:?}");
    for folder in [installation.home(), installation.home().join("run")] {
        let entries = fs::read_dir(&folder).unwrap();
        let mut names = entries.map(|entry| entry.unwrap().file_name());
        let trial = names.find(|name| name.to_string_lossy().starts_with("."));
        assert_eq!(trial, None);
    }
    let after = installation.run(&["session", "list", "--all"]).stdout;
    assert_eq!(after, before);
}
