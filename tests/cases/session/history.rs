//! The history: who did what, what was received, and no secrets.

use crate::support::session::{
    OpenSession, assert_error, assert_has, assert_lacks, program, regex,
};
use crate::support::worker::{is_one_process, replace_worker};
use crate::support::{Ccctl, Daemon, eventually};
use ccd_protocol::ErrorCode;
use ccd_protocol::session::{
    Action, Interaction, SessionCreateParams, SessionHistory, SessionHistoryParams,
};
use serde_json::json;

fn page(session: &OpenSession<'_>, limit: Option<u64>, before: Option<&str>) -> Vec<Interaction> {
    let params = SessionHistoryParams {
        session: session.id().to_owned(),
        limit,
        before: before.map(str::to_owned),
    };
    session
        .daemon
        .call::<SessionHistory>(&params)
        .unwrap()
        .interactions
}

/// Returns the rows, once one of them satisfies `is_last`.
fn rows_until(
    session: &OpenSession<'_>,
    is_last: impl Fn(&Interaction) -> bool,
) -> Vec<Interaction> {
    eventually("the row is written", || {
        let rows = page(session, None, None);
        rows.iter().any(&is_last).then_some(rows)
    })
}

/// Returns the rows and the first of this action, once there is one.
fn rows_with(session: &OpenSession<'_>, action: Action) -> (Vec<Interaction>, Interaction) {
    let rows = rows_until(session, |row| row.action == action);
    let first = of_action(&rows, action)[0].clone();
    (rows, first)
}

fn of_action(rows: &[Interaction], action: Action) -> Vec<&Interaction> {
    rows.iter().filter(|row| row.action == action).collect()
}

fn is_end(row: &Interaction) -> bool {
    row.pattern_matched.as_deref() == Some("eof")
}

#[test]
fn every_step_has_a_row_with_its_client_and_its_range() {
    let daemon = Daemon::start();
    let script = "printf 'name? '; read name; echo Hello $name; read go; exit 3";
    let session = daemon.open("sh", &["-c", script]);
    session.expect(r"na(m)e\?");
    session.line("Ann");
    session.expect("Hello");
    // The program exits only after the match, so that the order of the rows is certain.
    session.line("");
    session.ended();
    let rows = rows_until(&session, is_end);
    let actions: Vec<Action> = rows.iter().map(|row| row.action).collect();
    use Action::{Expect, Recv, Send, Start};
    let expected = [
        Start, Recv, Expect, Recv, Send, Recv, Expect, Recv, Send, Recv, Recv,
    ];
    assert_eq!(actions, expected, "{rows:#?}");

    let own_pid = i32::try_from(std::process::id()).unwrap();
    for row in &rows {
        assert_eq!(row.session_id, session.id());
        let is_ours = matches!(row.action, Start | Send | Expect);
        assert_eq!(row.client_pid, is_ours.then_some(own_pid), "{row:?}");
        assert_eq!(row.client.is_some(), is_ours);
        assert!(row.timestamp.ends_with('Z') && row.timestamp.contains('T'));
    }
    let start = rows[0].input_text.as_deref().unwrap();
    assert!(start.starts_with("sh -c 'printf "), "{start}");
    assert_eq!(rows[2].pattern_matched.as_deref(), Some(r"na(m)e\?"));
    assert_eq!(rows[2].output_text.as_deref(), Some("name?"));
    assert_eq!((rows[2].start, rows[2].end), (Some(0), Some(5)));
    assert_eq!(rows[4].input_text.as_deref(), Some("Ann"));
    assert_eq!(rows[4].start, Some(6));
    let last = rows.last().unwrap().output_text.as_deref().unwrap();
    assert_eq!(last, "ended: exited, exit status 3");

    // The RECV rows cover the whole output, without gaps and overlaps.
    let received = of_action(&rows, Recv).into_iter();
    let received: Vec<_> = received.filter(|row| !is_end(row)).collect();
    let starts = received.iter().map(|row| row.start.unwrap());
    let starts: Vec<u64> = starts.chain([session.now().output.output_bytes]).collect();
    let ends = received.iter().map(|row| row.end.unwrap());
    assert_eq!(starts, [0].into_iter().chain(ends).collect::<Vec<u64>>());
}

