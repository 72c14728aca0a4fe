//! Processes payloads: from the journal to the databases.

use super::CoachError;
use super::owner::{Coach, CoachPaths, CoachSettings, Databases};
use super::received::read;
use crate::config::CoachConfig;
use crate::deliver::{Delivery, JournalError, Reader};
use crate::detect::{Detected, Detector, is_answer};
use crate::ledger::Change;
use crate::patterns::PatternSet;
use crate::payload::{HookEvent, Payload};
use crate::record::{
    EventWrite, PROMPT_ID, PayloadRow, PayloadWrite, Recorded, TOOL_USE_ID, mutes, payloads_of,
    taken,
};
use crate::signal::Signal;
use ccd_protocol::coach::{EventType, Mute};
use ccd_store::{Store, StoreError};
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Component, Path};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// About as many bytes of payloads are processed together.
const BATCH_BYTES: usize = 1 << 20;

/// Sessions whose history is kept in memory; that of others is read again from `hook_events`.
const MAX_SESSIONS: usize = 256;

/// Payloads of a session that its history is made of after a restart.
const HISTORY_LEN: u32 = 60;

/// Pauses after a database could not be used: the first one, and the longest one.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub struct Work {
    coach: Arc<Coach>,
    reader: Option<Reader>,
    sessions: HashMap<String, (Instant, Detector)>,
    /// Those for the last payloads; none before the first one.
    patterns: Arc<PatternSet>,
    /// Events were recorded that no batch has seen, and when it is to run at the latest.
    batch_at: Option<Instant>,
    /// A turn has ended since then.
    turn_has_ended: bool,
}

impl Coach {
    /// Takes payloads from now on. They are processed by the returned work.
    pub fn new(
        paths: CoachPaths,
        store: Store,
        settings: CoachSettings,
    ) -> Result<(Arc<Self>, Work), JournalError> {
        let coach = Arc::new(Self::stopped(paths, store, settings));
        if coach.paths.journal.exists() {
            coach.journal()?; // an earlier process may have left payloads
        }
        let work = Work {
            coach: Arc::clone(&coach),
            reader: None,
            sessions: HashMap::new(),
            patterns: Arc::default(),
            batch_at: None,
            turn_has_ended: false,
        };
        Ok((coach, work))
    }
}

