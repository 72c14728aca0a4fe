//! Jobs: long work with an owner, progress, an end and a record that stays.

use crate::store::{JobRow, Store, StoreError, Write};
use ccd_protocol::job::{Job, JobState};
use dashmap::DashMap;
use serde_json::Value;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Longest wait of one `job.get`.
pub(crate) const MAX_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

/// Jobs are kept so long after their end.
const KEEP_S: f64 = 7.0 * 24.0 * 60.0 * 60.0;

/// Jobs at a time.
const MAX_RUNNING: usize = 64;

/// All running jobs; ended ones are in the database.
#[derive(Clone)]
pub(crate) struct Jobs {
    running: Arc<DashMap<String, Arc<Running>>>,
    store: Store,
    tracker: TaskTracker,
    stop: CancellationToken,
}

struct Running {
    record: Mutex<Job>,
    cancel: CancellationToken,
    changed: watch::Sender<u64>,
}

/// What a job's work sees of the job.
#[derive(Clone)]
pub(crate) struct JobHandle {
    running: Arc<Running>,
}

impl JobHandle {
    /// Tells how far the work is.
    pub(crate) fn progress(&self, progress: Value) {
        self.running.update(|job| job.progress = Some(progress));
    }

    /// Cancelled when somebody wants the work to stop.
    pub(crate) fn cancelled(&self) -> &CancellationToken {
        &self.running.cancel
    }
}

