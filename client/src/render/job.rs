//! Jobs.

use super::template::filled;
use ccd_protocol::job::Job;

pub(crate) fn job_line(job: &Job) -> String {
    let job = serde_json::to_value(job).unwrap_or_default();
    let line = filled("{method} {state} {&job outcome}", &job);
    line.trim_end().to_owned()
}
