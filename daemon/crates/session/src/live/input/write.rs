//! The writing half of a session's terminal: one writer at a time, never more than the program takes.
//! The reader is the program, or a tape that replays in its place; nothing above here knows which.

use ccd_tape::TapeError;
use ccd_tape::record::{Recording, TypedBytes};
use ccd_terminal::probe::LineModes;
use ccd_text::canonical;
use ccd_text::piped_line::PipedLine;
use parking_lot::Mutex;
use rustix::event::{PollFlags, Timespec};
use rustix::io::Errno;
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::io::Interest;
use tokio_util::sync::CancellationToken;

use crate::live::error::SEND_QUEUE_LEN;
use crate::live::run::CommandOnTape;
use crate::live::session::Session;
use crate::live::tape::SessionTape;

/// How long a program may read nothing before a send gives up.
pub(super) const INPUT_GRACE: Duration = Duration::from_secs(5);

/// Time between two checks of a terminal that cannot report when it takes more.
const LOOK_PERIOD: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub enum InputError {
    /// Only the first bytes were written: why, and how many.
    Partial(Stopped, u64),
    Busy,
    LineTooLong {
        len: usize,
    },
    /// The input is not on a tape at this point, or a tape cannot be read.
    Tape(TapeError),
    Io(std::io::Error),
}

/// Why the rest of an input is not written.
#[derive(Debug, Clone, Copy)]
pub enum Stopped {
    /// The program has ended, is being ended, or no longer has a terminal.
    Closed,
    /// The program read nothing for [`INPUT_GRACE`].
    Full,
    /// Another process takes over the session and writes the rest.
    HandedOver,
}

impl InputError {
    /// The error of an input of which nothing can be written.
    pub const CLOSED: Self = Stopped::Closed.after(0);
}

impl Stopped {
    const fn after(self, written: usize) -> InputError {
        InputError::Partial(self, written as u64)
    }
}

#[derive(Debug, Clone, Copy)]
pub struct TerminalInput<'a> {
    pub bytes: &'a [u8],
    /// The caller knows that it is a secret, which the terminal may echo.
    pub is_secret: bool,
    /// It is a command of `session.run`.
    pub command: Option<&'a CommandOnTape>,
}

impl<'a> TerminalInput<'a> {
    /// Bytes that are no command.
    pub fn new(bytes: &'a [u8], is_secret: bool) -> Self {
        Self {
            bytes,
            is_secret,
            command: None,
        }
    }