#[test]
fn a_failure_is_an_error_row() {
    let daemon = Daemon::start();
    let session = daemon.open("cat", &[]);
    session.expect_any(&[regex("never")], 50.0).unwrap_err();
    let (_, error) = rows_with(&session, Action::Error);
    assert_has(&error.output_text.unwrap(), ["no pattern matched"]);
    assert!(error.client.is_some());
}

#[test]
fn the_daemons_environment_turns_masks_of_the_log_off() {
    for (value, is_masked) in [("0", false), ("1", true)] {
        let daemon = Daemon::builder().env("CLAUDECONTROL_REDACT", value).start();
        let session = daemon.open("cat", &["--", "-"]);
        session.ask("password=hunter2 and words", "words\n(.|\n)*words\n");
        session.read(ccd_protocol::session::SessionReadParams::default());
        let (rows, _) = rows_with(&session, Action::Expect);
        let sent = of_action(&rows, Action::Send)[0];
        let secret = if is_masked { "***" } else { "hunter2" };
        let expected = Some(format!("password={secret} and words"));
        assert_eq!(sent.input_text, expected, "{value}");
        let text = format!("{rows:?}");
        assert_eq!(!text.contains("hunter2"), is_masked, "{value}: {text}");
        // The log contains exactly what the terminal showed.
        assert!(session.output().contains("hunter2"));
    }
}

#[test]
fn rules_of_the_user_mask_too_and_hold_after_a_reload() {
    let daemon = Daemon::builder()
        .config("{ replay: { redact_rules: ['corp-[0-9]+'] } }")
        .start();
    let sent = |text: &str| {
        let session = daemon.open("cat", &["--", "-"]);
        session.ask(text, "words\n(.|\n)*words\n");
        rows_with(&session, Action::Send).1.input_text.unwrap()
    };
    assert_eq!(sent("say corp-17 and words"), "say *** and words");
    let config = "{ replay: { redact_rules: ['PIN ([0-9]+)'] } }";
    std::fs::write(daemon.config_path(), config).unwrap();
    daemon.ok("daemon.reload", &json!({}));
    assert_eq!(sent("PIN 1234 corp-17 words"), "PIN *** corp-17 words");
}

#[test]
fn a_long_output_is_one_row_of_its_first_five_hundred_characters() {
    let daemon = Daemon::start();
    let session = daemon.open("sh", &["-c", "seq 1 1000; exec cat"]);
    session.expect("1000\n");
    let (rows, _) = rows_with(&session, Action::Expect);
    let received = of_action(&rows, Action::Recv);
    assert_eq!(received.len(), 1, "{rows:?}");
    let text = received[0].output_text.as_deref().unwrap();
    assert_eq!(text.chars().count(), 500);
    assert!(text.starts_with("1\n2\n3\n"));
    assert_eq!((received[0].start, received[0].end), (Some(0), Some(4893)));
}

#[test]
fn reading_is_a_row_only_where_something_came() {
    let daemon = Daemon::start();
    let session = daemon.open("sh", &["-c", "echo hello; exec cat"]);
    session.expect("hello\n");
    for _ in 0..3 {
        session.output();
    }
    session.line("x");
    let (rows, _) = rows_with(&session, Action::Send);
    assert_eq!(of_action(&rows, Action::Recv).len(), 1, "{rows:?}");
}

#[test]
fn a_row_does_not_contain_what_only_the_lines_before_it_show_to_be_a_secret() {
    let daemon = Daemon::start();
    let folder = tempfile::tempdir().unwrap();
    let part = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.into_os_string().into_string().unwrap()
    };
    let secret = "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0";
    let body = format!("{secret}{secret}\n").repeat(90);
    let key = format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{body}");
    for (first, ends, second) in [
        (key, "0\n$", format!("{secret}\n$ exit\n")),
        (
            "machine h.example\n  login me\n".to_owned(),
            "login me\n",
            format!("  password {secret}\n$ exit\n"),
        ),
    ] {
        let (first, second) = (part("first", &first), part("second", &second));
        let script = "cat \"$0\"; read go; cat \"$1\"";
        let session = daemon.open("sh", &["-c", script, &first, &second]);
        // The match ends a row.
        session.expect(ends);
        session.line("");
        session.ended();
        let rows = rows_until(&session, is_end);
        let shown = || rows.iter().filter_map(|row| row.output_text.as_deref());
        assert!(shown().any(|text| text.contains("$ exit")), "{rows:#?}");
        assert!(!shown().any(|text| text.contains(secret)), "{rows:#?}");
    }
}

