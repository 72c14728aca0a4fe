//! The handle through which the worker talks to the holder, be it a thread or a process.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

#[cfg(any(portable, test))]
use super::descriptors::DescriptorLimits;
use super::error::{REQUESTS_LEN, SpawnError};
use super::link::port::{Port, blob, send_over};
use super::link::shared::SharedMemory;
#[cfg(any(portable, test))]
use super::link::wake::events;
use super::link::wake::{NewsReceiver, WakeSignal, WakeSignals};
use super::link::wire::{SpawnSpec, StartedProgram, ToHolder, ToWorker};
use super::platform::KeptFile;
#[cfg(any(portable, test))]
use super::reader::HolderReader;
use super::ring::Ring;
use super::ring::RingError;
use crate::probe::Probe;

/// A session that was started.
#[derive(Debug)]
pub struct Spawned {
    /// The holder's number for it, until [`Holder::release`].
    pub slot: usize,
    pub pid: i32,
    /// The terminal, for writing, resizing and reading its modes. It is non-blocking, which must not be changed: the
    /// holder reads the same open file.
    pub master: OwnedFd,
    pub ring: Ring,
    /// The device number of the terminal for the program (`st_rdev`).
    pub tty_device: u64,
    /// For the next worker.
    pub kept_state: KeptFile,
}

/// A session that an earlier worker has started.
#[derive(Debug)]
pub struct Adopted {
    /// The last kept state that the worker has written.
    pub kept_state: Vec<u8>,
    pub kept_file: KeptFile,
    pub slot: usize,
    pub pid: i32,
    pub tty_device: u64,
    /// The terminal and the ring.
    pub opened: Result<(OwnedFd, Ring), RingError>,
}

#[derive(Debug)]
pub struct HolderNews {
    /// For terminals that do not flood, and for all exits.
    pub quiet: NewsReceiver,
    /// For terminals that print faster than they are read.
    pub floods: NewsReceiver,
}

/// A cheap handle to the holder. The holder stops when the last one is dropped, except before [`Holder::ready`] and
/// after [`Holder::leave`].
#[derive(Debug, Clone)]
pub struct Holder(Arc<Link>);

#[derive(Debug)]
struct Link {
    shared: Arc<SharedMemory>,
    wake: WakeSignal,
    socket: OwnedFd,
    requests: Mutex<PendingRequests>,
    thread: Mutex<Option<JoinHandle<()>>>,
    /// The holder keeps running without this worker: another worker will follow.
    is_left: AtomicBool,
    /// Cancelled when the holder has ended.
    gone: CancellationToken,
    secret: [u8; 32],
}

#[derive(Debug, Default)]
struct PendingRequests {
    last: u32,
    unanswered: HashMap<u32, PendingRequest>,
    /// No more answers will come.
    are_over: bool,
}

#[derive(Debug)]
enum PendingRequest {
    Start(PendingStart),
    Probe(oneshot::Sender<Option<Probe>>),
}

#[derive(Debug)]
struct PendingStart {
    ring_path: PathBuf,
    kept_state: KeptFile,
    reply: oneshot::Sender<Result<Spawned, SpawnError>>,
}

impl Holder {
    /// Starts the holder as a thread. Must be called inside the runtime.
    /// It only reaps its own children.
    #[cfg(any(portable, test))]
    pub fn start(limits: DescriptorLimits) -> io::Result<(Self, HolderNews)> {
        let signals = WakeSignals::new(SharedMemory::create()?.0, events()?);
        let (own, port) = Port::pair()?;
        let reader = HolderReader::new(signals.clone(), port, limits)?;
        let thread = std::thread::Builder::new()
            .name("holder".into())
            .spawn(move || {
                let _ = reader.run();
            })?;
        let (holder, news) = Self::attach(own, signals, rand::random())?;
        holder.0.is_left.store(false, SeqCst);
        *holder.0.thread.lock() = Some(thread);
        Ok((holder, news))
    }

    /// Returns the handle to a holder that is connected by `port`. Must be called inside the runtime.
    pub(super) fn attach(
        port: Port,
        signals: WakeSignals,
        secret: [u8; 32],
    ) -> io::Result<(Self, HolderNews)> {
        let link = Arc::new(Link {
            shared: signals.shared,
            wake: signals.holder,
            socket: port.sender()?,
            requests: Mutex::default(),
            // A worker that fails before it has taken everything over must not end any session.
            is_left: AtomicBool::new(true),
            gone: CancellationToken::new(),
            secret,
            thread: Mutex::default(),
        });
        let news = HolderNews {
            quiet: NewsReceiver::new(signals.quiet),
            floods: NewsReceiver::new(signals.floods),
        };
        tokio::spawn(answers(port, Arc::downgrade(&link)));
        Ok((Self(link), news))
    }

