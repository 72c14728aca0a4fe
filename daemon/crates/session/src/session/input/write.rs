//! The writing half of a session's terminal: one writer at a time, never more than the program takes.
//!
//! A program takes it, or a tape that plays in its place; nothing above here knows which.

use ccd_tape::TapeError;
use ccd_tape::record::{Noted, Typed};
use ccd_terminal::lock::lock;
use ccd_terminal::probe::Line;
use ccd_text::canonical;
use ccd_text::piped_line::PipedLine;
use rustix::event::{PollFlags, Timespec};
use rustix::io::Errno;
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::Interest;
use tokio_util::sync::CancellationToken;

use crate::session::error::SEND_QUEUE_LEN;
use crate::session::run::CommandOnTape;
use crate::session::tape::SessionTape;

/// How long a program may take nothing before a send gives up.
pub(super) const INPUT_GRACE: Duration = Duration::from_secs(5);

/// Time between two looks at a terminal that cannot say when it takes more.
const LOOK_PERIOD: Duration = Duration::from_millis(20);

/// Why input did not get to the terminal.
#[derive(Debug)]
pub enum InputError {
    /// The program has ended, is being ended, or has no terminal any more.
    Closed {
        written_bytes: u64,
    },
    Busy,
    /// The program took nothing for [`INPUT_GRACE`].
    Full {
        written_bytes: u64,
    },
    /// Another process goes on with the session; it takes the rest.
    HandedOver {
        written_bytes: u64,
    },
    /// The terminal would cut a line of `len` bytes.
    LineTooLong {
        len: usize,
    },
    /// No tape has it here, or one cannot be read.
    Tape(TapeError),
    Io(std::io::Error),
}

/// What somebody types.
#[derive(Debug, Clone, Copy)]
pub struct Stroke<'a> {
    pub bytes: &'a [u8],
    /// Whoever types knows that it is a secret, which the terminal may show.
    pub is_secret: bool,
    /// It is a command of `session.run`.
    pub command: Option<&'a CommandOnTape>,
}

impl<'a> Stroke<'a> {
    /// Bytes that are no command.
    pub fn new(bytes: &'a [u8], is_secret: bool) -> Self {
        Self {
            bytes,
            is_secret,
            command: None,
        }
    }

    /// The same of other bytes. Those of half a command may have secrets that no rule finds.
    pub fn of<'b>(&self, bytes: &'b [u8]) -> Stroke<'b> {
        Stroke::new(bytes, self.is_secret || self.command.is_some())
    }

    /// As a tape has it.
    pub(crate) fn on_tape(&self) -> &'a [u8] {
        self.command.map_or(self.bytes, |command| &command.line)
    }

    /// For a recording; `canonical` is how the terminal took it.
    pub fn typed(&self, offset: u64, hidden: bool, canonical: bool) -> Typed<'a> {
        Typed {
            bytes: self.on_tape(),
            offset,
            unseen: hidden,
            is_secret: self.is_secret,
            keys: !canonical,
            command: self.command.map(CommandOnTape::recorded),
        }
    }
}

/// What a write did.
#[derive(Debug, Clone, Copy)]
pub struct Written {
    /// The terminal did not echo right before or right after, or it is a line of a private key.
    pub hidden: bool,
    /// The terminal hands on lines, not keys.
    pub canonical: bool,
    /// Offset of the output at the moment of the write.
    pub offset: u64,
    /// The next process needs to know of it: see [`Session::keep`](crate::session::Session::keep).
    pub must_keep: bool,
}

/// The terminal as the worker writes to it.
#[derive(Debug)]
pub struct Input {
    master: Mutex<Option<Arc<OwnedFd>>>,
    turn: tokio::sync::Mutex<()>,
    waiting: AtomicUsize,
    /// Cancelled when nobody will make room any more.
    ended: CancellationToken,
    /// Cancelled when another process is about to go on.
    leaving: CancellationToken,
    /// Records what is typed, or answers it.
    tape: Option<Arc<SessionTape>>,
    /// Of a program between pipes.
    pub(super) piped: Option<Mutex<PipedLine>>,
}

/// What a terminal says about taking more.
enum Room {
    Some,
    /// It reports when there is some.
    None,
    /// Nobody has it open, and nothing is reported. A program may open it again.
    NobodyReads,
}

