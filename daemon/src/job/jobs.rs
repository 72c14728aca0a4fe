//! All jobs: those that run, and the records of those that have ended.

use super::entries::{BATCH_LEN, Batch, batch_of};
use super::record::{add_list, entry_of, error, job_of, row_of};
use super::running::{JobHandle, Outcome, Running};
use super::table::{self, DeleteJobs, JobRow};
use crate::store::{Store, StoreError};
use ccd_protocol::data::{DataForgetParams, DataPart, DataSelected};
use ccd_protocol::job::{Job, JobEntry, JobState};
use ccd_protocol::{ErrorCode, ErrorData, Reportable};
use dashmap::DashMap;
use serde_json::json;
use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub(crate) const MAX_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

const KEEP_S: f64 = 7.0 * 24.0 * 60.0 * 60.0;

const ID_START: &str = "job-";
const ID_DIGITS: usize = 16;

/// Maximum number of ids in an error about an ambiguous prefix.
const MAX_CANDIDATES: i64 = 10;

/// Maximum size of the lists of all ended jobs together, in bytes of JSON; beyond it, the oldest jobs are removed.
const MAX_KEPT_BYTES: i64 = 256 << 20;

const MAX_RUNNING: usize = 64;

/// How long a cancelled job may take to end what it has started: a run of Claude Code has 7 s until it is killed, and its work
/// tree is compared after that.
const CANCEL_LIMIT: Duration = Duration::from_secs(60);

/// The same when the daemon stops; less than the time limit of a shutdown.
const STOP_LIMIT: Duration = Duration::from_secs(8);

/// Number of entries that are read at a time: one more than is sent, to know whether there are more.
const READ_LEN: i64 = BATCH_LEN as i64 + 1;

#[derive(Debug, thiserror::Error)]
pub(crate) enum JobError {
    #[error(
        "{MAX_RUNNING} jobs are running, which is the limit: wait until one ends, or cancel one"
    )]
    TooMany,
    #[error("no job has the id {0:?}")]
    NotFound(String),
    #[error("several job ids start with {given:?}: {}", .candidates.join(", "))]
    Ambiguous {
        given: String,
        candidates: Vec<String>,
    },
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Reportable for JobError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::TooMany => ErrorCode::LimitReached,
            Self::NotFound(_) | Self::Ambiguous { .. } => ErrorCode::NotFound,
            Self::Store(error) => error.code(),
        }
    }

    fn hint(&self) -> Option<&str> {
        match self {
            Self::NotFound(_) => Some("job.list lists all jobs"),
            Self::Ambiguous { .. } => Some("give more letters of the id"),
            Self::Store(error) => error.hint(),
            _ => None,
        }
    }

    fn data(&self) -> ErrorData {
        match self {
            Self::Ambiguous { candidates, .. } => {
                ErrorData::from_iter([("candidates".into(), json!(candidates))])
            }
            Self::Store(error) => error.data(),
            _ => ErrorData::new(),
        }
    }
}

/// All running jobs; ended ones are in the database.
#[derive(Clone)]
pub(crate) struct Jobs {
    running: Arc<DashMap<String, Arc<Running>>>,
    store: Store,
    tracker: TaskTracker,
    stop: CancellationToken,
    /// Size of all lists in the database; `None` until it was computed.
    kept_bytes: Arc<tokio::sync::Mutex<Option<i64>>>,
    max_kept_bytes: i64,
}

pub(crate) fn new_id() -> String {
    format!("{ID_START}{:0ID_DIGITS$x}", rand::random::<u64>())
}

impl Jobs {
    pub(crate) fn new(store: Store, tracker: TaskTracker, stop: CancellationToken) -> Self {
        Self {
            running: Arc::new(DashMap::new()),
            store,
            tracker,
            stop,
            kept_bytes: Arc::default(),
            max_kept_bytes: MAX_KEPT_BYTES,
        }
    }

