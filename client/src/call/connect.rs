//! Where the daemon is, and connections to it.

use super::activation;
use super::connect_error::ConnectError;
use super::host::{Host, HostError};
use super::local_socket::LocalSocket;
use super::processes;
use super::request::Connection;
use super::ssh::HostLink;
use super::start;
use crate::args::Global;
use ccd_protocol::Inherited;
use ccd_protocol::socket::socket_path;
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsString;
use std::fmt::{self, Display};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// How long a daemon whose socket is gone may take to listen again.
const REVIVE_LIMIT: Duration = Duration::from_secs(2);

const REVIVE_PAUSE: Duration = Duration::from_millis(5);

/// Where the daemon is, and whether it may be started.
#[derive(Debug, Clone)]
pub(crate) struct DaemonAddress {
    pub(super) at: At,
    pub(crate) may_start: bool,
    /// True if `ssh` may ask for a password.
    pub(super) may_ask: bool,
}

#[derive(Debug, Clone)]
pub(super) enum At {
    Here(LocalSocket),
    Elsewhere(Arc<HostLink>),
}

/// The other host at which the daemon of this process is.
static ELSEWHERE: OnceLock<DaemonAddress> = OnceLock::new();

/// Returns the place of the daemon, if it is on another host.
pub(crate) fn elsewhere() -> Option<&'static DaemonAddress> {
    ELSEWHERE.get()
}

impl DaemonAddress {
    /// Makes this the place that [`elsewhere`] returns.
    pub(crate) fn make_known(self) {
        let _ = ELSEWHERE.set(self); // a process has one
    }

    /// Returns what programs inherit from the login over there; nothing on this host.
    pub(crate) fn inherited(&self) -> Result<Inherited, ConnectError> {
        match &self.at {
            At::Here(_) => Ok(Inherited::default()),
            At::Elsewhere(link) => link.inherited(self.may_start, self.may_ask),
        }
    }

    /// Returns the place that the options and the environment ask for.
    pub(crate) fn find(
        global: &Global,
        env: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, ConnectError> {
        let place = Self::here(global, &env)?;
        let Some(host) = host_asked_for(global, env) else {
            return Ok(place);
        };
        let host = host.parse();
        let host = host.map_err(|error: HostError| ConnectError::Usage(error.to_string()))?;
        Ok(Self {
            at: At::Elsewhere(Arc::new(HostLink::new(host, global.verbose))),
            ..place
        })
    }

    /// Returns another host, where no daemon is started and no password asked for.
    pub(crate) fn at_host(host: &str) -> Result<Self, HostError> {
        Ok(Self {
            may_start: false,
            may_ask: false,
            at: At::Elsewhere(Arc::new(HostLink::new(host.parse()?, false))),
        })
    }

    /// Returns the place on this host, even if another one is asked for.
    pub(crate) fn here(
        global: &Global,
        env: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, ConnectError> {
        let is_set = |name: &str| env(name).is_some_and(|value| !value.is_empty());
        let forbidden =
            is_set("CCD_NO_START") && env("CCD_NO_START").is_some_and(|value| value != "0");
        let socket = global.socket.as_deref();
        Ok(Self {
            may_start: !global.no_start && !forbidden,
            may_ask: true,
            at: At::Here(LocalSocket {
                is_explicit: socket.is_some(),
                is_named: socket.is_some() || is_set("CCD_SOCKET"),
                path: socket_path(socket, env)
                    .map_err(|error| ConnectError::Usage(error.to_string()))?,
            }),
        })
    }

    /// The same place, where no daemon is started.
    pub(crate) fn without_start(self) -> Self {
        Self {
            may_start: false,
            ..self
        }
    }

    /// The same place, where `ssh` asks for no password: the terminal is in use.
    pub(crate) fn without_questions(self) -> Self {
        Self {
            may_ask: false,
            ..self
        }
    }

    /// The other host, if the daemon is there.
    pub(crate) fn host(&self) -> Option<&Host> {
        match &self.at {
            At::Here(_) => None,
            At::Elsewhere(link) => Some(&link.host),
        }
    }

    /// Connects, after starting a daemon if none is running and that is allowed.
    pub(crate) fn connect(&self) -> Result<UnixStream, ConnectError> {
        let found = match &self.at {
            At::Here(_) if !self.may_start => self.try_connect()?,
            At::Here(socket) => match connect_or_revive(socket)? {
                None => Some(start::start(socket)?),
                found => found,
            },
            At::Elsewhere(link) => link.connect(self.may_start, self.may_ask)?,
        };
        found.ok_or_else(|| self.no_daemon())
    }

    /// Connects as [`Self::connect`] does. On this host, nothing has been sent on the connection.
    pub(crate) fn connect_anew(&self) -> Result<UnixStream, ConnectError> {
        let connected = self.connect()?;
        match &self.at {
            // The daemon may have been asked whether it replies.
            At::Here(socket) => socket.open()?.ok_or_else(|| self.no_daemon()),
            At::Elsewhere(_) => Ok(connected),
        }
    }

    /// Connects to a running daemon; `None` if nobody listens, or only systemd does: a connection would start a daemon.
    pub(crate) fn try_connect(&self) -> Result<Option<UnixStream>, ConnectError> {
        match &self.at {
            At::Here(_) if self.has_unit() && self.processes().is_empty() => Ok(None),
            At::Here(socket) => connect_or_revive(socket),
            At::Elsewhere(link) => link.connect(false, self.may_ask),
        }
    }

    /// True if a connection may start a daemon, because systemd listens where none runs.
    pub(crate) fn has_unit(&self) -> bool {
        matches!(&self.at, At::Here(socket) if activation::has_unit(socket))
    }

    /// Returns the processes of the daemon, if they are on this host: see [`processes::of_socket`].
    pub(crate) fn processes(&self) -> Vec<Pid> {
        match &self.at {
            At::Here(socket) => processes::of_socket(&socket.path),
            At::Elsewhere(_) => Vec::new(),
        }
    }

    /// Keeps a connection to another host for the next request; nothing may be outstanding on it.
    pub(super) fn keep(&self, connection: Connection) {
        if let At::Elsewhere(link) = &self.at {
            link.keep(connection.into_stream());
        }
    }

    pub(crate) fn no_daemon(&self) -> ConnectError {
        ConnectError::NoDaemon {
            place: self.to_string(),
        }
    }
}

/// Connects. If the socket is gone but its daemon runs, that is asked to listen there again.
fn connect_or_revive(socket: &LocalSocket) -> Result<Option<UnixStream>, ConnectError> {
    let mut found = socket.connect()?;
    let deadline = Instant::now() + REVIVE_LIMIT;
    let mut has_asked = false;
    while found.is_none() && Instant::now() < deadline {
        let Some(&holder) = processes::of_socket(&socket.path).first() else {
            break;
        };
        if !has_asked {
            // It may have ended just now.
            let _ = kill_process(holder, Signal::HUP);
            has_asked = true;
        }
        std::thread::sleep(REVIVE_PAUSE);
        found = socket.connect()?;
    }
    Ok(found)
}

impl Display for DaemonAddress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.at {
            At::Here(socket) => socket.path.display().fmt(out),
            At::Elsewhere(link) => link.host.fmt(out),
        }
    }
}

