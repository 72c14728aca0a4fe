//! All agents: who they are, and what each does.

use crate::hook::{Event, Hook, HookPayload};
use crate::look::Look;
use crate::moment::Moment;
use crate::programs::CLAUDE;
use crate::progress::Progress;
use crate::words;
use ccd_conversation::ClaudeReport;
use ccd_protocol::agent::{Agent, AgentState, Known};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::Duration;

/// How long an agent that has ended is listed.
const KEEP_ENDED: Duration = Duration::from_secs(86_400);

/// Agents that are listed at most; those that ended first make room.
pub const MAX_AGENTS: usize = 1000;

/// The context window of a model in tokens, unless its name says that it is larger, or it holds more.
const WINDOW_TOKENS: u64 = 200_000;
const LARGE_WINDOW_TOKENS: u64 = 1_000_000;

/// A process that cannot be confused with a later one of the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    pub pid: i32,
    /// As the system counts it.
    pub started: u64,
}

/// Where an agent runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    pub session: Option<String>,
    pub process: Option<Process>,
}

/// A live session whose program is an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSession {
    pub id: String,
    pub program: String,
    pub cwd: String,
    pub process: Process,
}

/// How an unattended run goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub conversation: String,
    pub cwd: String,
    /// `Working`, `Done` or `Failed`.
    pub state: AgentState,
    pub error: Option<String>,
}

/// One agent. This is also the form in which it survives a restart of the daemon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The id of the conversation; as long as that is unknown, of the session.
    pub id: String,
    pub program: String,
    pub session: Option<String>,
    pub conversation: Option<String>,
    pub process: Option<Process>,
    pub cwd: Option<String>,
    pub transcript: Option<String>,
    pub model: Option<String>,
    /// The name that its user gave it.
    #[serde(default)]
    pub title: Option<String>,
    pub context_tokens: Option<u64>,
    pub headless: bool,
    pub progress: Progress,
    ended: Option<Ended>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Ended {
    state: AgentState,
    at: Moment,
}

impl Entry {
    fn new(id: &str, program: &str, at: Moment) -> Self {
        Self {
            id: id.to_owned(),
            program: program.to_owned(),
            session: None,
            conversation: None,
            process: None,
            cwd: None,
            transcript: None,
            model: None,
            title: None,
            context_tokens: None,
            headless: false,
            progress: Progress::new(at),
            ended: None,
        }
    }

    #[must_use]
    pub fn lives(&self) -> bool {
        self.ended.is_none()
    }

    fn end(&mut self, state: AgentState, at: Moment) {
        self.ended.get_or_insert(Ended { state, at });
    }

    /// Returns its record, without what only files know.
    #[must_use]
    pub fn record(&self, now: Moment, stuck_after: Duration) -> Agent {
        let status = self.progress.status(now, stuck_after);
        let mut agent = Agent {
            agent_id: self.id.clone(),
            name: self.own_name(),
            program: self.program.clone(),
            state: status.state,
            known: status.known,
            since: status.since.utc(),
            for_s: status.since.until(now).as_secs_f64(),
            doing: status.doing,
            question: status.question,
            error: self.progress.error.clone(),
            sub_agents: self.progress.sub_agents() as u64,
            cwd: self.cwd.clone(),
            last_prompt: self.progress.last_prompt.clone(),
            last_answer: self.progress.last_answer.clone(),
            context_tokens: self.context_tokens,
            context: self
                .context_tokens
                .map(|tokens| share(tokens, self.model.as_deref())),
            session_id: self.session.clone(),
            conversation_id: self.conversation.clone(),
            pid: self.process.map(|process| process.pid),
            headless: self.headless,
            ..Agent::default()
        };
        if let Some(ended) = &self.ended {
            agent = Agent {
                state: ended.state,
                known: Known::Fact,
                since: ended.at.utc(),
                for_s: ended.at.until(now).as_secs_f64(),
                doing: None,
                question: None,
                sub_agents: 0,
                pid: None,
                ..agent
            };
        } else if self.headless {
            // Nobody can answer, nobody looks, and only the verdict is the end.
            agent.question = None;
            agent.state = AgentState::Working;
        }
        agent
    }

    /// What its user calls it; otherwise the directory it works in, by its last part.
    fn own_name(&self) -> String {
        if let Some(title) = &self.title {
            return title.clone();
        }
        let folder = self
            .cwd
            .as_deref()
            .and_then(|cwd| Path::new(cwd).file_name());
        folder.map_or_else(
            || self.program.clone(),
            |name| name.to_string_lossy().into_owned(),
        )
    }
}

