//! Follows the job of an investigation or of tests, with a line that says what is being done.

use crate::job_news::{JobNews, News};
use crate::verb::chain::{Cancel, Progress, Waited, cancel_job};
use crate::{Context, Exit, Failure};
use ccd_protocol::job::{Job, JobState};
use serde_json::Value;
use std::sync::Arc;

#[derive(Debug)]
pub(in crate::verb) enum Followed {
    Ended(Box<Job>),
    /// The user did not wait for the end of a job that was cancelled.
    Left(Exit),
}

/// Waits for the end of a job that was started after `cancel`; `line` says what the progress of the job means.
pub(in crate::verb) fn follow(
    cancel: &Cancel,
    job: String,
    line: impl Fn(&Value) -> Option<String>,
    context: &Context,
) -> Result<Followed, Failure> {
    let place = context.place()?.without_start();
    let mut news = JobNews::start(place.clone(), &job, None)?;
    cancel.started(Waited {
        lifeline: news.lifeline(),
        cancel: Arc::new(move || cancel_job(&place, &job)),
    });
    let mut progress = Progress::on_stderr();
    let ended = loop {
        match news.next() {
            Ok(News::Changed(job)) => {
                let shown = job.progress.as_ref().and_then(&line);
                progress.show_text(shown.filter(|_| job.state == JobState::Running));
            }
            Ok(News::Ended(job)) => break Ok(Followed::Ended(Box::new(job))),
            Ok(News::Entry(_) | News::Omitted(_)) => {}
            Err(failure) => {
                let left = cancel.left(&news.lifeline());
                break left.map(Followed::Left).ok_or(failure);
            }
        }
    };
    progress.clear();
    ended
}
