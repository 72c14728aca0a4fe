//! Drives a real shell on a real terminal the way the session's actor does.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use pty_process::blocking::{Command, Pty, open};
use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::{LocalModes, OutputModes, tcgetattr, tcgetpgrp};

use super::prompt_line::TAIL_MAX_LEN;
use super::{
    CommandOutcome, CommandStart, Nonce, Printer, Quiet, ShellAction, ShellGone, ShellKind,
    ShellPrompt, ShellRun, TypedAs, command_file, editor_file, is_integrated, takes_commands,
};

const DEADLINE: Duration = Duration::from_secs(20);
const TICK: Duration = Duration::from_millis(2);

/// How a command is passed to the shell under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given {
    File,
    Inline,
    Isolated,
    /// With the key of an integrated shell, whose command directory is its home.
    Editor,
}

/// A shell with its own home folder.
pub(super) struct LiveShell {
    pty: Arc<Pty>,
    child: Child,
    chunks: Receiver<Vec<u8>>,
    /// Keeps the queue open, so that waiting for output works even after the terminal's end.
    _sender: Sender<Vec<u8>>,
    reader: Option<JoinHandle<()>>,
    /// All output since the start.
    pub(super) seen: Vec<u8>,
    last_output: Instant,
    home: PathBuf,
    printer: Printer,
    /// The command was given to the line editor.
    has_editor: bool,
    /// No process has the terminal open any more, and all its output was received.
    is_closed: bool,
}

impl LiveShell {
    /// Starts `program` and waits for its first prompt.
    pub(super) fn start(
        program: &Path,
        args: &[OsString],
        env: &[(OsString, OsString)],
        home: &Path,
    ) -> Self {
        stop_ignoring_keys();
        let (pty, pts) = open().unwrap();
        pty.resize(pty_process::Size::new(24, 80)).unwrap();
        let child = Command::new(program)
            .args(args)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", home)
            .env("TERM", "xterm-256color")
            .env("LC_ALL", "C.UTF-8")
            .envs(env.iter().cloned())
            .current_dir(home)
            .spawn(pts)
            .unwrap();
        let pty = Arc::new(pty);
        let (sender, chunks) = queue();
        let reader = spawn_reader(Arc::clone(&pty), sender.clone());
        let mut shell = Self {
            pty,
            child,
            chunks,
            _sender: sender,
            reader: Some(reader),
            seen: Vec::new(),
            last_output: Instant::now(),
            home: home.to_owned(),
            printer: Printer::for_shell(ShellKind::from_program(program, args)),
            has_editor: false,
            is_closed: false,
        };
        shell.wait_for_prompt();
        shell
    }

    /// Waits until the shell reads a line and has been quiet for a while.
    pub(super) fn wait_for_prompt(&mut self) {
        let deadline = Instant::now() + DEADLINE;
        loop {
            self.receive(TICK);
            let facts = self.facts();
            let is_quiet = facts.quiet >= Duration::from_millis(20);
            if is_quiet && facts.shell_is_foreground && facts.shell_waits && !self.seen.is_empty() {
                return;
            }
            assert!(Instant::now() < deadline, "no prompt: {}", self.shown());
        }
    }

    /// Waits until the output from `start` on contains `text` and the shell reads a line.
    pub(super) fn wait_for(&mut self, start: usize, text: &str) {
        let deadline = Instant::now() + DEADLINE;
        while !String::from_utf8_lossy(&self.seen[start..]).contains(text) {
            self.receive(TICK);
            assert!(Instant::now() < deadline, "no {text:?}: {}", self.shown());
        }
        self.wait_for_prompt();
    }

    /// Types `bytes` unchanged.
    pub(super) fn send(&self, bytes: &[u8]) {
        (&*self.pty).write_all(bytes).unwrap();
    }

    /// Runs `command` until it ends.
    pub(super) fn run(&mut self, command: &[u8], given: Given) -> CommandOutcome {
        self.run_with(command, given, |_, _| ())
    }

