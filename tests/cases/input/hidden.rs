//! Passwords: none is kept anywhere in the daemon's directory.

use crate::support::files::{assert_in_no_file, files_with};
use crate::support::session::{OpenSession, assert_error, exact, lacks, program};
use crate::support::{Ccctl, Daemon, assert_has, assert_lacks, eventually};
use ccd_protocol::ErrorCode;
use ccd_protocol::session::{
    Action, SessionCreateParams, SessionHistory, SessionHistoryParams, SessionReadParams,
    SessionSendParams, WaitFor,
};
use serde_json::json;

const PASSWORD: &str = "correct-horse-4711";

/// The highest log level.
const TRACE: &str = r#"{"log_level": "trace"}"#;

#[track_caller]
fn assert_nowhere(daemon: &Daemon) {
    assert_in_no_file(daemon.home(), PASSWORD);
}

/// Asserts that these texts are in no file but the logs of terminals that showed them.
#[track_caller]
fn assert_only_shown(daemon: &Daemon, texts: &[&str], logs: &[&str]) {
    for text in texts {
        let mut found = files_with(daemon.home(), text.as_bytes());
        found.retain(|file| !logs.contains(&file.to_str().unwrap()));
        assert!(found.is_empty(), "the secret is in {found:?}");
    }
}

/// Returns what was typed, once the session's history contains `sends` sends.
fn sent(session: &OpenSession<'_>, sends: usize) -> Vec<String> {
    eventually("the send is in the history", || {
        let params = SessionHistoryParams {
            session: session.id().to_owned(),
            ..SessionHistoryParams::default()
        };
        let rows = session.daemon.call::<SessionHistory>(&params).unwrap();
        let sent = rows.interactions.into_iter();
        let sent = sent.filter(|row| row.action == Action::Send);
        let sent: Vec<String> = sent.map(|row| row.input_text.unwrap()).collect();
        (sent.len() >= sends).then_some(sent)
    })
}

#[test]
fn a_password_that_a_program_asks_for_is_nowhere() {
    let mut daemon = Daemon::builder().config(TRACE).start();
    let read = "read -s -p 'Password: ' p; echo; echo got ${#p}; exec cat";
    let getpass =
        "import getpass, time; p = getpass.getpass(); print('got', len(p)); time.sleep(600)";
    let stty = "stty -echo; printf 'Password: '; read p; stty echo; echo; echo got ${#p}; exec cat";
    let mut logs = Vec::new();
    for (program, script) in [("bash", read), ("python3", getpass), ("sh", stty)] {
        if lacks(&[program]) {
            continue;
        }
        let session = daemon.open(program, &["-c", script]);
        session.expect("Password: ");
        let waiting = session.wait(WaitFor::Input).session.waiting_for_input;
        assert!(waiting.unwrap().hidden);
        // Another one for each, so that none is known from the program before.
        let password = format!("{PASSWORD}-{program}");
        let reply = session.line(&password);
        assert!(reply.hidden);
        session.expect(&format!("got {}", password.len()));
        assert_eq!(sent(&session, 1), ["<hidden>"]);
        // Checked while the daemon runs, with its rings and the journal of its database, and after it has exited.
        assert_nowhere(&daemon);
        logs.push(session.now().output.log_path);
    }
    assert!(daemon.stop().success());
    assert_nowhere(&daemon);
    for log in logs {
        let log = std::fs::read_to_string(log).unwrap();
        assert_has(&log, ["Password: "]);
    }
}

#[test]
fn keys_that_the_terminal_never_showed_are_recorded_as_hidden() {
    let daemon = Daemon::builder().config(TRACE).start();
    let script = "stty raw -echo; printf ready:; head -c 19 > /dev/null; printf enough; exec cat";
    let session = daemon.open("sh", &["-c", script]);
    session.expect("ready:");
    session.line(PASSWORD);
    session.expect("enough");
    // From here on, the program prints its input.
    session.text("visible");
    session.expect("visible");
    assert_eq!(sent(&session, 2), ["<hidden>", "visible"]);
    assert_nowhere(&daemon);
}