/// Counts a send as waiting while it lives.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Input {
    pub fn new(
        master: Option<OwnedFd>,
        leaving: CancellationToken,
        tape: Option<Arc<SessionTape>>,
    ) -> Self {
        Self {
            master: Mutex::new(master.map(Arc::new)),
            turn: tokio::sync::Mutex::new(()),
            waiting: AtomicUsize::new(0),
            ended: CancellationToken::new(),
            leaving,
            tape,
            piped: None,
        }
    }

    /// The terminal, while the session holds it.
    pub fn master(&self) -> Option<Arc<OwnedFd>> {
        lock(&self.master).clone()
    }

    /// Nothing that was printed waits in the terminal for the holder.
    pub(crate) fn has_no_output(&self) -> bool {
        let Some(master) = self.master() else {
            return true;
        };
        let mut poll = [rustix::event::PollFd::new(&*master, PollFlags::IN)];
        let ready = rustix::event::poll(&mut poll, Some(&Timespec::default()));
        !(ready.is_ok() && poll[0].revents().contains(PollFlags::IN))
    }

    /// The session's part in tapes.
    pub fn tape(&self) -> Option<&Arc<SessionTape>> {
        self.tape.as_ref()
    }

    /// The program has ended or is being ended: who waits for it to take input gets an answer.
    pub fn end(&self) {
        self.ended.cancel();
    }

    /// Lets go of the terminal.
    pub fn close(&self) {
        self.end();
        lock(&self.master).take();
    }

    /// Switches the echo on or off and returns how the line was before.
    pub fn switch_echo(&self, is_on: bool) -> Line {
        let Some(master) = self.master() else {
            return Line::default();
        };
        let before = Line::of(master.as_fd());
        if before.echo != is_on
            && let Ok(mut modes) = tcgetattr(&master)
        {
            modes.local_modes.set(LocalModes::ECHO, is_on);
            // A terminal that everyone has closed needs none.
            let _ = tcsetattr(&master, OptionalActions::Now, &modes);
        }
        before
    }

    /// Types all of `bytes`; `end` returns the output's offset when the turn has come. The caller knows whether it is a
    /// secret that the terminal may show.
    ///
    /// # Errors
    ///
    /// [`InputError`]; nothing more is written then.
    pub async fn write(
        &self,
        bytes: &[u8],
        is_secret: bool,
        end: impl FnOnce() -> u64,
    ) -> Result<Written, InputError> {
        self.strike(Stroke::new(bytes, is_secret), end).await
    }

    /// Like [`Self::write`].
    ///
    /// # Errors
    ///
    /// [`InputError`]; nothing more is written then.
    pub(crate) async fn strike(
        &self,
        stroke: Stroke<'_>,
        end: impl FnOnce() -> u64,
    ) -> Result<Written, InputError> {
        let bytes = stroke.bytes;
        if self.waiting.fetch_add(1, Ordering::AcqRel) >= SEND_QUEUE_LEN {
            self.waiting.fetch_sub(1, Ordering::AcqRel);
            return Err(InputError::Busy);
        }
        let _waiting = Waiting(&self.waiting);
        let _turn = self.turn.lock().await;
        let master = self
            .master()
            .ok_or(InputError::Closed { written_bytes: 0 })?;
        let before = Line::of(master.as_fd());
        if before.canonical && self.piped.is_none() {
            refuse_long_lines(bytes)?;
        }
        let offset = end();
        if let Some(tape) = self.tape.as_ref().filter(|tape| tape.is_replay()) {
            let read = self.piped_line().map(|mut line| line.take(bytes));
            match &read {
                Some(read) => tape.typed(stroke.of(read)).await?,
                None => tape.typed(stroke).await?,
            }
            return Ok(Written {
                hidden: before.hides_input(),
                canonical: before.canonical,
                offset,
                must_keep: false,
            });
        }
        let never_echoes = self.tape.as_ref().is_some_and(|tape| tape.never_echoes());
        let hides = never_echoes && hides_more(&master);
        let mut read = Vec::new();
        let outcome = match &self.piped {
            Some(_) => self.write_to_pipes(&master, bytes, &mut read).await,
            None => self.write_all(&master, bytes).await,
        };
        let after = Line::of(master.as_fd());
        let hidden = before.hides_input() || after.hides_input();
        let part = written_part(&outcome, bytes.len());
        let stroke = match stroke.command {
            _ if self.piped.is_some() => stroke.of(&read),
            Some(_) if part == bytes.len() => stroke,
            _ => stroke.of(&bytes[..part]),
        };
        // Where the terminal never echoes, that it does not says nothing.
        let unseen = match never_echoes {
            true => hides || hides_more(&master),
            false => hidden,
        };
        let noted = self.record(stroke.typed(offset, unseen, before.canonical));
        let must_keep = noted.is_some_and(|noted| noted.must_keep);
        let counts = |tape: &Arc<SessionTape>| tape.note_live(stroke.bytes);
        let is_counted = self.tape.as_ref().is_some_and(counts);
        outcome.map(|()| Written {
            hidden: hidden || noted.is_some_and(|noted| noted.is_secret),
            canonical: before.canonical,
            offset,
            must_keep: must_keep || is_counted,
        })
    }

    /// Has a recording note what was typed.
    fn record(&self, typed: Typed<'_>) -> Option<Noted> {
        let recording = self.tape.as_ref().and_then(|tape| tape.recording());
        let recording = recording.filter(|_| !typed.bytes.is_empty());
        recording.map(|recording| recording.typed(typed))
    }

    /// Types the terminal's answer to a question of the program. Nobody has typed it, so no tape has it.
    ///
    /// # Errors
    ///
    /// [`InputError`]; nothing more is written then.
    pub async fn answer(&self, bytes: &[u8]) -> Result<(), InputError> {
        if self.tape.as_ref().is_some_and(|tape| tape.is_replay()) {
            return Ok(());
        }
        let _turn = self.turn.lock().await;
        let master = self
            .master()
            .ok_or(InputError::Closed { written_bytes: 0 })?;
        self.write_all(&master, bytes).await
    }

    pub(super) async fn write_all(
        &self,
        master: &Arc<OwnedFd>,
        bytes: &[u8],
    ) -> Result<(), InputError> {
        let mut written = 0;
        let mut deadline = Instant::now() + INPUT_GRACE;
        let mut is_told_of_room = false;
        loop {
            let taken = write_some(master, &bytes[written..]).map_err(|errno| match errno {
                Errno::IO => InputError::Closed {
                    written_bytes: written as u64,
                },
                errno => InputError::Io(errno.into()),
            })?;
            written += taken;
            if written == bytes.len() {
                return Ok(());
            }
            let written_bytes = written as u64;
            if taken > 0 {
                deadline = Instant::now() + INPUT_GRACE;
            } else if Instant::now() >= deadline {
                return Err(InputError::Full { written_bytes });
            } else if is_told_of_room {
                // The terminal contradicts itself; to ask it again at once would take a whole core.
                tokio::time::sleep(LOOK_PERIOD).await;
            }
            tokio::select! {
                biased;
                () = self.ended.cancelled() => return Err(InputError::Closed { written_bytes }),
                () = self.leaving.cancelled() => return Err(InputError::HandedOver { written_bytes }),
                room = wait_for_room(master) => {
                    room.map_err(InputError::Io)?;
                    is_told_of_room = true;
                }
                () = tokio::time::sleep_until(deadline.into()) => {}
            }
        }
    }
}

