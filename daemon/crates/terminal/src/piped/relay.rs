//! Forwards input and output between a terminal and three pipes.

use super::marks::MarkWriter;
use ccd_protocol::tape::Stream;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionread};
use rustix::process::{Pid, Signal, kill_process};
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::thread;

const PIECE_BYTES: usize = 64 << 10;

/// Maximum amount of input that waits for the program. Further input stays in the terminal, and its sender waits.
const MAX_WAITING_BYTES: usize = 64 << 10;

/// Stack size of the thread that waits for the program to exit.
const STACK_BYTES: usize = 64 << 10;

/// The session's terminal. Nothing else prints on it, so the bytes printed are the offset in the output.
pub(super) struct RelayTerminal {
    marks: Option<MarkWriter>,
}

impl RelayTerminal {
    /// Opens the marks. If they cannot be written, all output counts as standard output.
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

pub(super) struct Relay {
    /// `None` once it is closed.
    input: Option<OwnedFd>,
    waiting: Vec<u8>,
    /// There will be no more input.
    has_ended: bool,
    outputs: [(Stream, Option<OwnedFd>); 2],
    piece: Vec<u8>,
}

/// What can be done without waiting.
#[derive(Default)]
struct Ready {
    typed: bool,
    is_gone: bool,
    takes_input: bool,
    printed: [bool; 2],
    has_ended: bool,
}

impl Relay {
    /// Takes ownership of the daemon's ends of the pipes.
    pub(super) fn new(input: OwnedFd, output: OwnedFd, errors: OwnedFd) -> io::Result<Self> {
        let input = known(input);
        // The program may read late, and its output must not wait for that.
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

    /// Forwards until the program has exited, and then forwards what is left in its pipes: processes that it started
    /// may keep them open for ever.
    /// An error if the terminal was closed; the program has received HUP.
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
        let for_input = if has_room {
            PollFlags::IN
        } else {
            PollFlags::empty()
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

    /// Prints at most `max` bytes from a pipe. Returns false if there is nothing more.
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

    /// Prints the bytes that are in a pipe now, without waiting.
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

    /// Reads the input that is there: the terminal returns each line separately, but the program may read all at once.
    fn take_input(&mut self) -> Result<(), Errno> {
        loop {
            self.take_line()?;
            if self.has_ended || self.waiting.len() >= MAX_WAITING_BYTES || !has_input()? {
                return Ok(());
            }
        }
    }

    /// Reads a line; an empty one is the end of the input.
    fn take_line(&mut self) -> Result<(), Errno> {
        match rustix::io::read(rustix::stdio::stdin(), &mut self.piece) {
            Ok(0) => self.has_ended = true,
            Ok(len) if self.input.is_some() && !self.has_ended => {
                self.waiting.extend_from_slice(&self.piece[..len]);
            }
            // The program does not read this input any more.
            Ok(_) | Err(Errno::INTR | Errno::AGAIN) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Forwards as much input as the program takes now, and closes the pipe after the last byte.
    fn hand_on(&mut self) {
        while let (Some(input), false) = (&self.input, self.waiting.is_empty()) {
            match rustix::io::write(input, &self.waiting) {
                Ok(len) => drop(self.waiting.drain(..len)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                // The program has closed the pipe.
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

fn has_input() -> Result<bool, Errno> {
    let stdin = rustix::stdio::stdin();
    let mut fds = [PollFd::from_borrowed_fd(stdin, PollFlags::IN)];
    match poll(&mut fds, Some(&Timespec::default())) {
        Ok(_) => Ok(fds[0].revents().contains(PollFlags::IN)),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Moves the input's end to the descriptor where the probe expects it. If this fails, the probe does not find the pipe.
#[cfg(not(portable))]
fn known(input: OwnedFd) -> OwnedFd {
    rustix::io::fcntl_dupfd_cloexec(&input, super::INPUT_DESCRIPTOR).unwrap_or(input)
}

#[cfg(portable)]
fn known(input: OwnedFd) -> OwnedFd {
    input
}
