//! The holder as a separate process: it starts the worker, and ends with it.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixListener;
use std::sync::Arc;

use super::descriptors::DescriptorLimits;
use super::link::shared::SharedMemory;
use super::link::wake::{WakeSignals, events};
use super::platform::AskingSignals;
use super::processes::end_descendants;
use super::reader::HolderReader;
use super::supervise::{DaemonEnd, Locks, Worker, WorkerResources};

/// Everything that a daemon holds besides its terminals, from start to end.
#[derive(Debug)]
pub struct Held {
    pub listener: UnixListener,
    pub locks: Locks,
    /// The daemon must remove the socket's path.
    pub owns_path: bool,
}

/// Holds the terminals for its workers until the last one has ended. Returns how it ended. `since` is when the daemon
/// was started.
pub fn hold(held: &Held, limits: DescriptorLimits, since: &str) -> io::Result<DaemonEnd> {
    let signals = AskingSignals::claim()?;
    let (shared, memory) = SharedMemory::create()?;
    let events = events()?;
    let wake_signals = WakeSignals::new(shared, events.clone());
    let resources = WorkerResources {
        shared: Arc::clone(&wake_signals.shared),
        memory,
        events,
        listener: held.listener.as_fd().try_clone_to_owned()?,
        locks: [held.locks[0].try_clone()?, held.locks[1].try_clone()?],
        owns_path: held.owns_path,
        secret: rand::random(),
        since: since.to_owned(),
    };
    let (worker, port) = Worker::first(resources, signals)?;
    let mut reader = HolderReader::new(wake_signals, port, limits)?;
    reader.supervise(worker)?;
    let ended = reader.run().map_or(DaemonEnd::Lost, Worker::wait);
    if !end_descendants() {
        tracing::error!(
            "processes start others faster than they can be stopped, or survive SIGKILL"
        );
    }
    Ok(ended)
}
