//! Finds the task of the foreground group that waits for the terminal.

use std::collections::HashSet;
use std::io;

use super::line_modes::LineModes;
use super::proc::{Descriptor, ProcFiles, TaskId};
use super::relay;
use super::report::{Finding, InputReader, InputWait, MULTIPLEXER, RELAY};
use super::syscall::{Sleep, TaskWait, wait_of};
use crate::piped::INPUT_DESCRIPTOR;
use rustix::fs::makedev;

/// Maximum number of tasks that one search checks, and maximum number that it visits to find members of the group.
const MAX_TASKS: usize = 256;

/// The device number of a master side of a terminal, whichever file it was opened through.
const MASTER: (u32, u32) = (5, 2);

/// The device number of `/dev/tty`, which means the terminal of the process that opens it.
const OWN_TERMINAL: (u32, u32) = (5, 0);

/// Returns what the group `foreground` waits for.
/// The group's leader is checked first, and nearly always decides. If it does not, the tree under `leader`, the first
/// process of the terminal's session, is searched for other members: the reader of a pipeline need not lead its group.
/// Processes there that have left the session may read the terminal too, regardless of job control: `su -c` starts its
/// program like that. So may processes that this one has adopted: the server of `tmux`, or the `pinentry` of `gpg-agent`.
pub(super) fn find(leader: i32, foreground: i32, tty_device: u64, line: LineModes) -> Finding {
    let mut search = ProbeSearch::new(leader, foreground, tty_device);
    search.look_for_pipe();
    // Input that the leader has not forwarded yet may be what the program waits for.
    if foreground > 0 && search.leader_rests() && !search.look_at_process(foreground) {
        search.look_below();
        if search.found.is_none() {
            search.look_at_orphans();
        }
    }
    search.finish(line)
}

struct ProbeSearch {
    files: ProcFiles,
    /// The session of the terminal, by its first process.
    session: i32,
    group: i32,
    tty_device: u64,
    /// The input pipe of a program with pipes, whose leader has the other end.
    pipe: Option<u64>,
    tasks_left: usize,
    /// A member of the group other than its leader was seen.
    seen_member: bool,
    verdict: InputWait,
    how: &'static str,
    found: Option<(InputReader, char)>,
    /// A process whose tasks may not be inspected.
    denied: Option<i32>,
    /// A member of the group waits for another process or a host.
    waits_elsewhere: bool,
    /// The reader passes input on to another terminal.
    passes_on: bool,
    asks_secret: bool,
}

/// How a task waits for the terminal.
struct TerminalWait {
    verdict: InputWait,
    how: &'static str,
    /// Without its switches.
    reader: InputReader,
    /// The other ends of other terminals that it waits for.
    masters: Vec<i32>,
}

impl ProbeSearch {
    fn new(session: i32, group: i32, tty_device: u64) -> Self {
        Self {
            files: ProcFiles::new(),
            session,
            group,
            tty_device,
            pipe: None,
            tasks_left: MAX_TASKS,
            seen_member: false,
            verdict: InputWait::No,
            how: "none",
            found: None,
            denied: None,
            waits_elsewhere: false,
            passes_on: false,
            asks_secret: false,
        }
    }

    fn finish(mut self, line: LineModes) -> Finding {
        let foreground_state = match self.found {
            Some((reader, state)) if reader.pid == self.group => Some(state),
            _ => self.files.stat(self.group).map(|stat| stat.state),
        };
        if self.group > 0 && foreground_state.is_none() && !self.seen_member {
            self.note(InputWait::Unknown, "unseen");
        }
        // Somebody has taken over the terminal, and it may be the process that the group waits for.
        if self.waits_elsewhere && line.is_changed() {
            self.note(InputWait::Unknown, "elsewhere");
        }
        self.judge_reader(line);
        let denied_state = self
            .denied
            .and_then(|pid| self.files.stat(pid))
            .map(|stat| stat.state);
        Finding {
            verdict: self.verdict,
            how: self.how,
            reader: self.found.map(|(reader, _)| reader),
            foreground_state,
            sleeps_unseen: self.verdict == InputWait::Unknown && denied_state == Some('S'),
            asks_secret: self.asks_secret,
        }
    }

    /// Notes what the reader's name shows. If it only passes input on, it is ready for input whatever the program at the
    /// far end does, so the verdict is unknown.
    fn judge_reader(&mut self, line: LineModes) {
        let Some((reader, _)) = self.found else {
            return;
        };
        let name = self.files.stat(reader.pid).map(|stat| stat.name);
        let name = name.as_deref().unwrap_or_default();
        self.asks_secret |= name.starts_with("pinentry");
        // A relay's own question, such as for the password, is read line by line.
        let asks_itself = self.verdict == InputWait::Blocked && line.canonical;
        if relay::is_multiplexer(name) {
            (self.verdict, self.how) = (InputWait::Unknown, MULTIPLEXER);
        } else if self.passes_on || (relay::is_relay(name) && !asks_itself) {
            (self.verdict, self.how) = (InputWait::Unknown, RELAY);
        }
    }