    /// Marks jobs that an earlier process did not finish as failed; their results so far are kept.
    pub(crate) async fn recover(&self) -> Result<(), StoreError> {
        for row in table::unfinished_jobs(&self.store).await? {
            let list = row.list.clone();
            let mut job = job_of(row);
            job.state = JobState::Failed;
            job.ended_at = Some(ccd_base::clock::now());
            job.error = Some(error(
                "the worker was killed or replaced before the job ended",
            ));
            let row = row_of(&job, list.as_deref());
            self.store.commit(row).await?;
        }
        self.delete_old().await
    }

    pub(crate) async fn delete_old(&self) -> Result<(), StoreError> {
        let before = ccd_base::clock::seconds_ago(KEEP_S);
        self.store.commit(DeleteJobs::Before(before)).await
    }

    pub(crate) async fn forget(
        &self,
        which: &DataForgetParams,
    ) -> Result<DataSelected, StoreError> {
        let before = which.before.clone().unwrap_or_else(ccd_base::clock::now);
        let (count, oldest) = table::ended_before(&self.store, &before).await?;
        if !which.dry_run {
            self.store.commit(DeleteJobs::Before(before)).await?;
            self.store.tidy();
        }
        let selected = DataSelected::of(DataPart::Jobs, count, ("job", "jobs"), oldest);
        let (running, kind) = (self.running.len() as u64, ("job", "jobs"));
        Ok(selected.leaving(running, kind, "in progress; ccctl job cancel ends one"))
    }

    /// Starts a job; returns its id once it is in the database. `list` is the name of the list in its result, if it has
    /// one.
    pub(crate) async fn start<F, Fut>(
        &self,
        method: &str,
        list: Option<&'static str>,
        work: F,
    ) -> Result<String, JobError>
    where
        F: FnOnce(JobHandle) -> Fut + Send + 'static,
        Fut: Future<Output = Outcome> + Send + 'static,
    {
        self.start_as(new_id(), method, list, work).await
    }

    /// Does the same with an id from [`new_id`].
    pub(crate) async fn start_as<F, Fut>(
        &self,
        id: String,
        method: &str,
        list: Option<&'static str>,
        work: F,
    ) -> Result<String, JobError>
    where
        F: FnOnce(JobHandle) -> Fut + Send + 'static,
        Fut: Future<Output = Outcome> + Send + 'static,
    {
        if self.running.len() >= MAX_RUNNING {
            return Err(JobError::TooMany);
        }
        let job = Job {
            job: id.clone(),
            method: method.to_owned(),
            state: JobState::Running,
            progress: None,
            created_at: ccd_base::clock::now(),
            ended_at: None,
            result: None,
            error: None,
            entry_count: 0,
            warnings: Vec::new(),
        };
        let row = row_of(&job, list);
        let running = Arc::new(Running::new(job, list, self.stop.child_token()));
        // It counts as running from here on.
        self.running.insert(id.clone(), Arc::clone(&running));
        let (told, is_written) = oneshot::channel();
        let jobs = self.clone();
        // A client that goes away meanwhile leaves no job that nobody carries out.
        self.tracker.spawn(async move {
            let written = jobs.store.commit(row).await;
            let has_failed = written.is_err();
            let _ = told.send(written);
            if has_failed {
                jobs.running.remove(&running.id);
                return;
            }
            let work = work(JobHandle {
                running: Arc::clone(&running),
            });
            let outcome = tokio::select! {
                outcome = work => outcome,
                () = overdue(&running.cancel, &jobs.stop) => Outcome::cancelled(),
                () = jobs.save_entries(&running) => Outcome::cancelled(), // it never ends
            };
            jobs.end(&running, outcome).await;
        });
        match is_written.await {
            Ok(written) => written?,
            Err(_) => return Err(JobError::NotFound(id)), // the daemon stops
        }
        Ok(id)
    }

    /// Writes entries to the database as they arrive, for as long as it is polled.
    async fn save_entries(&self, running: &Running) {
        let mut changed = running.changed.subscribe();
        while changed.changed().await.is_ok() {
            self.flush(running).await;
        }
        std::future::pending().await
    }

