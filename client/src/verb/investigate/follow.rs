//! Follows the job of an investigation or of tests, with a line that says what is being done.

use crate::job_news::News;
use crate::render::on_one_line;
use crate::verb::chain::{Cancel, Followed, Progress, cancelling, follow, why};
use crate::{Context, Failure};
use ccd_protocol::job::{Job, JobState};
use serde_json::Value;

/// Waits for the end of a job that was started after `cancel`; `line` says what the progress of the job means.
pub(in crate::verb) fn follow_with_line(
    cancel: &Cancel,
    job: &str,
    line: impl Fn(&Value) -> Option<String>,
    context: &Context,
) -> Result<Followed<Job>, Failure> {
    let place = context.place()?.without_start();
    let stop = cancelling(&place, job);
    let mut progress = Progress::on_stderr();
    let followed = follow(cancel, place, job, None, stop, |news| {
        if let News::Changed(job) = news {
            let shown = job.progress.as_ref().and_then(&line);
            progress.show_text(shown.filter(|_| job.state == JobState::Running));
        }
        Ok(())
    });
    progress.clear();
    followed
}

/// Returns the result of a job that has ended; without one, it has failed.
pub(in crate::verb) fn result_of(verb: &str, job: &Job) -> Result<Value, Failure> {
    job.result.clone().ok_or_else(|| failed(verb, job))
}

pub(in crate::verb) fn failed(verb: &str, job: &Job) -> Failure {
    Failure::Failed(format!("{verb}: {}", on_one_line(why(job))))
}