    fn leader(&self) -> TaskId {
        TaskId {
            pid: self.session,
            tid: self.session,
        }
    }

    /// Finds the input pipe if a leader of the daemon waits in place of the program: see [`crate::piped`].
    fn look_for_pipe(&mut self) {
        let leader = self.leader();
        let input = self.files.descriptor(leader, INPUT_DESCRIPTOR);
        if let Some(Descriptor::Pipe(number)) = input
            && self.files.is_own_program(leader)
        {
            self.pipe = Some(number);
        }
    }

    /// Returns false while a leader of the daemon has something to forward, in either direction.
    fn leader_rests(&mut self) -> bool {
        let leader = self.leader();
        if self.pipe.is_none() {
            return true;
        }
        let Ok(Some(sleep)) = Sleep::read(leader, &mut self.files) else {
            return false;
        };
        // Unless it is printing to a terminal that is full.
        matches!(
            wait_of(&sleep, leader, &mut self.files),
            Ok(TaskWait::Set(_))
        )
    }

    /// Checks the candidates in the tree under the session's leader, the youngest first, because jobs are started last.
    fn look_below(&mut self) {
        if !self.look_in_tree(vec![self.session]) {
            self.note(InputWait::Unknown, "limit");
        }
    }

    /// Checks the candidates among the processes without a terminal that this process has adopted, and below.
    fn look_at_orphans(&mut self) {
        let own = rustix::process::getpid().as_raw_pid();
        let mut orphans = Vec::new();
        for tid in self.files.tasks(own, MAX_TASKS) {
            let children = self.files.children(TaskId { pid: own, tid });
            let newest = children.into_iter().rev().take(MAX_TASKS);
            // The leaders of sessions have terminals.
            orphans.extend(newest.filter(|&child| {
                let stat = self.files.stat(child);
                stat.is_some_and(|stat| stat.tty_device == 0)
            }));
        }
        self.look_in_tree(orphans);
    }

    /// Checks the candidates in these trees until one waits for the terminal; returns false if there were too many.
    fn look_in_tree(&mut self, mut walk: Vec<i32>) -> bool {
        let mut known: HashSet<i32> = walk.iter().copied().collect();
        let mut steps_left = MAX_TASKS;
        while let Some(pid) = walk.pop() {
            if self.is_candidate(pid) && self.look_at_process(pid) {
                return true;
            }
            for tid in self.files.tasks(pid, steps_left + 1) {
                if steps_left == 0 {
                    return false;
                }
                steps_left -= 1;
                let children = self.files.children(TaskId { pid, tid });
                walk.extend(children.into_iter().filter(|&child| known.insert(child)));
            }
        }
        true
    }

    /// Returns whether the process may read the terminal and was not checked yet.
    fn is_candidate(&mut self, pid: i32) -> bool {
        let stat = match self.files.stat(pid) {
            Some(stat) if pid != self.group => stat,
            _ => return false,
        };
        let member = stat.group == self.group;
        self.seen_member |= member;
        member || stat.kernel_session != self.session
    }

    /// Checks the tasks of a process, the main one first; returns whether one of them waits for the terminal.
    fn look_at_process(&mut self, pid: i32) -> bool {
        if self.look_at_task(TaskId { pid, tid: pid }) {
            return true;
        }
        let tasks = self.files.tasks(pid, self.tasks_left + 1);
        tasks
            .into_iter()
            .any(|tid| tid != pid && self.look_at_task(TaskId { pid, tid }))
    }

