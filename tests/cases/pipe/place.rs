//! Named pipes in their directory: created, removed, created again, and never in place of another file.

use crate::pipe::events::{daemon, open, pipe_of, reader, streaming};
use crate::support::session::{OpenSession, assert_error};
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
    assert_error(
        &open(&session, Some(true)).unwrap_err(),
        ErrorCode::InvalidArgument,
    );
    let reading = reader(&path);
    session.ask("while it is open", "while it is open\n.*open\n");
    assert_eq!(ccctl.ok(&["session", "pipe", session.id(), "--close"]), "");
    let text = reading.join().unwrap();
    assert!(
        !text.contains("] before") && text.contains("[OUT] while it is open"),
        "{text}"
    );
    assert!(text.ends_with("[MTX] pipe_closed=true\n"), "{text}");
    assert!(!path.exists());
    assert_eq!(close(&session).unwrap(), PipeState::Closed);
    let raw = ccctl.ok(&["session", "pipe", session.id(), "--raw"]);
    assert!(session.now().pipe.unwrap().raw && Path::new(raw.trim()).exists());
    let shown = ccctl.ok(&["session", "show", session.id()]);
    assert!(shown.contains(raw.trim()), "{shown}");
    session.close();
    assert!(!path.exists());
    let id = ccctl.ok(&["session", "create", "--stream", "--no-persist", "--", "cat"]);
    let record = daemon
        .call_value("session.get", &json!({"session": id.trim()}))
        .unwrap();
    assert_eq!(record["pipe"]["state"], "active");
}

#[test]
fn a_pipe_that_somebody_removed_is_made_again_and_what_replaced_it_is_not_touched() {
    let daemon = daemon();
    let session = streaming(&daemon, "cat", &[]);
    let path = pipe_of(&session);
    fs::remove_file(&path).unwrap();
    session.ask("goes on", "goes on\n");
    let ran = Ccctl::new(&daemon).run(&["session", "pipe", session.id()]);
    assert!(
        ran.code == Some(0) && ran.stderr.contains("created again"),
        "{}",
        ran.stderr
    );
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
        assert!(
            error["message"]
                .as_str()
                .unwrap()
                .contains("was not created by ccd"),
            "{error}"
        );
    }
    assert_eq!(fs::read_to_string(&target).unwrap(), "kept");
    session.close();
    assert!(path.is_dir(), "a file that ccd did not create is kept");
    let text = reading.join().unwrap();
    assert!(
        text.contains("[OUT] and here") && text.contains("session_closed"),
        "{text}"
    );
}

#[test]
fn an_unsafe_folder_is_not_used() {
    let daemon = Daemon::builder().prepare();
    let (elsewhere, link) = (daemon.home().join("elsewhere"), daemon.home().join("link"));
    fs::create_dir(&elsewhere).unwrap();
    symlink(&elsewhere, &link).unwrap();
    let open_to_all = daemon.home().join("open");
    fs::create_dir(&open_to_all).unwrap();
    fs::set_permissions(&open_to_all, fs::Permissions::from_mode(0o777)).unwrap();
    let mut daemon = daemon;
    let user = rustix::process::geteuid().as_raw();
    let own = PathBuf::from(format!("/tmp/claudecontrol-{user}"));
    for folder in [&link, &open_to_all] {
        let config = json!({"pipe_dir": folder});
        fs::write(daemon.config_path(), config.to_string()).unwrap();
        daemon.restart();
        let create = json!({"program": "cat", "stream": true});
        let record = daemon.call_value("session.create", &create).unwrap();
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
    assert_eq!(
        fs::metadata(&open_to_all).unwrap().permissions().mode() & 0o777,
        0o777
    );
    let _ = fs::remove_dir(&own);
}

#[test]
fn two_daemons_never_write_to_one_pipe() {
    let (first, second) = (daemon(), Daemon::builder().prepare());
    let mut second = second;
    fs::copy(first.config_path(), second.config_path()).unwrap();
    second.restart();
    let create = json!({"program": "cat", "id": "same", "stream": true});
    let record = first.call_value("session.create", &create).unwrap();
    let error = second.call_value("session.create", &create).unwrap_err();
    assert_error(&error, ErrorCode::SessionConflict);
    let listed = second
        .call_value("session.list", &json!({"all": true}))
        .unwrap();
    assert_eq!(listed["sessions"], json!([]));
    first
        .call_value("session.close", &json!({"session": "same"}))
        .unwrap();
    assert!(!Path::new(record["pipe"]["pipe_path"].as_str().unwrap()).exists());
    second.call_value("session.create", &create).unwrap();
}
