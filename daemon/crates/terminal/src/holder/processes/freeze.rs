//! Stops processes that are to be killed, so that none can start another in the meantime.
//! A program that forks and exits faster than the machine's processes can be listed escapes any list. But its processes
//! lose their parents, so they become children of the process that adopts orphans, whose children can be listed in
//! microseconds. Whatever is found there is stopped at once, with its process group: the kernel stops a group as a whole,
//! also a process that is just being started. Then there is time to list what else was started.

use super::environment::{EnvironmentLook, look};
use super::process::{Process, ProcessHandle, signal_all};
use super::root::holder_pid;
use super::table::{ProcessTable, own_pid};
use super::traces::{SESSION_VARIABLE, Traces};
use crate::process_stat::ProcessStat;
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How many looks in a row must find nothing new. One is not enough: the kernel may leave a child out of a list if
/// another child ends while the list is read.
const CALM_LOOKS: u32 = 3;

/// How long to wait for stopped processes to stand still. One that the kernel does not let stop, such as the parent of
/// a `vfork`, starts nothing either.
const STILL_PATIENCE: Duration = Duration::from_millis(200);

/// Pause between two looks if all that is missing is that stopped processes stand still.
const STILL_PAUSE: Duration = Duration::from_micros(200);

/// Maximum number of processes that are stopped; whoever kills them looks for more afterwards.
const MAX_FROZEN: usize = 65_536;

#[derive(Debug, Clone)]
pub struct Frozen {
    pub session: Arc<str>,
    pub process: Process,
    /// Its process group, if that was stopped too.
    group: Option<Pid>,
}

/// Sends `signal` to stopped processes, and to the process groups that were stopped with them. Returns the process ids
/// that received it, without the rest of the groups.
pub fn signal_frozen(frozen: &[Frozen], signal: Signal) -> Vec<i32> {
    let processes: Vec<Process> = frozen.iter().map(|frozen| frozen.process).collect();
    let reached = signal_all(&processes, signal);
    let groups: HashSet<Pid> = frozen.iter().filter_map(|frozen| frozen.group).collect();
    for group in groups {
        let _ = kill_process_group(group, signal); // it may have ended
    }
    reached
}

impl ProcessTable {
    /// Stops all processes of `sessions`, also those that are started meanwhile. Returns them. Blocks, until `deadline`
    /// at most.
    /// Processes of other sessions are not stopped. A process that was in the table and did not belong to the sessions
    /// is not looked at again.
    pub fn freeze(&self, sessions: &[Traces], deadline: Instant) -> Vec<Frozen> {
        let by_mark: HashMap<&[u8], &Arc<str>> = sessions
            .iter()
            .map(|session| (session.id.as_bytes(), &session.id))
            .collect();
        let mut own: HashMap<i32, (Process, Arc<str>)> = HashMap::new();
        for session in sessions {
            let processes = self.processes_of(session).into_iter();
            own.extend(processes.map(|process| (process.pid, (process, Arc::clone(&session.id)))));
        }
        let insiders = sessions
            .iter()
            .map(|session| (session, self.insider(session)));
        let insiders: Vec<_> = insiders.collect();
        let inside = |pid: i32| {
            let stat = ProcessStat::read(pid)?;
            let session = insiders.iter().find(|(_, is_inside)| is_inside(&stat));
            session.map(|(session, _)| session)
        };
        let whose = |pid: i32| {
            if let Some((_, id)) = own.get(&pid) {
                return Whose::Session(Arc::clone(id));
            }
            if self.has_judged(pid) {
                return Whose::Strangers;
            }
            if let Some(session) = inside(pid) {
                return Whose::Session(Arc::clone(&session.id));
            }
            match look(pid, SESSION_VARIABLE) {
                EnvironmentLook::Values(values) => {
                    let mut ids = values.iter().filter_map(|value| by_mark.get(&value[..]));
                    let session = ids.next().map(|id| Whose::Session(Arc::clone(id)));
                    session.unwrap_or(Whose::Strangers)
                }
                EnvironmentLook::Ended => Whose::Ended,
                EnvironmentLook::Execs | EnvironmentLook::Gone => Whose::Unclear,
            }
        };
        let mut freeze = Freeze::new(self.adopters(), whose);
        for (process, id) in own.values() {
            freeze.stop(process.pid, Some(*process), id);
        }
        freeze.run(deadline)
    }
}

/// Stops everything that descends from the process `ancestor`, which adopts orphans, but not itself. Returns what was
/// stopped. Blocks, until `deadline` at most.
pub(super) fn freeze_below(ancestor: i32, deadline: Instant) -> Vec<Frozen> {
    let nameless = Arc::from("");
    Freeze::new(vec![ancestor], |_| Whose::Session(Arc::clone(&nameless))).run(deadline)
}

