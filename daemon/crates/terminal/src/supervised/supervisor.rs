//! The process that starts a program and outlives everything of it.

use super::handle::MAX_DESCRIPTORS;
use super::wire::{ARGUMENT, Pace, Program, ProgramEnd, Report, bytes_of, read_program};
use crate::holder::{Process, ProcessTable, kill_below, signal_all};
use crate::own_process::ignore_signals_but;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags};
use rustix::process::{Pid, Signal, WaitOptions, kill_process_group};
use std::io::{self, IoSliceMut, PipeReader, Read as _, Write as _};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
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
    let socket = UnixStream::from(rustix::stdio::stdin().try_clone_to_owned()?);
    let (program, mut descriptors) = receive(&socket)?;
    let stdin = descriptors.swap_remove(0);
    let pid = match start(&program, stdin) {
        Ok(pid) => pid,
        Err(error) => {
            let errno = error.raw_os_error().unwrap_or_default();
            return tell(&socket, Report::NotStarted { errno });
        }
    };
    tell(&socket, Report::Started { pid })?;
    let children = watch_children()?;
    let run = Run {
        socket,
        children,
        pid,
        has_exited: false,
        ending: None,
        next_kill_at: None,
        kill_until: None,
    };
    run.follow();
    drop(descriptors);
    Ok(())
}

/// Receives the program and the descriptors, of which the first is its standard input.
fn receive(socket: &UnixStream) -> io::Result<(Program, Vec<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut bytes = [0; 4096];
    let received = rustix::net::recvmsg(
        socket.as_fd(),
        &mut [IoSliceMut::new(&mut bytes)],
        &mut control,
        #[cfg(target_os = "linux")]
        RecvFlags::CMSG_CLOEXEC,
        #[cfg(not(target_os = "linux"))]
        RecvFlags::empty(),
    )?;
    let mut descriptors = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(some) = message {
            descriptors.extend(some);
        }
    }
    if descriptors.is_empty() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    for descriptor in &descriptors {
        rustix::io::fcntl_setfd(descriptor, rustix::io::FdFlags::CLOEXEC)?;
    }
    Ok((read_program(&bytes[..received.bytes], socket)?, descriptors))
}