    async fn flush(&self, running: &Running) {
        let (entries, count, row) = {
            let state = running.state();
            let Some(entries) = state.entries.unsaved(&running.id) else {
                return;
            };
            let row = row_of(&state.job, running.list);
            (entries, state.entries.count(), row)
        };
        let row = self.store.commit(row);
        let entries = self.store.commit(entries);
        match tokio::join!(row, entries) {
            (Ok(()), Ok(())) => running.state().entries.saved(count),
            (Err(error), _) | (_, Err(error)) => {
                tracing::error!(job = running.id, %error, "could not write the entries of a job to the database");
            }
        }
    }

    async fn end(&self, running: &Running, outcome: Outcome) {
        running.end(outcome, self.stop.is_cancelled());
        self.flush(running).await;
        let record = running.brief();
        let row = row_of(&record, running.list);
        if let Err(error) = self.store.commit(row).await {
            tracing::error!(job = record.job, %error, "could not write the end of a job to the database");
        }
        self.running.remove(&record.job);
        running.changed.send_modify(|count| *count += 1);
        let bytes = running.state().entries.bytes;
        if let Err(error) = self.make_room(bytes).await {
            tracing::error!(%error, "could not delete the oldest jobs");
        }
    }

    /// Removes the oldest ended jobs if all lists together are too long, after a list of this many bytes was added.
    async fn make_room(&self, bytes: usize) -> Result<(), StoreError> {
        let mut kept = self.kept_bytes.lock().await;
        let now = match *kept {
            Some(before) => before.saturating_add(i64::try_from(bytes).unwrap_or(i64::MAX)),
            None => table::job_bytes(&self.store).await?,
        };
        *kept = Some(now);
        if now > self.max_kept_bytes {
            // Down to three quarters, so that not every job that ends removes another.
            let room = self.max_kept_bytes / 4 * 3;
            self.store.commit(DeleteJobs::Over(room)).await?;
            *kept = None;
        }
        Ok(())
    }

    /// Returns the id of the job that `given` means: an id or a unique prefix of one, with or without `job-`.
    pub(crate) async fn find(&self, given: &str) -> Result<String, JobError> {
        let start = given.strip_prefix(ID_START).unwrap_or(given);
        let is_start = !start.is_empty()
            && start.len() <= ID_DIGITS
            && start
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if !is_start {
            return Err(JobError::NotFound(given.to_owned()));
        }
        let id = format!("{ID_START}{start}");
        if start.len() == ID_DIGITS && self.running.contains_key(&id) {
            return Ok(id);
        }
        let mut candidates = table::job_ids(&self.store, &id, MAX_CANDIDATES).await?;
        match candidates.len() {
            0 => Err(JobError::NotFound(given.to_owned())),
            1 => Ok(candidates.remove(0)),
            _ => Err(JobError::Ambiguous {
                given: given.to_owned(),
                candidates,
            }),
        }
    }

    /// Returns a job, once it has ended or `wait` has passed.
    pub(crate) async fn get(&self, id: &str, wait: Duration) -> Result<Job, JobError> {
        let Some(running) = self.running(id) else {
            return self.ended(id).await;
        };
        let mut changed = running.changed.subscribe();
        let ended = changed.wait_for(|_| running.state().job.state.has_ended());
        let _ = tokio::time::timeout(wait, ended).await;
        Ok(running.record())
    }

    async fn ended(&self, id: &str) -> Result<Job, JobError> {
        let row = self.row(id).await?;
        let list = row.list.clone();
        let mut job = job_of(row);
        if let Some(list) = list {
            let mut rows = table::job_entries(&self.store, id, 0, i64::MAX).await?;
            let omitted = job.entry_count.saturating_sub(rows.len() as u64);
            rows.sort_by_key(|row| row.place);
            let values = rows.into_iter().map(|row| entry_of(row).value).collect();
            add_list(&mut job, &list, values, omitted);
        }
        Ok(job)
    }

    async fn row(&self, id: &str) -> Result<JobRow, JobError> {
        let row = table::job(&self.store, id).await?;
        row.ok_or_else(|| JobError::NotFound(id.to_owned()))
    }