/// To whom a child of an adopting process belongs.
enum Whose {
    Session(Arc<str>),
    Strangers,
    Unclear,
    /// It has ended, and has not been reaped yet.
    Ended,
}

struct Freeze<W> {
    adopters: Vec<i32>,
    whose: W,
    frozen: HashMap<i32, Frozen>,
    /// Those that were seen to belong to others, or to have ended.
    passed: HashSet<i32>,
    /// Those that were sent the signal and may still be running.
    moving: HashSet<i32>,
    found_at: Instant,
}

impl<W: Fn(i32) -> Whose> Freeze<W> {
    fn new(adopters: Vec<i32>, whose: W) -> Self {
        Self {
            adopters,
            whose,
            frozen: HashMap::new(),
            passed: HashSet::new(),
            moving: HashSet::new(),
            found_at: Instant::now(),
        }
    }

    fn run(mut self, deadline: Instant) -> Vec<Frozen> {
        let mut calm_looks = 0;
        while calm_looks < CALM_LOOKS && self.frozen.len() < MAX_FROZEN {
            // What moves now may start another process after the look.
            let is_still = self.is_still();
            let found_nothing = self.look();
            if found_nothing && is_still {
                calm_looks += 1;
            } else {
                calm_looks = 0;
                if Instant::now() >= deadline {
                    break;
                }
                if found_nothing {
                    std::thread::sleep(STILL_PAUSE);
                }
            }
        }
        self.frozen.into_values().collect()
    }

    fn is_still(&mut self) -> bool {
        self.moving.retain(|pid| {
            ProcessStat::read(*pid).is_some_and(|stat| stat.lives && !stat.is_stopped())
        });
        self.moving.is_empty() || self.found_at.elapsed() > STILL_PATIENCE
    }

    /// Stops what it finds. Returns whether that was nothing, and all processes could be judged.
    fn look(&mut self) -> bool {
        let mut is_calm = true;
        let mut waiting: Vec<(i32, Option<Arc<str>>)> = Vec::new();
        for adopter in &self.adopters {
            waiting.extend(children_of(*adopter).into_iter().map(|pid| (pid, None)));
        }
        for frozen in self.frozen.values() {
            let children = children_of(frozen.process.pid).into_iter();
            waiting.extend(children.map(|pid| (pid, Some(Arc::clone(&frozen.session)))));
        }
        // The last children of a process are its newest, which are the most likely to start others.
        while let Some((pid, parents)) = waiting.pop() {
            if self.frozen.contains_key(&pid) || self.passed.contains(&pid) {
                continue;
            }
            let whose = parents.map_or_else(|| (self.whose)(pid), Whose::Session);
            match whose {
                Whose::Session(session) => {
                    is_calm = false;
                    if self.stop(pid, None, &session) {
                        let children = children_of(pid).into_iter();
                        waiting.extend(children.map(|pid| (pid, Some(Arc::clone(&session)))));
                    }
                }
                Whose::Strangers => {
                    self.passed.insert(pid);
                }
                Whose::Unclear => is_calm = false,
                // It may have started another one after the list was read, so the list is read again.
                Whose::Ended => {
                    is_calm = false;
                    self.passed.insert(pid);
                }
            }
        }
        is_calm
    }

    /// Stops a process and its group, unless its number belongs to another than `expected`. False if it has ended.
    fn stop(&mut self, pid: i32, expected: Option<Process>, session: &Arc<str>) -> bool {
        // While the descriptor is open and can be signalled, the number belongs to the same process.
        let Ok(handle) = ProcessHandle::open(pid) else {
            return false;
        };
        let Some(stat) = ProcessStat::read(pid) else {
            return false;
        };
        let process = Process {
            pid,
            started_ticks: stat.started_ticks,
        };
        if expected.is_some_and(|expected| expected != process) {
            return false;
        }
        let group = self.group_to_stop(pid, &stat);
        if let Some(group) = group {
            let _ = kill_process_group(group, Signal::STOP);
        }
        let _ = handle.send(Signal::STOP); // what may not be signalled is reported when it is not killed
        if process.is_gone() {
            self.passed.insert(pid);
            return false;
        }
        self.moving.insert(pid);
        self.found_at = Instant::now();
        let session = Arc::clone(session);
        let frozen = Frozen {
            session,
            process,
            group,
        };
        self.frozen.insert(pid, frozen);
        true
    }

