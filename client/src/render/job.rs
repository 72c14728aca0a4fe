//! Jobs.

use super::printable;
use super::style::Colour;
use super::table::{Cell, Column, columns};
use ccd_protocol::job::{Job, JobState};

pub(crate) const JOBS: &[Column<Job>] = &columns! { |job|
    "JOB" => &job.job,
    "METHOD" => &job.method,
    "STATE" => Cell::coloured(state(job), colour(job)),
    "STARTED" => &job.created_at,
    "OUTCOME" => outcome(job),
};

fn colour(job: &Job) -> Colour {
    match job.state {
        JobState::Done => Colour::Good,
        JobState::Failed | JobState::Cancelled => Colour::Bad,
        JobState::Queued | JobState::Running => Colour::Heading,
    }
}

pub(crate) fn job_line(job: &Job) -> String {
    let line = format!("{} {} {}", job.method, state(job), outcome(job));
    printable(line.trim_end())
}

fn state(job: &Job) -> String {
    format!("{:?}", job.state).to_lowercase()
}

fn outcome(job: &Job) -> String {
    let told = job.error.as_ref().or(job.result.as_ref());
    let Some(told) = told.or(job.progress.as_ref()) else {
        return String::new();
    };
    match told.get("message").unwrap_or(told) {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Object(fields) => {
            // Lists are printed separately.
            let short = fields.iter().filter(|(_, value)| !value.is_array());
            let short: serde_json::Map<_, _> = short
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect();
            serde_json::Value::Object(short).to_string()
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_job_tells_its_error_before_its_progress() {
        let mut job = Job {
            job: "7f".into(),
            method: "daemon.check".into(),
            state: JobState::Running,
            progress: Some(json!({"done": 1})),
            created_at: "2026-01-02T03:04:05Z".into(),
            ended_at: None,
            result: None,
            error: None,
            entry_count: 0,
            warnings: Vec::new(),
        };
        assert_eq!(job_line(&job), "daemon.check running {\"done\":1}");
        job.state = JobState::Failed;
        job.error = Some(json!({"code": 1, "message": "disk full"}));
        assert_eq!(job_line(&job), "daemon.check failed disk full");
    }
}