/// Why an agent cannot be named so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotFound {
    None,
    /// The ids of several.
    Several(Vec<String>),
}

#[derive(Debug, Default)]
pub struct Ledger {
    entries: BTreeMap<String, Entry>,
}

impl Ledger {
    /// The agents of an earlier process of the daemon. After a restart of the system there are none; runs have ended with that
    /// process.
    #[must_use]
    pub fn restored(entries: impl IntoIterator<Item = Entry>, now: Moment) -> Self {
        let is_of_this_boot = |entry: &Entry| entry.progress.moved().boot_ms <= now.boot_ms;
        let entries = entries.into_iter().filter(is_of_this_boot).take(MAX_AGENTS);
        let entries = entries.map(|mut entry| {
            if entry.headless {
                entry.end(AgentState::Failed, now);
            }
            (entry.id.clone(), entry)
        });
        Self {
            entries: entries.collect(),
        }
    }

    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values()
    }

    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Entry> {
        self.entries.get(id)
    }

    /// Returns whether the origin of a hook must be looked up: its conversation is not known, or starts anew.
    #[must_use]
    pub fn needs_origin(&self, payload: &HookPayload) -> bool {
        let known = self.entries.get(&payload.conversation);
        payload.is_start() || known.is_none_or(|entry| !entry.lives() || entry.process.is_none())
    }

    /// Takes a hook.
    pub fn hook(&mut self, hook: &Hook, origin: Origin, at: Moment) {
        let id = &hook.conversation;
        if matches!(hook.event, Event::Start { .. }) {
            self.replace_others(id, &origin, at);
        }
        self.meet(id, &origin, at);
        let Some(entry) = self.entries.get_mut(id) else {
            return;
        };
        if matches!(hook.event, Event::Ends) {
            if !entry.headless {
                entry.end(AgentState::Gone, at);
            }
            return;
        }
        let is_start = matches!(hook.event, Event::Start { .. });
        if is_start {
            // It may be resumed in another terminal, by a person.
            (entry.headless, entry.ended) = (false, None);
            (entry.session, entry.process) = (origin.session, origin.process);
        } else if entry.headless && !entry.lives() {
            return; // late: the verdict is there
        } else {
            entry.ended = None;
            entry.session = origin.session.or(entry.session.take());
            entry.process = origin.process.or(entry.process);
        }
        // The directory of a sub-agent, or of a command, is not where the agent is.
        if hook.sub_agent.is_none()
            && (entry.cwd.is_none() || matches!(hook.event, Event::Start { .. }))
        {
            entry.cwd.clone_from(&hook.cwd);
        }
        entry.transcript = hook.transcript.clone().or(entry.transcript.take());
        entry.model = hook.model.clone().or(entry.model.take());
        entry.progress.hook(hook, at);
    }

    /// Takes what a running Claude Code reports about itself. Returns whether that has changed anything.
    pub fn report(&mut self, report: &ClaudeReport, origin: Origin, at: Moment) -> bool {
        let id = &report.conversation;
        let runs = |entry: &Entry| entry.headless && entry.lives();
        if self.entries.get(id).is_some_and(runs) {
            return false; // who has started it knows it
        }
        // The file still names it while another one begins.
        let has_left = |entry: &Entry| {
            let ended = entry.ended.as_ref();
            let is_older = ended.is_some_and(|ended| report.written_ms <= ended.at.unix_ms);
            is_older && entry.process == origin.process
        };
        if self.entries.get(id).is_some_and(has_left) {
            return false;
        }
        self.replace_others(id, &origin, at);
        let mut has_changed = self.meet(id, &origin, at);
        has_changed |= self.without_conversation(&origin).is_some();
        let Some(entry) = self.entries.get_mut(id) else {
            return false;
        };
        // It may be resumed in another terminal.
        if entry.process != origin.process || !entry.lives() {
            (entry.headless, entry.ended) = (false, None);
            (entry.session, entry.process) = (None, origin.process);
            has_changed = true;
        }
        // A session that ends has no terminal any more.
        entry.session = origin.session.or(entry.session.take());
        entry.cwd.get_or_insert_with(|| report.cwd.clone());
        let transcript = || report.transcript.to_string_lossy().into_owned();
        entry.transcript.get_or_insert_with(transcript);
        entry.title = report.title.as_deref().map(words::line);
        if let Some((activity, unix_ms)) = &report.activity {
            has_changed |= entry.progress.report(activity, *unix_ms, at);
        }
        has_changed
    }

    /// Enters a conversation. Returns whether it is new.
    fn meet(&mut self, id: &str, origin: &Origin, at: Moment) -> bool {
        if self.entries.contains_key(id) {
            return false;
        }
        let entry = self.without_conversation(origin);
        let entry = Entry {
            id: id.to_owned(),
            conversation: Some(id.to_owned()),
            ..entry.unwrap_or_else(|| Entry::new(id, CLAUDE, at))
        };
        self.make_room();
        self.entries.insert(id.to_owned(), entry);
        true
    }

    /// A program has one conversation at a time: `/clear` and `/resume` begin another one.
    fn replace_others(&mut self, id: &str, origin: &Origin, at: Moment) {
        for entry in self.entries.values_mut() {
            let is_same = entry.process.is_some() && entry.process == origin.process;
            if entry.id != id && entry.conversation.is_some() && entry.lives() && is_same {
                entry.end(AgentState::Gone, at);
            }
        }
    }

    /// Takes out the entry of a session whose conversation was unknown.
    fn without_conversation(&mut self, origin: &Origin) -> Option<Entry> {
        let session = origin.session.as_ref()?;
        self.entries
            .get(session)
            .is_some_and(|entry| {
                let is_it = entry.program == CLAUDE && entry.conversation.is_none();
                is_it && entry.lives()
            })
            .then(|| self.entries.remove(session))
            .flatten()
    }

    /// Takes the live sessions of agents. Returns whether one is new.
    pub fn sessions(&mut self, sessions: &[AgentSession], at: Moment) -> bool {
        let mut is_new = false;
        for session in sessions {
            let mut living = self.entries.values_mut().filter(|entry| entry.lives());
            let known = living.find(|entry| {
                let is_it =
                    entry.program == session.program || entry.process == Some(session.process);
                entry.session.as_ref() == Some(&session.id) && is_it
            });
            if let Some(entry) = known {
                entry.process.get_or_insert(session.process);
                continue;
            }
            self.make_room();
            let entry = Entry {
                session: Some(session.id.clone()),
                cwd: Some(session.cwd.clone()),
                process: Some(session.process),
                ..Entry::new(&session.id, &session.program, at)
            };
            self.entries.insert(session.id.clone(), entry);
            is_new = true;
        }
        is_new
    }

    /// Ends what no longer runs, and forgets what ended long ago. Returns whether there was any.
    pub fn tidy(&mut self, at: Moment, is_alive: impl Fn(&Entry) -> bool) -> bool {
        let (all, mut has_ended) = (self.entries.len(), false);
        for entry in self.entries.values_mut() {
            // Nothing says whether it still runs: it counts as long as it moves.
            let is_unseen = entry.process.is_none() && entry.session.is_none();
            let is_old = is_unseen && entry.progress.moved().until(at) >= KEEP_ENDED;
            if entry.lives() && !entry.headless && (is_old || !is_alive(entry)) {
                entry.end(AgentState::Gone, at);
                has_ended = true;
            }
        }
        self.entries.retain(|_, entry| {
            let ended = entry.ended.as_ref();
            ended.is_none_or(|ended| ended.at.until(at) < KEEP_ENDED)
        });
        has_ended || self.entries.len() < all
    }

    /// Returns when each of those that have ended did so, in UTC, and removes them unless only that is asked for.
    pub fn forget(&mut self, is_meant: impl Fn(&Entry, &str) -> bool, is_dry: bool) -> Vec<String> {
        let mut ended = Vec::new();
        self.entries.retain(|_, entry| {
            let at = entry.ended.as_ref().map(|ended| ended.at.utc());
            let Some(at) = at.filter(|at| is_meant(entry, at)) else {
                return true;
            };
            ended.push(at);
            is_dry
        });
        ended
    }

    /// Takes the state of an unattended run.
    pub fn run(&mut self, run: &Run, at: Moment) {
        if !self.entries.contains_key(&run.conversation) {
            if run.state != AgentState::Working {
                return; // it ended before this daemon knew it
            }
            self.make_room();
            let id = run.conversation.clone();
            let entry = Entry {
                conversation: Some(id.clone()),
                ..Entry::new(&id, CLAUDE, at)
            };
            self.entries.insert(id, entry);
        }
        if let Some(entry) = self.entries.get_mut(&run.conversation) {
            entry.headless = true;
            entry.cwd = Some(run.cwd.clone());
            if run.state == AgentState::Working {
                entry.ended = None;
                entry.progress.runs(at);
            } else {
                entry.progress.error = run.error.as_deref().map(words::text);
                entry.end(run.state, at);
            }
        }
    }

    /// Takes what was seen of an agent. Returns whether that has changed anything.
    pub fn look(&mut self, id: &str, look: &Look) -> bool {
        let Some(entry) = self.entries.get_mut(id).filter(|entry| entry.lives()) else {
            return false;
        };
        if let Some(tail) = &look.transcript {
            entry.context_tokens = tail.context_tokens.or(entry.context_tokens);
            entry.model = tail.model.clone().or(entry.model.take());
        }
        entry.progress.look(look)
    }

    /// Returns all records, sorted: those that need somebody first, then those that have waited longest. `name_of` returns
    /// the name of a session.
    #[must_use]
    pub fn records(
        &self,
        now: Moment,
        stuck_after: Duration,
        name_of: impl Fn(&str) -> Option<String>,
    ) -> Vec<Agent> {
        let mut agents: Vec<Agent> = self
            .entries
            .values()
            .map(|entry| {
                let mut agent = entry.record(now, stuck_after);
                if let Some(name) = entry.session.as_deref().and_then(&name_of) {
                    agent.name = name;
                }
                agent
            })
            .collect();
        tell_apart(&mut agents);
        agents.sort_by(|a, b| {
            let order = a.state.cmp(&b.state);
            order
                .then_with(|| b.for_s.total_cmp(&a.for_s))
                .then_with(|| a.agent_id.cmp(&b.agent_id))
        });
        agents
    }

    /// The agents that ended first make room for another one.
    fn make_room(&mut self) {
        if self.entries.len() < MAX_AGENTS {
            return;
        }
        let ended = |entry: &Entry| {
            entry
                .ended
                .as_ref()
                .map_or(u64::MAX, |ended| ended.at.boot_ms)
        };
        let oldest = self.entries.values().min_by_key(|entry| ended(entry));
        if let Some(id) = oldest.map(|entry| entry.id.clone()) {
            self.entries.remove(&id);
        }
    }
}

