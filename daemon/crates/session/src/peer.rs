//! The client at the other end of a connection.

use std::sync::{Arc, OnceLock};
use tokio_util::sync::CancellationToken;

const NAME_BYTES: usize = 64;

/// The client that sent a request, in the extensions of every call.
#[derive(Debug, Clone)]
pub struct Peer {
    /// User, as the kernel saw it when the client connected.
    pub uid: u32,
    /// Process that connected; it may have ended since. `None` where the system does not report it.
    pub pid: Option<i32>,
    /// The value that [`Peer::name`] returns, once it is known.
    name: Arc<OnceLock<Arc<str>>>,
    /// Number of the connection, unique while the daemon runs.
    pub connection: u64,
    /// Cancelled when the client has closed the connection in both directions, or was cut off.
    pub gone: CancellationToken,
}

impl Peer {
    /// Makes the peer of a connection from the user and the process that the kernel reports.
    pub fn new(uid: u32, pid: Option<i32>, connection: u64) -> Self {
        Self {
            uid,
            // A process outside this pid namespace is shown as 0.
            pid: pid.filter(|&pid| pid > 0),
            name: Arc::default(),
            connection,
            gone: CancellationToken::new(),
        }
    }

    /// Makes the peer that stands for the daemon itself, for work that ends with `gone`.
    pub(crate) fn daemon(gone: CancellationToken) -> Self {
        Self {
            uid: rustix::process::getuid().as_raw(),
            pid: Some(rustix::process::getpid().as_raw_nonzero().get()),
            name: Arc::new(OnceLock::from(clean_name("ccd"))),
            connection: 0,
            gone,
        }
    }

    /// Returns the same peer under the name that the client gave itself.
    pub fn named(&self, client: &str) -> Self {
        Self {
            name: Arc::new(OnceLock::from(clean_name(client))),
            ..self.clone()
        }
    }

    /// Returns the same peer for work that outlives its connection and ends with `gone`.
    pub fn until(&self, gone: CancellationToken) -> Self {
        Self {
            gone,
            ..self.clone()
        }
    }

    /// Returns the request's `ccd.client`, else the name of the process, which is looked up on the first call.
    pub fn name(&self) -> &Arc<str> {
        self.name
            .get_or_init(|| clean_name(&self.pid.and_then(process_name).unwrap_or_default()))
    }
}

/// Shortens `name` to one printable line, because it goes to logs and tables.
fn clean_name(name: &str) -> Arc<str> {
    let mut clean: String = name.chars().filter(|c| !c.is_control()).collect();
    clean.truncate(clean.floor_char_boundary(NAME_BYTES));
    if clean.is_empty() {
        return "unknown".into();
    }
    clean.into()
}

#[cfg(target_os = "linux")]
fn process_name(pid: i32) -> Option<String> {
    let mut name = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
    name.truncate(name.trim_end().len());
    Some(name)
}

#[cfg(target_os = "macos")]
use ccd_terminal::macos::name as process_name;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_printable() {
        assert_eq!(&*clean_name("ccctl"), "ccctl");
        assert_eq!(&*clean_name("a\nb\x1b[2J"), "ab[2J");
        assert_eq!(&*clean_name(""), "unknown");
        assert_eq!(clean_name(&"é".repeat(40)).len(), NAME_BYTES);
    }
}