    /// Returns the group of a process, unless it may contain others than those that are to be stopped: the group is in a
    /// session of the kernel that a stranger has opened, or it is that of a process of the daemon.
    fn group_to_stop(&self, pid: i32, stat: &ProcessStat) -> Option<Pid> {
        let opener = stat.kernel_session;
        // The opener of the session 0 is outside this namespace of processes.
        let is_strange =
            opener == 0 || opener != pid && matches!((self.whose)(opener), Whose::Strangers);
        let group = Pid::from_raw(stat.group).filter(|_| !is_strange)?;
        let is_of = |pid| ProcessStat::read(pid).is_some_and(|daemon| daemon.group == stat.group);
        (!is_of(own_pid()) && !is_of(holder_pid()) && group != Pid::INIT).then_some(group)
    }
}

/// Returns the children of all threads of a process; those of each thread from the oldest to the newest.
fn children_of(pid: i32) -> Vec<i32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task"));
    let mut children = Vec::new();
    for thread in threads.into_iter().flatten().flatten() {
        let list = fs::read(thread.path().join("children")).unwrap_or_default();
        let pids = list.split(|byte| *byte == b' ');
        children.extend(pids.filter_map(|pid| std::str::from_utf8(pid).ok()?.parse::<i32>().ok()));
    }
    children
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::CommandExt as _;
    use std::process::{Child, Command};

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(20)
    }

    fn is_stopped(pid: i32) -> bool {
        ProcessStat::read(pid).is_some_and(|stat| stat.is_stopped())
    }

    fn eventually_stopped(pids: &[i32]) {
        let deadline = soon();
        while !pids.iter().all(|pid| is_stopped(*pid)) {
            assert!(Instant::now() < deadline, "{pids:?} are stopped");
            std::thread::yield_now();
        }
    }

    /// A shell that has started two programs.
    struct Family {
        shell: Child,
        programs: Vec<i32>,
    }

    impl Family {
        fn start(shell: &mut Command) -> Self {
            let shell = shell.args(["-c", "sleep 1000 & sleep 1000 & wait"]);
            let mut family = Self {
                shell: shell.spawn().unwrap(),
                programs: Vec::new(),
            };
            let deadline = soon();
            let execs = |pid: &i32| look(*pid, "PATH") == EnvironmentLook::Execs;
            while family.programs.len() < 2 || family.programs.iter().any(execs) {
                assert!(Instant::now() < deadline, "the shell starts two programs");
                std::thread::yield_now();
                family.programs = children_of(family.pid());
            }
            family
        }

        fn pid(&self) -> i32 {
            self.shell.id().cast_signed()
        }
    }

    impl Drop for Family {
        fn drop(&mut self) {
            let programs = self.programs.iter().filter_map(|pid| Process::find(*pid));
            signal_all(&programs.collect::<Vec<_>>(), Signal::KILL);
            self.shell.kill().unwrap();
            self.shell.wait().unwrap();
        }
    }

    #[test]
    fn what_is_below_a_process_is_stopped_but_not_its_group_if_that_is_the_daemons() {
        let mut family = Family::start(&mut Command::new("sh"));
        let frozen = freeze_below(family.pid(), soon());
        let mut pids: Vec<i32> = frozen.iter().map(|frozen| frozen.process.pid).collect();
        pids.sort_unstable();
        family.programs.sort_unstable();
        assert_eq!(pids, family.programs);
        eventually_stopped(&pids);
        assert!(!is_stopped(family.pid()));
        assert_eq!(signal_frozen(&frozen, Signal::KILL).len(), 2);
    }

    #[test]
    fn a_session_is_stopped_with_its_group_and_another_is_not() {
        let id = |name: &str| format!("freeze-{name}-{}", std::process::id());
        let mut command = Command::new("sh");
        command.env(SESSION_VARIABLE, id("other")).process_group(0);
        let other = Family::start(&mut command);
        let mut command = Command::new("setsid");
        let own = Family::start(command.arg("sh").env(SESSION_VARIABLE, id("own")));
        let table = ProcessTable::read(&ProcessTable::default());
        let sessions = [id("none"), id("own")].map(|id| Traces::from_id(&id));
        let frozen = table.freeze(&sessions, soon());
        assert_eq!(frozen.len(), 3);
        assert!(frozen.iter().all(|frozen| *frozen.session == *id("own")));
        let group = Pid::from_raw(own.pid());
        assert!(frozen.iter().all(|frozen| frozen.group == group));
        eventually_stopped(&own.programs);
        assert!(!other.programs.iter().any(|pid| is_stopped(*pid)));
        assert_eq!(signal_frozen(&frozen, Signal::CONT).len(), 3);
        assert!(!own.programs.iter().any(|pid| is_stopped(*pid)));
    }
}