impl Work {
    /// Runs until `stop`, then processes what is waiting, as far as the databases can be used.
    pub async fn run(mut self, stop: CancellationToken) {
        let mut pause = FIRST_PAUSE;
        loop {
            let done = self.step().await;
            self.coach.progress.send_replace(());
            let wait = match &done {
                Ok(false) if stop.is_cancelled() => return,
                Ok(true) => {
                    pause = FIRST_PAUSE;
                    continue;
                }
                Ok(false) => self
                    .batch_at
                    .map(|at| at.saturating_duration_since(Instant::now())),
                Err(_) if stop.is_cancelled() => return,
                Err(error) => {
                    tracing::warn!(%error, "hook payloads wait: a database of the coach cannot be used");
                    if let Some(reader) = &mut self.reader {
                        reader.go_back();
                    }
                    pause = (pause * 2).min(LONGEST_PAUSE);
                    Some(pause)
                }
            };
            let timer = async {
                match wait {
                    Some(wait) => tokio::time::sleep(wait).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = self.coach.news.notified(), if done.is_ok() => {}
                () = timer => {}
                () = stop.cancelled() => {}
            }
        }
    }

    /// Processes what there is; false if there was nothing.
    async fn step(&mut self) -> Result<bool, CoachError> {
        let coach = Arc::clone(&self.coach);
        let deliveries = self.next_deliveries();
        if deliveries.is_empty() && !coach.has_friction() && !coach.paths.home.exists() {
            return Ok(false);
        }
        if !deliveries.is_empty() {
            coach.consent.give();
        }
        let databases = coach.databases().await?;
        let mut friction = std::mem::take(&mut *coach.friction.lock());
        if !friction.is_empty() && !coach.may_record(&coach.settings()) {
            friction.clear();
        }
        if deliveries.is_empty() && friction.is_empty() {
            return Ok(self.batch_if_due().await);
        }
        let config = coach.config().await;
        self.patterns = Arc::clone(&config.patterns);
        let muted = mutes(&databases.events).await?;
        let seen: Vec<_> = friction
            .into_iter()
            .map(|(at, friction)| seen(&coach, at, friction, &muted))
            .collect();
        if !seen.is_empty() {
            self.record(databases, seen, Vec::new(), &config).await?;
        }
        for deliveries in parts(&deliveries) {
            let mut known = taken(&databases.events, deliveries).await?;
            let (mut recorded, mut rows) = (Vec::new(), Vec::new());
            for delivery in deliveries {
                let is_new = known.insert(delivery.id.clone());
                let (one, row) = self.process(delivery, is_new, &muted).await?;
                recorded.extend(one);
                rows.push(row);
            }
            self.record(databases, recorded, rows, &config).await?;
        }
        let reader = self.reader.as_mut();
        if let Some(Err(error)) = reader.map(Reader::processed) {
            tracing::error!(%error, "the journal of hooks cannot be written");
        }
        count_hits(&coach, databases).await?;
        Ok(true)
    }

    async fn record(
        &mut self,
        databases: &Databases,
        recorded: Vec<Recorded>,
        rows: Vec<PayloadRow>,
        config: &CoachConfig,
    ) -> Result<(), StoreError> {
        if recorded.iter().any(|one| !one.signals.is_empty()) {
            let due = Instant::now() + config.batch_interval;
            self.batch_at.get_or_insert(due);
        }
        let record = EventWrite::Record(recorded);
        databases.events.commit(record).await?;
        if !rows.is_empty() {
            self.coach.store.commit(PayloadWrite::Record(rows)).await?;
        }
        Ok(())
    }

    /// Returns payloads that wait, those of each session in the order in which its hooks ran.
    /// A hook ends before the next one of its session starts. So the spool, which is looked at after the journal, has every
    /// payload that is older than one from the journal and did not get there. Then all that wait are sorted.
    fn next_deliveries(&mut self) -> Vec<Delivery> {
        let mut deliveries = self.read_journal(BATCH_BYTES);
        if self.take_in_spool() {
            deliveries.extend(self.read_journal(usize::MAX));
            deliveries.sort_by(|one, other| one.at.cmp(&other.at));
        }
        deliveries
    }

    fn read_journal(&mut self, max_bytes: usize) -> Vec<Delivery> {
        if self.reader.is_none() {
            let mut unread = self.coach.reader.lock();
            self.reader = unread.take();
        }
        let Some(reader) = &mut self.reader else {
            return Vec::new();
        };
        reader.next(max_bytes).unwrap_or_else(|error| {
            tracing::error!(%error, "the journal of hooks cannot be read");
            Vec::new()
        })
    }

    /// Moves the payloads of the spool to the journal; false if there were none.
    fn take_in_spool(&self) -> bool {
        let coach = &self.coach;
        if !coach.settings().enabled {
            return false;
        }
        let mut spool = coach.spool.lock();
        let is_recorded = coach.may_record(&coach.settings());
        let taken = spool.take_in(|delivery| {
            if is_recorded {
                coach.journal()?.append(&delivery)
            } else {
                Ok(())
            }
        });
        match taken {
            Ok(0) => return false,
            Ok(taken) => tracing::info!(taken, "hook payloads were taken in from the spool"),
            Err(error) => tracing::warn!(%error, "hook payloads stay in the spool"),
        }
        true
    }

    async fn process(
        &mut self,
        delivery: &Delivery,
        is_new: bool,
        muted: &[Mute],
    ) -> Result<(Option<Recorded>, PayloadRow), StoreError> {
        let timings = &self.coach.timings;
        let row = |event: &str, session_id: &str, repo_id: &str, payload| PayloadRow {
            delivery_id: delivery.id.clone(),
            at: delivery.at.clone(),
            event: event.to_owned(),
            session_id: session_id.to_owned(),
            repo_id: repo_id.to_owned(),
            payload,
        };
        let Ok((payload, kept)) = read(&delivery.payload) else {
            self.coach.invalid.fetch_add(1, Ordering::Relaxed);
            timings.count("invalid", &delivery.at, delivery.took_ms);
            let len = delivery.payload.len();
            tracing::warn!(len, "a hook payload cannot be read");
            return Ok((None, row("invalid", "", "", "{}".into())));
        };
        let event = payload.event.name();
        if is_new {
            timings.count(event, &delivery.at, delivery.took_ms);
        }
        let cwd = payload.cwd.as_deref().unwrap_or_default();
        let project = self.coach.projects.identify(cwd);
        // A payload that arrives again, for example because hooks are installed twice, was not said twice.
        let detected = if is_new {
            self.detector(&payload.session_id).await?.detect(&payload)
        } else {
            Detected::default()
        };
        self.turn_has_ended |= matches!(payload.event, HookEvent::Stop | HookEvent::SessionEnd);
        let signals = detected.signals.into_iter();
        let signals = signals.filter(|signal| !is_muted(muted, signal, &project.id));
        let stored = signals.map(|signal| in_transcript(stored(signal, &project.root), &payload));
        let row = row(event, &payload.session_id, &project.id, kept);
        let recorded = Recorded {
            delivery_id: Some(delivery.id.clone()),
            timestamp: delivery.at.clone(),
            session_id: payload.session_id.clone(),
            signals: stored.collect(),
            success: detected.success,
            project,
        };
        Ok((Some(recorded), row))
    }

    /// Returns the detector with the history of a session.
    async fn detector(&mut self, session_id: &str) -> Result<&mut Detector, StoreError> {
        let mut detector = match self.sessions.remove(session_id) {
            Some((_, detector)) => detector,
            None => self.remembered(session_id).await?,
        };
        detector.set_patterns(Arc::clone(&self.patterns));
        if self.sessions.len() >= MAX_SESSIONS {
            let oldest = self.sessions.iter().min_by_key(|(_, (used, _))| *used);
            if let Some(oldest) = oldest.map(|(id, _)| id.clone()) {
                self.sessions.remove(&oldest);
            }
        }
        let entry = self.sessions.entry(session_id.to_owned());
        let (_, detector) = entry.insert_entry((Instant::now(), detector)).into_mut();
        Ok(detector)
    }

    /// Returns a detector that knows what an earlier process, or this one long ago, has seen of a session.
    async fn remembered(&self, session_id: &str) -> Result<Detector, StoreError> {
        let mut detector = Detector::new(Arc::clone(&self.patterns));
        for payload in payloads_of(&self.coach.store, session_id, HISTORY_LEN).await? {
            if let Ok(payload) = Payload::parse(payload.as_bytes()) {
                detector.detect(&payload);
            }
        }
        Ok(detector)
    }

    /// Makes candidates of events if it is time; false if it is not.
    async fn batch_if_due(&mut self) -> bool {
        let is_due = self
            .batch_at
            .is_some_and(|at| self.turn_has_ended || at <= Instant::now());
        if !is_due {
            return false;
        }
        (self.batch_at, self.turn_has_ended) = (None, false);
        if let Err(error) = self.coach.run_batch().await {
            tracing::error!(%error, "events could not be turned into candidates");
        }
        true
    }
}

/// Returns payloads in parts of about [`BATCH_BYTES`].
fn parts(deliveries: &[Delivery]) -> impl Iterator<Item = &[Delivery]> {
    let mut bytes = 0;
    deliveries.chunk_by(move |delivery, _| {
        bytes += delivery.payload.len();
        let is_full = bytes >= BATCH_BYTES;
        if is_full {
            bytes = 0;
        }
        !is_full
    })
}

/// Returns a signal as it is stored: files are relative to the project.
fn stored(mut signal: Signal, root: &Path) -> Signal {
    if let Some(Value::String(file)) = signal.detail.get_mut("file")
        && let Ok(inside) = Path::new(&*file).strip_prefix(root)
        && inside
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
    {
        *file = inside.display().to_string();
    }
    signal
}

/// Adds where in the transcript a signal is.
fn in_transcript(mut signal: Signal, payload: &Payload) -> Signal {
    let tool_use_id = match (&payload.call.tool_use_id, &payload.batch[..]) {
        (None, [call]) => &call.tool_use_id,
        (id, _) => id,
    };
    for (name, id) in [(TOOL_USE_ID, tool_use_id), (PROMPT_ID, &payload.prompt_id)] {
        if let Some(id) = id {
            signal.set(name, id.as_str());
        }
    }
    signal
}

fn is_muted(muted: &[Mute], signal: &Signal, repo_id: &str) -> bool {
    muted.iter().any(|mute| {
        mute.signal_type
            .is_none_or(|muted| muted == signal.signal_type)
            && mute.repo_id.as_deref().is_none_or(|muted| muted == repo_id)
    })
}

/// Returns friction that the daemon has seen as it is recorded.
fn seen(coach: &Coach, at: String, friction: super::Friction, muted: &[Mute]) -> Recorded {
    let mut context = Value::Object(friction.context);
    ccd_text::redact::redact_values(ccd_text::redact::Values::Document(&mut context));
    let signal = Signal {
        signal_type: friction.signal_type,
        event_type: EventType::Tool,
        matches: Vec::new(),
        confidence: 0.7,
        detail: match context {
            Value::Object(members) => members,
            _ => serde_json::Map::new(),
        },
        content: clipped(&ccd_text::redact::redact(&friction.content).text, 500),
    };
    let project = coach.projects.identify(&friction.cwd);
    let signals = if is_muted(muted, &signal, &project.id) || is_only_an_answer(&signal) {
        Vec::new()
    } else {
        vec![stored(signal, &project.root)]
    };
    Recorded {
        delivery_id: None,
        timestamp: at,
        session_id: friction.session_id,
        project,
        signals,
        success: None,
    }
}

/// True for a command whose status is its answer, such as `grep` that finds nothing.
fn is_only_an_answer(signal: &Signal) -> bool {
    let command = signal.detail.get("command").and_then(Value::as_str);
    let code = signal.detail.get("exit_code").and_then(Value::as_i64);
    match (command, code.and_then(|code| i32::try_from(code).ok())) {
        (Some(command), Some(code)) => is_answer(command, code, false),
        _ => false,
    }
}

fn clipped(text: &str, chars: usize) -> String {
    text.chars().take(chars).collect()
}

async fn count_hits(coach: &Coach, databases: &Databases) -> Result<(), StoreError> {
    let guards = Arc::clone(&coach.guards.read());
    let hits = guards.take_hits();
    if hits.is_empty() {
        return Ok(());
    }
    let hits = hits.into_iter().map(Change::GuardHit);
    databases.change(hits.collect()).await
}

#[cfg(test)]
#[path = "work_tests.rs"]
mod tests;
