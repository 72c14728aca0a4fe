//! The agents as handlers see them.

use super::clock::now;
use super::details::Details;
use super::error::AgentError;
use super::keep;
use super::look::{Looker, Subject, process_of};
use super::settings::AgentSettings;
use ccd_agents::{Entry, HookPayload, Ledger, Moment, NotFound, Origin, Run, find};
use ccd_base::clock;
use ccd_coach::Delivery;
use ccd_conversation::Index;
use ccd_protocol::agent::{Agent, AgentState, AgentWaitParams};
use ccd_protocol::data::{DataForgetParams, DataPart, DataSelected};
use ccd_session::Sessions;
use ccd_session::peer::Peer;
use ccd_store::blocking;
use ccd_terminal::process;
use parking_lot::Mutex;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{broadcast, mpsc, watch};

/// How long a list waits for what only files know; whoever asks for one agent waits longer.
const LIST_PATIENCE: Duration = Duration::from_millis(8);
const GET_PATIENCE: Duration = Duration::from_secs(1);

/// How often those who follow agents have them looked at.
const LOOK_PERIOD: Duration = Duration::from_millis(250);

/// States in which nothing goes on.
const ENDED: [AgentState; 3] = [AgentState::Gone, AgentState::Done, AgentState::Failed];

/// So long after a change it is written down, with those that follow it at once.
const SAVE_DELAY: Duration = Duration::from_millis(50);

/// Hooks that wait to be taken; then those that are posted wait too.
const MAX_HOOKS: usize = 256;

/// A hook ran at most so long ago: if it says otherwise, a clock was set.
const MAX_HOOK_AGE_S: f64 = 60.0;

/// Notices that an attached terminal may be behind.
const MAX_NOTICES: usize = 16;

type Posted = (HookPayload, Origin, Moment);

pub(crate) struct Agents {
    ledger: Mutex<Ledger>,
    hooks: mpsc::Sender<Posted>,
    posted: tokio::sync::Mutex<mpsc::Receiver<Posted>>,
    pub(super) sessions: Arc<Sessions>,
    pub(super) looker: Looker,
    /// Counts changes.
    changes: watch::Sender<u64>,
    settings: watch::Sender<AgentSettings>,
    /// Sequences that attached terminals show.
    notices: broadcast::Sender<Arc<[u8]>>,
    details: Details,
    index: Arc<Index>,
    file: PathBuf,
    saving: tokio::sync::Mutex<()>,
}

