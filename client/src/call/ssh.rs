//! Connections to the daemon of another host: the standard input and output of `ssh`, or of the engine of a container, which
//! runs `ccctl dial` there.

use super::connect_error::ConnectError;
use super::failure::{Failure, message_of};
use super::host::Host;
use super::request::Connection;
use ccd_protocol::daemon::DaemonPing;
use ccd_protocol::{ErrorCode, ErrorObject, Inherited, Method as _, NoParams};
use parking_lot::Mutex;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fmt::Display;
use std::io::{self, Read as _};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The notification with which `ccctl dial` starts: the file mode mask and the limits of the login over there.
pub(crate) const GREETING: &str = "dial.inherited";

const TALKATIVE: &str =
    "the shell there prints text before it runs a command; make its start-up files silent";

/// Exit status of `ssh` if there is no connection.
const NO_CONNECTION: i32 = 255;

/// Exit statuses of a shell for a program that it cannot run.
const NO_PROGRAM: [i32; 2] = [126, 127];

/// How long to wait for the last text of an `ssh` that has ended. A master that it left in the background keeps the pipe
/// open.
const LAST_WORDS_LIMIT: Duration = Duration::from_millis(300);

/// Most text of `ssh` that is kept, in bytes.
const MAX_SAID_LEN: usize = 4 << 10;

#[derive(Debug)]
pub(crate) struct HostLink {
    pub(crate) host: Host,
    is_verbose: bool,
    state: Mutex<LinkState>,
}

#[derive(Debug, Default)]
struct LinkState {
    /// A connection that is free for the next request.
    spare: Option<UnixStream>,
    /// Kept to collect their statuses.
    running: Vec<Child>,
    /// What programs inherit from the login over there, as `ccctl dial` has said.
    inherited: Option<Inherited>,
}

impl HostLink {
    pub(crate) fn new(host: Host, is_verbose: bool) -> Self {
        Self {
            host,
            is_verbose,
            state: Mutex::default(),
        }
    }

    /// Connects; `None` if no daemon is running there and none may be started.
    pub(crate) fn connect(
        &self,
        may_start: bool,
        may_ask: bool,
    ) -> Result<Option<UnixStream>, ConnectError> {
        if let Some(spare) = self.state.lock().spare.take().filter(is_open) {
            return Ok(Some(spare));
        }
        let program = self.host.program();
        let failed = |source| self.failed(format!("{program} cannot be run: {source}"));
        let (stream, far) = UnixStream::pair().map_err(failed)?;
        let mut child = self.start(far, may_start, may_ask)?;
        let said = LastWords::listen(child.stderr.take());
        let mut connection = Connection::over(stream.try_clone().map_err(failed)?);
        let why = match connection.call::<DaemonPing>(&NoParams {}) {
            Ok(_) => None,
            Err(Failure::Refused { error, .. }) => Some(self.refused(&error)),
            Err(Failure::Garbled { .. }) => Some(self.failed(TALKATIVE)),
            Err(_) => {
                let _ = stream.shutdown(Shutdown::Both);
                let status = child.wait().map_err(failed)?;
                if status.code() == Some(crate::Exit::NoDaemon.code().into()) && !may_start {
                    return Ok(None);
                }
                // A daemon that ends at this moment is a lost connection to its caller.
                (!status.success()).then(|| self.why(status, &said.line()))
            }
        };
        if let Some(error) = why {
            let _ = stream.shutdown(Shutdown::Both);
            return Err(error);
        }
        let greeting = connection.skipped.take();
        let mut state = self.state.lock();
        state.inherited = greeting.and_then(|message| message.item(GREETING).ok());
        state
            .running
            .retain_mut(|child| matches!(child.try_wait(), Ok(None)));
        state.running.push(child);
        Ok(Some(stream))
    }

    /// Returns what programs inherit from the login over there; connects, if that is not known yet.
    pub(crate) fn inherited(
        &self,
        may_start: bool,
        may_ask: bool,
    ) -> Result<Inherited, ConnectError> {
        if self.state.lock().inherited.is_none()
            && let Some(stream) = self.connect(may_start, may_ask)?
        {
            self.keep(stream);
        }
        Ok(self.state.lock().inherited.clone().unwrap_or_default())
    }

    /// Keeps a connection, on which nothing is outstanding, for the next request.
    pub(crate) fn keep(&self, stream: UnixStream) {
        self.state.lock().spare = Some(stream);
    }