    /// The same of other bytes. Those of half a command may have secrets that no rule finds.
    pub fn with_bytes<'b>(&self, bytes: &'b [u8]) -> TerminalInput<'b> {
        TerminalInput::new(bytes, self.is_secret || self.command.is_some())
    }

    pub(crate) fn on_tape(&self) -> &'a [u8] {
        self.command.map_or(self.bytes, |command| &command.line)
    }

    /// Returns the input for a recording; `canonical` is the terminal's mode when it was typed.
    pub fn typed(&self, offset: u64, hidden: bool, canonical: bool) -> TypedBytes<'a> {
        TypedBytes {
            bytes: self.on_tape(),
            offset,
            unseen: hidden,
            is_secret: self.is_secret,
            keys: !canonical,
            command: self.command.map(CommandOnTape::recorded),
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Written {
    /// The terminal did not echo just before or just after, or the input is a line of a private key.
    pub hidden: bool,
    /// The terminal hands over lines, not keys.
    pub canonical: bool,
    /// Offset of the output at the time of the write.
    pub offset: u64,
    /// The next process must know of it: see [`Session::keep`](crate::live::Session::keep).
    pub must_keep: bool,
}

#[derive(Debug)]
pub struct SessionInput {
    master: Mutex<Option<Arc<OwnedFd>>>,
    turn: tokio::sync::Mutex<()>,
    waiting: AtomicUsize,
    /// Cancelled when the program will read no more.
    ended: CancellationToken,
    /// Cancelled when another process is about to take over.
    leaving: CancellationToken,
    /// Records the input, or replays the answer to it. Released at the end, because it keeps a directory of tapes open.
    tape: Mutex<Option<Arc<SessionTape>>>,
    /// Set for a program over pipes.
    pub(super) piped: Option<Mutex<PipedLine>>,
}

enum Room {
    Some,
    /// None now; the terminal reports when there is some.
    None,
    /// No process has the terminal open, so nothing is reported. A program may open it again.
    NobodyReads,
}

/// Counts a send as waiting while it lives.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl SessionInput {
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
            tape: Mutex::new(tape),
            piped: None,
        }
    }

    /// Returns the terminal, while the session holds it.
    pub fn master(&self) -> Option<Arc<OwnedFd>> {
        self.master.lock().clone()
    }

    /// Returns how the terminal handles input, while the session holds it.
    pub fn line(&self) -> Option<LineModes> {
        self.master().map(|master| LineModes::read(master.as_fd()))
    }

    /// True if no output waits in the terminal for the holder.
    pub(crate) fn has_no_output(&self) -> bool {
        let Some(master) = self.master() else {
            return true;
        };
        let mut poll = [rustix::event::PollFd::new(&*master, PollFlags::IN)];
        let ready = rustix::event::poll(&mut poll, Some(&Timespec::default()));
        !(ready.is_ok() && poll[0].revents().contains(PollFlags::IN))
    }

    pub fn tape(&self) -> Option<Arc<SessionTape>> {
        self.tape.lock().clone()
    }

    pub(crate) fn release_tape(&self) {
        self.tape.lock().take();
    }

    /// Marks the program as ended or being ended: sends that wait for it get an error.
    pub fn end(&self) {
        self.ended.cancel();
    }

    /// Returns once the program will read no more, or another process is about to take over.
    pub(crate) async fn is_over(&self) {
        tokio::select! {
            () = self.ended.cancelled() => {}
            () = self.leaving.cancelled() => {}
        }
    }

    pub fn close(&self) {
        self.end();
        self.master.lock().take();
    }

    /// Switches the echo on or off and returns how the line was before.
    pub fn switch_echo(&self, is_on: bool) -> LineModes {
        let Some(master) = self.master() else {
            return LineModes::default();
        };
        let before = LineModes::read(master.as_fd());
        if before.echo != is_on
            && let Ok(mut modes) = tcgetattr(&master)
        {
            modes.local_modes.set(LocalModes::ECHO, is_on);
            // Fails on a terminal that every process has closed, which needs no echo.
            let _ = tcsetattr(&master, OptionalActions::Now, &modes);
        }
        before
    }

    /// Types all of an input; `end` returns the output's offset when it is this write's turn.
    /// On an error, nothing more is written.
    async fn type_input(
        &self,
        terminal_input: TerminalInput<'_>,
        end: impl FnOnce() -> u64,
    ) -> Result<Written, InputError> {
        let bytes = terminal_input.bytes;
        if self.waiting.fetch_add(1, Ordering::AcqRel) >= SEND_QUEUE_LEN {
            self.waiting.fetch_sub(1, Ordering::AcqRel);
            return Err(InputError::Busy);
        }
        let _waiting = Waiting(&self.waiting);
        let _turn = self.turn.lock().await;
        let master = self.master().ok_or(InputError::CLOSED)?;
        let before = LineModes::read(master.as_fd());
        if before.canonical && self.piped.is_none() {
            refuse_long_lines(bytes)?;
        }
        let offset = end();
        let tape = self.tape();
        if let Some(tape) = tape.as_ref().filter(|tape| tape.is_replay()) {
            let read = self.piped_line().map(|mut line| line.take(bytes));
            match &read {
                Some(read) => tape.typed(terminal_input.with_bytes(read)).await?,
                None => tape.typed(terminal_input).await?,
            }
            return Ok(Written {
                hidden: before.hides_input(),
                canonical: before.canonical,
                offset,
                must_keep: false,
            });
        }
        let never_echoes = tape.as_ref().is_some_and(|tape| tape.never_echoes());
        let hides = never_echoes && hides_more(&master);
        let recording = tape.as_ref().and_then(|tape| tape.recording());
        let typing = recording.map(Recording::typing);
        let mut read = Vec::new();
        let outcome = match &self.piped {
            Some(_) => self.write_to_pipes(&master, bytes, &mut read).await,
            None => self.write_all(&master, bytes).await,
        };
        let after = LineModes::read(master.as_fd());
        let hidden = before.hides_input() || after.hides_input();
        let part = written_part(&outcome, bytes.len());
        let terminal_input = match terminal_input.command {
            _ if self.piped.is_some() => terminal_input.with_bytes(&read),
            Some(_) if part == bytes.len() => terminal_input,
            _ => terminal_input.with_bytes(&bytes[..part]),
        };
        // On a terminal that never echoes, the missing echo says nothing about secrecy.
        let unseen = if never_echoes {
            hides || hides_more(&master)
        } else {
            hidden
        };
        let typed = terminal_input.typed(offset, unseen, before.canonical);
        let typing = typing.filter(|_| !typed.bytes.is_empty());
        let noted = typing.map(|typing| typing.typed(typed));
        let must_keep = noted.is_some_and(|noted| noted.must_keep);
        let counts = |tape: &Arc<SessionTape>| tape.note_live(terminal_input.bytes);
        let is_counted = tape.as_ref().is_some_and(counts);
        outcome.map(|()| Written {
            hidden: hidden || noted.is_some_and(|noted| noted.is_secret),
            canonical: before.canonical,
            offset,
            must_keep: must_keep || is_counted,
        })
    }

    /// Returns true if a program has switched off more than the echo, which was off already.
    pub(in crate::live) fn hides_more(&self) -> bool {
        self.master().is_some_and(|master| hides_more(&master))
    }

    /// Types the terminal's answer to a query. No client typed it, so it is not put on a tape.
    pub async fn answer(&self, bytes: &[u8]) -> Result<(), InputError> {
        if self.tape().is_some_and(|tape| tape.is_replay()) {
            return Ok(());
        }
        let _turn = self.turn.lock().await;
        let master = self.master().ok_or(InputError::CLOSED)?;
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
                Errno::IO => Stopped::Closed.after(written),
                errno => InputError::Io(errno.into()),
            })?;
            written += taken;
            if written == bytes.len() {
                return Ok(());
            }
            if taken > 0 {
                deadline = Instant::now() + INPUT_GRACE;
            } else if Instant::now() >= deadline {
                return Err(Stopped::Full.after(written));
            } else if is_told_of_room {
                // The terminal's reports are contradictory; without a pause this loop would use a whole core.
                tokio::time::sleep(LOOK_PERIOD).await;
            }
            tokio::select! {
                biased;
                () = self.ended.cancelled() => return Err(Stopped::Closed.after(written)),
                () = self.leaving.cancelled() => return Err(Stopped::HandedOver.after(written)),
                room = wait_for_room(master) => {
                    room.map_err(InputError::Io)?;
                    is_told_of_room = true;
                }
                () = tokio::time::sleep_until(deadline.into()) => {}
            }
        }
    }
}

