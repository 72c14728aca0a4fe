//! The process that starts a program and outlives everything of it.

use super::wire::{ARGUMENT, EndPace, ProgramEnd, Report, SupervisedProgram};
use crate::holder::{Port, Process, ProcessTable, kill_below, read_blob, signal_all};
use crate::own_process::ignore_signals_but;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, kill_process_group};
use std::io::{self, PipeReader, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// Once the program has ended by itself, what it left is asked to end and killed after this time.
const LEFT_GRACE: Duration = Duration::from_millis(500);

/// Pause between two looks for processes that have to be killed.
const KILL_PAUSE: Duration = Duration::from_millis(50);

/// How long processes are stopped and killed again and again; what is left then waits for the kernel.
const KILL_LIMIT: Duration = Duration::from_secs(2);

/// Acts as a supervisor if this process was started as one.
pub fn play_part() -> Option<ExitCode> {
    if std::env::args_os().nth(1)? != *ARGUMENT {
        return None;
    }
    Some(match supervise() {
        Ok(()) => ExitCode::SUCCESS,
        // The worker has died before the program was started.
        Err(_) => ExitCode::FAILURE,
    })
}

fn supervise() -> io::Result<()> {
    ignore_signals_but(&[]);
    #[cfg(target_os = "linux")]
    {
        rustix::thread::set_name(c"ccd-run")?;
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    }
    let mut port = Port::from_socket(rustix::stdio::stdin().try_clone_to_owned()?)?;
    // The worker has sent it before it started this process.
    port.receive()?;
    let Some(((), descriptors)) = port.next()? else {
        return Err(io::ErrorKind::UnexpectedEof.into());
    };
    let mut descriptors = descriptors.into_iter();
    let (Some(program), Some(stdin)) = (descriptors.next(), descriptors.next()) else {
        return Err(Errno::MFILE.into());
    };
    let pid = match start(&read_blob(program)?, stdin) {
        Ok(pid) => pid,
        Err(error) => {
            let errno = error.raw_os_error().unwrap_or_default();
            return port.send(&Report::NotStarted { errno }, &[]);
        }
    };
    port.send(&Report::Started { pid }, &[])?;
    let children = watch_children(pid)?;
    let run = SupervisedRun {
        port,
        children,
        pid,
        has_exited: false,
        ending: None,
        kill_until: None,
    };
    run.follow();
    drop(descriptors);
    Ok(())
}

fn start(program: &SupervisedProgram, stdin: OwnedFd) -> io::Result<i32> {
    let mut command = Command::new(&program.path);
    command
        .args(&program.arguments)
        .env_clear()
        .envs(program.env.iter().map(|(name, value)| (name, value)))
        .current_dir(&program.cwd)
        .stdin(Stdio::from(stdin))
        .process_group(0);
    let settings = program.settings.clone();
    let prepare = move || {
        settings.apply();
        // If this process is killed, the program ends what it has started itself.
        #[cfg(target_os = "linux")]
        rustix::process::set_parent_process_death_signal(Some(Signal::TERM))?;
        Ok(())
    };
    // SAFETY: it only makes system calls.
    unsafe { command.pre_exec(prepare) };
    let child = command.spawn()?;
    // This process prints nothing, and its ends of the pipes must not keep them open.
    let null = std::fs::File::open("/dev/null")?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)?;
    Ok(child.id().cast_signed())
}

/// Reaps children, also adopted ones, in a thread. It writes the end of the program `pid` to the pipe, as a byte that is not
/// 0 for a signal and a byte for the number, and closes the pipe once there is no child any more.
fn watch_children(pid: i32) -> io::Result<PipeReader> {
    let (reader, mut writer) = io::pipe()?;
    let mut program = Pid::from_raw(pid);
    let reap = move || {
        loop {
            let (child, status) = match rustix::process::wait(WaitOptions::empty()) {
                Ok(Some(ended)) => ended,
                Ok(None) | Err(Errno::INTR) => continue,
                Err(_) => return,
            };
            let (is_signal, number) = match (status.exit_status(), status.terminating_signal()) {
                (Some(code), _) => (0, code),
                (None, Some(signal)) => (1, signal),
                (None, None) => continue,
            };
            if program == Some(child) {
                program = None; // another process may get the number
                if writer.write_all(&[is_signal, number as u8]).is_err() {
                    return;
                }
            }
        }
    };
    std::thread::Builder::new()
        .name("reap".into())
        .spawn(reap)?;
    Ok(reader)
}

