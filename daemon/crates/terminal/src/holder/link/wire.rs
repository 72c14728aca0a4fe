//! The messages between the holder and the worker over their [`Port`](super::port::Port).

use std::ffi::CString;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::holder::error::SpawnError;
use crate::holder::path_bytes;
use crate::probe::Probe;
use crate::process_settings::ProcessSettings;

/// The version of the messages and of the shared memory. A holder and a worker of different builds compare it.
pub const VERSION: u32 = 7;

#[derive(Debug, Serialize, Deserialize)]
pub(in crate::holder) enum ToHolder {
    /// The worker has taken everything over and serves calls.
    Ready,
    /// Start a program. Attached are the [`SpawnSpec`], and the file with what the next worker must know of the
    /// session, which the holder keeps open.
    Start { request: u32 },
    /// The worker is ending all sessions.
    Stopping,
    /// The worker is about to end and another one follows: of the attached build, if there is one.
    Leave,
    /// The worker listens on the attached socket, and the next one must too.
    Listen,
    /// Check what the program in a slot waits for.
    Look {
        request: u32,
        slot: u32,
        tty_device: u64,
    },
}

#[derive(Debug, Serialize, Deserialize)]
pub(in crate::holder) enum ToWorker {
    /// The first message to a new worker. Attached are the shared memory, the events of the holder and of the two senders,
    /// the listening socket, and the locks.
    Welcome(Welcome),
    /// Held sessions for the new worker, after the welcome. Attached are the terminal and the kept state of each, followed
    /// by a file with a [`HeldSession`] for each.
    Held,
    /// The answer to a start. If it succeeded, the terminal is attached.
    Started {
        request: u32,
        result: Result<StartedProgram, SpawnError>,
    },
    /// The answer to a probe; `None` if there is no living program in the slot.
    Looked { request: u32, found: Option<Probe> },
}

/// What a new worker is sent first.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::holder) struct Welcome {
    pub(in crate::holder) version: u32,
    pub(in crate::holder) holder_pid: i32,
    pub(in crate::holder) held: u32,
    /// The socket does not belong to the service manager, so its path is removed at the end.
    pub(in crate::holder) owns_path: bool,
    /// A random number that was drawn when the holder started.
    pub(in crate::holder) secret: [u8; 32],
    pub(in crate::holder) since: String,
    /// `None` for the first worker.
    pub(in crate::holder) hand_over: Option<HandOver>,
}

/// How the sessions were handed to a worker.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct HandOver {
    /// Counts from 1.
    pub number: u64,
    pub cause: HandoverCause,
    /// A worker of another build was started but never served.
    pub rolled_back: bool,
    pub reason: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum HandoverCause {
    /// The one before was killed by a signal.
    Crash,
    /// The one before has handed over.
    Upgrade,
}

/// A session that an earlier worker has started.
#[cfg(not(portable))]
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::holder) struct HeldSession {
    pub(in crate::holder) started: StartedProgram,
    #[serde(with = "path_bytes")]
    pub(in crate::holder) ring_path: PathBuf,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(in crate::holder) struct StartedProgram {
    pub(in crate::holder) slot: u32,
    pub(in crate::holder) pid: i32,
    pub(in crate::holder) tty_device: u64,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct SpawnSpec {
    /// The file to execute, as returned by [`crate::holder::resolve()`].
    #[serde(with = "path_bytes")]
    pub program: PathBuf,
    /// The arguments, the first of which is the program's name as the caller gave it.
    pub argv: Vec<CString>,
    /// The whole environment, as `NAME=value`.
    pub env: Vec<CString>,
    pub settings: ProcessSettings,
    #[serde(with = "path_bytes")]
    pub cwd: PathBuf,
    pub rows: u16,
    pub cols: u16,
    /// Output processing is off at the start.
    pub plain: bool,
    /// Input is echoed at the start.
    pub echo: bool,
    /// Where the session's ring is created; the file must not exist.
    #[serde(with = "path_bytes")]
    pub ring_path: PathBuf,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn a_path_that_is_no_text_arrives_as_it_is() {
        let odd: PathBuf = OsStr::from_bytes(b"/tmp/\xff\xfe").into();
        let spec = SpawnSpec {
            program: odd.clone(),
            argv: vec![c"x".into()],
            env: Vec::new(),
            settings: ProcessSettings::default(),
            cwd: odd.clone(),
            rows: 1,
            cols: 2,
            plain: true,
            echo: false,
            ring_path: odd.clone(),
        };
        let bytes = postcard::to_stdvec(&spec).unwrap();
        let back: SpawnSpec = postcard::from_bytes(&bytes).unwrap();
        assert_eq!((back.program, back.argv), (odd, spec.argv));
    }
}
