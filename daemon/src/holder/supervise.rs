//! The holder as a process of its own: starts the worker, passes signals on to it, and ends with it.

use std::io;
use std::os::fd::{AsFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixListener;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Signal, WaitOptions, getppid, kill_process, set_parent_process_death_signal, waitpid,
};

use super::board::Board;
use super::handle::{Adopted, Holder, HolderNews, Spawned};
use super::launch::Originals;
use super::platform::{AskingSignals, Event, PORT, start_worker};
use super::port::{MAX_DESCRIPTORS, Port};
use super::reader::Reader;
use super::ring::{Exit, Ring, exit_of};
use super::wake::{Bell, Line};
use super::wire::{HeldSession, ToWorker, VERSION, Welcome};

/// How long a worker that has said goodbye may take to be gone.
const LEAVE_TIME: Duration = Duration::from_secs(12);

/// Time between two looks whether it is.
const LOOK_PERIOD: Duration = Duration::from_millis(2);

/// A descriptor of each lock.
pub(crate) type Locks = [OwnedFd; 2];

/// After so many workers in a row that did not get to serve, none is started again.
const MAX_RESTARTS: u32 = 5;

/// Pause before the second start in a row; it doubles.
const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// The worker of this holder.
#[derive(Debug)]
pub(super) struct Worker {
    pid: Pid,
    pub(super) signals: AskingSignals,
    house: House,
    /// Starts since the last worker that served.
    restarts: u32,
    /// How it ended.
    ended: Option<Exit>,
}

/// What each worker gets.
#[derive(Debug)]
struct House {
    board: Arc<Board>,
    memory: OwnedFd,
    events: [Arc<Event>; 3],
    listener: OwnedFd,
    locks: Locks,
    owns_path: bool,
}

impl House {
    /// Starts a worker that takes over what is `held`; returns the holder's end of its port.
    fn start_worker(&self, held: &[(HeldSession, Arc<OwnedFd>)]) -> io::Result<(Pid, Port)> {
        let (port, workers_port) = Port::pair()?;
        let welcome = ToWorker::Welcome(Welcome {
            version: VERSION,
            holder_pid: std::process::id().cast_signed(),
            held: held.len() as u32,
            owns_path: self.owns_path,
        });
        let [bell, quiet, floods] = &self.events;
        let [base_lock, socket_lock] = &self.locks;
        port.send(
            &welcome,
            &[
                self.memory.as_fd(),
                bell.as_fd(),
                quiet.as_fd(),
                floods.as_fd(),
                self.listener.as_fd(),
                base_lock.as_fd(),
                socket_lock.as_fd(),
            ],
        )?;
        for some in held.chunks(MAX_DESCRIPTORS) {
            let sessions = some.iter().map(|(session, _)| session.clone()).collect();
            let terminals: Vec<_> = some.iter().map(|(_, terminal)| terminal.as_fd()).collect();
            port.send(&ToWorker::Held(sessions), &terminals)?;
        }
        Ok((start_worker(workers_port.as_fd())?, port))
    }
}

impl Worker {
    /// Starts another one in place of one that a signal has ended, unless that has happened too often; returns the
    /// holder's end of its port.
    pub(super) fn restart(&mut self, held: &[(HeldSession, Arc<OwnedFd>)]) -> Option<Port> {
        self.ended?.signal?;
        if self.restarts == MAX_RESTARTS {
            return None;
        }
        if self.restarts > 0 {
            std::thread::sleep(FIRST_PAUSE * 2_u32.pow(self.restarts - 1));
        }
        self.restarts += 1;
        for news in [&self.house.board.quiet, &self.house.board.floods] {
            news.is_awake.store(false, SeqCst);
        }
        for (session, _) in held {
            self.house
                .board
                .quiet
                .slots
                .insert(session.started.slot as usize);
        }
        let (pid, port) = self.house.start_worker(held).ok()?;
        self.pid = pid;
        self.ended = None;
        Some(port)
    }

    /// It serves: whatever ended the one before, it has got over it.
    pub(super) fn is_ready(&mut self) {
        self.restarts = 0;
    }

    /// Passes on what somebody asks of the daemon.
    pub(super) fn forward_signals(&self) {
        for signal in self.signals.take() {
            // It may have ended, which is heard soon.
            let _ = kill_process(self.pid, signal);
        }
    }

    /// Notes the end of a child; true when that was the worker.
    pub(super) fn has_ended(&mut self, pid: Pid, status: i32) -> bool {
        let is_it = pid == self.pid;
        if is_it {
            self.ended = Some(exit_of(status));
        }
        is_it
    }

    /// Waits until it has ended, and returns how.
    fn wait(&mut self) -> Option<Exit> {
        let deadline = Instant::now() + LEAVE_TIME;
        while self.ended.is_none() {
            match waitpid(Some(self.pid), WaitOptions::NOHANG) {
                Ok(Some((_, status))) => self.ended = Some(exit_of(status.as_raw())),
                Ok(None) if Instant::now() < deadline => std::thread::sleep(LOOK_PERIOD),
                Ok(None) => {
                    let _ = kill_process(self.pid, Signal::KILL);
                }
                Err(_) => break,
            }
        }
        self.ended
    }
}

