//! Secrets of program configurations: looked up by the client, typed once, stored nowhere.

use crate::program::documents::{save, traces};
use crate::support::files::files_with;
use crate::support::session::{
    OpenSession, assert_error, assert_has, assert_lacks, exact, message_of, program,
};
use crate::support::{Ccctl, Daemon};
use ccd_protocol::ErrorCode;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::{Command, Stdio};

const SECRET: &str = "correct-horse-4711";

/// Asks for a password without echo, and prints its length.
const ASKING: &str = "bash -c 'read -s -p \"Password: \" p; echo; echo \"got ${{#p}}\"; exec cat'";

/// Starts a daemon that logs everything.
fn traced() -> Daemon {
    let config = r#"{"log_level": "trace"}"#;
    Daemon::builder().config(config).start()
}

/// Starts a daemon that logs everything, with a configuration that takes its password from `source`.
fn with_secret(source: Value) -> Daemon {
    let daemon = traced();
    let config = json!({
        "command_template": ASKING,
        "expect_sequences": [{"pattern": "Password: ", "response": {"secret": source}}],
        "ready_indicators": [format!("got {}", SECRET.len())],
    });
    save(&daemon, "pw", config).unwrap();
    daemon
}

fn assert_kept_nowhere(mut daemon: Daemon) {
    let ccctl = Ccctl::new(&daemon);
    let history = ccctl.ok(&["session", "history", "a-session"]);
    assert_has(&history, ["<hidden>"]);
    assert_lacks(&history, [SECRET]);
    assert_eq!(traces(&daemon, SECRET), Vec::<PathBuf>::new());
    assert!(daemon.stop().success());
    assert!(files_with(daemon.home(), SECRET.as_bytes()).is_empty());
}

const CREATE: [&str; 6] = ["session", "create", "--config", "pw", "--name", "a-session"];

#[test]
fn a_secret_of_the_environment_or_of_a_file_is_typed_and_kept_nowhere() {
    let home = tempfile::tempdir().unwrap();
    // Its line end is not typed.
    std::fs::write(home.path().join(".pw"), format!("{SECRET}\n")).unwrap();
    let home = home.path().to_str().unwrap();
    let in_file = json!({"file": "~/.{which}"});
    for (source, more, name, value) in [
        (json!({"env": "TEST_PW"}), &[][..], "TEST_PW", SECRET),
        (in_file, &["--set", "which=pw"], "HOME", home),
    ] {
        let daemon = with_secret(source);
        let words = [&CREATE[..], &["--clean-env"], more].concat();
        let mut create = Ccctl::new(&daemon).command(&words);
        let created = create.env(name, value).output().unwrap();
        assert!(created.status.success(), "{created:?}");
        assert_kept_nowhere(daemon);
    }
}

/// Starts the client on its own terminal.
fn at_terminal<'a>(daemon: &'a Daemon, words: &[&str]) -> OpenSession<'a> {
    let client = env!("CARGO_BIN_EXE_ccctl_under_test");
    let script = "\"$@\"; echo \"status $?\"; stty -a | grep -o -w -e '-*echo'";
    let args = [&["-c", script, "sh", client], words].concat();
    let mut params = program(daemon, "sh", &args);
    let home = daemon.home().display().to_string();
    params.env.insert("CCD_HOME".to_owned(), home);
    params.env.insert("CCD_NO_START".to_owned(), "1".to_owned());
    daemon.open_with(&params)
}

#[test]
fn a_secret_is_asked_for_at_the_terminal_without_echo() {
    let daemon = with_secret(json!({"prompt": "Password of {user}:"}));
    let words = [&CREATE[..], &["--set", "user=ann", "--clean-env"]].concat();
    let client = at_terminal(&daemon, &words);
    client.expect("Password of ann: ");
    assert!(client.line(SECRET).hidden);
    client.expect("status 0");
    // Echo is on again.
    client.expect("(?m)^echo$");
    assert!(!client.output().contains(SECRET));
    assert_kept_nowhere(daemon);
}

