//! The handle through which the worker talks to the holder. It knows nothing of the thread behind it.

use std::ffi::CString;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use tokio::sync::oneshot;

use super::descriptors::DescriptorLimits;
use super::error::SpawnError;
use super::launch::Originals;
use super::reader::Reader;
use super::ring::Ring;
use super::umask::Umask;
use super::wake::{Bell, News, SlotSet, Wakes};

/// How many starts and probes may wait for the holder.
pub(crate) const COMMAND_QUEUE_LEN: usize = 64;

/// What to start.
#[derive(Debug)]
pub(crate) struct SpawnSpec {
    /// The file to run, as [`super::resolve()`] returned it.
    pub(crate) program: PathBuf,
    /// The arguments, the first as the caller gave the program's name.
    pub(crate) argv: Vec<CString>,
    /// The whole environment, as `NAME=value`.
    pub(crate) env: Vec<CString>,
    pub(crate) cwd: PathBuf,
    pub(crate) rows: u16,
    pub(crate) cols: u16,
    /// Starts with echo and output processing off.
    pub(crate) plain: bool,
    /// Where the session's ring is made; the file must not exist.
    pub(crate) ring_path: PathBuf,
}

/// A session that was started.
#[derive(Debug)]
pub(crate) struct Spawned {
    /// The holder's number for it, until [`Holder::release`].
    pub(crate) slot: usize,
    pub(crate) pid: i32,
    /// The terminal, to write to, to resize and to ask for its modes. It does not block; never change that, the
    /// holder reads the same open file.
    pub(crate) master: OwnedFd,
    pub(crate) ring: Ring,
    /// The terminal's device number for the program (`st_rdev`).
    pub(crate) tty_device: u64,
}

