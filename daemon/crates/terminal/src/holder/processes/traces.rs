//! What the processes of a session are recognised by.

use std::sync::Arc;

/// The environment variable with the id of a process's session.
pub const SESSION_VARIABLE: &str = "CCD_SESSION_ID";

/// What the processes of a session are recognised by; each of these is enough.
#[derive(Debug, Clone)]
pub struct Traces {
    /// The session's id, the value of [`SESSION_VARIABLE`].
    pub id: Arc<str>,
    pub leader: Leader,
    /// The device number of the session's terminal, while it is open: later, another terminal may get the number.
    pub tty_device: Option<u64>,
}

impl Traces {
    /// The traces of a session of which only the id is known.
    #[must_use]
    pub fn from_id(id: &str) -> Self {
        Self {
            id: id.into(),
            leader: Leader::Unknown,
            tty_device: None,
        }
    }
}

/// The program of a session. It has opened a session of the kernel, which is named by its process id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leader {
    /// It was not reaped, so the number is its own.
    Present(i32),
    /// It was reaped. The number is not given to another process while the kernel's session has any.
    Reaped(i32),
    Unknown,
}