impl Running {
    fn record(&self) -> Job {
        self.record
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn update(&self, change: impl FnOnce(&mut Job)) {
        change(&mut self.record.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.send_modify(|count| *count += 1);
    }
}

impl Jobs {
    pub(crate) fn new(store: Store, tracker: TaskTracker, stop: CancellationToken) -> Self {
        Self {
            running: Arc::new(DashMap::new()),
            store,
            tracker,
            stop,
        }
    }

    /// Jobs that an earlier daemon did not finish have failed.
    pub(crate) async fn recover(&self) -> Result<(), StoreError> {
        for row in self.store.jobs(i64::MAX).await? {
            let mut job = job_of(row);
            if !job.state.has_ended() {
                job.state = JobState::Failed;
                job.ended_at = Some(crate::clock::now());
                job.error = Some(error("the daemon ended before the job did"));
                self.store
                    .commit(Write::Job(Box::new(row_of(&job))))
                    .await?;
            }
        }
        self.store
            .commit(Write::DeleteJobsBefore(crate::clock::seconds_ago(KEEP_S)))
            .await
    }

    /// Starts a job; its id is returned once it is written down.
    ///
    /// # Errors
    ///
    /// The database refuses.
    pub(crate) async fn start<F, Fut>(&self, method: &str, work: F) -> Result<String, StoreError>
    where
        F: FnOnce(JobHandle) -> Fut,
        Fut: Future<Output = Result<Value, String>> + Send + 'static,
    {
        if self.running.len() >= MAX_RUNNING {
            return Err(StoreError::Busy);
        }
        let job = Job {
            job: format!("job-{:016x}", rand::random::<u64>()),
            method: method.to_owned(),
            state: JobState::Running,
            progress: None,
            created_at: crate::clock::now(),
            ended_at: None,
            result: None,
            error: None,
            warnings: Vec::new(),
        };
        self.store
            .commit(Write::Job(Box::new(row_of(&job))))
            .await?;
        let id = job.job.clone();
        let running = Arc::new(Running {
            record: Mutex::new(job),
            cancel: self.stop.child_token(),
            changed: watch::channel(0).0,
        });
        self.running.insert(id.clone(), Arc::clone(&running));
        let work = work(JobHandle {
            running: Arc::clone(&running),
        });
        let jobs = self.clone();
        self.tracker.spawn(async move {
            let result = tokio::select! {
                result = work => Some(result),
                () = running.cancel.cancelled() => None,
            };
            jobs.end(&running, result).await;
        });
        Ok(id)
    }

    async fn end(&self, running: &Running, result: Option<Result<Value, String>>) {
        let stopping = self.stop.is_cancelled();
        running.update(|job| {
            job.ended_at = Some(crate::clock::now());
            match result {
                Some(Ok(value)) => (job.state, job.result) = (JobState::Done, Some(value)),
                Some(Err(text)) => (job.state, job.error) = (JobState::Failed, Some(error(&text))),
                None => {
                    let why = if stopping {
                        "the daemon is stopping"
                    } else {
                        "cancelled by a client"
                    };
                    (job.state, job.error) = (JobState::Cancelled, Some(error(why)));
                }
            }
        });
        let record = running.record();
        if let Err(error) = self
            .store
            .commit(Write::Job(Box::new(row_of(&record))))
            .await
        {
            tracing::error!(job = record.job, %error, "the end of a job is not in the database");
        }
        self.running.remove(&record.job);
        running.changed.send_modify(|count| *count += 1);
    }

    /// Returns a job, once it has ended or `wait` is over.
    pub(crate) async fn get(&self, id: &str, wait: Duration) -> Result<Option<Job>, StoreError> {
        let running = self.running.get(id).map(|running| Arc::clone(&running));
        let Some(running) = running else {
            return Ok(self.store.job(id).await?.map(job_of));
        };
        let mut changed = running.changed.subscribe();
        let ended = changed.wait_for(|_| running.record().state.has_ended());
        let _ = tokio::time::timeout(wait, ended).await;
        Ok(Some(running.record()))
    }

    /// Returns the newest jobs, newest first.
    pub(crate) async fn list(&self, limit: i64) -> Result<Vec<Job>, StoreError> {
        let jobs = self.store.jobs(limit).await?.into_iter().map(job_of);
        // What runs is newer in memory.
        Ok(jobs
            .map(|job| match self.running.get(&job.job) {
                Some(running) => running.record(),
                None => job,
            })
            .collect())
    }

    /// Asks a job to stop; false when there is no such job.
    pub(crate) async fn cancel(&self, id: &str) -> Result<bool, StoreError> {
        if let Some(running) = self.running.get(id) {
            running.cancel.cancel();
            return Ok(true);
        }
        Ok(self.store.job(id).await?.is_some())
    }

    /// Changes whenever the job does; `None` when it does not run.
    pub(crate) fn watch(&self, id: &str) -> Option<watch::Receiver<u64>> {
        self.running
            .get(id)
            .map(|running| running.changed.subscribe())
    }

    /// How many jobs there are.
    pub(crate) fn counts(&self) -> ccd_protocol::daemon::JobCounts {
        ccd_protocol::daemon::JobCounts {
            queued: 0,
            running: self.running.len() as u64,
        }
    }
}

fn error(text: &str) -> Value {
    serde_json::json!({"message": text})
}

fn row_of(job: &Job) -> JobRow {
    let text = |value: &Option<Value>| value.as_ref().map(Value::to_string);
    JobRow {
        job: job.job.clone(),
        method: job.method.clone(),
        state: match job.state {
            JobState::Queued => "queued",
            JobState::Running => "running",
            JobState::Done => "done",
            JobState::Failed => "failed",
            JobState::Cancelled => "cancelled",
        }
        .into(),
        progress: text(&job.progress),
        created_at: job.created_at.clone(),
        ended_at: job.ended_at.clone(),
        result: text(&job.result),
        error: text(&job.error),
    }
}

fn job_of(row: JobRow) -> Job {
    let value = |text: Option<String>| text.and_then(|text| serde_json::from_str(&text).ok());
    Job {
        job: row.job,
        method: row.method,
        state: match row.state.as_str() {
            "queued" => JobState::Queued,
            "running" => JobState::Running,
            "done" => JobState::Done,
            "cancelled" => JobState::Cancelled,
            _ => JobState::Failed,
        },
        progress: value(row.progress),
        created_at: row.created_at,
        ended_at: row.ended_at,
        result: value(row.result),
        error: value(row.error),
        warnings: Vec::new(),
    }
}
