//! Follows a job, entry by entry.

use super::cancel::Cancel;
use super::progress::Progress;
use crate::args::Given;
use crate::call::{DaemonAddress, fetch_within};
use crate::context::note;
use crate::fields::Fields as _;
use crate::job_news::{JobNews, News};
use crate::render::text;
use crate::{Context, Exit, Failure};
use serde_json::{Value, json};

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
) -> Result<Followed<Value>, Failure> {
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

/// Starts a job by a method, and prints its id or follows it to its end; `entry` gets each entry of its list, and `ended` its
/// result. With `--json`, the entries and then the record are printed here.
pub(super) fn run_job(
    method: &str,
    params: &Value,
    args: &Given,
    context: &mut Context,
    entry: impl FnMut(&Value, &mut Context) -> Result<(), Failure>,
    ended: impl FnOnce(Value, &mut Context) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    let cancel = (!args.has("detach")).then(Cancel::listen).transpose()?;
    let started = context.fetch(method, params)?;
    context.warn_of(&started.value);
    let job = started.value.text("job");
    match cancel {
        None => context.print(&started, |_, out| writeln!(out, "{job}")),
        Some(cancel) => until_end(&cancel, job.to_owned(), context, entry, ended),
    }
}

/// Follows a job to its end, which was started after `cancel`, as [`run_job`] does.
pub(in crate::verb) fn until_end(
    cancel: &Cancel,
    job: String,
    context: &mut Context,
    mut entry: impl FnMut(&Value, &mut Context) -> Result<(), Failure>,
    ended: impl FnOnce(Value, &mut Context) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    let place = context.place()?.without_start();
    let mut told = String::new();
    let mut progress = Progress::new(context);
    let stop = cancelling(&place, &job);
    let followed = follow(cancel, place, &job, Some(0), stop, |news| match news {
        News::Entry(next) => {
            progress.clear();
            if context.global.json {
                context.write_json(next.at("value"))?;
            }
            entry(next.at("value"), context)
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
        Followed::Left(exit) => return Ok(exit),
    };
    progress.clear();
    if context.global.json {
        context.write_json(&job)?;
    }
    let method = job.text("method");
    match (job.text("state"), cancel.by()) {
        ("done", _) => ended(job.at("result").clone(), context),
        ("cancelled", Some(signal)) => {
            context.note(&format!("{method}: cancelled"));
            Ok(Exit::of_program(None, Some(signal)))
        }
        _ if context.global.json => Ok(Exit::Failed),
        _ => Failure::failed(format!("{method}: {}", why(&job))),
    }
}

/// What asks a job to stop, and says so.
pub(in crate::verb) fn cancelling(
    place: &DaemonAddress,
    job: &str,
) -> impl Fn() + Send + Sync + 'static {
    let place = place.clone();
    let params = json!({ "job": job });
    move || {
        note(&text("cancelling", &params));
        if let Err(failure) = fetch_within(&place, "job.cancel", &params, None) {
            note(&failure.to_string());
        }
    }
}

/// Prints once what a job waits for.
fn note_wait(job: &Value, told: &mut String, context: &Context) {
    let waits = job.text("progress.waits_for");
    if !waits.is_empty() && told != waits {
        context.note(&format!("{}: waits for {waits}", job.text("method")));
        waits.clone_into(told);
    }
}

pub(in crate::verb) fn why(job: &Value) -> &str {
    match job.text("error.message") {
        "" => "it failed",
        why => why,
    }
}
