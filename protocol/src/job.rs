//! Jobs: long work that a method starts and others watch.

use crate::method::{Done, methods};
use serde::{Deserialize, Serialize};

methods! {
    JobGet = "job.get" (JobGetParams) -> Job, "Returns a job, with `wait_ms` once it has ended or the time is over.";
    JobList = "job.list" (JobListParams) -> JobListReply, "Lists jobs, newest first.";
    JobCancel = "job.cancel" (JobParams) -> Done, "Asks a job to stop.";
}

/// Reply of a method that starts a job.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JobStarted {
    pub job: String,
}

/// Where a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum JobState {
    Queued,
    Running,
    Done,
    Failed,
    Cancelled,
}

impl JobState {
    /// True when nothing more will happen.
    #[must_use]
    pub fn has_ended(self) -> bool {
        matches!(
            self,
            JobState::Done | JobState::Failed | JobState::Cancelled
        )
    }
}

/// A job's record, kept for 7 days, or until the lists of all jobs together take 256 MiB.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Job {
    pub job: String,
    /// The method that started it.
    pub method: String,
    pub state: JobState,
    /// How far it is, in short.
    pub progress: Option<serde_json::Value>,
    pub created_at: String,
    pub ended_at: Option<String>,
    /// Once it has ended, also when it failed or was cancelled: what there is by then. Its list is left out by
    /// `job.list` and `job.subscribe`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<serde_json::Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<serde_json::Value>,
    /// How many entries its list has so far, with those that are no longer kept.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub entry_count: u64,
    /// What was corrected in a `job.get`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Names one job.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JobParams {
    /// Its id, or a begin of it that no other has; `job-` may be left out.
    pub job: String,
}

/// Parameters of `job.get`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JobGetParams {
    /// Its id, or a begin of it that no other has; `job-` may be left out.
    pub job: String,
    /// Wait so long for the end; default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<f64>,
}

/// Parameters of `job.list`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JobListParams {
    /// At most so many; default 100, at most 1,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
}

/// Reply of `job.list`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JobListReply {
    pub jobs: Vec<Job>,
}

/// Parameters of `job.subscribe`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JobSubscribeParams {
    /// Its id, or a begin of it that no other has; `job-` may be left out.
    pub job: String,
    /// The first entry of the job's list that is wanted, by its `seq`; default 0, all that are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
}

/// One item of a subscription to a job.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JobItem {
    pub seq: u64,
    #[serde(flatten)]
    pub job: Job,
    /// Entries of the job's list that were not sent yet: each is sent once, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<JobEntry>,
    /// So many entries before these are no longer kept.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted_entries: u64,
    /// True in the last item.
    pub ended: bool,
}

/// Something that a job has done or found: a step, a command, a hit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JobEntry {
    /// Counts the entries of the job, from 0.
    pub seq: u64,
    pub at: String,
    #[cfg_attr(feature = "schema", schemars(with = "EntryValue"))]
    pub value: serde_json::Value,
}

/// What an entry is, by the method that started the job. For the documents.
#[cfg(feature = "schema")]
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
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