    /// Returns whether the task waits for the terminal, and stores the finding.
    fn look_at_task(&mut self, task: TaskId) -> bool {
        if self.tasks_left == 0 {
            self.note(InputWait::Unknown, "limit");
            return false;
        }
        self.tasks_left -= 1;
        let sleep = match Sleep::read(task, &mut self.files) {
            Ok(Some(sleep)) => sleep,
            Ok(None) => return false,
            Err(error) => {
                self.note_error(task, &error);
                return false;
            }
        };
        if self.pipe.is_some() && task.pid == self.session {
            return false;
        }
        let Some(wait) = self.terminal_wait(task, &sleep) else {
            return false;
        };
        let Some(status) = self.files.status(task) else {
            return false;
        };
        if matches!(status.state, 'T' | 't') {
            self.note(InputWait::No, "stopped");
            return false;
        }
        // The count of switches belongs to this sleep only if the task still sleeps after it was read.
        if !matches!(Sleep::read(task, &mut self.files), Ok(Some(now)) if now == sleep) {
            return false;
        }
        // Its earlier output may not have been forwarded yet.
        if !self.leader_rests() {
            return false;
        }
        self.note(wait.verdict, wait.how);
        let reader = InputReader {
            voluntary_switches: status.voluntary_switches,
            ..wait.reader
        };
        self.found = Some((reader, status.state));
        self.passes_on = !wait.masters.is_empty();
        // With several, it is not visible which one the input goes to.
        if let [master] = wait.masters[..] {
            let line = relay::line_behind(task, master, &mut self.files);
            self.asks_secret = line.is_some_and(|line| line.hides_input());
        }
        true
    }

    /// Returns how the task waits for this terminal; `None` if it waits for something else or that is not known.
    fn terminal_wait(&mut self, task: TaskId, sleep: &Sleep) -> Option<TerminalWait> {
        let reader = InputReader {
            pid: task.pid,
            tid: task.tid,
            voluntary_switches: 0,
            socket_in_set: false,
            has_timeout: false,
            reads_one_byte: sleep.reads_one_byte(),
        };
        let set = match wait_of(sleep, task, &mut self.files) {
            Ok(TaskWait::Set(set)) => set,
            Ok(TaskWait::Read(descriptor)) => {
                let descriptor = self.files.descriptor(task, descriptor);
                if self.is_terminal(task, descriptor) {
                    return Some(TerminalWait {
                        verdict: InputWait::Blocked,
                        how: "read",
                        reader,
                        masters: Vec::new(),
                    });
                }
                self.note_elsewhere(task, descriptor == Some(Descriptor::Socket));
                return None;
            }
            Ok(TaskWait::Signal) => {
                self.note_elsewhere(task, true);
                return None;
            }
            Ok(TaskWait::Elsewhere) => return None,
            Err(error) => {
                self.note_error(task, &error);
                return None;
            }
        };
        let (mut terminal, mut socket) = (false, false);
        let mut masters = Vec::new();
        for &number in &set.descriptors {
            let descriptor = self.files.descriptor(task, number);
            terminal |= self.is_terminal(task, descriptor);
            socket |= descriptor == Some(Descriptor::Socket);
            if descriptor == Some(Descriptor::Device(makedev(MASTER.0, MASTER.1))) {
                masters.push(number);
            }
        }
        if !terminal && set.cut {
            self.note(InputWait::Unknown, "limit");
        }
        self.note_elsewhere(task, !terminal && socket);
        terminal.then_some(TerminalWait {
            verdict: InputWait::Accepts,
            how: set.how,
            reader: InputReader {
                socket_in_set: socket,
                has_timeout: set.has_timeout,
                ..reader
            },
            masters,
        })
    }

    fn is_terminal(&mut self, task: TaskId, descriptor: Option<Descriptor>) -> bool {
        let device = match descriptor {
            Some(Descriptor::Device(device)) => device,
            Some(Descriptor::Pipe(number)) => return self.pipe == Some(number),
            _ => return false,
        };
        if device == makedev(OWN_TERMINAL.0, OWN_TERMINAL.1) {
            let stat = self.files.stat(task.pid);
            return stat.is_some_and(|stat| stat.kernel_session == self.session);
        }
        device == self.tty_device
    }

    fn is_member(&mut self, pid: i32) -> bool {
        let stat = self.files.stat(pid);
        stat.is_some_and(|stat| stat.group == self.group)
    }

    /// Stores whether a task of the group waits for another process or a host.
    fn note_elsewhere(&mut self, task: TaskId, waits: bool) {
        self.waits_elsewhere = self.waits_elsewhere || waits && self.is_member(task.pid);
    }

    /// Stores the process of a task of the group that may not be inspected.
    /// A task that has ended or continued meanwhile does not matter, nor does one outside the group.
    fn note_error(&mut self, task: TaskId, error: &io::Error) {
        if error.kind() == io::ErrorKind::PermissionDenied && self.is_member(task.pid) {
            self.denied.get_or_insert(task.pid);
            self.note(InputWait::Unknown, "denied");
        }
    }

    /// Stores the finding that takes precedence; among equals the first, but anything overrides `none`.
    fn note(&mut self, verdict: InputWait, how: &'static str) {
        if verdict > self.verdict || (verdict == self.verdict && self.how == "none") {
            self.verdict = verdict;
            self.how = how;
        }
    }
}