/// What a probe gets to see: the terminal and the leader's process id; `None` when there is none to look at.
type Look = Box<dyn FnOnce(Option<(BorrowedFd<'_>, i32)>) + Send>;

pub(super) enum Command {
    Spawn {
        spec: Box<SpawnSpec>,
        reply: oneshot::Sender<Result<Spawned, SpawnError>>,
    },
    Probe {
        slot: usize,
        look: Look,
    },
}

/// What the worker leaves for the holder without waiting.
#[derive(Debug)]
pub(super) struct Notes {
    pub(super) bell: Bell,
    pub(super) has_commands: AtomicBool,
    pub(super) space_freed: SlotSet,
    pub(super) idle: SlotSet,
    /// Terminals that flood no more, from the thread that reads floods.
    pub(super) calmed: SlotSet,
    pub(super) released: SlotSet,
    pub(super) stop: AtomicBool,
}

impl Notes {
    fn new() -> io::Result<Self> {
        Ok(Self {
            bell: Bell::new()?,
            has_commands: AtomicBool::new(false),
            space_freed: SlotSet::new(),
            idle: SlotSet::new(),
            calmed: SlotSet::new(),
            released: SlotSet::new(),
            stop: AtomicBool::new(false),
        })
    }

    /// Returns true when the holder has something to do.
    pub(super) fn any(&self) -> bool {
        self.has_commands.load(SeqCst)
            || !self.space_freed.is_empty()
            || !self.idle.is_empty()
            || !self.calmed.is_empty()
            || !self.released.is_empty()
            || self.stop.load(SeqCst)
    }
}

/// What the holder tells the worker.
#[derive(Debug)]
pub(crate) struct HolderNews {
    /// Of terminals that do not flood, and of all ends.
    pub(crate) quiet: Wakes,
    /// Of terminals that print faster than they are read.
    pub(crate) floods: Wakes,
}

/// A cheap handle to the holder. The holder stops when the last one is dropped.
#[derive(Debug, Clone)]
pub(crate) struct Holder {
    commands: SyncSender<Command>,
    notes: Arc<Notes>,
    thread: Arc<HolderThread>,
}

impl Holder {
    /// Starts the holder; `limits` and `umask` say which descriptor limit and file mode mask children get back.
    ///
    /// When [`super::claim_children`] was called before, every child of this process is the holder's: it becomes the
    /// reaper of orphans too, and nothing else may wait for children. Otherwise,
    /// and outside Linux, it reaps its own alone.
    ///
    /// # Errors
    ///
    /// The kernel's error when descriptors or the thread cannot be made.
    pub(crate) fn start(limits: DescriptorLimits, umask: Umask) -> io::Result<(Self, HolderNews)> {
        let (commands, inbox) = sync_channel(COMMAND_QUEUE_LEN);
        let news = Arc::new(News::new()?);
        let flood_news = Arc::new(News::new()?);
        let notes = Arc::new(Notes::new()?);
        let originals = Originals { limits, umask };
        let thread = run(Reader::new(
            inbox,
            Arc::clone(&news),
            Arc::clone(&flood_news),
            Arc::clone(&notes),
            originals,
        )?)?;
        let thread = Arc::new(HolderThread {
            notes: Arc::clone(&notes),
            running: Mutex::new(Some(thread)),
        });
        Ok((
            Self {
                commands,
                notes,
                thread,
            },
            HolderNews {
                quiet: Wakes::new(news),
                floods: Wakes::new(flood_news),
            },
        ))
    }

    /// Starts a program on a new terminal.
    ///
    /// If the caller goes away before the answer, the program is killed and its ring removed.
    ///
    /// # Errors
    ///
    /// [`SpawnError`] says what was wrong; [`SpawnError::Busy`] when [`COMMAND_QUEUE_LEN`] commands wait already.
    pub(crate) async fn spawn(&self, spec: SpawnSpec) -> Result<Spawned, SpawnError> {
        let (reply, answer) = oneshot::channel();
        self.command(Command::Spawn {
            spec: Box::new(spec),
            reply,
        })?;
        answer.await.map_err(|_| SpawnError::Stopped)?
    }

    /// Runs `look` in the holder, which may look into its children, with the terminal and the leader's process id.
    ///
    /// `None` when the session has ended or was released, or when the holder is too busy to look.
    pub(crate) async fn probe<T, F>(&self, slot: usize, look: F) -> Option<T>
    where
        T: Send + 'static,
        F: FnOnce(BorrowedFd<'_>, i32) -> T + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let look: Look = Box::new(move |terminal| {
            if let Some((master, leader)) = terminal {
                // The caller may have gone away; then nobody wants the answer.
                let _ = reply.send(look(master, leader));
            }
        });
        self.command(Command::Probe { slot, look }).ok()?;
        answer.await.ok()
    }

    /// Lets the holder read on, after `Ring::set_tail` returned true.
    pub(crate) fn space_freed(&self, slot: usize) {
        self.notes.space_freed.insert(slot);
        self.notes.bell.ring();
    }

    /// Says that the session has printed nothing for a while: the memory of its ring can go if all of it is logged.
    pub(crate) fn idle(&self, slot: usize) {
        self.notes.idle.insert(slot);
        self.notes.bell.ring();
    }

    /// Ends the holder's part in a session: closes its terminal and deletes the ring's file. A program that still
    /// lives gets HUP from the kernel once the worker's [`Spawned::master`] is closed too, and is still reaped.
    pub(crate) fn release(&self, slot: usize) {
        self.notes.released.insert(slot);
        self.notes.bell.ring();
    }

    /// Stops the holder and waits until its thread has ended. Terminals are closed; ring files stay.
    pub(crate) fn stop(&self) {
        self.thread.stop();
    }

    fn command(&self, command: Command) -> Result<(), SpawnError> {
        self.commands
            .try_send(command)
            .map_err(|error| match error {
                TrySendError::Full(_) => SpawnError::Busy,
                TrySendError::Disconnected(_) => SpawnError::Stopped,
            })?;
        self.notes.has_commands.store(true, SeqCst);
        self.notes.bell.ring();
        Ok(())
    }
}

#[derive(Debug)]
struct HolderThread {
    notes: Arc<Notes>,
    running: Mutex<Option<JoinHandle<()>>>,
}

impl HolderThread {
    fn stop(&self) {
        self.notes.stop.store(true, SeqCst);
        self.notes.bell.ring();
        let running = self
            .running
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(Err(_)) = running.map(JoinHandle::join) {
            tracing::error!("the holder panicked");
        }
    }
}

impl Drop for HolderThread {
    fn drop(&mut self) {
        self.stop();
    }
}

fn run(reader: Reader) -> io::Result<JoinHandle<()>> {
    std::thread::Builder::new()
        .name("holder".into())
        .spawn(move || reader.run())
}

/// What [`Reader::new`] takes commands from.
pub(super) type Inbox = Receiver<Command>;