fn start(program: &Program, stdin: OwnedFd) -> io::Result<i32> {
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

struct Reaped {
    pid: i32,
    ended: ProgramEnd,
}

const REAPED_BYTES: usize = 9;

/// Reaps children, also adopted ones, in a thread. It writes each to the pipe, and closes it once there is none any more.
fn watch_children() -> io::Result<PipeReader> {
    let (reader, mut writer) = io::pipe()?;
    let reap = move || {
        loop {
            match rustix::process::wait(WaitOptions::empty()) {
                Ok(Some((pid, status))) => {
                    let (kind, value) = match (status.exit_status(), status.terminating_signal()) {
                        (Some(code), _) => (0, code),
                        (None, Some(signal)) => (1, signal),
                        (None, None) => continue,
                    };
                    let mut bytes = [kind; REAPED_BYTES];
                    bytes[1..5].copy_from_slice(&pid.as_raw_nonzero().get().to_le_bytes());
                    bytes[5..].copy_from_slice(&value.to_le_bytes());
                    if writer.write_all(&bytes).is_err() {
                        return;
                    }
                }
                Ok(None) | Err(Errno::INTR) => {}
                Err(_) => return,
            }
        }
    };
    std::thread::Builder::new()
        .name("reap".into())
        .spawn(reap)?;
    Ok(reader)
}

fn read_reaped(pipe: &mut PipeReader) -> Option<Reaped> {
    let mut bytes = [0; REAPED_BYTES];
    pipe.read_exact(&mut bytes).ok()?;
    let number = |from: usize| i32::from_le_bytes([0, 1, 2, 3].map(|at| bytes[from + at]));
    let ended = match bytes[0] {
        0 => ProgramEnd::Code(number(5)),
        _ => ProgramEnd::Signal(number(5)),
    };
    Some(Reaped {
        pid: number(1),
        ended,
    })
}

fn tell(mut socket: &UnixStream, report: Report) -> io::Result<()> {
    socket.write_all(&bytes_of(&report)?)
}

struct Run {
    socket: UnixStream,
    children: PipeReader,
    /// The program, which leads its process group.
    pid: i32,
    has_exited: bool,
    ending: Option<Ending>,
    /// When what is left after the last kill is looked for again.
    next_kill_at: Option<Instant>,
    /// Until when it is looked for, once the first kill was due.
    kill_until: Option<Instant>,
}

/// The end of a program and everything that it started.
#[derive(Clone, Copy)]
struct Ending {
    term_at: Option<Instant>,
    kill_at: Instant,
}

impl Run {
    fn follow(mut self) {
        let mut heeds_worker = true;
        loop {
            let timeout = self.signal_due();
            if self.is_given_up() {
                let left = u32::try_from(self.processes().len()).unwrap_or(u32::MAX);
                let _ = tell(&self.socket, Report::Gone { left });
                return;
            }
            let timeout = timeout.and_then(|left| Timespec::try_from(left).ok());
            let (worker, children) = {
                let mut sources = [
                    PollFd::new(&self.children, PollFlags::IN),
                    PollFd::new(&self.socket, PollFlags::IN),
                ];
                let count = if heeds_worker { 2 } else { 1 };
                match poll(&mut sources[..count], timeout.as_ref()) {
                    Ok(_) | Err(Errno::INTR) => {}
                    Err(_) => return,
                }
                let is_ready = |source: &PollFd<'_>| !source.revents().is_empty();
                (heeds_worker && is_ready(&sources[1]), is_ready(&sources[0]))
            };
            if worker {
                heeds_worker = self.heed_worker();
            }
            if children && !self.note_child() {
                let _ = tell(&self.socket, Report::Gone { left: 0 });
                return;
            }
        }
    }

    /// Reads an order of the worker; false if the worker has closed the socket, which is the order to end quickly.
    fn heed_worker(&mut self) -> bool {
        let mut order = [0];
        let is_open = matches!((&self.socket).read(&mut order), Ok(1));
        let ordered = Pace::ALL.into_iter().find(|pace| pace.byte() == order[0]);
        self.end(ordered.filter(|_| is_open).unwrap_or(Pace::Quick));
        is_open
    }

    fn end(&mut self, pace: Pace) {
        let now = Instant::now();
        if self.ending.is_none() && !self.has_exited {
            self.signal_group(Signal::INT);
        }
        let (term_at, kill_at) = (now + pace.until_term(), now + pace.until_kill());
        self.ending = Some(match self.ending {
            None => Ending {
                term_at: Some(term_at),
                kill_at,
            },
            Some(ending) => Ending {
                term_at: ending.term_at.map(|before| before.min(term_at)),
                kill_at: ending.kill_at.min(kill_at),
            },
        });
    }

    /// Notes a child that has ended; false if there is none any more.
    fn note_child(&mut self) -> bool {
        let Some(reaped) = read_reaped(&mut self.children) else {
            return false;
        };
        if reaped.pid == self.pid && !self.has_exited {
            self.has_exited = true;
            // If the worker has died, the end of everything still matters.
            let _ = tell(&self.socket, Report::Exited(reaped.ended));
            let now = Instant::now();
            let kill_at = self
                .ending
                .map_or(now + LEFT_GRACE, |ending| ending.kill_at);
            self.ending = Some(Ending {
                term_at: Some(now),
                kill_at: kill_at.min(now + LEFT_GRACE),
            });
        }
        true
    }

    /// Sends the signals that are due. Returns how long to wait for the next one.
    fn signal_due(&mut self) -> Option<Duration> {
        let ending = self.ending.as_mut()?;
        let now = Instant::now();
        if now >= ending.kill_at {
            if let Some(at) = self.next_kill_at.filter(|at| now < *at) {
                return Some(at - now);
            }
            // From the first attempt: a busy machine may make it late.
            let until = *self.kill_until.get_or_insert(now + KILL_LIMIT);
            let own = std::process::id().cast_signed();
            kill_below(own, until);
            self.next_kill_at = Some(Instant::now() + KILL_PAUSE);
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
