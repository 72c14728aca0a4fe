//! `ccctl job`.

use crate::args::Given;
use crate::context::note;
use crate::fields::Fields as _;
use crate::job_news::{JobNews, strip};
use crate::render::text;
use crate::{Context, Exit, Failure};
use serde_json::{Value, json};

/// How long one request waits for a job, in milliseconds, before it is repeated.
const WAIT_STEP_MS: f64 = 10_000.0;

pub(crate) fn dispatch(verb: &str, args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        "subscribe" => subscribe(args.text("job"), context),
        _ => context.carry_out(args),
    }
}

/// Waits until a job has ended, prints a line to standard error each time it changes, and prints its result.
pub(crate) fn wait_for(job: &str, context: &mut Context) -> Result<Exit, Failure> {
    let params = json!({"job": job, "wait_ms": WAIT_STEP_MS});
    let mut told = String::new();
    loop {
        let answer = context.fetch("job.get", &params)?;
        let line = text("job line", &answer.value);
        if answer.value.has("ended_at") {
            context.print(&answer, |_, out| writeln!(out, "{line}"))?;
            return Ok(outcome(&answer.value));
        }
        if line != told {
            note(&line);
            told = line;
        }
    }
}

fn subscribe(job: &str, context: &mut Context) -> Result<Exit, Failure> {
    let mut news = JobNews::start(context.place()?, job, None)?;
    let mut told = Value::Null;
    loop {
        let (json, item) = news.next_item()?;
        let mut job = item.clone();
        strip(&mut job);
        // The first item of a subscription is the current state of the job, which may be unchanged.
        if told != job || item.has("entries") {
            if context.global.json {
                context.write_line(json.get())?;
            } else {
                context.write_line(&text("job line", &job))?;
            }
        }
        if item.has("ended") {
            return Ok(outcome(&job));
        }
        told = job;
    }
}

fn outcome(job: &Value) -> Exit {
    Exit::of_success(!["failed", "cancelled"].contains(&job.text("state")))
}
