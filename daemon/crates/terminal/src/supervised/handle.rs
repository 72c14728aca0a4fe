//! The worker's side.

use super::wire::{ARGUMENT, EndPace, Report, SupervisedProgram};
use crate::holder::{Port, Process, ProcessTable, blob, send_over};
use crate::own_process;
use std::io::{self, PipeReader};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::process::{Child, Command, Stdio};
use tokio::sync::mpsc;

/// More than a supervisor ever sends.
const REPORTS_LEN: usize = 4;

#[derive(Debug)]
pub struct OutputPipes {
    pub stdout: PipeReader,
    pub stderr: PipeReader,
}

/// A program and its supervisor. If this is dropped, the supervisor ends the program quickly.
#[derive(Debug)]
pub struct Supervised {
    orders: OwnedFd,
    reports: mpsc::Receiver<Report>,
    supervisor: Child,
    /// The reading ends of the program's standard output and error, until somebody takes them.
    pub output: Option<OutputPipes>,
}

impl Supervised {
    /// Starts a supervisor that starts `program` with `stdin`. `kept` stay open until everything has ended. A short
    /// system call blocks.
    /// That the program cannot be started is a report, not an error.
    pub async fn start(
        program: &SupervisedProgram,
        stdin: BorrowedFd<'_>,
        kept: &[BorrowedFd<'_>],
    ) -> io::Result<Self> {
        let (ours, theirs) = Port::pair()?;
        let (stdout, stdout_writer) = io::pipe()?;
        let (stderr, stderr_writer) = io::pipe()?;
        let program = blob(program)?;
        ours.send(&(), &[&[program.as_fd(), stdin], kept].concat())?;
        let mut command = Command::new(own_process::program());
        command
            .arg(ARGUMENT)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(stdout_writer)
            .stderr(stderr_writer);
        let orders = ours.sender()?;
        let supervisor = command.spawn()?;
        drop(command); // its ends of the pipes
        let (told, reports) = mpsc::channel(REPORTS_LEN);
        tokio::spawn(ours.receive_all(move |report, _| {
            told.try_send(report)
                .map_err(|_| io::ErrorKind::BrokenPipe.into())
        }));
        Ok(Self {
            orders,
            reports,
            supervisor,
            output: Some(OutputPipes { stdout, stderr }),
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
    pub fn end(&self, pace: EndPace) {
        // If the supervisor has died, there is nobody to ask; the next report says so.
        let _ = send_over(&self.orders, &pace, &[]);
    }

    /// Waits for the end of the supervisor, after its last report. Blocks.
    pub fn reap(mut self) {
        self.end(EndPace::Quick);
        let _ = self.supervisor.wait();
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        self.end(EndPace::Quick);
    }
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
