//! The agents as handlers see them.

use super::clock::now;
use super::details::Details;
use super::error::AgentError;
use super::keep;
use super::look::{Looker, Subject};
use super::settings::AgentSettings;
use ccd_agents::{Entry, Hook, Ledger, Origin, Process, Run, find};
use ccd_conversation::Index;
use ccd_protocol::agent::{Agent, AgentState, AgentWaitParams};
use ccd_protocol::data::{DataForgetParams, DataPart, DataSelected};
use ccd_session::Sessions;
use ccd_session::peer::Peer;
use ccd_store::blocking;
use ccd_terminal::process;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{broadcast, watch};

/// How long a list waits for what only files know; whoever asks for one agent waits longer.
const LIST_PATIENCE: Duration = Duration::from_millis(8);
const GET_PATIENCE: Duration = Duration::from_secs(1);

/// How often those who follow agents have them looked at.
const LOOK_PERIOD: Duration = Duration::from_millis(250);

/// So long after a change it is written down, with those that follow it at once.
const SAVE_DELAY: Duration = Duration::from_millis(50);

/// Notices that an attached terminal may be behind.
const MAX_NOTICES: usize = 16;

pub(crate) struct Agents {
    ledger: Mutex<Ledger>,
    pub(super) sessions: Arc<Sessions>,
    pub(super) looker: Looker,
    /// Counts changes.
    changes: watch::Sender<u64>,
    settings: watch::Sender<AgentSettings>,
    /// Sequences that attached terminals show.
    notices: broadcast::Sender<Arc<[u8]>>,
    details: Details,
    file: PathBuf,
    is_saving: AtomicBool,
}

impl Agents {
    pub(crate) fn new(
        sessions: Arc<Sessions>,
        index: Arc<Index>,
        settings: AgentSettings,
        file: PathBuf,
    ) -> Arc<Self> {
        let details = Details::new(index, sessions.services.tracker.clone());
        Arc::new(Self {
            ledger: Mutex::new(Ledger::restored(keep::load(&file))),
            looker: Looker::new(Arc::clone(&sessions)),
            sessions,
            changes: watch::Sender::new(0),
            settings: watch::Sender::new(settings),
            notices: broadcast::Sender::new(MAX_NOTICES),
            details,
            file,
            is_saving: AtomicBool::new(false),
        })
    }

    pub(crate) fn set_settings(&self, settings: AgentSettings) {
        self.settings.send_replace(settings);
    }

    pub(super) fn settings(&self) -> AgentSettings {
        self.settings.borrow().clone()
    }

    pub(super) fn watch_settings(&self) -> watch::Receiver<AgentSettings> {
        self.settings.subscribe()
    }

    /// Has all attached terminals show this sequence.
    pub(super) fn tell_terminals(&self, sequence: Vec<u8>) {
        // It is an error if nobody is attached.
        let _ = self.notices.send(sequence.into());
    }

    /// Returns the sequences that an attached terminal is to show.
    pub(crate) fn notices(&self) -> broadcast::Receiver<Arc<[u8]>> {
        self.notices.subscribe()
    }

    /// Returns whether somebody who is attached to an agent has typed within this time.
    pub(super) fn is_attended(&self, agent: &Agent, within: Duration) -> bool {
        let session = self.looker.session(agent.session_id.as_deref());
        session.is_some_and(|session| session.viewers.has_typed_within(within))
    }

    /// Takes the payload of a hook that `peer` has posted; `session` is the session that it ran in, as its environment says.
    pub(crate) fn hook(self: &Arc<Self>, payload: &[u8], session: Option<&str>, peer: &Peer) {
        let Some(hook) = Hook::parse(payload) else {
            return;
        };
        let mut ledger = self.ledger.lock();
        let origin = if ledger.needs_origin(&hook) {
            origin(session, peer)
        } else {
            Origin::default()
        };
        ledger.hook(&hook, origin, now());
        drop(ledger);
        self.changed();
    }

    /// Takes the state of an unattended run.
    pub(crate) fn run(self: &Arc<Self>, run: &Run) {
        self.ledger.lock().run(run, now());
        self.changed();
    }