    /// Returns a job without its list, and the next entries of the list from number `since` on.
    pub(crate) async fn news(&self, id: &str, since: u64) -> Result<(Job, Batch), JobError> {
        if let Some(running) = self.running(id) {
            return Ok(running.news(since));
        }
        let row = self.row(id).await?;
        let from = i64::try_from(since).unwrap_or(i64::MAX);
        let rows = table::job_entries(&self.store, id, from, READ_LEN).await?;
        let entries: Vec<JobEntry> = rows.into_iter().map(entry_of).collect();
        Ok((job_of(row), batch_of(entries.iter(), since)))
    }

    /// Returns the newest jobs, newest first, without their lists.
    pub(crate) async fn list(&self, limit: i64) -> Result<Vec<Job>, StoreError> {
        // Read before the rows: a job that ends meanwhile has a row that says it is running.
        let running = (self.running.iter()).map(|job| (job.id.clone(), Arc::clone(&job)));
        let running: HashMap<String, Arc<Running>> = running.collect();
        let rows = table::jobs(&self.store, limit).await?;
        // Running jobs are more up to date in memory.
        let newest = |row: JobRow| match running.get(&row.job) {
            Some(running) => running.brief(),
            None => job_of(row),
        };
        Ok(rows.into_iter().map(newest).collect())
    }

    /// Asks a job to stop.
    pub(crate) async fn cancel(&self, id: &str) -> Result<(), JobError> {
        match self.running(id) {
            Some(running) => running.cancel.cancel(),
            None => drop(self.row(id).await?),
        }
        Ok(())
    }

    /// Changes whenever the job does; `None` if it is not running.
    pub(crate) fn watch(&self, id: &str) -> Option<watch::Receiver<u64>> {
        Some(self.running(id)?.changed.subscribe())
    }

    pub(crate) fn counts(&self) -> ccd_protocol::daemon::JobCounts {
        let mut counts = ccd_protocol::daemon::JobCounts {
            queued: 0,
            running: 0,
        };
        for running in self.running.iter() {
            match running.state().job.state {
                JobState::Queued => counts.queued += 1,
                _ => counts.running += 1,
            }
        }
        counts
    }

    fn running(&self, id: &str) -> Option<Arc<Running>> {
        self.running.get(id).map(|running| Arc::clone(&running))
    }
}

/// Waits until something that was cancelled should have ended.
async fn overdue(cancel: &CancellationToken, stop: &CancellationToken) {
    cancel.cancelled().await;
    tokio::select! {
        () = tokio::time::sleep(CANCEL_LIMIT) => {}
        () = async {
            stop.cancelled().await;
            tokio::time::sleep(STOP_LIMIT).await;
        } => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Opening, SCHEMA};
    use ccd_base::clock;
    use serde_json::json;

    async fn run(jobs: &Jobs, entry: String) -> String {
        let work = |handle: JobHandle| async move {
            handle.entry(json!(entry), None);
            Outcome::done(json!({}))
        };
        let id = jobs.start("test", Some("list"), work).await.unwrap();
        while jobs.running(&id).is_some() {
            tokio::task::yield_now().await;
        }
        // Milliseconds decide which of them is older.
        let ended = clock::now();
        while clock::now() == ended {
            tokio::task::yield_now().await;
        }
        id
    }

    #[tokio::test]
    async fn the_oldest_jobs_go_when_all_lists_together_are_too_long() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ccd.sqlite");
        let store = SCHEMA.open(&path, Opening::First).await.unwrap().database;
        let jobs = Jobs {
            max_kept_bytes: 10_000,
            ..Jobs::new(store, TaskTracker::new(), CancellationToken::new())
        };
        let mut ids = Vec::new();
        for _ in 0..30 {
            ids.push(run(&jobs, "x".repeat(1000)).await);
        }
        jobs.tracker.close();
        jobs.tracker.wait().await;
        let kept: Vec<String> = jobs
            .list(100)
            .await
            .unwrap()
            .into_iter()
            .map(|job| job.job)
            .collect();
        assert!((7..=10).contains(&kept.len()), "{}", kept.len());
        assert!(
            ids[20..]
                .iter()
                .rev()
                .take(kept.len())
                .all(|id| kept.contains(id))
        );
        assert!(table::job_bytes(&jobs.store).await.unwrap() <= 10_000);
    }
}
