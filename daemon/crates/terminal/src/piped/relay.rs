//! Passes on what is typed and what is printed, between a terminal and three pipes.

use super::marks::MarkWriter;
use ccd_protocol::tape::Stream;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, ioctl_fionread};
use rustix::process::{Pid, Signal, kill_process};
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::thread;

/// Bytes that are read at a time.
const PIECE_BYTES: usize = 64 << 10;

/// Input that waits for the program to read it; more stays in the terminal, and whoever types waits.
const MAX_WAITING_BYTES: usize = 64 << 10;

/// The stack of the thread that waits for the program's end.
const STACK_BYTES: usize = 64 << 10;

/// The session's terminal. Nobody else prints on it, so what was printed is the offset in the session's output.
pub(super) struct RelayTerminal {
    marks: Option<MarkWriter>,
}

impl RelayTerminal {
    /// Without marks, where there is no room for them, everything counts as standard output.
    pub(super) fn new(marks: &Path) -> Self {
        Self {
            marks: MarkWriter::open(marks, 0).ok(),
        }
    }

    pub(super) fn print_error(&mut self, bytes: &[u8]) -> Result<(), Errno> {
        self.print(Stream::Stderr, bytes)
    }

    fn print(&mut self, stream: Stream, bytes: &[u8]) -> Result<(), Errno> {
        if let Some(marks) = &mut self.marks {
            marks.before(stream, bytes.len());
        }
        let mut rest = bytes;
        while !rest.is_empty() {
            match rustix::io::write(rustix::stdio::stdout(), rest) {
                Ok(len) => rest = &rest[len..],
                Err(Errno::INTR) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// The three pipes.
pub(super) struct Relay {
    /// `None` when it is closed.
    input: Option<OwnedFd>,
    waiting: Vec<u8>,
    /// No more will be typed.
    has_ended: bool,
    outputs: [(Stream, Option<OwnedFd>); 2],
    piece: Vec<u8>,
}

/// What there is to do.
#[derive(Default)]
struct Ready {
    typed: bool,
    is_gone: bool,
    takes_input: bool,
    printed: [bool; 2],
    has_ended: bool,
}

impl Relay {
    /// One of the ends of the pipes that are ours.
    ///
    /// # Errors
    ///
    /// Those of the kernel.
    pub(super) fn new(input: OwnedFd, output: OwnedFd, errors: OwnedFd) -> io::Result<Self> {
        let input = known(input);
        // The program may read late, and what it prints must not wait for that.
        rustix::io::ioctl_fionbio(&input, true)?;
        Ok(Self {
            input: Some(input),
            waiting: Vec::new(),
            has_ended: false,
            outputs: [
                (Stream::Stdout, Some(output)),
                (Stream::Stderr, Some(errors)),
            ],
            piece: vec![0; PIECE_BYTES],
        })
    }

    /// Passes on until the program has ended, and then what is left in its pipes: what it has started may have them open
    /// for ever.
    ///
    /// # Errors
    ///
    /// The terminal is gone; the program has got the signal that tells of it.
    pub(super) fn run(
        mut self,
        mut terminal: RelayTerminal,
        mut child: Child,
    ) -> io::Result<ExitStatus> {
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let (ended, end) = io::pipe()?;
        let ended = OwnedFd::from(ended);
        let waiter = thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn(move || {
                let status = child.wait();
                drop(end);
                status
            })?;
        let passed = self.pass_on(&mut terminal, &ended);
        if let Err(error) = passed {
            if let Some(pid) = pid.filter(|_| !waiter.is_finished()) {
                let _ = kill_process(pid, Signal::HUP);
            }
            return Err(error.into());
        }
        for output in 0..self.outputs.len() {
            self.print_rest(output, &mut terminal)?;
        }
        waiter
            .join()
            .map_err(|_| io::Error::other("the wait failed"))?
    }

    fn pass_on(&mut self, terminal: &mut RelayTerminal, ended: &OwnedFd) -> Result<(), Errno> {
        loop {
            let ready = self.wait(ended)?;
            for output in 0..self.outputs.len() {
                if ready.printed[output] {
                    self.print(output, PIECE_BYTES, terminal)?;
                }
            }
            if ready.has_ended {
                return Ok(());
            }
            if ready.is_gone {
                return Err(Errno::IO);
            }
            if ready.typed {
                self.take_input()?;
            }
            if ready.takes_input || ready.typed {
                self.hand_on();
            }
        }
    }

    fn wait(&self, ended: &OwnedFd) -> Result<Ready, Errno> {
        let has_room = self.waiting.len() < MAX_WAITING_BYTES;
        let for_input = match has_room {
            true => PollFlags::IN,
            false => PollFlags::empty(),
        };
        let stdin = rustix::stdio::stdin();
        let mut fds = vec![
            PollFd::from_borrowed_fd(stdin, for_input),
            PollFd::new(ended, PollFlags::IN),
        ];
        let input = self.input.as_ref().filter(|_| !self.waiting.is_empty());
        let outputs: Vec<usize> = (0..self.outputs.len())
            .filter(|&at| self.outputs[at].1.is_some())
            .collect();
        let all: Vec<BorrowedFd<'_>> = self
            .outputs
            .iter()
            .filter_map(|(_, output)| output.as_ref())
            .map(|output| output.as_fd())
            .collect();
        fds.extend(
            all.iter()
                .map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)),
        );
        fds.extend(input.map(|input| PollFd::new(input, PollFlags::OUT)));
        match poll(&mut fds, None) {
            Ok(_) => {}
            Err(Errno::INTR) => return Ok(Ready::default()),
            Err(error) => return Err(error),
        }
        let came = |at: usize| fds.get(at).is_some_and(|fd| !fd.revents().is_empty());
        let mut ready = Ready {
            typed: fds[0].revents().contains(PollFlags::IN),
            is_gone: fds[0].revents().intersects(PollFlags::HUP | PollFlags::ERR),
            has_ended: came(1),
            takes_input: input.is_some() && came(2 + outputs.len()),
            printed: [false; 2],
        };
        for (place, &output) in outputs.iter().enumerate() {
            ready.printed[output] = came(2 + place);
        }
        Ok(ready)
    }

    /// Prints what is in a pipe, at most `max` bytes; false when there is nothing more.
    fn print(
        &mut self,
        output: usize,
        max: usize,
        terminal: &mut RelayTerminal,
    ) -> Result<usize, Errno> {
        let (stream, Some(pipe)) = (&self.outputs[output].0, &self.outputs[output].1) else {
            return Ok(0);
        };
        let max = max.min(PIECE_BYTES);
        match rustix::io::read(pipe, &mut self.piece[..max]) {
            Ok(0) => self.outputs[output].1 = None,
            Ok(len) => {
                terminal.print(*stream, &self.piece[..len])?;
                return Ok(len);
            }
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(_) => self.outputs[output].1 = None,
        }
        Ok(0)
    }

    /// Prints what is in a pipe by now, and waits for nothing.
    fn print_rest(&mut self, output: usize, terminal: &mut RelayTerminal) -> Result<(), Errno> {
        let pipe = self.outputs[output].1.as_ref();
        let left = pipe.map_or(0, |pipe| ioctl_fionread(pipe).unwrap_or(0));
        let mut left = usize::try_from(left).unwrap_or(0);
        while left > 0 {
            match self.print(output, left, terminal)? {
                0 => break,
                len => left -= len.min(left),
            }
        }
        Ok(())
    }

    /// Takes what was typed; nothing at all is the end of the input.
    fn take_input(&mut self) -> Result<(), Errno> {
        match rustix::io::read(rustix::stdio::stdin(), &mut self.piece) {
            Ok(0) => self.has_ended = true,
            Ok(len) if self.input.is_some() && !self.has_ended => {
                self.waiting.extend_from_slice(&self.piece[..len]);
            }
            // Nobody reads it.
            Ok(_) | Err(Errno::INTR | Errno::AGAIN) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Hands on as much input as the program takes now, and behind the last of it the end.
    fn hand_on(&mut self) {
        while let (Some(input), false) = (&self.input, self.waiting.is_empty()) {
            match rustix::io::write(input, &self.waiting) {
                Ok(len) => drop(self.waiting.drain(..len)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                // The program has closed it.
                Err(_) => {
                    self.input = None;
                    self.waiting.clear();
                }
            }
        }
        if self.has_ended {
            self.input = None;
        }
    }
}

/// Puts the input's end where it is looked for. Where that is not allowed, nobody finds it.
#[cfg(not(portable))]
fn known(input: OwnedFd) -> OwnedFd {
    rustix::io::fcntl_dupfd_cloexec(&input, super::INPUT_DESCRIPTOR).unwrap_or(input)
}

#[cfg(portable)]
fn known(input: OwnedFd) -> OwnedFd {
    input
}