    /// Tells those who follow agents that something has changed, and has it written down.
    fn changed(self: &Arc<Self>) {
        self.changes.send_modify(|count| *count += 1);
        if self.is_saving.swap(true, Ordering::AcqRel) {
            return;
        }
        let agents = Arc::clone(self);
        self.sessions.services.tracker.spawn(async move {
            tokio::time::sleep(SAVE_DELAY).await;
            agents.is_saving.store(false, Ordering::Release);
            let entries: Vec<_> = agents.ledger.lock().entries().cloned().collect();
            let file = agents.file.clone();
            blocking(move || keep::save(&file, &entries)).await;
        });
    }

    /// Looks at all agents, unless that was done just now.
    pub(crate) async fn refresh(self: &Arc<Self>) {
        let Some(mut turn) = self.looker.turn().await else {
            return;
        };
        let programs = self.settings().programs;
        let before = self.living();
        let subjects = {
            let (mut ledger, at) = (self.ledger.lock(), now());
            ledger.sessions(&turn.sessions(&programs), at);
            ledger.tidy(at, |entry| self.runs(entry));
            let living = ledger.entries().filter(|entry| entry.lives());
            let attended = living.filter(|entry| !entry.headless);
            attended.map(|entry| self.subject(entry)).collect()
        };
        let mut has_changed = self.living() != before;
        let looks = turn.looks(subjects, &programs).await;
        let mut ledger = self.ledger.lock();
        for (id, look) in looks {
            has_changed |= ledger.look(&id, &look);
        }
        drop(ledger);
        if has_changed {
            self.changed();
        }
    }

    fn living(&self) -> Vec<String> {
        let ledger = self.ledger.lock();
        let living = ledger.entries().filter(|entry| entry.lives());
        living.map(|entry| entry.id.clone()).collect()
    }

    fn runs(&self, entry: &Entry) -> bool {
        match (&entry.process, &entry.session) {
            (Some(process), _) => process::lives(process.pid, process.started),
            (None, Some(id)) => self.looker.session(Some(id)).is_some(),
            // In a container, or not visible on this system: it ends by its hook, or is forgotten with the day.
            (None, None) => true,
        }
    }

    fn subject(&self, entry: &Entry) -> Subject {
        Subject {
            id: entry.id.clone(),
            is_probed: entry.conversation.is_none(),
            session: self.looker.session(entry.session.as_deref()),
            process: entry.process,
            transcript: entry.transcript.clone(),
        }
    }

    fn records(&self) -> Vec<Agent> {
        let stuck_after = self.settings.borrow().stuck_after;
        let mut agents = self.ledger.lock().records(now(), stuck_after, |id| {
            let session = self.sessions.find_listed(id).ok()?;
            Some(session.name()?.to_string())
        });
        for agent in &mut agents {
            // That of another daemon's is nothing here.
            let is_known = |id: &String| self.sessions.find_listed(id).is_ok();
            agent.session_id = agent.session_id.take().filter(is_known);
        }
        agents
    }

    /// Returns all agents, those that need somebody first. `brief`: only what is in memory.
    pub(crate) async fn list(self: &Arc<Self>, brief: bool) -> Vec<Agent> {
        self.refresh().await;
        let mut agents = self.records();
        if !brief {
            self.details.add(&mut agents, LIST_PATIENCE).await;
        }
        agents
    }

    /// Returns one agent as it is now.
    pub(crate) async fn get(self: &Arc<Self>, asked: &str) -> Result<Agent, AgentError> {
        self.refresh().await;
        let records = self.records();
        let found = find(&records, asked).map_err(|why| AgentError::not_found(asked, why))?;
        let mut agent = [found.clone()];
        self.details.add(&mut agent, GET_PATIENCE).await;
        let [mut agent] = agent;
        agent.screen = self.looker.screen_of(&agent).await;
        Ok(agent)
    }

