//! Jobs: long-running work that a method starts and other methods follow.

use crate::method::{Done, methods};
use crate::named::named;
use serde::{Deserialize, Serialize};

methods! {
    JobGet = "job.get" (JobGetParams) -> Job, "Returns a job; with `wait_ms`, once it has ended or the time is up.";
    JobList = "job.list" (JobListParams) -> JobListReply, "Lists jobs, newest first.", Large;
    JobCancel = "job.cancel" (JobParams) -> Done, "Asks a job to stop.";
}

named! {
    /// State of a job.
    JobState {
        Queued = "queued",
        Running = "running",
        Done = "done",
        Failed = "failed",
        Cancelled = "cancelled",
    }
}

impl JobState {
    /// True if the job has ended.
    #[must_use]
    pub fn has_ended(self) -> bool {
        matches!(
            self,
            JobState::Done | JobState::Failed | JobState::Cancelled
        )
    }
}

/// A job's record, kept for 7 days, or until the lists of all jobs together exceed 256 MiB.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Job {
    pub job: String,
    /// The method that started it.
    pub method: String,
    pub state: JobState,
    /// How far the job is: an object whose members depend on the method, such as {step, of, command}.
    pub progress: Option<serde_json::Value>,
    pub created_at: String,
    pub ended_at: Option<String>,
    /// The result, once the job has ended; for a failed or cancelled job, the part that exists. `job.list` and
    /// `job.subscribe` leave out its list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<serde_json::Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<serde_json::Value>,
    /// Number of entries in its list so far, including those that are no longer kept.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub entry_count: u64,
    /// Values of the request that were corrected; only in replies of `job.get`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Names one job.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct JobParams {
    /// Job id, or a unique prefix of it; `job-` may be omitted.
    pub job: String,
}

/// Parameters of `job.get`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct JobGetParams {
    /// Job id, or a unique prefix of it; `job-` may be omitted.
    pub job: String,
    /// Milliseconds to wait for the job to end; default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<f64>,
}

/// Parameters of `job.list`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct JobListParams {
    /// Maximum number of jobs; default 100, at most 1,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
}

/// Reply of `job.list`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct JobListReply {
    pub jobs: Vec<Job>,
}

/// Parameters of `job.subscribe`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct JobSubscribeParams {
    /// Job id, or a unique prefix of it; `job-` may be omitted.
    pub job: String,
    /// `seq` of the first entry to send; default 0, which sends all entries that are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
}

/// One item of a subscription to a job.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct JobItem {
    pub seq: u64,
    #[serde(flatten)]
    pub job: Job,
    /// New entries of the job's list; each is sent once, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<JobEntry>,
    /// Number of entries before these that are no longer kept.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub omitted_entries: u64,
    /// True in the last item.
    pub ended: bool,
}

/// An entry of a job's list: a step, a command, or a match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct JobEntry {
    /// Number of the entry in the job, from 0.
    pub seq: u64,
    pub at: String,
    #[cfg_attr(test, schemars(with = "EntryValue"))]
    pub value: serde_json::Value,
}

/// Type of an entry, by the method that started the job. This record exists only in this reference.
#[cfg(test)]
#[derive(schemars::JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "a schema alone")]
enum EntryValue {
    /// `chain.run`.
    Step(crate::chain::ChainStep),
    /// `chain.parallel`.
    Command(crate::chain::ParallelCommand),
    /// `chain.watch`.
    Hit(crate::chain::WatchHit),
    /// `exec.run`: a line that Claude Code has printed, without secrets.
    Line(String),
}