#[test]
fn the_terminal_is_put_back_when_the_user_gives_up() {
    let daemon = with_secret(json!({"prompt": "Password:"}));
    let client = at_terminal(&daemon, &CREATE);
    client.expect("Password: ");
    client.keys(&["C-c"]);
    // The signal ends the shell too, so another session checks the modes.
    client.ended();
    let client = at_terminal(&daemon, &CREATE);
    client.expect("Password: ");
    client.keys(&["C-d"]);
    client.expect("no answer was given");
    client.expect("status 1");
    client.expect("(?m)^echo$");
    let error = daemon.id_of("a-session").unwrap_err();
    assert_error(&error, ErrorCode::SessionNotFound);
}

#[test]
fn without_a_terminal_the_error_says_what_to_give() {
    let daemon = with_secret(json!({"prompt": "Password:", "name": "db_password"}));
    let ccctl = Ccctl::new(&daemon);
    let mut create = ccctl.command(&CREATE);
    // A separate process session has no terminal.
    let mut detached = Command::new("setsid");
    detached.arg("--wait").arg(create.get_program());
    detached.args(create.get_args());
    for (name, value) in create.get_envs() {
        match value {
            Some(value) => detached.env(name, value),
            None => detached.env_remove(name),
        };
    }
    let refused = detached.stdin(Stdio::null()).output().unwrap();
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{told}");
    assert_has(&told, ["--secret db_password=env:VARIABLE"]);
    // As the error suggests.
    create
        .args(["--secret", "db_password=env:GIVEN", "--clean-env"])
        .env("GIVEN", SECRET);
    let created = create.output().unwrap();
    assert!(created.status.success(), "{created:?}");
    assert_kept_nowhere(daemon);
}

#[test]
fn over_the_wire_the_error_tells_each_secret_and_nothing_is_started() {
    let daemon = with_secret(json!({"env": "PW", "prompt": "Password of {user}:"}));
    let mut params = json!({"config": "pw", "name": "a-session", "set": {"user": "ann"}});
    let error = daemon.error("session.create", &params);
    assert_error(&error, ErrorCode::InvalidArgument);
    let expected = json!([{"name": "PW", "step": 1, "env": "PW", "prompt": "Password of ann:"}]);
    assert_eq!(error["data"]["secrets"], expected);
    assert_has(message_of(&error), ["PW (step 1)"]);
    assert!(daemon.listed(true).is_empty());
    for wrong in [
        json!({"PW": format!("{SECRET}\r")}),
        json!({ "PX": SECRET }),
    ] {
        params["secrets"] = wrong;
        let error = daemon.error("session.create", &params);
        assert_error(&error, ErrorCode::InvalidArgument);
        assert_lacks(&error.to_string(), [SECRET]);
    }
    params["secrets"] = json!({ "PW": SECRET });
    let record = daemon.ok("session.create", &params);
    assert_eq!(record["config"], "pw");
    assert!(!record.to_string().contains(SECRET));
    assert_kept_nowhere(daemon);
}

#[test]
fn who_reuses_a_session_is_asked_for_nothing() {
    let daemon = with_secret(json!({"env": "PW"}));
    let with = json!({"config": "pw", "reuse": true, "secrets": {"PW": SECRET}});
    let first = daemon.ok("session.create", &with);
    let without = json!({"config": "pw", "reuse": true});
    let second = daemon.ok("session.create", &without);
    assert_eq!(first["session_id"], second["session_id"]);
}

#[test]
fn a_secret_that_the_program_shows_is_in_its_log_alone() {
    let daemon = traced();
    let config = json!({
        "command_template": "cat",
        "expect_sequences": [{"response": {"secret": {"name": "x"}}}, {"pattern": "correct[^\n]*\n"}],
    });
    save(&daemon, "show", config).unwrap();
    let params = json!({"config": "show", "name": "a-session", "secrets": {"x": SECRET}});
    daemon.ok("session.create", &params);
    let saved = json!({"name": "again", "session": "a-session"});
    let saved = daemon.ok("program.save", &saved);
    assert_lacks(&saved.to_string(), [SECRET]);
    assert_eq!(saved["config"]["sample_output"], json!([]));
    Ccctl::new(&daemon).ok(&["session", "history", "a-session"]);
    assert_eq!(traces(&daemon, SECRET), Vec::<PathBuf>::new());
}