    /// Runs `command` until it ends; calls `meanwhile` repeatedly with the current state.
    pub(super) fn run_with(
        &mut self,
        command: &[u8],
        given: Given,
        mut meanwhile: impl FnMut(&mut Self, Quiet),
    ) -> CommandOutcome {
        self.has_editor = given == Given::Editor;
        self.wait_for_prompt();
        let nonce = Nonce::random().unwrap();
        let file = match given {
            Given::Editor => editor_file(&self.home, &nonce, command),
            _ => command_file(&self.home, &nonce, command),
        };
        let file = file.unwrap();
        let way = match given {
            Given::Inline => TypedAs::Inline(command),
            Given::File | Given::Isolated => TypedAs::File(&file.0),
            Given::Editor => TypedAs::Editor(&file.0),
        };
        let second = (given == Given::Isolated).then(SecondTerminal::open);
        let isolate = second.as_ref().map(|second| second.path.clone());
        let tail = &self.seen[self.seen.len().saturating_sub(TAIL_MAX_LEN)..];
        let prompt = ShellPrompt::at_end_of(tail, self.facts().line_editing);
        let start = CommandStart {
            nonce,
            printer: self.printer,
            way,
            prompt,
            isolate: isolate.as_deref(),
            command,
            may_retype: true,
            is_marked: takes_commands(&self.seen),
            is_resumed: false,
        };
        let mut run = ShellRun::new(start).unwrap();
        let onlcr_before = self.onlcr();
        self.send(run.typed());
        let deadline = Instant::now() + DEADLINE;
        let mut wait = TICK;
        while run.outcome(true).is_none() {
            assert!(Instant::now() < deadline, "{run:?}\n{}", self.shown());
            self.take_isolated(&mut run, second.as_ref());
            if let Some(ended) = self.step(&mut run, wait, &mut meanwhile) {
                return ended;
            }
            let facts = self.facts();
            if self.take_isolated(&mut run, second.as_ref()) {
                continue; // it came after the check above, so this was not silence
            }
            wait = match run.on_quiet(facts) {
                ShellAction::Wait(wait) => wait.clamp(TICK, Duration::from_millis(20)),
                ShellAction::Type(line) => {
                    self.send(&line);
                    TICK
                }
                ShellAction::Done => break,
            };
        }
        run.outcome(onlcr_before && self.onlcr()).unwrap()
    }

    fn step(
        &mut self,
        run: &mut ShellRun,
        wait: Duration,
        meanwhile: &mut impl FnMut(&mut Self, Quiet),
    ) -> Option<CommandOutcome> {
        let offset = self.seen.len();
        if self.receive(wait) {
            run.on_output(&self.seen[offset..], offset as u64);
            return None;
        }
        if let Some(status) = self.child.try_wait().unwrap() {
            // Output written just before the exit is still on its way.
            let offset = self.seen.len();
            let deadline = Instant::now() + DEADLINE;
            while !self.is_closed {
                self.receive(TICK);
                assert!(Instant::now() < deadline, "left open: {}", self.shown());
            }
            run.on_output(&self.seen[offset..], offset as u64);
            let status = status
                .code()
                .unwrap_or_else(|| 128 + status.signal().unwrap());
            return Some(run.on_session_end(Some(status), true));
        }
        let facts = self.facts();
        meanwhile(self, facts);
        None
    }

    /// Receives the second terminal's output so far; returns whether there was any.
    fn take_isolated(&mut self, run: &mut ShellRun, second: Option<&SecondTerminal>) -> bool {
        let mut is_any = false;
        while let Some(Ok(bytes)) = second.map(|second| second.chunks.try_recv()) {
            self.last_output = Instant::now();
            run.on_isolated_output(&bytes);
            is_any = true;
        }
        is_any
    }

    /// Receives output; returns whether any came within `wait`.
    fn receive(&mut self, wait: Duration) -> bool {
        match self.chunks.recv_timeout(wait) {
            Ok(bytes) if bytes.is_empty() => {
                self.is_closed = true; // the exit status follows
                false
            }
            Ok(bytes) => {
                self.seen.extend_from_slice(&bytes);
                self.last_output = Instant::now();
                true
            }
            Err(_) => false,
        }
    }

    fn facts(&self) -> Quiet {
        let pid = i32::try_from(self.child.id()).unwrap();
        let group = tcgetpgrp(&*self.pty)
            .ok()
            .map(|group| group.as_raw_nonzero().get());
        let canonical = tcgetattr(&*self.pty)
            .is_ok_and(|termios| termios.local_modes.contains(LocalModes::ICANON));
        Quiet {
            quiet: self.last_output.elapsed(),
            shell_is_foreground: group == Some(pid),
            shell_waits: waits_for_input(pid),
            line_editing: !canonical,
            shell_is_gone: if self.has_editor && !is_integrated(pid) {
                ShellGone::Replaced
            } else {
                ShellGone::No
            },
        }
    }

