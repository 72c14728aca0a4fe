//! Follows a job, entry by entry.

use super::cancel::Cancel;
use super::progress::Progress;
use crate::args::Given;
use crate::call::{DaemonAddress, fetch_within};
use crate::context::note;
use crate::fields::Fields as _;
use crate::job_news::{JobNews, News};
use crate::{Context, Exit, Failure};
use ccd_protocol::Method as _;
use ccd_protocol::job::{Job, JobCancel, JobParams, JobState};
use serde_json::Value;

/// How the wait for a job ended.
pub(in crate::verb) enum Followed<T> {
    Ended(T),
    /// Everything is reported already, or the user did not wait for the end.
    Left(Exit),
}

/// Waits for the end of a job that was started after `cancel`. A signal calls `stop`; `told` gets all news before the end.
pub(in crate::verb) fn follow(
    cancel: &Cancel,
    place: DaemonAddress,
    job: &str,
    since: Option<u64>,
    stop: impl Fn() + Send + Sync + 'static,
    mut told: impl FnMut(News) -> Result<(), Failure>,
) -> Result<Followed<Job>, Failure> {
    let mut news = JobNews::start(place, job, since)?;
    cancel.started(news.lifeline(), stop);
    loop {
        match news.next() {
            Ok(News::Ended(job)) => return Ok(Followed::Ended(job)),
            Ok(next) => told(next)?,
            Err(failure) => {
                let left = cancel.left(&news.lifeline());
                return left.map(Followed::Left).ok_or(failure);
            }
        }
    }
}

/// Starts a job by a method, and prints its id or follows it to its end; `entry` gets each entry of its list.
/// With `--json`, the entries and then the record are printed here.
pub(super) fn run_job(
    method: &str,
    params: &Value,
    args: &Given,
    context: &mut Context,
    entry: impl FnMut(&Value, &mut Context) -> Result<(), Failure>,
) -> Result<Followed<Job>, Failure> {
    let cancel = (!args.has("detach")).then(Cancel::listen).transpose()?;
    let started = context.fetch(method, params)?;
    context.warn_of(&started.value);
    let job = started.value.text("job");
    let Some(cancel) = cancel else {
        context.print(&started, |_, out| writeln!(out, "{job}"))?;
        return Ok(Followed::Left(Exit::Done));
    };
    until_end(&cancel, job.to_owned(), context, entry)
}

/// Follows a job to its end, which was started after `cancel`; `entry` gets each entry of its list.
pub(in crate::verb) fn until_end(
    cancel: &Cancel,
    job: String,
    context: &mut Context,
    mut entry: impl FnMut(&Value, &mut Context) -> Result<(), Failure>,
) -> Result<Followed<Job>, Failure> {
    let place = context.place()?.without_start();
    let mut told = String::new();
    let mut progress = Progress::new(context);
    let stop = cancelling(&place, &job);
    let followed = follow(cancel, place, &job, Some(0), stop, |news| match news {
        News::Entry(next) => {
            progress.clear();
            if context.global.json {
                context.write_json(&next.value)?;
            }
            entry(&next.value, context)
        }
        News::Omitted(count) => {
            progress.clear();
            context.note(&format!(
                "{count} entries arrived too fast and were dropped"
            ));
            Ok(())
        }
        News::Changed(job) | News::Ended(job) => {
            progress.show(&job);
            note_wait(&job, &mut told, context);
            Ok(())
        }
    })?;
    let job = match followed {
        Followed::Ended(job) => job,
        left @ Followed::Left(_) => return Ok(left),
    };
    progress.clear();
    if context.global.json {
        context.write_json(&job)?;
    }
    match (job.state, cancel.by()) {
        (JobState::Done, _) => Ok(Followed::Ended(job)),
        (JobState::Cancelled, Some(signal)) => {
            context.note(&format!("{}: cancelled", job.method));
            Ok(Followed::Left(Exit::of_program(None, Some(signal))))
        }
        _ if context.global.json => Ok(Followed::Left(Exit::Failed)),
        _ => Failure::failed(format!("{}: {}", job.method, why(&job))),
    }
}

/// What asks a job to stop, and says so.
pub(in crate::verb) fn cancelling(
    place: &DaemonAddress,
    job: &str,
) -> impl Fn() + Send + Sync + 'static {
    let place = place.clone();
    let job = job.to_owned();
    let params = JobParams { job };
    move || {
        let job = &params.job;
        note(&format!(
            "cancelling {job}; press again to exit without waiting"
        ));
        if let Err(failure) = fetch_within(&place, JobCancel::NAME, &params, None) {
            note(&failure.to_string());
        }
    }
}

/// Prints once what a job waits for.
fn note_wait(job: &Job, told: &mut String, context: &Context) {
    if let Some(waits) = part(&job.progress, "waits_for").as_str()
        && told != waits
    {
        context.note(&format!("{}: waits for {waits}", job.method));
        waits.clone_into(told);
    }
}

pub(in crate::verb) fn why(job: &Job) -> &str {
    part(&job.error, "message").as_str().unwrap_or("it failed")
}

pub(super) fn count(job: &Job, key: &str) -> u64 {
    part(&job.result, key).as_u64().unwrap_or(0)
}

pub(super) fn is(job: &Job, key: &str) -> bool {
    part(&job.result, key).as_bool() == Some(true)
}

/// A part of a result; null if there is none.
fn part<'a>(whole: &'a Option<Value>, key: &str) -> &'a Value {
    static NULL: Value = Value::Null;
    let part = whole.as_ref().and_then(|whole| whole.get(key));
    part.unwrap_or(&NULL)
}