#[test]
fn a_failed_start_tells_no_secret() {
    let daemon = traced();
    let config = json!({
        "command_template": ASKING,
        "typical_timeout": 1.5,
        "expect_sequences": [{"pattern": "Password: ", "response": {"secret": {"env": "PW"}}}],
        "ready_indicators": ["never"],
    });
    save(&daemon, "pw", config).unwrap();
    let params = json!({"config": "pw", "name": "a-session", "secrets": {"PW": SECRET}});
    let error = daemon.error("session.create", &params);
    assert_error(&error, ErrorCode::ExpectTimeout);
    assert_lacks(&error.to_string(), [SECRET]);
    assert_eq!(traces(&daemon, SECRET), Vec::<PathBuf>::new());
}

#[test]
fn what_was_typed_hidden_is_saved_as_a_question() {
    let daemon = Daemon::start();
    let script = "read -s -p 'Password: ' p; echo; echo got ${#p}; exec cat";
    let session = daemon.open("bash", &["-c", script]);
    session.expect("Password: ");
    session.wait(ccd_protocol::session::WaitFor::Input);
    assert!(session.line(SECRET).hidden);
    session.expect("got");
    session.text("plain");
    session.expect_any(&[exact("plain")], 10_000.0).unwrap();
    let params = json!({"name": "saved", "session": session.id()});
    let config = daemon.ok("program.save", &params)["config"].clone();
    assert_eq!(
        config["expect_sequences"],
        json!([
            {"pattern": "Password: ", "response": {"secret": {"prompt": "Password:"}}},
            {"pattern": "got", "response": "plain", "newline": false},
            {"pattern": "plain"},
        ])
    );
    assert_eq!(config["sample_output"], json!(["Password: "]));
    let again = json!({"config": "saved", "secrets": {"secret_1": SECRET}});
    daemon.ok("session.create", &again);
}

#[test]
fn a_secret_that_stands_in_a_configuration_is_refused_with_its_place() {
    let daemon = Daemon::start();
    let long = "password=hunter2hunter2";
    for (config, place) in [
        (
            json!({"command_template": "mysql --password=hunter2hunter2"}),
            "command_template",
        ),
        (
            json!({"command_template": "a", "expect_sequences": [{"pattern": "x", "response": long}]}),
            "expect_sequences[0].response",
        ),
        (json!({"command_template": "a", "notes": long}), "notes"),
        (
            json!({"command_template": "a", "success_indicators": ["x", long]}),
            "success_indicators[1]",
        ),
        (
            json!({"command_template": "a", "tape": {"api_key": "hunter2hunter2"}}),
            "tape.api_key",
        ),
    ] {
        let error = save(&daemon, "x", config).unwrap_err();
        assert_error(&error, ErrorCode::InvalidArgument);
        let message = message_of(&error);
        assert_has(message, [place, ": it contains what looks like a secret"]);
        assert_lacks(message, ["hunter2"]);
    }
    assert!(!daemon.home().join("programs").exists());
    let config = json!({
        "command_template": "mysql --password={pw} postgres://{user}:{pw}@host",
        "expect_sequences": [{"pattern": "Password.*: ", "response": {"secret": {"env": "DB_PASSWORD", "prompt": "Password of {user}:"}}}],
        "sample_output": ["one", long],
    });
    let saved = save(&daemon, "x", config).unwrap();
    let sample = &saved["config"]["sample_output"];
    assert_eq!(*sample, json!(["one", "password=***"]));
    let warning = &saved["warnings"][0];
    assert_eq!(warning, "sample_output: 1 secrets were masked");
    assert!(files_with(daemon.home(), b"hunter2hunter2").is_empty());
}

#[test]
fn a_secret_given_by_mistake_is_not_shown() {
    let daemon = with_secret(json!({"env": "TEST_PASSWORD"}));
    let ccctl = Ccctl::new(&daemon);
    for start in ["", "pw=", "="] {
        let slip = format!("{start}{SECRET}");
        let told = ccctl.run(&[&CREATE[..], &["--secret", &slip]].concat());
        assert_eq!(told.code, Some(2), "{}", told.stderr);
        assert_has(&told.stderr, ["env:VARIABLE"]);
        assert_lacks(&told.stderr, [SECRET]);
    }
}
