//! The configuration file is watched: changes take effect without a request to the daemon.

use crate::support::{Ccctl, Daemon, eventually};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, Instant};

/// Waits until `max` sessions are allowed and the status shows no error.
#[track_caller]
fn await_max(daemon: &Daemon, max: u64) {
    let holds = || {
        let status = daemon.status();
        let is_it = status["limits"]["max_sessions"] == max && status["config_error"].is_null();
        is_it.then_some(())
    };
    eventually(&format!("max_sessions is {max}"), holds);
}

/// Waits until the status shows a configuration error at this place.
fn await_error(daemon: &Daemon, place: &str) {
    eventually(&format!("the status names {place}"), || {
        let status = daemon.status();
        let text = status["config_error"].as_str()?;
        text.contains(place).then_some(())
    });
}

/// Replaces a file by renaming a new one, as most editors do.
fn replace(path: &Path, text: &str) {
    let new = path.with_extension("new");
    fs::write(&new, text).unwrap();
    fs::rename(new, path).unwrap();
}

#[test]
fn a_good_change_holds_and_a_bad_one_is_shown_until_it_is_mended() {
    let daemon = Daemon::with_config("{max_sessions: 7}");
    assert_eq!(daemon.status()["config_error"], Value::Null);
    let path = daemon.config_path();
    fs::write(&path, "{max_sessions: 8}").unwrap();
    await_max(&daemon, 8);
    fs::write(&path, "{\n  max_sessions: 'many',\n}").unwrap();
    let place = format!("{}:2:17: max_sessions must be", path.display());
    await_error(&daemon, &place);
    let now = daemon.status();
    assert_eq!(now["limits"]["max_sessions"], 8);
    assert!(now["last_errors"].to_string().contains(":2:17: "), "{now}");
    let shown = Ccctl::new(&daemon).ok(&["daemon", "status"]);
    let line = format!("refused, the old one stays: {place}");
    assert!(shown.contains(&line), "{shown}");
    replace(&path, "{max_sessions: 9}");
    await_max(&daemon, 9);
    replace(&path, "{max_sessions: 9");
    await_error(&daemon, "1:17: the file ends too early");
    replace(&path, "{max_sessions: 9}");
    await_max(&daemon, 9);
    fs::remove_file(&path).unwrap();
    await_error(&daemon, "does not exist");
    fs::write(&path, "{max_sessions: 10}").unwrap();
    await_max(&daemon, 10);
}

#[test]
fn a_file_that_is_being_written_is_not_bad() {
    let daemon = Daemon::with_config("{max_sessions: 7}");
    let mut interrupted = 0;
    for max in 8..12 {
        let began = Instant::now();
        // Like an editor that first empties the file and then writes it in parts.
        let mut file = fs::File::create(daemon.config_path()).unwrap();
        for part in ["{max_", "sessions: ", &max.to_string(), "}"] {
            std::io::Write::write_all(&mut file, part.as_bytes()).unwrap();
        }
        drop(file);
        // A busy machine may let nobody write for as long as the daemon waits; what it then sees is bad.
        interrupted += usize::from(began.elapsed() >= Duration::from_millis(200));
        await_max(&daemon, max);
    }
    let errors = daemon.status()["last_errors"].clone();
    assert!(errors.as_array().unwrap().len() <= interrupted, "{errors}");
}

#[test]
fn a_configuration_may_come_later_as_a_link_and_go_again() {
    let daemon = Daemon::start();
    let default = daemon.status()["limits"]["max_sessions"].as_u64().unwrap();
    let (in_base, real) = (daemon.config_path(), daemon.home().join("real.json"));
    fs::write(&real, "{max_sessions: 5}").unwrap();
    symlink("real.json", &in_base).unwrap();
    await_max(&daemon, 5);
    replace(&real, "{max_sessions: 3}");
    await_max(&daemon, 3);
    // The platform's directory takes precedence; it does not exist yet.
    let folder = daemon.home().join("no-config/ccd");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.json"), "{max_sessions: 4}").unwrap();
    await_max(&daemon, 4);
    fs::remove_dir_all(daemon.home().join("no-config")).unwrap();
    await_max(&daemon, 3);
    fs::remove_file(in_base).unwrap();
    await_max(&daemon, default);
}
