//! What nobody reports: whether a program still runs, what its screen shows, whether it reads its terminal, and what its
//! transcript says. Looked at when somebody asks, at most every [`PAUSE`].

use super::clock::now;
use ccd_agents::{AgentSession, CLAUDE, Look, Origin, Process, Programs, Shown, Tail, tail};
use ccd_conversation::{ClaudeReport, claude_reports, grown_tail};
use ccd_protocol::SessionId;
use ccd_protocol::agent::Agent;
use ccd_protocol::session::{InputVerdict, SessionScreenParams};
use ccd_session::{Session, Sessions};
use ccd_store::blocking;
use ccd_terminal::process::{self, Running};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// Between two looks, however many ask.
const PAUSE: Duration = Duration::from_millis(200);

/// How long one look may take: a program that floods has no screen for a while, and delays no other.
const LOOK_LIMIT: Duration = Duration::from_millis(50);

/// The same for a screen that somebody asks for.
const SCREEN_LIMIT: Duration = Duration::from_secs(1);

/// Bytes at the end of a transcript that are read.
const TAIL_BYTES: u64 = 256 << 10;

/// How often the processor time of a program is looked at, and how much of a processor it must use to move.
const TICKS_PERIOD: Duration = Duration::from_secs(5);
const MOVING_SHARE: f64 = 0.1;
const TICKS_PER_SECOND: f64 = 100.0;

/// Rows of a screen in a reply.
const SHOWN_ROWS: usize = 40;

/// What was seen of each agent, by its id.
#[derive(Debug, Default)]
pub(super) struct Looks {
    at: Option<Instant>,
    /// Held by the one who reads files.
    reader: Arc<tokio::sync::Mutex<()>>,
    seen: HashMap<String, Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    /// The end of the output at the last look, and what the screen showed then.
    offset: Option<u64>,
    shown: Shown,
    transcript_len: u64,
    ticks: Option<(Instant, u64)>,
}

/// What is looked at of one agent.
pub(super) struct Subject {
    pub(super) id: String,
    pub(super) program: String,
    /// Nothing else says whether it waits for input.
    pub(super) is_probed: bool,
    pub(super) session: Option<Arc<Session>>,
    pub(super) process: Option<Process>,
    pub(super) transcript: Option<String>,
}

/// Looks at the programs of agents.
pub(super) struct Looker {
    sessions: Arc<Sessions>,
    looks: tokio::sync::Mutex<Looks>,
}

impl Looker {
    pub(super) fn new(sessions: Arc<Sessions>) -> Self {
        Self {
            sessions,
            looks: tokio::sync::Mutex::default(),
        }
    }

    /// Waits for those who look at this moment; `None` if that was just done.
    pub(super) async fn turn(&self) -> Option<Turn<'_>> {
        let mut looks = self.looks.lock().await;
        if looks.at.is_some_and(|at| at.elapsed() < PAUSE) {
            return None;
        }
        looks.at = Some(Instant::now());
        Some(Turn {
            sessions: &self.sessions,
            looks,
        })
    }

    /// Waits until the next turn sees what is there now.
    pub(super) async fn pause(&self) {
        tokio::time::sleep(PAUSE).await;
    }

    /// Returns the session with this id, live or ended.
    pub(super) fn listed(&self, id: &str) -> Option<Arc<Session>> {
        self.sessions.listed(&SessionId::parse(id).ok()?)
    }

    /// Returns the live session with this id.
    pub(super) fn session(&self, id: Option<&str>) -> Option<Arc<Session>> {
        let session = self.listed(id?)?;
        session.is_alive().then_some(session)
    }

    /// Returns the last rows of the screen of an agent.
    pub(super) async fn screen_of(&self, agent: &Agent) -> Option<Vec<String>> {
        let session = self.session(agent.session_id.as_deref())?;
        let params = SessionScreenParams::default();
        let screen = timeout(SCREEN_LIMIT, session.screen(&params))
            .await
            .ok()?
            .ok()?;
        let mut rows = screen.lines;
        let end = rows.iter().rposition(|row| !row.trim().is_empty());
        rows.truncate(end.map_or(0, |at| at + 1));
        Some(rows.split_off(rows.len().saturating_sub(SHOWN_ROWS)))
    }
}