    /// Returns the random number that was drawn when the holder started; it is the same for all its workers.
    pub fn secret(&self) -> [u8; 32] {
        self.0.secret
    }

    /// Reports that everything is taken over and that calls are served.
    pub fn ready(&self) {
        self.0.is_left.store(false, SeqCst);
        // If the holder has ended, that is noticed elsewhere.
        let _ = send_over(&self.0.socket, &ToHolder::Ready, &[]);
    }

    pub fn listen(&self, listener: impl AsFd) -> io::Result<()> {
        send_over(&self.0.socket, &ToHolder::Listen, &[listener.as_fd()])
    }

    /// Starts a program on a new terminal. The holder keeps `kept_state` for the next worker, without interpreting it;
    /// [`KeptFile::write`] replaces it.
    /// If the caller is cancelled before the answer, the program is killed and its ring removed.
    /// [`SpawnError::Busy`] if [`REQUESTS_LEN`] requests are waiting already.
    pub async fn spawn(&self, spec: SpawnSpec, kept_state: &[u8]) -> Result<Spawned, SpawnError> {
        let (reply, answer) = oneshot::channel();
        let no_memory = |error: io::Error| {
            SpawnError::from_exhaustion(&error)
                .unwrap_or_else(|| SpawnError::Terminal(error.into()))
        };
        let blob = blob(&spec).map_err(no_memory)?;
        let kept_state = KeptFile::create(kept_state).map_err(no_memory)?;
        let kept = kept_state.descriptor().map_err(no_memory)?;
        let start = PendingStart {
            ring_path: spec.ring_path,
            kept_state,
            reply,
        };
        let descriptors: Vec<_> = [&blob].into_iter().chain(&kept).map(AsFd::as_fd).collect();
        let message = |request| ToHolder::Start { request };
        self.0
            .ask(PendingRequest::Start(start), message, &descriptors)?;
        answer.await.map_err(|_| SpawnError::Stopped)?
    }

    /// Checks what the program in a slot waits for. Runs in the holder, which may inspect its children.
    /// Returns `None` if the session has ended or was released, or if the holder is too busy.
    pub async fn probe(&self, slot: usize, tty_device: u64) -> Option<Probe> {
        let (reply, answer) = oneshot::channel();
        let message = |request| ToHolder::Look {
            request,
            slot: slot as u32,
            tty_device,
        };
        let at = Instant::now();
        self.0
            .ask(PendingRequest::Probe(reply), message, &[])
            .ok()?;
        let found = answer.await.ok()?;
        found.map(|probe| Probe { at, ..probe })
    }

    /// Makes the holder read again, after `Ring::set_tail` has returned true.
    pub fn space_freed(&self, slot: usize) {
        self.0.shared.to_holder.space_freed.insert(slot);
        self.0.wake.send();
    }

    /// Reports that this process has returned a terminal that was lent to it.
    pub fn returned(&self, slot: usize) {
        self.0.shared.to_holder.returned.insert(slot);
        self.0.wake.send();
    }

    /// Begins work on a session's log, whose faults could kill this worker and then the next ones; it ends when the
    /// returned value is dropped.
    pub fn works_at(&self, slot: usize) -> AtWork<'_> {
        AtWork {
            shared: &self.0.shared,
            slot,
            deaths: self.0.shared.deaths.add(slot),
        }
    }

    /// Returns how many workers in a row died while they worked on a session's log.
    pub fn deaths_at(&self, slot: usize) -> u8 {
        self.0.shared.deaths.get(slot)
    }

    /// Ends the holder's part of a session: closes its terminal and deletes the ring's file. If the program is still
    /// alive, the kernel sends it HUP once the worker's [`Spawned::master`] is closed too, and it is still reaped.
    pub fn release(&self, slot: usize) {
        self.0.release(slot);
    }

    /// Reports that all sessions are being ended: after a kill, the next worker continues with that.
    pub fn stopping(&self) {
        // If the holder has ended, that is noticed elsewhere.
        let _ = send_over(&self.0.socket, &ToHolder::Stopping, &[]);
    }

    /// Reports that this process ends and another one follows, of the build in the file or of this one.
    pub fn leave(&self, build: Option<&OwnedFd>) -> io::Result<()> {
        let build = build.map(AsFd::as_fd);
        send_over(&self.0.socket, &ToHolder::Leave, build.as_slice())?;
        self.0.is_left.store(true, SeqCst);
        Ok(())
    }

    /// Returns when the holder has ended, for whatever reason.
    pub async fn gone(&self) {
        self.0.gone.cancelled().await;
    }

    pub fn is_gone(&self) -> bool {
        self.0.gone.is_cancelled()
    }

    /// Stops the holder and waits until its thread has ended. Terminals are closed; ring files are kept.
    pub fn stop(&self) {
        self.0.stop();
    }
}

