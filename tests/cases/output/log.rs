//! The log of a session: every byte, in files of limited size that only their owner can read.

use crate::support::files::logged_bytes;
use crate::support::session::{OpenSession, decoded, program, without_gaps};
use crate::support::{Daemon, eventually};
use ccd_protocol::session::{EndReason, SessionCreateParams};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Files rotate at this size.
const ROTATION: &str = r#"{"log_rotation_size": 100000}"#;

/// Returns a command that prints numbered lines, each of 100 bytes as the terminal shows it, and goes on.
fn numbered(lines: u64) -> String {
    format!("seq -f %098.0f 1 {lines}; exec cat")
}

fn folder(session: &OpenSession<'_>) -> PathBuf {
    let log = session.now().output.log_path;
    Path::new(&log).parent().unwrap().to_owned()
}

/// Returns the log files by name, rotated ones first, which is also their order in the output.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "log"))
        .collect();
    files.sort();
    files
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// Starts a session and waits until it has printed this many bytes.
fn filled<'a>(daemon: &'a Daemon, params: &SessionCreateParams, bytes: u64) -> OpenSession<'a> {
    without_gaps(|| {
        let session = daemon.open_with(params);
        eventually("everything is printed", || {
            (session.now().output.output_bytes == bytes).then_some(())
        });
        session
    })
}

#[test]
fn a_log_that_only_its_owner_can_read_rotates_and_loses_no_byte_between_the_files() {
    let daemon = Daemon::builder().config(ROTATION).start();
    let params = program(&daemon, "sh", &["-c", &numbered(12_345)]);
    let session = filled(&daemon, &params, 1_234_500);
    assert!(session.now().output.rotated_at.is_some());
    let expected: Vec<u8> = (1..=12_345)
        .flat_map(|line| format!("{line:098}\r\n").into_bytes())
        .collect();
    assert!(session.bytes() == expected);

    session.close();
    let folder = folder(&session);
    let files = files(&folder);
    assert!(files.len() > 3, "{files:?}");
    let logged: Vec<u8> = files
        .iter()
        .flat_map(|file| std::fs::read(file).unwrap())
        .collect();
    assert!(
        logged == expected,
        "the files in the order of their names contain the output"
    );
    // Reads across the boundary of two files.
    let border = std::fs::metadata(&files[0]).unwrap().len();
    let around = session.read_raw(border - 7, 20);
    let border = usize::try_from(border).unwrap();
    assert_eq!(decoded(&around), &expected[border - 7..border + 13]);

    // Only the owner can read them.
    assert_eq!(mode(&daemon.home().join("sessions")), 0o700);
    assert_eq!(mode(&folder), 0o700);
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{path:?}");
    }
    for part in ["ccd.sqlite", "ccd.sqlite-wal"] {
        let path = daemon.home().join(part);
        if path.exists() {
            assert_eq!(mode(&path), 0o600, "{path:?}");
        }
    }
}

#[test]
fn too_much_output_ends_a_session_with_that_reason() {
    let daemon = Daemon::start();
    let session = daemon.open_with(&SessionCreateParams {
        max_output_size: Some(200_000),
        ..program(&daemon, "sh", &["-c", "yes"])
    });
    let ended = session.ended();
    assert_eq!(ended.end_reason, Some(EndReason::OutputLimit));
    assert!(ended.exitstatus.is_some() || ended.signal.is_some());
    assert!(ended.output.output_bytes > 200_000);
    // The output until then is kept.
    let bytes = session.bytes();
    assert_eq!(bytes.len() as u64, ended.output.output_bytes);
    assert!(bytes.starts_with(b"y\r\ny\r\n"));
}

#[test]
fn a_persistent_session_drops_its_oldest_log_instead() {
    let daemon = Daemon::builder().config(ROTATION).start();
    let params = SessionCreateParams {
        persist: Some(true),
        max_output_size: Some(400_000),
        output_limit: Some(10),
        ..program(&daemon, "sh", &["-c", &numbered(20_000)])
    };
    let session = filled(&daemon, &params, 2_000_000);
    // The echo and the answer: nothing more follows while it is counted.
    session.ask("still here", "still here\nstill here\n");
    let size = || logged_bytes(&session.now().output.log_path);
    eventually("old files are gone", || (size() <= 400_000).then_some(()));
    eventually("half of the limit is kept", || {
        (size() >= 200_000).then_some(())
    });

    let first = session.read_raw(0, 100_000);
    // The start is missing, which is reported, and the rest is at its true offsets.
    let bytes = decoded(&first);
    assert!(!bytes.is_empty());
    let lost = first.start;
    assert_eq!(first.end - lost, bytes.len() as u64);
    assert!(lost >= 1_000_000, "{lost}");
    let behind = session.now().output.output_bytes - first.end;
    assert_eq!(first.omitted_bytes, lost + behind);
    let line = lost.div_ceil(100);
    let skip = usize::try_from(line * 100 - lost).unwrap();
    assert_eq!(
        &bytes[skip..skip + 100],
        format!("{:098}\r\n", line + 1).as_bytes()
    );
}

#[test]
fn a_small_limit_is_kept_though_files_may_be_large() {
    let daemon = Daemon::start();
    let params = SessionCreateParams {
        persist: Some(true),
        max_output_size: Some(20_000),
        ..program(&daemon, "sh", &["-c", &numbered(20_000)])
    };
    let session = filled(&daemon, &params, 2_000_000);
    session.ask("still here", "still here\n");
    let size = || logged_bytes(&session.now().output.log_path);
    eventually("old files are gone", || (size() <= 64 << 10).then_some(()));
}
