//! Finds the daemon's socket and connects to it.

use super::activation;
use super::failure::Failure;
use super::foreign_folder::ForeignFolder;
use super::host::{Host, HostError};
use super::no_folder::NoFolder;
use super::peer::{self, Foreign};
use super::processes;
use super::request::{Connection, pinged};
use super::ssh::{HostLink, SshError};
use super::start;
use super::start_files::where_else;
use crate::Exit;
use crate::args::Global;
use ccd_protocol::Inherited;
use ccd_protocol::socket::{SocketPathError, socket_path};
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsString;
use std::fmt::{self, Display};
use std::io;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// How often a daemon of root is asked whether it serves this user: one that is about to exit does not reply, the next does.
const MAX_ASKS: u32 = 5;

/// How long a daemon whose socket is gone may take to listen again.
const REVIVE_LIMIT: Duration = Duration::from_secs(2);

const REVIVE_PAUSE: Duration = Duration::from_millis(5);

#[derive(Debug, thiserror::Error)]
pub(crate) enum ConnectError {
    #[error(transparent)]
    Path(#[from] SocketPathError),
    #[error(transparent)]
    Host(#[from] HostError),
    #[error(transparent)]
    Ssh(#[from] SshError),
    #[error("no daemon is running at {place}; ccctl daemon start starts one")]
    NoDaemon { place: String },
    #[error(
        "the daemon has ended, and the session {session} with it; ccctl read {session} still prints its output"
    )]
    Gone { session: String },
    #[error("the connection broke: {why}; the session {session} keeps running there")]
    Broken { session: String, why: String },
    #[error("could not connect to {}: {source}{advice}", .socket.display())]
    Socket {
        socket: PathBuf,
        source: io::Error,
        advice: String,
    },
    #[error("the daemon does not serve this user: {0}; choose another socket")]
    Refused(Foreign),
    #[error(transparent)]
    Start(#[from] start::StartError),
}

impl ConnectError {
    pub(crate) fn exit(&self) -> Exit {
        match self {
            ConnectError::Path(_) | ConnectError::Host(_) => Exit::Usage,
            ConnectError::Ssh(SshError::Refused { .. }) => Exit::Refused,
            _ => Exit::NoDaemon,
        }
    }
}

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

#[derive(Debug, Clone)]
pub(super) struct LocalSocket {
    pub(super) path: PathBuf,
    /// True if the socket was named on the command line; a daemon that is started then gets it as an option.
    pub(super) is_explicit: bool,
    /// True if the user named it at all, so its directory is not the daemon's own.
    pub(super) is_named: bool,
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
        Ok(match host_asked_for(global, env) {
            Some(host) => Self {
                at: At::Elsewhere(Arc::new(HostLink::new(host.parse()?, global.verbose))),
                ..place
            },
            None => place,
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
                path: socket_path(socket, env)?,
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

impl LocalSocket {
    /// Connects to a running daemon that serves this user; `None` if nobody listens.
    /// Where root listens, only a request shows whether it does so for a daemon of this user, as a service manager of the
    /// system may, or for its own, which closes the connections of other users without a word.
    pub(super) fn connect(&self) -> Result<Option<UnixStream>, ConnectError> {
        let mut asks = 0;
        loop {
            let Some(stream) = self.open()? else {
                return Ok(None);
            };
            let Ok(Some(foreign)) = peer::foreign(&stream) else {
                return Ok(Some(stream));
            };
            asks += 1;
            match pinged(stream) {
                Ok(stream) => return Ok(Some(stream)),
                Err(Failure::Lost { .. }) if asks < MAX_ASKS => {}
                Err(Failure::Lost { .. }) => return Err(ConnectError::Refused(foreign)),
                // It is at a limit, or hangs: the request that follows says so.
                Err(_) => return self.open(),
            }
        }
    }

    fn open(&self) -> Result<Option<UnixStream>, ConnectError> {
        let connected = UnixStream::connect(&self.path);
        match connected.and_then(|stream| peer::check(&stream).map(|()| stream)) {
            Ok(stream) => Ok(Some(stream)),
            Err(source) => match NoFolder::above(&self.path) {
                Some(found) => Err(self.elsewhere(io::Error::other(found))),
                None if nobody_listens(&source) => Ok(None),
                None => Err(self.unusable(source)),
            },
        }
    }

    fn unusable(&self, source: io::Error) -> ConnectError {
        let is_closed = source.kind() == io::ErrorKind::PermissionDenied;
        match ForeignFolder::above(&self.path).filter(|_| is_closed) {
            Some(folder) => self.elsewhere(io::Error::other(folder)),
            None => ConnectError::Socket {
                socket: self.path.clone(),
                advice: advice(&source).to_owned(),
                source,
            },
        }
    }

    fn elsewhere(&self, source: io::Error) -> ConnectError {
        ConnectError::Socket {
            socket: self.path.clone(),
            source,
            advice: format!("; {}", where_else(self.is_named)),
        }
    }

    #[cfg(test)]
    pub(super) fn named(path: PathBuf) -> Self {
        Self {
            path,
            is_explicit: true,
            is_named: true,
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
    pub(crate) fn of_socket(path: PathBuf) -> Self {
        Self {
            at: At::Here(LocalSocket::named(path)),
            may_start: false,
            may_ask: false,
        }
    }
}

fn advice(error: &io::Error) -> &'static str {
    let is_foreign = error.get_ref().is_some_and(|source| source.is::<Foreign>());
    match error.kind() {
        _ if is_foreign => "; choose another socket, or run ccctl as the user it belongs to",
        io::ErrorKind::PermissionDenied => {
            "; a daemon serves only its own user: choose another socket, or run ccctl as the daemon's user"
        }
        _ => "",
    }
}

/// True if there is no socket file, or only one that a killed daemon left.
fn nobody_listens(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused
    )
}

#[cfg(test)]
mod tests {
    use super::*;
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
