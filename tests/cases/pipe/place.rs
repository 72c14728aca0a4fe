//! Named pipes in their directory: created, removed, created again, and never in place of another file.

use crate::pipe::events::{daemon, open, pipe_of, reader, streaming};
use crate::support::session::{OpenSession, assert_error, assert_has, assert_lacks, message_of};
use crate::support::{Ccctl, Daemon};
use ccd_protocol::ErrorCode;
use ccd_protocol::session::{PipeState, SessionPipe, SessionPipeParams};
use serde_json::{Value, json};
use std::fs::{self};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

fn close(session: &OpenSession<'_>) -> Result<PipeState, Value> {
    let params = SessionPipeParams {
        session: session.id().to_owned(),
        ..SessionPipeParams::default()
    };
    let closed = session.daemon.call::<SessionPipe>(&params);
    closed.map(|pipe| pipe.state)
}

#[test]
fn a_pipe_is_opened_and_closed_at_any_time() {
    let daemon = daemon();
    let ccctl = Ccctl::new(&daemon);
    let session = daemon.open("cat", &[]);
    assert_eq!(session.now().pipe, None);
    assert_error(&close(&session).unwrap_err(), ErrorCode::NotFound);
    session.ask("before", "before\nbefore\n");
    let told = ccctl.ok(&["session", "pipe", session.id()]);
    let path = open(&session, None).unwrap();
    assert_eq!(told, format!("{}\n", path.display()));
    let error = open(&session, Some(true)).unwrap_err();
    assert_error(&error, ErrorCode::InvalidArgument);
    let reading = reader(&path);
    session.ask("while it is open", "while it is open\n.*open\n");
    assert_eq!(ccctl.ok(&["session", "pipe", session.id(), "--close"]), "");
    let text = reading.join().unwrap();
    assert_has(&text, ["[OUT] while it is open"]);
    assert_lacks(&text, ["] before"]);
    assert!(text.ends_with("[MTX] pipe_closed=true\n"), "{text}");
    assert!(!path.exists());
    assert_eq!(close(&session).unwrap(), PipeState::Closed);
    let raw = ccctl.ok(&["session", "pipe", session.id(), "--raw"]);
    assert!(session.now().pipe.unwrap().raw && Path::new(raw.trim()).exists());
    let shown = ccctl.ok(&["session", "show", session.id()]);
    assert_has(&shown, [raw.trim()]);
    session.close();
    assert!(!path.exists());
    let id = ccctl.ok(&["session", "create", "--stream", "--no-persist", "--", "cat"]);
    let record = daemon.call_value("session.get", &json!({"session": id.trim()}));
    assert_eq!(record.unwrap()["pipe"]["state"], "active");
}

#[test]
fn a_pipe_that_somebody_removed_is_made_again_and_what_replaced_it_is_not_touched() {
    let daemon = daemon();
    let session = streaming(&daemon, "cat", &[]);
    let path = pipe_of(&session);
    fs::remove_file(&path).unwrap();
    session.ask("goes on", "goes on\n");
    let ran = Ccctl::new(&daemon).run(&["session", "pipe", session.id()]);
    assert_eq!(ran.code, Some(0));
    assert_has(&ran.stderr, ["created again"]);
    let reading = reader(&path);
    session.ask("and here", "and here\n");

    let target = daemon.home().join("precious");
    fs::write(&target, "kept").unwrap();
    for exchange in [
        (|path, _| fs::write(path, "kept").unwrap()) as fn(&Path, &Path),
        |path, target| symlink(target, path).unwrap(),
        |path, _| fs::create_dir(path).unwrap(),
    ] {
        fs::remove_file(&path).unwrap();
        exchange(&path, &target);
        session.ask("more", "more\n");
        let error = open(&session, None).unwrap_err();
        assert_error(&error, ErrorCode::Unavailable);
        assert_has(message_of(&error), ["was not created by ccd"]);
    }
    assert_eq!(fs::read_to_string(&target).unwrap(), "kept");
    session.close();
    assert!(path.is_dir(), "a file that ccd did not create is kept");
    let text = reading.join().unwrap();
    assert_has(&text, ["[OUT] and here", "session_closed"]);
}

#[test]
fn an_unsafe_folder_is_not_used() {
    let mut daemon = Daemon::builder().prepare();
    let (elsewhere, link) = (daemon.home().join("elsewhere"), daemon.home().join("link"));
    fs::create_dir(&elsewhere).unwrap();
    symlink(&elsewhere, &link).unwrap();
    let open_to_all = daemon.home().join("open");
    fs::create_dir(&open_to_all).unwrap();
    fs::set_permissions(&open_to_all, fs::Permissions::from_mode(0o777)).unwrap();
    let user = rustix::process::geteuid().as_raw();
    let own = PathBuf::from(format!("/tmp/claudecontrol-{user}"));
    for folder in [&link, &open_to_all] {
        let config = json!({"pipe_dir": folder});
        fs::write(daemon.config_path(), config.to_string()).unwrap();
        daemon.restart();
        let create = json!({"program": "cat", "stream": true});
        let record = daemon.ok("session.create", &create);
        let path = PathBuf::from(record["pipe"]["pipe_path"].as_str().unwrap());
        // Another user may have taken the first one too.
        let others = [own.clone(), daemon.socket().with_file_name("pipes")];
        assert!(
            others.contains(&path.parent().unwrap().to_owned()),
            "{path:?}"
        );
        daemon.stop();
        assert_eq!(fs::read_dir(folder).unwrap().count(), 0);
    }
    let mode = fs::metadata(&open_to_all).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o777);
    let _ = fs::remove_dir(&own);
}