impl Agents {
    pub(crate) fn new(
        sessions: Arc<Sessions>,
        index: Arc<Index>,
        settings: AgentSettings,
        file: PathBuf,
    ) -> Arc<Self> {
        let details = Details::new(Arc::clone(&index), sessions.services.tracker.clone());
        let (hooks, posted) = mpsc::channel(MAX_HOOKS);
        Arc::new(Self {
            ledger: Mutex::new(Ledger::restored(keep::load(&file), now())),
            hooks,
            posted: tokio::sync::Mutex::new(posted),
            looker: Looker::new(Arc::clone(&sessions)),
            sessions,
            changes: watch::Sender::new(0),
            settings: watch::Sender::new(settings),
            notices: broadcast::Sender::new(MAX_NOTICES),
            details,
            index,
            file,
            saving: tokio::sync::Mutex::default(),
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

    /// Runs work until the daemon stops.
    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        let stop = self.sessions.services.stop.clone();
        let tracker = &self.sessions.services.tracker;
        tracker.spawn(async move { stop.run_until_cancelled(work).await });
    }

    /// Returns an agent as it is known now.
    pub(super) fn record_of(&self, id: &str) -> Option<Agent> {
        let found = self.records().into_iter();
        found.into_iter().find(|agent| agent.agent_id == id)
    }

    pub(super) fn is_unread(&self, id: &str) -> bool {
        let ledger = self.ledger.lock();
        ledger
            .get(id)
            .is_some_and(|entry| entry.progress.is_unread())
    }

    /// Returns whether somebody who is attached to an agent has typed within this time.
    pub(super) fn is_attended(&self, agent: &Agent, within: Duration) -> bool {
        let session = self.looker.session(agent.session_id.as_deref());
        session.is_some_and(|session| session.viewers.has_typed_within(within))
    }

    /// Takes a hook that `peer` has posted; `session` is the session that it ran in, as its environment says. What takes time is
    /// done when the hook has its reply.
    pub(crate) async fn hook(&self, delivery: &Delivery, session: Option<&str>, peer: &Peer) {
        let Some(payload) = HookPayload::read(&delivery.payload) else {
            return;
        };
        // The process that has called does not wait for long.
        let needs_origin = self.ledger.lock().needs_origin(&payload);
        let origin = if needs_origin {
            self.origin(session, peer)
        } else {
            Origin::default()
        };
        let age_s = clock::age_s(&delivery.at).filter(|age| (0.0..MAX_HOOK_AGE_S).contains(age));
        let at = now().earlier(Duration::from_secs_f64(age_s.unwrap_or_default()));
        // It is an error if the daemon stops.
        let _ = self.hooks.send((payload, origin, at)).await;
    }

    /// Takes hooks in their order, until the daemon stops.
    pub(crate) async fn take_hooks(self: Arc<Self>) {
        let mut posted = self.posted.lock().await;
        while let Some((payload, origin, at)) = posted.recv().await {
            if let Some(hook) = payload.hook() {
                self.ledger.lock().hook(&hook, origin, at);
                self.changed();
            }
        }
    }

    /// Returns where a hook ran that `peer` has posted.
    fn origin(&self, session: Option<&str>, peer: &Peer) -> Origin {
        let programs = self.settings().programs;
        let is_agent = |name: &str| programs.of_executable(name).is_some();
        let caller = peer.pid.and_then(|pid| process::caller(pid, is_agent));
        // Variables are inherited too by what runs on another terminal, or on none. The session may be starting just now.
        let is_there = |id: &&str| match (self.looker.listed(id), &caller) {
            (Some(session), Some(caller)) => {
                let tty = session.facts.tty_device;
                tty == 0 || caller.tty_device == tty
            }
            _ => true,
        };
        Origin {
            session: session.filter(is_there).map(str::to_owned),
            process: caller.map(process_of),
        }
    }

    /// Takes the state of an unattended run.
    pub(crate) fn run(&self, run: &Run) {
        self.ledger.lock().run(run, now());
        self.changed();
    }

    /// Tells those who follow agents, and the one who writes them down, that something has changed.
    fn changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    /// Writes the list down after changes, until the daemon stops.
    pub(crate) async fn save_changes(self: Arc<Self>) {
        let mut changes = self.changes.subscribe();
        while changes.changed().await.is_ok() {
            tokio::time::sleep(SAVE_DELAY).await;
            changes.mark_unchanged();
            self.save().await;
        }
    }

    /// Writes the list down, unless the user does not want what hooks say to be kept.
    pub(crate) async fn save(&self) {
        let _one = self.saving.lock().await;
        let entries: Vec<_> = if self.settings.borrow().keep {
            self.ledger.lock().entries().cloned().collect()
        } else {
            Vec::new()
        };
        let file = self.file.clone();
        blocking(move || keep::save(&file, &entries)).await;
    }

    /// Looks at all agents, unless that was done just now.
    pub(crate) async fn refresh(&self) {
        let Some(mut turn) = self.looker.turn().await else {
            return;
        };
        let programs = self.settings().programs;
        let mut sessions = turn.sessions(&programs).await;
        let dirs = self.claude_dirs();
        let reports = turn.reports(dirs, &sessions, &programs).await;
        let (mut has_changed, subjects) = {
            let (mut ledger, at) = (self.ledger.lock(), now());
            // What has ended first: something else may run in its place.
            let mut has_changed = ledger.tidy(at, |entry| self.runs(entry));
            sessions.retain(|session| process::lives(session.process.pid, session.process.started));
            has_changed |= ledger.sessions(&sessions, at);
            for (report, origin) in reports {
                has_changed |= ledger.report(&report, origin, at);
            }
            let living = ledger.entries().filter(|entry| entry.lives());
            let attended = living.filter(|entry| !entry.headless);
            let subjects = attended.map(|entry| self.subject(entry));
            (has_changed, subjects.collect::<Vec<_>>())
        };
        turn.keep(&subjects);
        for subject in subjects {
            let look = turn.look(&subject, &programs).await;
            // At once: whoever asked may be gone before the next one is looked at.
            has_changed |= self.ledger.lock().look(&subject.id, &look);
        }
        if has_changed {
            self.changed();
        }
    }

    /// The same, and again if one that is asked for is not known: it may have started just now.
    async fn refresh_for(&self, asked: &[String]) {
        self.refresh().await;
        let records = self.records();
        if asked.iter().any(|asked| find(&records, asked).is_err()) {
            self.looker.pause().await;
            self.refresh().await;
        }
    }

    /// Returns the directories of Claude Code that are known: the user's, those of the configuration, and those that hooks name.
    fn claude_dirs(&self) -> BTreeSet<PathBuf> {
        let ledger = self.ledger.lock();
        let living = ledger.entries().filter(|entry| entry.lives());
        // DIR/projects/PROJECT/CONVERSATION.jsonl
        let dirs = living.filter_map(|entry| {
            let transcript = Path::new(entry.transcript.as_deref()?);
            Some(transcript.ancestors().nth(3)?.to_owned())
        });
        dirs.chain(self.index.claude_dirs()).collect()
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
            program: entry.program.clone(),
            is_probed: entry.conversation.is_none(),
            session: self.looker.session(entry.session.as_deref()),
            process: entry.process,
            transcript: entry.transcript.clone(),
        }
    }

    fn records(&self) -> Vec<Agent> {
        let stuck_after = self.settings.borrow().stuck_after;
        let mut agents = self.ledger.lock().records(now(), stuck_after, |id| {
            Some(self.looker.listed(id)?.name()?.to_string())
        });
        for agent in &mut agents {
            // That of another daemon's is nothing here.
            let is_known = |id: &String| self.looker.listed(id).is_some();
            agent.session_id = agent.session_id.take().filter(is_known);
        }
        agents
    }

    /// Returns all agents, those that need somebody first. `brief`: only what is in memory; they are looked at for the next one.
    pub(crate) async fn list(self: &Arc<Self>, brief: bool) -> Vec<Agent> {
        if brief {
            let agents = Arc::clone(self);
            self.spawn(async move { agents.refresh().await });
            return self.records();
        }
        self.refresh().await;
        let mut agents = self.records();
        self.details.add(&mut agents, LIST_PATIENCE).await;
        agents
    }

    /// Returns one agent as it is now, without what only files know.
    pub(super) async fn find(&self, asked: &str) -> Result<Agent, AgentError> {
        self.refresh_for(&[asked.to_owned()]).await;
        let records = self.records();
        let found = find(&records, asked).map_err(|why| AgentError::not_found(asked, why))?;
        Ok(found.clone())
    }

    /// Returns one agent with all that is known.
    pub(crate) async fn get(&self, asked: &str) -> Result<Agent, AgentError> {
        let id = self.find(asked).await?.agent_id;
        let mut records = self.records();
        self.details.add(&mut records, GET_PATIENCE).await;
        let found = records.into_iter().find(|agent| agent.agent_id == id);
        let gone = || AgentError::not_found(asked, NotFound::None);
        let mut agent = found.ok_or_else(gone)?;
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
        self.refresh_for(&params.agents).await;
        let named = self.named(&params.agents)?;
        loop {
            let mut agents = self.records();
            // Without names, those that come later count too.
            agents.retain(|agent| match &named[..] {
                [] => !ENDED.contains(&agent.state) || until.contains(&agent.state),
                named => named.iter().any(|(id, session)| {
                    agent.agent_id == *id
                        || (session.is_some()
                            && agent.session_id == *session
                            && agent.state != AgentState::Gone)
                }),
            });
            let is_done = |agent: &Agent| until.contains(&agent.state);
            let done = agents.iter().filter(|agent| is_done(agent)).count();
            if done > 0 && (params.any || done == agents.len())
                || (agents.is_empty() && !params.any)
            {
                agents.retain(is_done);
                return Ok(agents);
            }
            // Those that have ended come into no other state.
            let mut over = agents.iter().filter(|agent| ENDED.contains(&agent.state));
            let gone = over.next();
            if let Some(gone) = gone.filter(|_| !params.any || over.count() + 1 == agents.len()) {
                let agent = gone.name.clone();
                return Err(AgentError::Gone { agent });
            }
            match limit.map(|limit| limit.saturating_sub(start.elapsed())) {
                Some(Duration::ZERO) => {
                    let waited_ms = start.elapsed().as_millis() as u64;
                    return Err(AgentError::Timeout { waited_ms });
                }
                Some(left) => drop(tokio::time::timeout(left, followed.next()).await),
                None => followed.next().await,
            }
        }
    }

    /// Returns the ids and the sessions of those that are named.
    fn named(&self, asked: &[String]) -> Result<Vec<(String, Option<String>)>, AgentError> {
        let records = self.records();
        let named = asked.iter().map(|asked| {
            let found = find(&records, asked).map_err(|why| AgentError::not_found(asked, why));
            found.map(|agent| (agent.agent_id.clone(), agent.session_id.clone()))
        });
        named.collect()
    }

    /// Carries out `data.forget` for agents that have ended.
    pub(crate) fn forget(&self, which: &DataForgetParams) -> DataSelected {
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
            looked: Instant::now(),
            sent: HashMap::new(),
        }
    }
}

/// Somebody who follows all agents.
pub(crate) struct Followed {
    agents: Arc<Agents>,
    changes: watch::Receiver<u64>,
    looked: Instant,
    /// What was sent last, by the id.
    sent: HashMap<String, Agent>,
}

impl Followed {
    /// Waits until something may have changed. A hook is reported at once, the rest is looked at.
    pub(crate) async fn next(&mut self) {
        let left = LOOK_PERIOD.saturating_sub(self.looked.elapsed());
        let changed = tokio::time::timeout(left, self.changes.changed()).await;
        // Hooks that come without a pause are no reason to look at nothing.
        if left.is_zero() || changed.is_err() {
            self.agents.refresh().await;
            self.looked = Instant::now();
        }
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
