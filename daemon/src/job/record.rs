//! Records of jobs, and their rows.

use super::table::{JobEntryRow, JobRow};
use ccd_protocol::job::{Job, JobEntry, JobState};
use serde_json::{Value, json};

/// Key for the number of entries that are no longer kept.
const OMITTED: &str = "omitted_entries";

pub(super) fn error(text: &str) -> Value {
    json!({"message": text})
}

pub(super) fn row_of(job: &Job, list: Option<&str>) -> JobRow {
    let text = |value: &Option<Value>| value.as_ref().map(Value::to_string);
    JobRow {
        job: job.job.clone(),
        method: job.method.clone(),
        state: job.state.name().to_owned(),
        progress: text(&job.progress),
        created_at: job.created_at.clone(),
        ended_at: job.ended_at.clone(),
        result: text(&job.result),
        error: text(&job.error),
        list: list.map(str::to_owned),
        entry_count: 0,
    }
}

/// Returns the record of a row; its result lacks the list.
pub(super) fn job_of(row: JobRow) -> Job {
    let value = |text: Option<String>| text.and_then(|text| serde_json::from_str(&text).ok());
    Job {
        job: row.job,
        method: row.method,
        state: JobState::named(&row.state).unwrap_or(JobState::Failed),
        progress: value(row.progress),
        created_at: row.created_at,
        ended_at: row.ended_at,
        result: value(row.result),
        error: value(row.error),
        entry_count: u64::try_from(row.entry_count).unwrap_or(0),
        warnings: Vec::new(),
    }
}

/// Adds the list to the result of a job that has ended.
pub(super) fn add_list(job: &mut Job, name: &str, values: Vec<Value>, omitted: u64) {
    if !job.state.has_ended() {
        return;
    }
    let result = job.result.get_or_insert_with(|| json!({}));
    if let Value::Object(result) = result {
        result.insert(name.to_owned(), Value::Array(values));
        if omitted > 0 {
            result.insert(OMITTED.to_owned(), omitted.into());
        }
    }
}

pub(super) fn entry_row(job: &str, entry: &JobEntry, place: u64) -> JobEntryRow {
    let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    JobEntryRow {
        job: job.to_owned(),
        seq: number(entry.seq),
        place: number(place),
        at: entry.at.clone(),
        value: entry.value.to_string(),
    }
}

pub(super) fn entry_of(row: JobEntryRow) -> JobEntry {
    JobEntry {
        seq: u64::try_from(row.seq).unwrap_or(0),
        at: row.at,
        value: serde_json::from_str(&row.value).unwrap_or_default(),
    }
}