/// Returns the share of a model's context window that these tokens take.
fn share(tokens: u64, model: Option<&str>) -> f64 {
    let is_large = model.is_some_and(|model| model.contains("[1m]")) || tokens > WINDOW_TOKENS;
    let window = if is_large {
        LARGE_WINDOW_TOKENS
    } else {
        WINDOW_TOKENS
    };
    tokens as f64 / window as f64
}

/// Adds the start of their ids to names that several agents have.
fn tell_apart(agents: &mut [Agent]) {
    const DIGITS: usize = 4;
    const ENDED: [AgentState; 3] = [AgentState::Gone, AgentState::Done, AgentState::Failed];
    let mut named: HashMap<String, (usize, usize)> = HashMap::new();
    for agent in agents.iter() {
        let (all, living) = named.entry(agent.name.clone()).or_default();
        *all += 1;
        *living += usize::from(!ENDED.contains(&agent.state));
    }
    // One that lives keeps its name; those that have ended give way.
    let is_shared = |agent: &Agent| match named[&agent.name] {
        (all, 0) => all > 1,
        (_, 1) => ENDED.contains(&agent.state),
        _ => true,
    };
    for agent in agents.iter_mut().filter(|agent| is_shared(agent)) {
        let start: String = agent.agent_id.chars().take(DIGITS).collect();
        agent.name = format!("{}-{start}", agent.name);
    }
}

