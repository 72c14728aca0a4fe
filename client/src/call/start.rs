//! Starts a daemon if none is running; only one, however many clients ask at once.

use super::activation;
use super::connect_error::ConnectError;
use super::failure::Failure;
use super::launch::{self, StartOutput};
use super::local_socket::LocalSocket;
use super::request::Connection;
use super::start_files::{LOCK, OUTPUT, SocketFolder};
use ccd_protocol::NoParams;
use ccd_protocol::daemon::DaemonPing;
use rustix::fs::{FlockOperation, flock};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a daemon may take until it accepts connections.
const START_LIMIT: Duration = Duration::from_secs(10);

const LOOK_PAUSE: Duration = Duration::from_millis(3);

/// How long the daemon that holds the lock may take until it accepts connections, after ours has exited.
const OTHER_LIMIT: Duration = Duration::from_secs(2);

/// Starts a daemon at `socket`, unless another client is doing so, and connects to it.
pub(crate) fn start(socket: &LocalSocket) -> Result<UnixStream, ConnectError> {
    let deadline = Instant::now() + START_LIMIT;
    let folder = SocketFolder::open(&socket.path, socket.is_named).map_err(not_started)?;
    let lock = folder.file(LOCK).map_err(not_started)?;
    while flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
        if let Some(stream) = look(socket) {
            return Ok(stream);
        }
        if Instant::now() > deadline {
            return Err(silent(socket, "another ccctl is starting it"));
        }
        std::thread::sleep(LOOK_PAUSE);
    }
    if let Some(stream) = look(socket) {
        return Ok(stream);
    }
    if activation::start_unit(socket)
        && let Some(stream) = look(socket)
    {
        return Ok(stream);
    }
    let output = StartOutput {
        file: folder.file(OUTPUT).map_err(not_started)?,
        path: folder.path(OUTPUT),
    };
    launch_and_wait(socket, &output, deadline)
}

/// Makes the directory of a socket as a start does; `is_named` says that the user chose the socket.
pub(crate) fn make_socket_folder(socket: &Path, is_named: bool) -> Result<(), ConnectError> {
    let made = SocketFolder::open(socket, is_named);
    made.map(drop).map_err(not_started)
}

fn not_started(why: String) -> ConnectError {
    ConnectError::Failed(format!("could not start a daemon: {why}"))
}

fn launch_and_wait(
    socket: &LocalSocket,
    output: &StartOutput,
    deadline: Instant,
) -> Result<UnixStream, ConnectError> {
    let mut daemon = launch::launch(socket, output).map_err(not_started)?;
    let mut deadline = deadline;
    let mut has_left = false;
    loop {
        if let Some(stream) = look(socket) {
            // A client that goes on for long must not keep a zombie. If no thread can be started, it does.
            let _ = std::thread::Builder::new().spawn(move || daemon.wait());
            return Ok(stream);
        }
        if !has_left && let Ok(Some(status)) = daemon.try_wait() {
            if !status.success() {
                let why = output.last_words();
                let text = format!("the daemon exited while starting ({status}): {why}");
                return Err(ConnectError::Failed(text));
            }
            // Another daemon has the lock: it is about to listen here, or listens elsewhere.
            has_left = true;
            deadline = deadline.min(Instant::now() + OTHER_LIMIT);
        }
        if Instant::now() > deadline {
            return Err(silent(socket, &output.last_words()));
        }
        std::thread::sleep(LOOK_PAUSE);
    }
}

/// A connection to a daemon that replies.
/// A daemon listens before it has opened its files. If it fails then, earlier connections never get a reply.
fn look(socket: &LocalSocket) -> Option<UnixStream> {
    let stream = socket.connect().ok().flatten()?;
    let answer = Connection::over(stream.try_clone().ok()?).call::<DaemonPing>(&NoParams {});
    (!matches!(answer, Err(Failure::Lost { .. }))).then_some(stream)
}

fn silent(socket: &LocalSocket, last_words: &str) -> ConnectError {
    let socket = socket.path.display();
    let text = format!("no daemon started to listen at {socket}: {last_words}");
    ConnectError::Failed(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::os::unix::net::UnixListener;

    #[test]
    fn who_waits_for_the_lock_takes_the_daemon_of_the_other() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("s");
        let place = LocalSocket::named(socket.clone());
        let beside = SocketFolder::open(&socket, true).unwrap();
        let lock = beside.file(LOCK).unwrap();
        flock(&lock, FlockOperation::LockExclusive).unwrap();
        let waiting = std::thread::spawn(move || start(&place).map(|_| ()));
        let listener = UnixListener::bind(&socket).unwrap();
        // The first server closes the connection without a reply, like a daemon that fails while starting.
        drop(listener.accept().unwrap());
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = String::new();
        BufReader::new(&stream).read_line(&mut request).unwrap();
        writeln!(stream, r#"{{"jsonrpc":"2.0","id":1,"result":{{}}}}"#).unwrap();
        assert!(waiting.join().unwrap().is_ok());
        drop((listener, lock));
    }
}