/// Types the password in a program that prints it afterwards, and asserts that it is in no file but the log.
fn printed_is_hidden(script: &str, typing: impl Fn(&OpenSession<'_>), sends: &[&str]) {
    let mut daemon = Daemon::builder().config(TRACE).start();
    let session = daemon.open("bash", &["-c", script]);
    session.expect("ready: ");
    typing(&session);
    session.expect(&format!("got {PASSWORD}\n"));
    session.read(SessionReadParams::default());
    assert_eq!(sent(&session, sends.len()), sends, "{script}");
    session.close();
    let log = session.now().output.log_path;
    assert!(daemon.stop().success());
    assert_only_shown(&daemon, &[PASSWORD, &PASSWORD[3..]], &[&log]);
}

#[test]
fn a_line_that_was_typed_hidden_stays_hidden_where_the_program_prints_it() {
    let line = |session: &OpenSession<'_>| {
        session.line(PASSWORD);
    };
    let then_enter = |session: &OpenSession<'_>| {
        session.text(PASSWORD);
        session.keys(&["Enter"]);
    };
    let in_two = |session: &OpenSession<'_>| {
        session.text(&PASSWORD[..3]);
        session.line(&PASSWORD[3..]);
    };
    let raw = |answer: &str| {
        format!(
            "stty raw -echo; printf 'ready: '; p=$(head -c 19); printf '{answer} %s\\r\\n' \"${{p%?}}\"; exec cat"
        )
    };
    for answer in ["\\r\\ngot", "got", "******\\r\\ngot"] {
        printed_is_hidden(&raw(answer), line, &["<hidden>"]);
    }
    printed_is_hidden(&raw("got"), then_enter, &["<hidden>", "<Enter>"]);
    let cooked = "stty -echo; printf 'ready: '; read p; stty echo; echo got $p; exec cat";
    printed_is_hidden(cooked, line, &["<hidden>"]);
    for in_pieces in [then_enter as fn(&OpenSession<'_>), in_two] {
        printed_is_hidden(cooked, in_pieces, &["<hidden>"; 2]);
    }
}

#[test]
fn a_command_at_a_prompt_is_recorded_as_typed() {
    let daemon = Daemon::start();
    let bash = daemon.open_bash();
    let reply = bash.line("echo plain words");
    assert!(!reply.hidden);
    bash.expect("\n\r?plain words\n");
    let lines = "echo these\recho too\r";
    bash.text(lines);
    bash.expect("\n\r?too\n");
    bash.keys(&["Up", "C-c"]);
    let typed = ["echo plain words", lines, "<Up><C-c>"];
    assert_eq!(sent(&bash, 3), typed);
}

#[test]
fn a_secret_send_is_hidden_whatever_the_terminal_does() {
    let daemon = Daemon::builder().config(TRACE).start();
    let script = "stty raw -echo; printf ready:; head -c 18 > /dev/null; printf enough; exec cat";
    let session = daemon.open("sh", &["-c", script]);
    session.expect("ready:");
    let reply = session.try_send(SessionSendParams {
        text: Some(PASSWORD.to_owned()),
        secret: true,
        ..SessionSendParams::default()
    });
    assert!(reply.unwrap().hidden);
    session.expect("enough");
    let cat = daemon.open("cat", &[]);
    let ccctl = Ccctl::new(&daemon);
    let send = ["session", "send", cat.id(), "--secret", "shown-1234"];
    ccctl.ok(&[&send[..], &["-e", "\n"]].concat());
    assert_eq!(sent(&session, 1), ["<hidden>"]);
    assert_eq!(sent(&cat, 1), ["<hidden>"]);
    assert_nowhere(&daemon);
}

/// Types `params`, which contain the password, as a secret.
fn send_secret(session: &OpenSession<'_>, params: SessionSendParams) {
    let secret = SessionSendParams {
        secret: true,
        ..params
    };
    assert!(session.try_send(secret).unwrap().hidden);
}

#[test]
fn a_secret_that_the_terminal_echoes_is_not_in_the_database() {
    let mut daemon = Daemon::builder().config(TRACE).start();
    let session = daemon.open("sh", &["-c", "printf 'ready: '; exec cat"]);
    session.expect("ready: ");
    let line = SessionSendParams {
        text: Some(PASSWORD.to_owned()),
        newline: true,
        ..SessionSendParams::default()
    };
    send_secret(&session, line);
    // The match ends within the echo, and the next search starts there.
    session.expect("^.{12}");
    session.expect(&format!(".*\n{PASSWORD}\n"));
    let missed = session.expect_any(&[exact(&format!("{PASSWORD}!"))], 10.0);
    assert_error(&missed.unwrap_err(), ErrorCode::ExpectTimeout);
    session.line(&format!("again {PASSWORD}"));
    session.expect("again.*\nagain.*\n");
    let mut keys: Vec<String> = PASSWORD.chars().map(String::from).collect();
    keys.push("Enter".to_owned());
    let keys = SessionSendParams {
        keys: Some(keys),
        ..SessionSendParams::default()
    };
    send_secret(&session, keys);
    session.expect(&format!("{PASSWORD}\n{PASSWORD}\n"));
    let typed = ["<hidden>", "again <hidden>", "<hidden>"];
    assert_eq!(sent(&session, 3), typed);
    session.close();
    let log = session.now().output.log_path;
    assert!(daemon.stop().success());
    // The session's own log contains what the terminal showed.
    let parts = [PASSWORD, &PASSWORD[..12], &PASSWORD[12..]];
    assert_only_shown(&daemon, &parts, &[&log]);
}