/// As [`Turn::read`].
async fn read_in_time<T: Send + 'static>(
    reader: &Arc<tokio::sync::Mutex<()>>,
    read: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let one = Arc::clone(reader).try_lock_owned().ok()?;
    let read = blocking(move || {
        let read = read();
        drop(one);
        read
    });
    timeout(LOOK_LIMIT, read).await.ok()
}

/// Returns the agent in a session.
fn agent_in(session: &Session, programs: &Programs) -> Option<AgentSession> {
    let facts = &session.facts;
    let (program, running) = match programs.of_executable(&facts.program) {
        Some(own) => (own, process::running(facts.pid)?),
        None => process::foreground(facts.pid, |name| programs.of_executable(name))?,
    };
    Some(AgentSession {
        id: session.id().to_string(),
        program: program.name.clone(),
        // A shell has gone elsewhere since.
        cwd: process::cwd(running.pid).unwrap_or_else(|| facts.cwd.clone()),
        process: process_of(running),
    })
}

/// Returns the directory of a running Claude Code.
fn claude_dir_of(pid: i32) -> Option<PathBuf> {
    let own = process::variable(pid, "CLAUDE_CONFIG_DIR").map(PathBuf::from);
    own.or_else(|| Some(PathBuf::from(process::variable(pid, "HOME")?).join(".claude")))
}

/// Returns a running program as agents know it.
pub(super) fn process_of(running: Running) -> Process {
    Process {
        pid: running.pid,
        started: running.started,
    }
}

/// Reads the screen of a session in which an agent runs; `None` if there is none in time.
pub(super) async fn shown(session: &Session, program: &str, programs: &Programs) -> Option<Shown> {
    let params = SessionScreenParams::default();
    let screen = timeout(LOOK_LIMIT, session.screen(&params)).await;
    let screen = screen.ok()?.ok()?;
    Some(ccd_agents::read(
        &screen.lines,
        &programs.named(program)?.marks,
    ))
}

/// The one who looks at all agents now.
pub(super) struct Turn<'a> {
    sessions: &'a Sessions,
    looks: tokio::sync::MutexGuard<'a, Looks>,
}

impl Turn<'_> {
    /// Returns the live sessions whose programs are agents, or have one in the foreground of their terminals.
    pub(super) async fn sessions(&self, programs: &Arc<Programs>) -> Vec<AgentSession> {
        let (sessions, programs) = (self.sessions.list(), Arc::clone(programs));
        let alive = move |session: &Arc<Session>| session.is_alive();
        let read = move || {
            let alive = sessions.into_iter().filter(alive);
            let found = alive.filter_map(|session| agent_in(&session, &programs));
            found.collect()
        };
        self.read(read).await.unwrap_or_default()
    }

    /// Returns what running programs of Claude Code report in these directories and in those that `sessions` use, and where they
    /// run.
    pub(super) async fn reports(
        &self,
        mut dirs: BTreeSet<PathBuf>,
        sessions: &[AgentSession],
        programs: &Programs,
    ) -> Vec<(ClaudeReport, Origin)> {
        let processes = sessions.iter().filter(|one| one.program == CLAUDE);
        let pids: Vec<i32> = processes.map(|one| one.process.pid).collect();
        let read = move || {
            dirs.extend(pids.into_iter().filter_map(claude_dir_of));
            dirs.iter().flat_map(|dir| claude_reports(dir)).collect()
        };
        let reports: Vec<ClaudeReport> = self.read(read).await.unwrap_or_default();
        let found = reports.into_iter().filter_map(|report| {
            let running = process::running(report.pid)?;
            // It may have been killed, and its number may be another program's.
            let is_it = match report.started_ticks {
                Some(ticks) => ticks == running.started,
                None => programs.of_executable(&process::name(report.pid)?)?.name == CLAUDE,
            };
            let origin = Origin {
                session: self.session_on(running.tty_device),
                process: Some(process_of(running)),
            };
            is_it.then_some((report, origin))
        });
        let mut found: Vec<_> = found.collect();
        // Of two that have the same conversation, the one that was started last has it.
        found.sort_by_key(|(_, origin)| origin.process.map(|process| process.started));
        found.reverse();
        let mut known = HashSet::new();
        found.retain(|(report, _)| known.insert(report.conversation.clone()));
        found
    }

    /// Reads what files say; nothing if that takes long, or if an earlier reader has not come back.
    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        read_in_time(&self.looks.reader, read).await
    }

    /// Returns the live session with this terminal.
    fn session_on(&self, tty_device: u64) -> Option<String> {
        let sessions = self.sessions.list().into_iter();
        let mut there = sessions.filter(|session| {
            session.is_alive() && tty_device != 0 && session.facts.tty_device == tty_device
        });
        Some(there.next()?.id().to_string())
    }

    /// Forgets what was seen of all others.
    pub(super) fn keep(&mut self, subjects: &[Subject]) {
        let is_known = |id: &String| subjects.iter().any(|one| one.id == *id);
        self.looks.seen.retain(|id, _| is_known(id));
    }

    pub(super) async fn look(&mut self, subject: &Subject, programs: &Programs) -> Look {
        let reader = Arc::clone(&self.looks.reader);
        let seen = self.looks.seen.entry(subject.id.clone()).or_default();
        seen.look(subject, programs, &reader).await
    }
}