/// Work on a session's log. If the worker dies meanwhile, the next one knows at which session.
#[derive(Debug)]
pub struct AtWork<'a> {
    shared: &'a SharedMemory,
    slot: usize,
    deaths: u8,
}

impl AtWork<'_> {
    /// Returns how many workers in a row died at it before.
    pub fn deaths(&self) -> u8 {
        self.deaths
    }

    /// Ends the work at which a worker would die again if the session's log were the reason.
    pub fn succeeded(mut self) {
        self.deaths = 0;
    }
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.shared.deaths.set(self.slot, self.deaths);
    }
}

impl Link {
    /// Sends a message with the number of the request, and registers the receiver of the answer.
    fn ask(
        &self,
        request: PendingRequest,
        message: impl FnOnce(u32) -> ToHolder,
        descriptors: &[BorrowedFd<'_>],
    ) -> Result<(), SpawnError> {
        let mut requests = self.requests.lock();
        if requests.are_over {
            return Err(SpawnError::Stopped);
        }
        if requests.unanswered.len() >= REQUESTS_LEN {
            return Err(SpawnError::Busy);
        }
        requests.last = requests.last.wrapping_add(1);
        let number = requests.last;
        requests.unanswered.insert(number, request);
        send_over(&self.socket, &message(number), descriptors).map_err(|_| {
            requests.unanswered.remove(&number);
            SpawnError::Stopped
        })
    }

    fn answer(&self, answer: ToWorker, descriptors: Vec<OwnedFd>) -> io::Result<()> {
        match answer {
            ToWorker::Welcome(_) | ToWorker::Held => {
                return Err(io::ErrorKind::InvalidData.into());
            }
            ToWorker::Looked { request, found } => {
                let asked = self.requests.lock().unanswered.remove(&request);
                if let Some(PendingRequest::Probe(reply)) = asked {
                    let _ = reply.send(found); // the caller may have been cancelled
                }
            }
            ToWorker::Started { request, result } => {
                let asked = self.requests.lock().unanswered.remove(&request);
                let Some(PendingRequest::Start(start)) = asked else {
                    return Err(io::ErrorKind::InvalidData.into());
                };
                let spawned = match result {
                    Ok(started) => {
                        self.spawned(started, start.kept_state, &start.ring_path, descriptors)
                    }
                    Err(error) => Err(error),
                };
                if let Err(Ok(unclaimed)) = start.reply.send(spawned) {
                    self.discard(unclaimed.pid, unclaimed.slot);
                }
            }
        }
        Ok(())
    }

    fn spawned(
        &self,
        started: StartedProgram,
        kept_state: KeptFile,
        ring_path: &Path,
        descriptors: Vec<OwnedFd>,
    ) -> Result<Spawned, SpawnError> {
        let slot = started.slot as usize;
        let master = descriptors.into_iter().next();
        let opened = master.ok_or_else(SpawnError::no_descriptor);
        let opened = opened.and_then(|master| Ok((master, Ring::open(ring_path)?)));
        let (master, ring) = opened.inspect_err(|_| self.discard(started.pid, slot))?;
        Ok(Spawned {
            slot,
            pid: started.pid,
            master,
            ring,
            tty_device: started.tty_device,
            kept_state,
        })
    }

    /// Kills a program that is no longer wanted, and releases its slot.
    fn discard(&self, pid: i32, slot: usize) {
        if let Some(leader) = Pid::from_raw(pid) {
            // It leads its own process group. It is fine if it has just ended.
            let _ = kill_process_group(leader, Signal::KILL);
        }
        self.release(slot);
    }

    fn release(&self, slot: usize) {
        self.shared.to_holder.released.insert(slot);
        self.wake.send();
    }

    fn stop(&self) {
        self.shared.to_holder.stop.store(true, SeqCst);
        self.wake.send();
        let thread = self.thread.lock().take();
        if let Some(Err(_)) = thread.map(JoinHandle::join) {
            tracing::error!("the holder panicked");
        }
        self.end_requests();
    }

    /// Ends the wait of all callers, because no answer will come.
    fn end_requests(&self) {
        let mut requests = self.requests.lock();
        requests.are_over = true;
        requests.unanswered.clear();
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if !self.is_left.load(SeqCst) {
            self.stop();
        }
    }
}

/// Passes the holder's answers to the waiting callers, until the holder has ended.
async fn answers(port: Port, link: Weak<Link>) {
    let pass_on = |answer, descriptors| match link.upgrade() {
        Some(link) => link.answer(answer, descriptors),
        None => Err(io::ErrorKind::NotConnected.into()),
    };
    let heard = port.receive_all(pass_on).await;
    if let Some(link) = link.upgrade() {
        if let Err(error) = heard {
            tracing::error!(%error, "the holder sent something unreadable");
        }
        link.end_requests();
        link.gone.cancel();
    }
}