/// The host that the command line names or, unless it names a socket, `$CCD_HOST`.
pub(crate) fn host_asked_for(
    global: &Global,
    env: impl Fn(&str) -> Option<OsString>,
) -> Option<String> {
    let of_environment = || {
        let host = env("CCD_HOST").filter(|_| global.socket.is_none())?;
        Some(host.to_string_lossy().into_owned()).filter(|host| !host.is_empty())
    };
    global.host.clone().or_else(of_environment)
}

#[cfg(test)]
impl DaemonAddress {
    /// The place of a socket, where no daemon is started.
    pub(crate) fn of_socket(path: std::path::PathBuf) -> Self {
        Self {
            at: At::Here(LocalSocket::named(path)),
            may_start: false,
            may_ask: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Exit;
    use std::os::unix::net::UnixListener;

    fn place(socket: &std::path::Path, env: &[(&str, &str)]) -> DaemonAddress {
        let global = Global {
            socket: socket.to_str().map(str::to_owned),
            ..Global::default()
        };
        found(&global, env)
    }

    fn found(global: &Global, env: &[(&str, &str)]) -> DaemonAddress {
        let lookup = |name: &str| {
            let pair = env.iter().find(|(key, _)| *key == name)?;
            Some(pair.1.into())
        };
        DaemonAddress::find(global, lookup).unwrap()
    }

    #[test]
    fn the_command_line_names_host_or_socket_and_then_the_environment_does() {
        let env = [("CCD_HOST", "ssh://e"), ("CCD_SOCKET", "/e")];
        let no_host = [("CCD_HOST", ""), env[1]];
        for (host, socket, env, place) in [
            (Some("ssh://h"), None, &env, "ssh://h"),
            (None, Some("/s"), &env, "/s"),
            (None, None, &env, "ssh://e"),
            (None, None, &no_host, "/e"),
        ] {
            let global = Global {
                host: host.map(str::to_owned),
                socket: socket.map(str::to_owned),
                ..Global::default()
            };
            assert_eq!(found(&global, env).to_string(), place);
        }
    }

    #[test]
    fn a_missing_and_a_left_over_socket_are_no_daemon() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let place = place(&path, &[("CCD_NO_START", "1")]);
        for _ in 0..2 {
            let error = place.connect().unwrap_err();
            assert!(matches!(error, ConnectError::NoDaemon { .. }), "{error}");
            assert_eq!(error.exit(), Exit::NoDaemon);
            drop(UnixListener::bind(&path)); // the file remains
        }
    }

    #[test]
    fn zero_and_empty_do_not_forbid_a_start() {
        let path = std::path::Path::new("/s");
        for (value, may_start) in [("1", false), ("yes", false), ("0", true), ("", true)] {
            let place = place(path, &[("CCD_NO_START", value)]);
            assert_eq!(place.may_start, may_start, "{value:?}");
        }
        assert!(place(path, &[]).may_start);
    }
}