/// Finds an agent by its id or a unique prefix of it, its name, or its session.
///
/// # Errors
///
/// None or several are meant.
pub fn find<'a>(agents: &'a [Agent], wanted: &str) -> Result<&'a Agent, NotFound> {
    let is_named = |agent: &&Agent| {
        agent.agent_id == wanted
            || agent.name == wanted
            || agent.session_id.as_deref() == Some(wanted)
    };
    let lives = |agent: &&&Agent| agent.state != AgentState::Gone;
    let named: Vec<&Agent> = agents.iter().filter(is_named).collect();
    let alive: Vec<&Agent> = named.iter().filter(lives).copied().collect();
    let by_prefix = || {
        agents
            .iter()
            .filter(|agent| agent.agent_id.starts_with(wanted))
            .collect()
    };
    let found = if !alive.is_empty() {
        alive
    } else if !named.is_empty() {
        named
    } else if wanted.is_empty() {
        Vec::new()
    } else {
        by_prefix()
    };
    match &found[..] {
        [] => Err(NotFound::None),
        [agent] => Ok(agent),
        several => Err(NotFound::Several(
            several.iter().map(|agent| agent.agent_id.clone()).collect(),
        )),
    }
}

#[cfg(test)]
#[path = "ledger_tests.rs"]
mod tests;