/// What a daemon is besides its terminals, from its start to its end.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) listener: UnixListener,
    pub(crate) locks: Locks,
    /// The socket's path is ours to remove.
    pub(crate) owns_path: bool,
}

/// Holds the terminals for a worker until that has ended; returns how it ended.
///
/// # Errors
///
/// The kernel's error when the holder cannot be made or the worker not be started.
pub(crate) fn hold(held: &Held, originals: Originals) -> io::Result<Option<Exit>> {
    let signals = AskingSignals::claim()?;
    let (board, memory) = Board::create_shared()?;
    let house = House {
        board: Arc::new(board),
        memory,
        events: [Event::new()?, Event::new()?, Event::new()?].map(Arc::new),
        listener: held.listener.as_fd().try_clone_to_owned()?,
        locks: [held.locks[0].try_clone()?, held.locks[1].try_clone()?],
        owns_path: held.owns_path,
    };
    let [bell, quiet, floods] = house.events.clone();
    let (pid, port) = house.start_worker(&[])?;
    let mut reader = Reader::new(
        Arc::clone(&house.board),
        Bell::of_holder(&house.board, bell),
        port,
        Line::quiet(&house.board, quiet),
        Line::floods(&house.board, floods),
        originals,
    )?;
    reader.supervise(Worker {
        pid,
        signals,
        house,
        restarts: 0,
        ended: None,
    })?;
    Ok(reader.run().and_then(|mut worker| worker.wait()))
}

/// What a worker finds at its start.
pub(crate) struct Welcomed {
    port: Port,
    board: Arc<Board>,
    events: [Event; 3],
    pub(crate) held: Held,
    adopted: Vec<Adopted>,
}

/// Takes over what the holder that has started this process passes to it.
///
/// # Errors
///
/// There is no holder of this version at the other end.
pub(crate) fn join() -> io::Result<Welcomed> {
    // The worker has nothing to do without a holder, and what it has written is safe.
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // SAFETY: who started this process has put its port there, and nobody else here knows it.
    let mut port = Port::of(unsafe { OwnedFd::from_raw_fd(PORT) })?;
    port.receive()?;
    let Some((ToWorker::Welcome(welcome), descriptors)) = port.next()? else {
        return Err(io::ErrorKind::NotConnected.into());
    };
    if welcome.version != VERSION {
        return Err(io::Error::other(format!(
            "the holder speaks version {}, this program {VERSION}",
            welcome.version
        )));
    }
    // It may have ended before it was said what that means.
    if Pid::as_raw(getppid()) != welcome.holder_pid {
        return Err(io::ErrorKind::NotConnected.into());
    }
    super::root::set_holder(welcome.holder_pid);
    let descriptors: [OwnedFd; 7] = descriptors
        .try_into()
        .map_err(|_| io::ErrorKind::InvalidData)?;
    let [
        memory,
        bell,
        quiet,
        floods,
        listener,
        base_lock,
        socket_lock,
    ] = descriptors;
    let board = Arc::new(Board::open(&memory)?);
    let events = [bell, quiet, floods].map(Event::of);
    let held = Held {
        listener: UnixListener::from(listener),
        locks: [base_lock, socket_lock],
        owns_path: welcome.owns_path,
    };
    let adopted = adopt(&mut port, welcome.held as usize)?;
    Ok(Welcomed {
        port,
        board,
        events,
        held,
        adopted,
    })
}

fn adopt(port: &mut Port, count: usize) -> io::Result<Vec<Adopted>> {
    let mut adopted = Vec::new();
    while adopted.len() < count {
        let Some((ToWorker::Held(sessions), terminals)) = port.next()? else {
            return Err(io::ErrorKind::InvalidData.into());
        };
        if sessions.len() != terminals.len() {
            return Err(rustix::io::Errno::MFILE.into());
        }
        for (HeldSession { started, ring_path }, master) in sessions.into_iter().zip(terminals) {
            let ring = Ring::open(&ring_path).map_err(io::Error::other)?;
            let spawned = Spawned {
                slot: started.slot as usize,
                pid: started.pid,
                master,
                ring,
                tty_device: started.tty_device,
            };
            adopted.push(Adopted { ring_path, spawned });
        }
    }
    Ok(adopted)
}

impl Welcomed {
    /// The handle to the holder. Call it inside the runtime.
    ///
    /// # Errors
    ///
    /// The kernel's error when descriptors cannot be made.
    pub(crate) fn into_holder(self) -> io::Result<(Holder, HolderNews, Held, Vec<Adopted>)> {
        let (holder, news) = Holder::attach(self.port, self.board, self.events)?;
        Ok((holder, news, self.held, self.adopted))
    }
}
