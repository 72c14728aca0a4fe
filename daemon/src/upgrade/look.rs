//! Checks a build that is to take over the sessions.

use super::error::HandOverError;
use super::formats::Formats;
use crate::daemon::Successor;
use rustix::fs::{Mode, OFlags};
use std::io::Read as _;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const TELL_TIME: Duration = Duration::from_secs(5);

const LOOK_PERIOD: Duration = Duration::from_millis(5);

const MAX_TOLD_BYTES: u64 = 4096;

/// Opens the file `path` and reads its formats; also returns its version. Without a path it is this build. Blocks.
pub(crate) fn look(path: Option<&Path>) -> Result<(Successor, String), HandOverError> {
    let own = Formats::own();
    let Some(path) = path else {
        return Ok((Successor { file: None }, own.version));
    };
    let refuse = |why: &dyn std::fmt::Display| HandOverError::Unsuited {
        path: path.to_owned(),
        why: why.to_string(),
    };
    if !path.is_absolute() {
        return Err(refuse(&"its path is not absolute"));
    }
    // The file that was checked is the one that will run, even if it is replaced.
    let file = rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())
        .map_err(|error| refuse(&error))?;
    let formats = told_formats(&file).map_err(|error| refuse(&error))?;
    match own.obstacle(&formats) {
        Some(obstacle) => Err(refuse(&format_args!(
            "{obstacle}; to use it, run ccctl daemon stop, which ends all sessions, and start the new build"
        ))),
        None => Ok((Successor { file: Some(file) }, formats.version)),
    }
}

fn told_formats(file: &OwnedFd) -> Result<Formats, String> {
    let mut child = Command::new(format!("/proc/self/fd/{}", file.as_raw_fd()))
        .arg0("ccd")
        .arg("--formats")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("it cannot be run: {error}"))?;
    let is_in_time = ends_in_time(&mut child);
    let _ = child.kill();
    let _ = child.wait();
    if !is_in_time {
        return Err(format!(
            "it did not report its formats within {TELL_TIME:?}"
        ));
    }
    let mut told = String::new();
    if let Some(stdout) = child.stdout.take() {
        let read = stdout.take(MAX_TOLD_BYTES).read_to_string(&mut told);
        read.map_err(|error| error.to_string())?;
    }
    serde_json::from_str(&told).map_err(|_| "it is not a build of ccd".into())
}

fn ends_in_time(child: &mut Child) -> bool {
    let deadline = Instant::now() + TELL_TIME;
    while matches!(child.try_wait(), Ok(None)) {
        if Instant::now() > deadline {
            return false;
        }
        std::thread::sleep(LOOK_PERIOD);
    }
    true
}
