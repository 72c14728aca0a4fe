//! Jobs.

use super::template::filled;
use ccd_protocol::job::Job;

pub(crate) fn job_line(job: &Job) -> String {
    let job = serde_json::to_value(job).unwrap_or_default();
    let line = filled("{method} {state} {&job outcome}", &job);
    line.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccd_protocol::job::JobState;
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