    fn start(
        &self,
        far: UnixStream,
        may_start: bool,
        may_ask: bool,
    ) -> Result<Child, ConnectError> {
        let mut words = Vec::new();
        if !may_start {
            words.push("--no-start".to_owned());
        }
        words.push("dial".to_owned());
        let failed = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound => {
                let program = self.host.program();
                self.failed(format!(
                    "there is no {program} here; install it, or put it on PATH"
                ))
            }
            _ => self.failed(format!("{} cannot be run: {source}", self.host.program())),
        };
        let far = OwnedFd::from(far);
        let mut ssh = self.host.ccctl(&words, may_ask);
        ssh.stdin(far.try_clone().map_err(failed)?)
            .stdout(far)
            .stderr(if self.is_verbose {
                Stdio::inherit()
            } else {
                Stdio::piped()
            });
        leave_signals(&mut ssh);
        ssh.spawn().map_err(failed)
    }

    fn refused(&self, error: &ErrorObject) -> ConnectError {
        match error.known() {
            Some(ErrorCode::VersionMismatch) => self.other_version(&error.message),
            _ => {
                let said = message_of(DaemonPing::NAME, error);
                ConnectError::Refused(format!("{}: {said}", self.host))
            }
        }
    }

    fn why(&self, status: ExitStatus, said: &str) -> ConnectError {
        let named = ["ccctl: ", "ssh: "]
            .iter()
            .find_map(|name| said.strip_prefix(name));
        let said = match named.unwrap_or(said) {
            "" => status.to_string(),
            said => said.to_owned(),
        };
        match status.code() {
            Some(NO_CONNECTION) if self.host.program() == "ssh" => {
                self.failed(format!("ssh could not connect: {said}"))
            }
            Some(code) if NO_PROGRAM.contains(&code) => no_ccctl(&self.host),
            Some(2) if said.contains("'dial'") => self.other_version(&said),
            _ => self.failed(said),
        }
    }

    fn other_version(&self, said: &str) -> ConnectError {
        let own = env!("CARGO_PKG_VERSION");
        self.failed(format!(
            "another version of ccd is installed there ({said}); this is version {own}"
        ))
    }

    fn failed(&self, why: impl Display) -> ConnectError {
        ConnectError::Ssh(format!("{}: {why}", self.host))
    }
}

pub(crate) fn no_ccctl(host: &Host) -> ConnectError {
    ConnectError::Ssh(format!(
        "{host}: ccctl is not installed there; put ccctl and ccd into ~/.local/bin there, or into a directory on PATH"
    ))
}

/// Keeps keys such as `^C` from ending `ssh`: this process passes them on, or ends and closes the connection. `ssh` keeps
/// ignored signals ignored.
fn leave_signals(ssh: &mut Command) {
    let ignore = || {
        for signal in [libc::SIGINT, libc::SIGQUIT, libc::SIGHUP, libc::SIGTERM] {
            // SAFETY: the signal is set to be ignored; there is no handler in this new process.
            unsafe { libc::signal(signal, libc::SIG_IGN) };
        }
        Ok(())
    };
    // SAFETY: between fork and exec only signal is called, which is async-signal-safe and allocates nothing.
    unsafe { ssh.pre_exec(ignore) };
}

/// True if nothing has arrived on an idle connection: neither its end nor anything else.
fn is_open(stream: &UnixStream) -> bool {
    let mut fds = [PollFd::new(stream, PollFlags::IN)];
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    matches!(poll(&mut fds, Some(&now)), Ok(0))
}

/// What `ssh` and the programs over there print to standard error.
struct LastWords {
    said: Arc<Mutex<Vec<u8>>>,
    reader: Option<std::thread::JoinHandle<()>>,
}

impl LastWords {
    fn listen(stderr: Option<ChildStderr>) -> Self {
        let said = Arc::new(Mutex::new(Vec::new()));
        let reader = stderr.and_then(|mut stderr| {
            let said = Arc::clone(&said);
            let read = move || {
                let mut buffer = [0; 1024];
                while let Ok(len @ 1..) = stderr.read(&mut buffer) {
                    let mut said = said.lock();
                    said.extend_from_slice(&buffer[..len]);
                    let excess = said.len().saturating_sub(MAX_SAID_LEN);
                    said.drain(..excess);
                }
            };
            std::thread::Builder::new()
                .name("ssh".to_owned())
                .spawn(read)
                .ok()
        });
        Self { said, reader }
    }

    /// The last line, after the end of `ssh`.
    fn line(&self) -> String {
        let deadline = Instant::now() + LAST_WORDS_LIMIT;
        let is_reading = || {
            self.reader
                .as_ref()
                .is_some_and(|reader| !reader.is_finished())
        };
        while is_reading() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(2));
        }
        let said = self.said.lock();
        let text = String::from_utf8_lossy(&said);
        let line = text.lines().map(str::trim).rfind(|line| !line.is_empty());
        line.unwrap_or_default().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Exit;
    use serde_json::json;

    #[test]
    fn a_daemon_at_its_limit_of_connections_is_no_lost_connection() {
        let link = HostLink::new("ssh://build".parse().unwrap(), false);
        let error = json!({"code": ErrorCode::LimitReached as i32, "message": "3 connections are open",
            "data": {"kind": "limit_reached", "hint": "close some connections"}});
        let error = link.refused(&serde_json::from_value(error).unwrap());
        assert_eq!(
            error.to_string(),
            "ssh://build: 3 connections are open; close some connections"
        );
        assert_eq!(error.exit(), Exit::Refused);
    }
}