impl Session {
    /// Types all of `bytes`. `is_secret`: the input is a secret that the terminal may echo.
    /// On an error, nothing more is written.
    pub(crate) async fn write(&self, bytes: &[u8], is_secret: bool) -> Result<Written, InputError> {
        self.write_input(TerminalInput::new(bytes, is_secret)).await
    }

    /// Like [`Self::write`], for any [`TerminalInput`].
    pub(crate) async fn write_input(
        &self,
        terminal_input: TerminalInput<'_>,
    ) -> Result<Written, InputError> {
        let end = || self.output.end();
        self.input.type_input(terminal_input, end).await
    }
}

/// Waits until the terminal takes more. Registers for events only during the wait, so that idle sessions cost nothing.
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

/// True if a program has switched off more than the echo, which was off already: bash does so for `read -s`.
fn hides_more(master: &OwnedFd) -> bool {
    tcgetattr(master).is_ok_and(|modes| {
        modes.local_modes.contains(LocalModes::ICANON)
            && !modes.local_modes.contains(LocalModes::ECHOK)
    })
}

pub(super) fn written_part(outcome: &Result<(), InputError>, len: usize) -> usize {
    match outcome {
        Ok(()) => len,
        Err(InputError::Partial(_, written_bytes)) => {
            usize::try_from(*written_bytes).unwrap_or(len).min(len)
        }
        Err(_) => 0,
    }
}

/// Writes what the terminal takes at once; returns its length.
fn write_some(master: &OwnedFd, bytes: &[u8]) -> Result<usize, Errno> {
    let mut written = 0;
    while written < bytes.len() {
        match rustix::io::write(master, &bytes[written..]) {
            Ok(0) | Err(Errno::AGAIN) => break,
            Ok(len) => written += len,
            Err(Errno::INTR) => {}
            // The bytes before the error count; the next write reports the error again.
            Err(_) if written > 0 => break,
            Err(error) => return Err(error),
        }
    }
    Ok(written)
}

/// Fails if a line is too long: in canonical mode the kernel silently drops what exceeds its line buffer.
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

/// Returns the length of the longest line as the terminal keeps it: of a `^V` and the byte that it quotes, only the
/// byte is kept.
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