#[test]
fn a_password_in_a_given_variable_is_nowhere() {
    let mut daemon = Daemon::builder().config(TRACE).start();
    let mut params: SessionCreateParams = program(&daemon, "sh", &["-c", "echo got ${#SECRET}"]);
    params.env.insert("SECRET".to_owned(), PASSWORD.to_owned());
    params.reuse = true;
    let session = daemon.open_with(&params);
    session.expect(&format!("got {}", PASSWORD.len()));
    session.ended();
    assert!(daemon.stop().success());
    assert_nowhere(&daemon);
}

#[test]
fn secrets_in_statements_and_commands_are_in_no_history_tape_or_cache() {
    let secret = "Qx7hunterzz99w";
    let mut daemon = Daemon::start();
    let tapes = daemon.home().join("tapes").display().to_string();
    let start = |record: &str, fallback: &str| {
        let tape = json!({"root": tapes, "record": record, "fallback": fallback});
        let mut params = program(&daemon, "cat", &[]);
        params.tape = Some(serde_json::from_value(tape).unwrap());
        daemon.open_with(&params)
    };
    let lines = [
        format!("CREATE USER me IDENTIFIED WITH sha256_password BY '{secret}';"),
        format!("AUTH {secret}"),
        format!("openssl genrsa -passout pass:{secret} 2048"),
        format!("7z a -p{secret} out.7z in"),
        format!("smbclient -U me%{secret} //srv/share"),
        format!("echo {secret} | sudo -S id"),
    ];
    let session = start("new", "proxy");
    for line in &lines {
        session.line(line);
        // The echo, and the line that cat prints.
        session.expect_any(&[exact(line)], 10_000.0).unwrap();
        session.expect_any(&[exact(line)], 10_000.0).unwrap();
    }
    session.read(SessionReadParams::default());
    let typed = sent(&session, lines.len());
    assert!(typed.iter().all(|line| line.contains("***")), "{typed:#?}");
    session.close();
    let recorded = session.now().output.log_path;
    // The tape answers what was typed, though it does not contain it.
    let session = start("disabled", "not_found");
    for line in &lines {
        session.line(line);
        session.expect("\\*\\*\\*(.|\n)*\\*\\*\\*.*\n");
    }
    session.close();
    let played = session.now().output.log_path;
    assert!(daemon.stop().success());
    assert_only_shown(&daemon, &[secret], &[&recorded, &played]);
}

#[test]
fn an_answer_to_a_prompt_for_a_secret_is_hidden_even_with_echo() {
    // Which prompts ask for a secret is tested with the prompts.
    for (prompt, asks) in [
        ("Password: ", "printf 'Password: '; read x; echo"),
        // The usual race: the echo goes off half a second after the prompt.
        (
            "Enter PIN: ",
            "printf 'Enter PIN: '; sleep 0.5; stty -echo; read x; stty echo",
        ),
        ("New password:\n> ", "printf 'New password:\\n> '; read x"),
        // The cursor goes back into the field.
        (
            "Password: [        ]",
            "printf 'Password: [        ]\\033[9D'; read x",
        ),
    ] {
        let script = format!("{asks}; echo got ${{#x}}; exec cat");
        let mut daemon = Daemon::builder().config(TRACE).start();
        let session = daemon.open_with(&SessionCreateParams {
            stream: true,
            ..program(&daemon, "sh", &["-c", &script])
        });
        session.expect_any(&[exact(prompt)], 10_000.0).unwrap();
        assert!(session.line(PASSWORD).hidden, "{prompt}");
        session.expect("got 18");
        session.line("innocent");
        session.expect("innocent");
        assert_eq!(sent(&session, 2), ["<hidden>", "innocent"], "{prompt}");
        let history = json!({ "session": session.id() });
        assert_lacks(&daemon.ok("session.history", &history), [PASSWORD]);
        let log = session.now().output.log_path;
        assert!(daemon.stop().success());
        assert_only_shown(&daemon, &[PASSWORD], &[&log]);
    }
}

#[test]
fn a_secret_that_is_typed_key_by_key_is_hidden_up_to_its_end() {
    let daemon = Daemon::start();
    let session = daemon.open("sh", &["-c", "printf 'Password: '; read x; exec cat"]);
    session.expect("Password: ");
    for letter in ["p", "q", "7", "z"] {
        assert!(session.text(letter).hidden, "{letter}");
    }
    session.keys(&["Enter"]);
    // Until the echo has arrived, the prompt is the last line.
    session.expect("pq7z\n");
    assert!(!session.line("innocent").hidden);
}

#[test]
fn a_mark_below_an_answered_prompt_asks_for_no_secret() {
    let daemon = Daemon::start();
    let script = "stty -echo; printf 'Password:'; read x; stty echo; printf '\\n> '; exec cat";
    let session = daemon.open("sh", &["-c", script]);
    session.expect("Password:");
    assert!(session.line(PASSWORD).hidden);
    session.expect("> ");
    assert!(!session.line("innocent").hidden);
}