struct SupervisedRun {
    port: Port,
    children: PipeReader,
    /// The program, which leads its process group.
    pid: i32,
    has_exited: bool,
    ending: Option<ProgramEnding>,
    /// Until when what is left is killed again and again, once the first kill was due.
    kill_until: Option<Instant>,
}

/// The end of a program and everything that it started.
#[derive(Clone, Copy)]
struct ProgramEnding {
    term_at: Option<Instant>,
    /// When what is left is killed, also after the first time.
    kill_at: Instant,
}

impl SupervisedRun {
    fn follow(mut self) {
        loop {
            self.heed_worker();
            let timeout = self.signal_due();
            if self.is_given_up() {
                let left = u32::try_from(self.processes().len()).unwrap_or(u32::MAX);
                return self.tell(Report::Gone { left });
            }
            let timeout = timeout.and_then(|left| Timespec::try_from(left).ok());
            let mut sources = [
                PollFd::new(&self.children, PollFlags::IN),
                PollFd::new(&self.port, PollFlags::IN),
            ];
            let count = if self.port.has_ended { 1 } else { 2 };
            match poll(&mut sources[..count], timeout.as_ref()) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => return,
            }
            let [children, worker] = sources.map(|source| !source.revents().is_empty());
            if worker && self.port.receive().is_err() {
                self.port.has_ended = true;
            }
            if children && !self.note_exit() {
                return self.tell(Report::Gone { left: 0 });
            }
        }
    }

    fn tell(&self, report: Report) {
        // If the worker has died, the end of everything still matters.
        let _ = self.port.send(&report, &[]);
    }

    /// Follows the orders of the worker. That it has closed the port, or has died, is the order to end quickly.
    fn heed_worker(&mut self) {
        loop {
            match self.port.next() {
                Ok(Some((pace, _))) => self.end(pace),
                Ok(None) if !self.port.has_ended => return,
                Ok(None) | Err(_) => return self.end(EndPace::Quick),
            }
        }
    }

    fn end(&mut self, pace: EndPace) {
        let now = Instant::now();
        if self.ending.is_none() && !self.has_exited {
            self.signal_group(Signal::INT);
        }
        let [term_at, kill_at] = pace.times().map(|time| now + time);
        self.ending = Some(match self.ending {
            None => ProgramEnding {
                term_at: Some(term_at),
                kill_at,
            },
            Some(ending) => ProgramEnding {
                term_at: ending.term_at.map(|before| before.min(term_at)),
                kill_at: ending.kill_at.min(kill_at),
            },
        });
    }

    /// Notes the end of the program; false if no child is left.
    fn note_exit(&mut self) -> bool {
        let mut end = [0; 2];
        if self.children.read_exact(&mut end).is_err() {
            return false;
        }
        self.has_exited = true;
        let [is_signal, number] = end.map(i32::from);
        self.tell(Report::Exited(match is_signal {
            0 => ProgramEnd::Code(number),
            _ => ProgramEnd::Signal(number),
        }));
        let now = Instant::now();
        let kill_at = self
            .ending
            .map_or(now + LEFT_GRACE, |ending| ending.kill_at);
        self.ending = Some(ProgramEnding {
            term_at: Some(now),
            kill_at: kill_at.min(now + LEFT_GRACE),
        });
        true
    }

    /// Sends the signals that are due. Returns how long to wait for the next one.
    fn signal_due(&mut self) -> Option<Duration> {
        let ending = self.ending.as_mut()?;
        let now = Instant::now();
        if now >= ending.kill_at {
            // From the first attempt: a busy machine may make it late.
            let until = *self.kill_until.get_or_insert(now + KILL_LIMIT);
            let own = std::process::id().cast_signed();
            kill_below(own, until);
            ending.kill_at = Instant::now() + KILL_PAUSE;
            return Some(KILL_PAUSE);
        }
        let kill_at = ending.kill_at;
        if let Some(term_at) = ending.term_at {
            if now < term_at {
                return Some(term_at.min(kill_at) - now);
            }
            ending.term_at = None;
            let processes = self.processes();
            signal_all(&processes, Signal::TERM);
        }
        Some(kill_at - now)
    }

    fn is_given_up(&self) -> bool {
        self.kill_until.is_some_and(|until| Instant::now() >= until)
    }

    fn processes(&self) -> Vec<Process> {
        ProcessTable::below_process(std::process::id().cast_signed())
    }

    fn signal_group(&self, signal: Signal) {
        if let Some(group) = Pid::from_raw(self.pid) {
            let _ = kill_process_group(group, signal);
        }
    }
}
