//! The worker's side.

use super::wire::{ARGUMENT, Pace, Program, Report, bytes_of};
use crate::holder::{Process, ProcessTable};
use crate::own_process;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags};
use std::io::{self, IoSlice, PipeReader};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream as StdStream;
use std::process::{Child, Command, Stdio};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc;

const REPORTS_LEN: usize = 4;

const MAX_REPORT_BYTES: u32 = 64;

pub(super) const MAX_DESCRIPTORS: usize = 4;

#[derive(Debug)]
pub struct Output {
    pub stdout: PipeReader,
    pub stderr: PipeReader,
}

/// A program and its supervisor. If this is dropped, the supervisor ends the program quickly.
#[derive(Debug)]
pub struct Supervised {
    orders: OwnedWriteHalf,
    reports: mpsc::Receiver<Report>,
    supervisor: Child,
    /// The reading ends of the program's standard output and error, until somebody takes them.
    pub output: Option<Output>,
}

impl Supervised {
    /// Starts a supervisor that starts `program` with `stdin`. `kept` stay open until everything has ended. A short
    /// system call blocks.
    /// That the program cannot be started is a report, not an error.
    pub async fn start(
        program: &Program,
        stdin: BorrowedFd<'_>,
        kept: &[BorrowedFd<'_>],
    ) -> io::Result<Self> {
        let (ours, theirs) = StdStream::pair()?;
        let (stdout, stdout_writer) = io::pipe()?;
        let (stderr, stderr_writer) = io::pipe()?;
        let mut command = Command::new(own_process::program());
        command
            .arg(ARGUMENT)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(stdout_writer)
            .stderr(stderr_writer);
        let supervisor = command.spawn()?;
        drop(command); // its ends of the pipes
        let bytes = bytes_of(program)?;
        let first = send_with(&ours, &bytes, stdin, kept)?;
        ours.set_nonblocking(true)?;
        let (reading, mut orders) = UnixStream::from_std(ours)?.into_split();
        orders.write_all(&bytes[first..]).await?;
        let (told, reports) = mpsc::channel(REPORTS_LEN);
        tokio::spawn(hear(reading, told));
        Ok(Self {
            orders,
            reports,
            supervisor,
            output: Some(Output { stdout, stderr }),
        })
    }

    /// Returns the supervisor's process, of which everything of the program descends.
    #[must_use]
    pub fn supervisor(&self) -> i32 {
        self.supervisor.id().cast_signed()
    }

    /// Waits for the next report; `None` after the last one, or if the supervisor has died.
    pub async fn report(&mut self) -> Option<Report> {
        self.reports.recv().await
    }

    /// Asks for the end of the program and everything that it started. A later call can only make it quicker.
    pub fn end(&self, pace: Pace) {
        // If the supervisor has died, there is nobody to ask; the next report says so.
        let _ = self.orders.try_write(&[pace.byte()]);
    }

    /// Waits for the end of the supervisor, after its last report. Blocks.
    pub fn reap(mut self) {
        drop(self.orders);
        let _ = self.supervisor.wait();
    }
}

async fn hear(mut socket: OwnedReadHalf, told: mpsc::Sender<Report>) {
    while let Ok(len) = socket.read_u32_le().await {
        let mut body = vec![0; len.min(MAX_REPORT_BYTES) as usize];
        let Ok(_) = socket.read_exact(&mut body).await else {
            return;
        };
        let Ok(report) = postcard::from_bytes(&body) else {
            return;
        };
        if told.send(report).await.is_err() {
            return;
        }
    }
}

/// Sends descriptors with the first bytes. Returns the number of bytes sent.
fn send_with(
    socket: &StdStream,
    bytes: &[u8],
    stdin: BorrowedFd<'_>,
    kept: &[BorrowedFd<'_>],
) -> io::Result<usize> {
    let mut descriptors = vec![stdin];
    descriptors.extend(kept);
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !control.push(SendAncillaryMessage::ScmRights(&descriptors)) {
        return Err(io::Error::other("too many descriptors"));
    }
    let first = IoSlice::new(&bytes[..bytes.len().min(4096)]);
    Ok(rustix::net::sendmsg(
        socket.as_fd(),
        &[first],
        &mut control,
        SendFlags::empty(),
    )?)
}

/// Returns the command lines of a program and everything that it has started, by the process of its supervisor: what is
/// known about a program that is silent. Blocks.
#[must_use]
pub fn commands_below(supervisor: i32) -> Vec<String> {
    let mut processes = ProcessTable::below_process(supervisor);
    processes.retain(|process| process.pid != supervisor);
    processes.sort_unstable_by_key(|process| process.started_ticks);
    let line = |process: &Process| {
        let words = std::fs::read(format!("/proc/{}/cmdline", process.pid)).ok()?;
        let words: Vec<_> = words
            .split(|byte| *byte == 0)
            .filter(|word| !word.is_empty())
            .map(String::from_utf8_lossy)
            .collect();
        (!words.is_empty()).then(|| words.join(" "))
    };
    processes.iter().filter_map(line).collect()
}