#[test]
fn a_private_key_that_is_typed_line_by_line_is_in_no_row() {
    let daemon = Daemon::start();
    let session = daemon.open("cat", &[]);
    let (begin, secret) = (
        "export K='-----BEGIN EC PRIVATE KEY-----",
        "Ab1Cd2Ef3Gh4Ij5K".repeat(4),
    );
    session.line(begin);
    session.line(&secret);
    if !is_one_process(&daemon) {
        replace_worker(&daemon);
    }
    session.text("Lm6No7Pq");
    session.text("8Rs9Tu0V");
    session.keys(&["Enter"]);
    session.line("Zz9yX8wV7u==");
    session.line("-----END EC PRIVATE KEY-----'");
    session.expect("END(?s:.*)END");
    session.close();
    let rows = format!("{:?}", rows_until(&session, is_end));
    assert_has(&rows, [begin, "-----END EC"]);
    assert_lacks(&rows, [&secret, "Lm6No", "Rs9Tu", "Zz9y"]);
}

#[test]
fn the_newest_rows_come_and_older_ones_page_by_page() {
    let daemon = Daemon::start();
    let session = daemon.open("cat", &[]);
    for number in 0..10 {
        session.ask(
            &format!("line {number}"),
            &format!("line {number}\nline {number}\n"),
        );
    }
    session.close();
    let all = rows_until(&session, is_end);
    assert!(all.len() > 20);
    let newest = page(&session, Some(5), None);
    assert_eq!(newest, all[all.len() - 5..]);
    let mut collected = newest;
    while collected.len() < all.len() {
        let before = collected[0].id.clone();
        let older = page(&session, Some(7), Some(&before));
        assert!(!older.is_empty() && older.len() <= 7);
        collected.splice(0..0, older);
    }
    assert_eq!(collected, all);
    let wrong = json!({"session": session.id(), "before": "not a row"});
    let error = daemon.error("session.history", &wrong);
    assert_error(&error, ErrorCode::InvalidArgument);
}

#[test]
fn history_outlives_the_daemon_and_goes_with_its_session() {
    let mut daemon = Daemon::start();
    let id = {
        let session = daemon.open("echo", &["hello"]);
        session.ended();
        rows_until(&session, is_end);
        session.id().to_owned()
    };
    daemon.stop();
    daemon.restart();
    let history = |daemon: &Daemon| {
        let params = json!({"session": id});
        daemon.call_value("session.history", &params)
    };
    let rows = history(&daemon).unwrap();
    assert_eq!(rows["interactions"][0]["action"], "START");
    daemon.ok("session.cleanup", &json!({}));
    let error = history(&daemon).unwrap_err();
    assert_error(&error, ErrorCode::SessionNotFound);
}

#[test]
fn a_client_can_say_its_name() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let session = daemon.open_with(&SessionCreateParams {
        name: Some("cat".to_owned()),
        ..program(&daemon, "cat", &[])
    });
    ccctl.ok(&["session", "send", "cat", "hi", "--expect", "hi"]);
    let (rows, sent) = rows_with(&session, Action::Send);
    assert!(sent.client.unwrap().starts_with("ccctl"), "{rows:?}");
    assert!(sent.client_pid.is_some() && sent.client_pid != rows[0].client_pid);
    let shown = ccctl.ok(&["session", "history", "cat"]);
    assert_has(&shown, ["SEND", "\"hi\""]);
    let json = ccctl.ok(&["session", "history", "cat", "--limit", "2", "--json"]);
    let reply: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(reply["interactions"].as_array().unwrap().len(), 2);
}

#[test]
fn a_match_within_a_secret_and_what_follows_a_match_are_masked() {
    let daemon = Daemon::start();
    let script = "echo password=Hunter2Hunter2; echo token: Hunter3Hunter3; read x";
    let session = daemon.open("sh", &["-c", script]);
    session.expect(r"word=");
    session.expect(r"Hunter2H\w+");
    session.expect(r"3H\w+");
    session.line("");
    session.ended();
    let rows = rows_until(&session, is_end);
    // The arguments of the program contain it too, and so does the client's pattern.
    let shown: Vec<_> = rows.iter().map(|row| &row.output_text).collect();
    assert_lacks(&format!("{shown:?}"), ["unter"]);
    let matched = &of_action(&rows, Action::Expect)[1..];
    assert!(
        matched
            .iter()
            .all(|row| row.output_text.as_deref() == Some("***")),
        "{matched:?}"
    );
}