    /// Returns the name of the program in the terminal's foreground, if it has started.
    pub(super) fn foreground_program(&self) -> Option<String> {
        let group = tcgetpgrp(&*self.pty).ok()?.as_raw_nonzero();
        let name = std::fs::read_to_string(format!("/proc/{group}/comm")).ok()?;
        Some(name.trim_end().to_owned())
    }

    fn onlcr(&self) -> bool {
        let wanted = OutputModes::OPOST | OutputModes::ONLCR;
        tcgetattr(&*self.pty).is_ok_and(|termios| termios.output_modes.contains(wanted))
    }

    /// Returns all output as text.
    pub(super) fn shown_text(&self) -> String {
        String::from_utf8_lossy(&self.seen).into_owned()
    }

    /// Returns all output, escaped for a message.
    pub(super) fn shown(&self) -> String {
        String::from_utf8_lossy(&self.seen)
            .escape_debug()
            .to_string()
    }
}

impl Drop for LiveShell {
    fn drop(&mut self) {
        let shell = i32::try_from(self.child.id()).unwrap();
        let _ = self.child.kill();
        let _ = self.child.wait();
        // Background jobs would keep the terminal open.
        for pid in pids_of_session(shell) {
            let _ = kill_process(pid, Signal::KILL);
        }
        if let Some(reader) = self.reader.take() {
            reader.join().unwrap();
        }
    }
}

/// Restores these signals: a script that starts the tests with `&` makes them ignored, in the shells as well.
fn stop_ignoring_keys() {
    for signal in [libc::SIGINT, libc::SIGQUIT] {
        // SAFETY: the default action runs no Rust code; nothing else in the tests installs a handler.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

struct SecondTerminal {
    path: PathBuf,
    chunks: Receiver<Vec<u8>>,
    /// Keeps the terminal open between two programs.
    _pts: std::fs::File,
}

impl SecondTerminal {
    fn open() -> Self {
        let pty = Arc::new(open().unwrap().0);
        let name = rustix::pty::ptsname(&*pty, Vec::new()).unwrap();
        let path = PathBuf::from(name.into_string().unwrap());
        let pts = std::fs::File::options().write(true).open(&path).unwrap();
        let (sender, chunks) = queue();
        spawn_reader(pty, sender);
        Self {
            path,
            chunks,
            _pts: pts,
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a full queue would make terminal and driver wait for each other: line editors draw a long line anew for \
              each character, while the driver is still typing it"
)]
fn queue() -> (Sender<Vec<u8>>, Receiver<Vec<u8>>) {
    channel()
}

/// Sends the terminal's output, and an empty chunk at its end.
fn spawn_reader(pty: Arc<Pty>, sender: Sender<Vec<u8>>) -> JoinHandle<()> {
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        // EIO is a terminal's end of file; output written just before the close may only come with a second read.
        while let Ok(len @ 1..) = (&*pty)
            .read(&mut buffer)
            .or_else(|_| (&*pty).read(&mut buffer))
        {
            if sender.send(buffer[..len].to_vec()).is_err() {
                return;
            }
        }
        let _ = sender.send(Vec::new());
    })
}

fn pids_of_session(session: i32) -> Vec<Pid> {
    let entries = std::fs::read_dir("/proc").unwrap();
    let pids = entries.filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    pids.filter(|&pid| {
        // Fields after the command name, which may contain any character: state, parent, group, session.
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let fields = stat
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .split_whitespace();
        fields.map(str::parse).nth(3) == Some(Ok(session))
    })
    .filter_map(Pid::from_raw)
    .collect()
}

/// Returns where `program` is installed.
pub(super) fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|dir| dir.join(program))
        .find(|path| path.is_file())
}

/// Decides by the kernel function in which the process sleeps.
fn waits_for_input(pid: i32) -> bool {
    let wchan = std::fs::read_to_string(format!("/proc/{pid}/wchan")).unwrap_or_default();
    ["wait_woken", "select", "poll"]
        .iter()
        .any(|function| wchan.contains(function))
}