impl Seen {
    async fn look(
        &mut self,
        subject: &Subject,
        programs: &Programs,
        reader: &Arc<tokio::sync::Mutex<()>>,
    ) -> Look {
        let mut look = Look::default();
        if let Some(session) = &subject.session {
            let end = session.output.end();
            let has_output = self.offset.is_some_and(|offset| offset != end);
            look.quiet = session.idle();
            if self.offset != Some(end) {
                let shown = shown(session, &subject.program, programs).await;
                self.offset = shown.is_some().then_some(end);
                self.shown = shown.unwrap_or_default();
            }
            look.shown = self.shown.clone();
            // A clock that ticks beside the mark of work is no movement.
            look.has_moved |= has_output && look.shown != Shown::Work;
            if subject.is_probed {
                let waiting = timeout(LOOK_LIMIT, session.waiting_for_input()).await;
                look.reads = waiting
                    .ok()
                    .flatten()
                    .and_then(|waiting| match waiting.verdict {
                        InputVerdict::Blocked | InputVerdict::Accepts => Some(true),
                        InputVerdict::No => Some(false),
                        InputVerdict::Unknown => None,
                    });
            }
        }
        look.has_moved |= subject
            .process
            .is_some_and(|process| self.has_used_time(process));
        look.transcript = self.transcript(subject, reader).await;
        look.has_moved |= look.transcript.is_some();
        look.at = now();
        look
    }

    /// Returns the end of the transcript, if that has changed.
    async fn transcript(
        &mut self,
        subject: &Subject,
        reader: &Arc<tokio::sync::Mutex<()>>,
    ) -> Option<Tail> {
        let path = subject.transcript.clone()?;
        let known = self.transcript_len;
        let read = read_in_time(reader, move || {
            let (len, lines) = grown_tail(Path::new(&path), known, TAIL_BYTES)?;
            Some((len, tail(&lines)))
        });
        let (len, tail) = read.await??;
        self.transcript_len = len;
        Some(tail)
    }

    /// Returns whether a program has used processor time that is worth mentioning since the last look.
    fn has_used_time(&mut self, process: Process) -> bool {
        let last = self.ticks;
        if last.is_some_and(|(at, _)| at.elapsed() < TICKS_PERIOD) {
            return false;
        }
        let Some(ticks) = process::used_ticks(process.pid) else {
            return false;
        };
        self.ticks = Some((Instant::now(), ticks));
        last.is_some_and(|(at, before)| {
            let used_s = ticks.saturating_sub(before) as f64 / TICKS_PER_SECOND;
            used_s >= at.elapsed().as_secs_f64() * MOVING_SHARE
        })
    }
}
