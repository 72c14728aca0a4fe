//! A running job, and the handle of its work.

use super::entries::{Batch, Entries};
use super::record::{add_list, error};
use ccd_protocol::job::{Job, JobState};
use ccd_text::redact::redact;
use parking_lot::{Mutex, MutexGuard};
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

pub(super) struct Running {
    state: Mutex<RunningState>,
    pub(super) id: String,
    pub(super) list: Option<&'static str>,
    pub(super) cancel: CancellationToken,
    pub(super) changed: watch::Sender<u64>,
}

pub(super) struct RunningState {
    /// Its result lacks the list.
    pub(super) job: Job,
    pub(super) entries: Entries,
}

#[derive(Debug)]
pub(crate) struct Outcome {
    state: JobState,
    /// The result without the list.
    result: Option<Value>,
    error: Option<String>,
}

impl Outcome {
    pub(crate) fn done(result: impl Serialize) -> Self {
        Self {
            state: JobState::Done,
            result: Some(json_of(result)),
            error: None,
        }
    }

    pub(crate) fn failed(why: impl Into<String>) -> Self {
        Self {
            state: JobState::Failed,
            result: None,
            error: Some(why.into()),
        }
    }

    /// The job was cancelled, and nothing of it is running any more.
    pub(crate) fn cancelled() -> Self {
        Self {
            state: JobState::Cancelled,
            result: None,
            error: None,
        }
    }

    pub(crate) fn with(mut self, result: impl Serialize) -> Self {
        self.result = Some(json_of(result));
        self
    }
}

/// The handle through which a job's work reports. Secrets that are recognised in its reports are redacted before they
/// reach a disk or a client.
#[derive(Clone)]
pub(crate) struct JobHandle {
    pub(super) running: Arc<Running>,
}

impl JobHandle {
    pub(crate) fn progress(&self, progress: impl Serialize) {
        let mut progress = json_of(progress);
        redact_all(&mut progress);
        self.running
            .update(|state| state.job.progress = Some(progress));
    }

    /// Appends to the job's list; `place` is the position in the result, if it differs from the order of appending.
    pub(crate) fn entry(&self, value: impl Serialize, place: Option<u64>) {
        let mut value = json_of(value);
        redact_all(&mut value);
        self.running
            .update(|state| state.entries.push(value, place));
    }

    /// Appends a text without secrets to the job's list.
    pub(crate) fn line(&self, redacted: String) {
        self.running
            .update(|state| state.entries.push(Value::String(redacted), None));
    }

    pub(crate) fn queued(&self, is_queued: bool) {
        let now = if is_queued {
            JobState::Queued
        } else {
            JobState::Running
        };
        self.running.update(|state| state.job.state = now);
    }

    /// Cancelled when the work has to stop; it must then end soon.
    pub(crate) fn cancelled(&self) -> &CancellationToken {
        &self.running.cancel
    }
}

impl Running {
    pub(super) fn new(job: Job, list: Option<&'static str>, cancel: CancellationToken) -> Self {
        Self {
            id: job.job.clone(),
            state: Mutex::new(RunningState {
                job,
                entries: Entries::default(),
            }),
            list,
            cancel,
            changed: watch::channel(0).0,
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, RunningState> {
        self.state.lock()
    }

    pub(super) fn update(&self, change: impl FnOnce(&mut RunningState)) {
        change(&mut self.state());
        self.changed.send_modify(|count| *count += 1);
    }

    /// The record without its list.
    pub(super) fn brief(&self) -> Job {
        self.state().brief()
    }

    /// The record, with its list once it has ended.
    pub(super) fn record(&self) -> Job {
        let state = self.state();
        let mut job = state.brief();
        if let Some(list) = self.list {
            let omitted = state.entries.first;
            add_list(&mut job, list, state.entries.in_order(), omitted);
        }
        job
    }

    pub(super) fn news(&self, since: u64) -> (Job, Batch) {
        let state = self.state();
        (state.brief(), state.entries.batch(since))
    }

    pub(super) fn end(&self, outcome: Outcome, is_stopping: bool) {
        self.update(|state| {
            let job = &mut state.job;
            job.ended_at = Some(ccd_base::clock::now());
            job.state = outcome.state;
            job.result = outcome.result;
            let why = match outcome.state {
                JobState::Cancelled if is_stopping => Some("the daemon is stopping"),
                JobState::Cancelled => Some("cancelled by a client"),
                _ => outcome.error.as_deref(),
            };
            job.error = why.map(error);
            let texts = [&mut job.result, &mut job.error];
            texts.into_iter().flatten().for_each(redact_all);
        });
    }
}

impl RunningState {
    fn brief(&self) -> Job {
        Job {
            entry_count: self.entries.count(),
            ..self.job.clone()
        }
    }
}

fn json_of(value: impl Serialize) -> Value {
    // It cannot fail: all keys are texts.
    serde_json::to_value(value).unwrap_or_default()
}

fn redact_all(value: &mut Value) {
    match value {
        Value::String(text) => {
            let redacted = redact(text);
            if redacted.removed > 0 {
                *text = redacted.text.into_owned();
            }
        }
        Value::Array(values) => values.iter_mut().for_each(redact_all),
        Value::Object(values) => values.values_mut().for_each(redact_all),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