    /// Waits until all of the agents, or any, are in one of the states, and returns those.
    pub(crate) async fn wait(
        self: &Arc<Self>,
        params: &AgentWaitParams,
        limit: Option<Duration>,
    ) -> Result<Vec<Agent>, AgentError> {
        let start = Instant::now();
        let until = if params.until.is_empty() {
            AgentState::ALL
                .into_iter()
                .filter(|state| *state != AgentState::Working)
                .collect()
        } else {
            params.until.clone()
        };
        let mut followed = self.follow();
        self.refresh().await;
        let ids = self.ids(&params.agents)?;
        loop {
            let mut agents = self.records();
            agents.retain(|agent| ids.contains(&agent.agent_id));
            let is_done = |agent: &Agent| until.contains(&agent.state);
            let done = agents.iter().filter(|agent| is_done(agent)).count();
            if (params.any && done > 0) || (done == agents.len() && !(params.any && ids.is_empty()))
            {
                agents.retain(is_done);
                return Ok(agents);
            }
            let left = limit.map(|limit| limit.saturating_sub(start.elapsed()));
            if left == Some(Duration::ZERO) {
                let waited_ms = start.elapsed().as_millis() as u64;
                return Err(AgentError::Timeout { waited_ms });
            }
            let _ = tokio::time::timeout(left.unwrap_or(LOOK_PERIOD), followed.next()).await;
        }
    }

    /// Returns the ids of those that are named; without names, of all that live.
    fn ids(&self, asked: &[String]) -> Result<Vec<String>, AgentError> {
        let records = self.records();
        if asked.is_empty() {
            let living = records
                .into_iter()
                .filter(|agent| agent.state != AgentState::Gone);
            return Ok(living.map(|agent| agent.agent_id).collect());
        }
        let id = |asked: &String| {
            let found = find(&records, asked).map_err(|why| AgentError::not_found(asked, why));
            found.map(|agent| agent.agent_id.clone())
        };
        asked.iter().map(id).collect()
    }

    /// Carries out `data.forget` for agents that have ended.
    pub(crate) fn forget(self: &Arc<Self>, which: &DataForgetParams) -> DataSelected {
        let is_meant = |entry: &Entry, ended_at: &str| {
            let cwd = entry.cwd.as_deref().unwrap_or_default();
            let is_in = |project: &String| Path::new(cwd).starts_with(project);
            which.project.as_ref().is_none_or(is_in)
                && which
                    .before
                    .as_deref()
                    .is_none_or(|before| ended_at < before)
        };
        let ended = self.ledger.lock().forget(is_meant, which.dry_run);
        if !which.dry_run && !ended.is_empty() {
            self.changed();
        }
        let (count, oldest) = (ended.len() as u64, ended.into_iter().min());
        DataSelected::of(DataPart::Hooks, count, ("agent", "agents"), oldest)
    }

    /// Follows all agents.
    pub(crate) fn follow(self: &Arc<Self>) -> Followed {
        Followed {
            agents: Arc::clone(self),
            changes: self.changes.subscribe(),
            sent: HashMap::new(),
        }
    }
}

/// Returns where a hook ran that `peer` has posted.
fn origin(session: Option<&str>, peer: &Peer) -> Origin {
    let process = peer.pid.and_then(process::caller);
    Origin {
        // It may be starting just now.
        session: session.map(str::to_owned),
        process: process.map(|(pid, started)| Process { pid, started }),
    }
}

/// Somebody who follows all agents.
pub(crate) struct Followed {
    agents: Arc<Agents>,
    changes: watch::Receiver<u64>,
    /// What was sent last, by the id.
    sent: HashMap<String, Agent>,
}

impl Followed {
    /// Waits until something may have changed.
    pub(crate) async fn next(&mut self) {
        // A hook is reported at once, the rest is looked at.
        let _ = tokio::time::timeout(LOOK_PERIOD, self.changes.changed()).await;
        self.agents.refresh().await;
    }

    /// Returns the agents that have changed since the last call, and the ids of those that are listed no more.
    pub(crate) fn news(&mut self) -> (Vec<Agent>, Vec<String>) {
        let records = self.agents.records();
        let removed = |id: &&String| records.iter().all(|agent| agent.agent_id != **id);
        let removed: Vec<String> = self.sent.keys().filter(removed).cloned().collect();
        removed.iter().for_each(|id| drop(self.sent.remove(id)));
        let mut changed = Vec::new();
        for agent in records {
            let timeless = Agent {
                for_s: 0.0,
                ..agent.clone()
            };
            if self.sent.get(&agent.agent_id) != Some(&timeless) {
                self.sent.insert(agent.agent_id.clone(), timeless);
                changed.push(agent);
            }
        }
        (changed, removed)
    }
}