/// Waits until the terminal takes more. Registered only here, so that idle sessions cost nothing.
async fn wait_for_room(master: &Arc<OwnedFd>) -> std::io::Result<()> {
    let descriptor = ccd_terminal::readiness::watch(Arc::clone(master), Interest::WRITABLE)?;
    loop {
        let mut ready = descriptor.writable().await?;
        match room(master) {
            Room::Some => return Ok(()),
            Room::None => ready.clear_ready(),
            Room::NobodyReads => tokio::time::sleep(LOOK_PERIOD).await,
        }
    }
}

fn room(master: &OwnedFd) -> Room {
    let mut poll = [rustix::event::PollFd::new(master, PollFlags::OUT)];
    match rustix::event::poll(&mut poll, Some(&Timespec::default())) {
        Ok(1..) if poll[0].revents().contains(PollFlags::OUT) => Room::Some,
        Ok(1..) => Room::NobodyReads,
        _ => Room::None,
    }
}

/// Whether a program has switched off more than the echo, which was off: bash does for `read -s`.
fn hides_more(master: &OwnedFd) -> bool {
    tcgetattr(master).is_ok_and(|modes| {
        modes.local_modes.contains(LocalModes::ICANON)
            && !modes.local_modes.contains(LocalModes::ECHOK)
    })
}

/// How many of `len` bytes reached the terminal.
pub(super) fn written_part(outcome: &Result<(), InputError>, len: usize) -> usize {
    match outcome {
        Ok(()) => len,
        Err(
            InputError::Closed { written_bytes }
            | InputError::Full { written_bytes }
            | InputError::HandedOver { written_bytes },
        ) => usize::try_from(*written_bytes).unwrap_or(len).min(len),
        Err(_) => 0,
    }
}

/// Writes what the terminal takes at once.
fn write_some(master: &OwnedFd, bytes: &[u8]) -> Result<usize, Errno> {
    let mut written = 0;
    while written < bytes.len() {
        match rustix::io::write(master, &bytes[written..]) {
            Ok(0) | Err(Errno::AGAIN) => break,
            Ok(len) => written += len,
            Err(Errno::INTR) => {}
            // What was taken before counts; the next write reports the error again.
            Err(_) if written > 0 => break,
            Err(error) => return Err(error),
        }
    }
    Ok(written)
}

/// In canonical mode the kernel drops silently what is over its line buffer: say so instead.
fn refuse_long_lines(bytes: &[u8]) -> Result<(), InputError> {
    if bytes.len() <= canonical::LINE_LEN {
        return Ok(());
    }
    let len = longest_line(bytes);
    if len > canonical::LINE_LEN {
        return Err(InputError::LineTooLong { len });
    }
    Ok(())
}

/// Length of the longest line as the terminal keeps it: a `^V` is not kept, only the byte it quotes.
fn longest_line(bytes: &[u8]) -> usize {
    let (mut longest, mut len, mut is_quoted) = (0, 0, false);
    for &byte in bytes {
        match byte {
            _ if is_quoted => (len, is_quoted) = (len + 1, false),
            canonical::QUOTE => is_quoted = true,
            b'\n' | b'\r' | canonical::END_OF_INPUT => len = 0,
            _ => len += 1,
        }
        longest = longest.max(len);
    }
    longest
}
