//! Forwards input and output between a terminal and three pipes.

use super::marks::MarkWriter;
use ccd_protocol::tape::Stream;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionread};
use rustix::process::{Pid, Signal, kill_process};
use std::io;
use std::os::fd::OwnedFd;
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

const STREAMS: [Stream; 2] = [Stream::Stdout, Stream::Stderr];

pub(super) struct Relay {
    /// `None` once it is closed.
    input: Option<OwnedFd>,
    waiting: Vec<u8>,
    /// There will be no more input.
    has_ended: bool,
    /// The pipes of [`STREAMS`]; `None` once they are closed.
    outputs: [Option<OwnedFd>; 2],
    piece: Vec<u8>,
}

/// A descriptor that the relay waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Awaited {
    /// The pipe with this number has output.
    Output(usize),
    /// The program has exited.
    End,
    /// The terminal has input, or was closed.
    Terminal,
    /// The program takes input.
    Input,
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
            outputs: [Some(output), Some(errors)],
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
            // In the order of `Awaited`: all output comes first.
            for (awaited, events) in self.wait(ended)? {
                match awaited {
                    Awaited::Output(output) => {
                        self.print(output, PIECE_BYTES, terminal)?;
                    }
                    Awaited::End => return Ok(()),
                    Awaited::Terminal if events.intersects(PollFlags::HUP | PollFlags::ERR) => {
                        return Err(Errno::IO);
                    }
                    Awaited::Terminal => {
                        self.take_input()?;
                        self.hand_on();
                    }
                    Awaited::Input => self.hand_on(),
                }
            }
        }
    }

    /// Waits for what can be done; returns it with the events of its descriptor.
    fn wait(&self, ended: &OwnedFd) -> Result<Vec<(Awaited, PollFlags)>, Errno> {
        let outputs = self.outputs.iter().enumerate();
        let outputs = outputs.filter_map(|(at, output)| {
            let output = PollFd::new(output.as_ref()?, PollFlags::IN);
            Some((Awaited::Output(at), output))
        });
        let mut all: Vec<_> = outputs.collect();
        all.push((Awaited::End, PollFd::new(ended, PollFlags::IN)));
        let has_room = self.waiting.len() < MAX_WAITING_BYTES;
        let for_input = if has_room {
            PollFlags::IN
        } else {
            PollFlags::empty()
        };
        let stdin = rustix::stdio::stdin();
        all.push((
            Awaited::Terminal,
            PollFd::from_borrowed_fd(stdin, for_input),
        ));
        let input = self.input.as_ref().filter(|_| !self.waiting.is_empty());
        all.extend(input.map(|input| (Awaited::Input, PollFd::new(input, PollFlags::OUT))));
        let (awaited, mut fds): (Vec<_>, Vec<_>) = all.into_iter().unzip();
        match poll(&mut fds, None) {
            Ok(_) => {}
            Err(Errno::INTR) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        }
        let events = fds.iter().map(PollFd::revents);
        let came = awaited.into_iter().zip(events);
        Ok(came.filter(|(_, events)| !events.is_empty()).collect())
    }

    /// Prints at most `max` bytes from a pipe. Returns how many those were; 0 if there is nothing more.
    fn print(
        &mut self,
        output: usize,
        max: usize,
        terminal: &mut RelayTerminal,
    ) -> Result<usize, Errno> {
        let Some(pipe) = &self.outputs[output] else {
            return Ok(0);
        };
        let max = max.min(PIECE_BYTES);
        match rustix::io::read(pipe, &mut self.piece[..max]) {
            Ok(0) => self.outputs[output] = None,
            Ok(len) => {
                terminal.print(STREAMS[output], &self.piece[..len])?;
                return Ok(len);
            }
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(_) => self.outputs[output] = None,
        }
        Ok(0)
    }

    /// Prints the bytes that are in a pipe now, without waiting.
    fn print_rest(&mut self, output: usize, terminal: &mut RelayTerminal) -> Result<(), Errno> {
        let pipe = self.outputs[output].as_ref();
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
