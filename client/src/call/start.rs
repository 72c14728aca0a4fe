//! Starts a daemon if none is running; only one, however many clients ask at once.

use super::activation;
use super::connect::Place;
use super::failure::Failure;
use super::launch::{self, LaunchError};
use super::request::Connection;
use ccd_protocol::NoParams;
use ccd_protocol::daemon::DaemonPing;
use rustix::fs::{FlockOperation, flock};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a daemon may take until it accepts connections.
const START_LIMIT: Duration = Duration::from_secs(10);

/// Pause between two attempts to connect.
const LOOK_PAUSE: Duration = Duration::from_millis(3);

/// How long the daemon that holds the lock may take until it accepts connections, after ours has exited.
const OTHER_LIMIT: Duration = Duration::from_secs(2);

/// Why no daemon could be started.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error("could not start a daemon: {}: {source}", .path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("could not start a daemon: {0}")]
    Launch(#[from] LaunchError),
    #[error("the daemon exited while starting ({status}): {last_words}")]
    Ended { status: String, last_words: String },
    #[error("no daemon started to listen at {}: {last_words}", .socket.display())]
    Silent { socket: PathBuf, last_words: String },
}

/// Starts a daemon at `place`, unless another client is doing so, and connects to it.
///
/// # Errors
///
/// [`StartError`] if nothing listens within [`START_LIMIT`], with the last output of the daemon.
pub(crate) fn start(place: &Place) -> Result<UnixStream, StartError> {
    let deadline = Instant::now() + START_LIMIT;
    let folder = place.socket.parent().unwrap_or(Path::new("/"));
    make_private_folder(folder)?;
    let lock = open_lock(&lock_path(&place.socket))?;
    while flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
        if let Some(stream) = look(place) {
            return Ok(stream);
        }
        if Instant::now() > deadline {
            return Err(silent(place, "another ccctl is starting it".to_owned()));
        }
        std::thread::sleep(LOOK_PAUSE);
    }
    if let Some(stream) = look(place) {
        return Ok(stream);
    }
    if activation::start_unit(place)
        && let Some(stream) = look(place)
    {
        return Ok(stream);
    }
    launch_and_wait(place, &folder.join("start.log"), deadline)
}

fn launch_and_wait(place: &Place, log: &Path, deadline: Instant) -> Result<UnixStream, StartError> {
    let mut daemon = launch::launch(place, log)?;
    let mut deadline = deadline;
    let mut has_left = false;
    loop {
        if let Some(stream) = look(place) {
            return Ok(stream);
        }
        if !has_left && let Ok(Some(status)) = daemon.try_wait() {
            if !status.success() {
                return Err(StartError::Ended {
                    status: status.to_string(),
                    last_words: launch::last_words(log),
                });
            }
            // Another daemon has the lock: it is about to listen here, or listens elsewhere.
            has_left = true;
            deadline = deadline.min(Instant::now() + OTHER_LIMIT);
        }
        if Instant::now() > deadline {
            return Err(silent(place, launch::last_words(log)));
        }
        std::thread::sleep(LOOK_PAUSE);
    }
}

/// A connection to a daemon that replies.
///
/// A daemon listens before it has opened its files. If it fails then, earlier connections never get a reply.
fn look(place: &Place) -> Option<UnixStream> {
    let stream = place.try_connect().ok().flatten()?;
    let answer = Connection::over(stream.try_clone().ok()?).call::<DaemonPing>(&NoParams {});
    (!matches!(answer, Err(Failure::Lost { .. }))).then_some(stream)
}

fn silent(place: &Place, last_words: String) -> StartError {
    StartError::Silent {
        socket: place.socket.clone(),
        last_words,
    }
}

/// The lock file is next to the socket, so that two clients with the same socket use the same one.
fn lock_path(socket: &Path) -> PathBuf {
    let mut path = socket.as_os_str().to_owned();
    path.push(".start");
    path.into()
}

fn make_private_folder(folder: &Path) -> Result<(), StartError> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(|source| StartError::File {
            path: folder.to_owned(),
            source,
        })
}

fn open_lock(path: &Path) -> Result<File, StartError> {
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
        .map_err(|source| StartError::File {
            path: path.to_owned(),
            source,
        })
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
        let place = Place {
            socket: socket.clone(),
            is_explicit: true,
            may_start: true,
        };
        let lock = open_lock(&lock_path(&socket)).unwrap();
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
