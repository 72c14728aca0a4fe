//! `ccctl job`.

use crate::args::Given;
use crate::context::note;
use crate::fields::Fields as _;
use crate::job_news::JobNews;
use crate::{Context, Exit, Failure, render};
use ccd_protocol::Method as _;
use ccd_protocol::job::{Job, JobGet, JobGetParams, JobState};
use serde_json::json;

/// How long one request waits for a job, in milliseconds, before it is repeated.
const WAIT_STEP_MS: f64 = 10_000.0;

pub(crate) fn dispatch(verb: &str, args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        "get" => {
            let wait_ms = args.seconds("wait").map(|seconds| seconds * 1000.0);
            let params = json!({"job": args.text("job"), "wait_ms": wait_ms});
            let answer = context.fetch(JobGet::NAME, &params)?;
            context.warn_of(&answer.value);
            context.print(&answer, |job, out| {
                out.reply("job.list", &json!({"jobs": [job]}))?;
                render::job_list(job, out)
            })
        }
        "subscribe" => subscribe(args.text("job"), context),
        _ => context.carry_out(args),
    }
}

/// Waits until a job has ended, prints a line to standard error each time it changes, and prints its result.
pub(crate) fn wait_for(job: &str, context: &mut Context) -> Result<Exit, Failure> {
    let params = JobGetParams {
        job: job.to_owned(),
        wait_ms: Some(WAIT_STEP_MS),
    };
    let mut told = String::new();
    loop {
        let answer = context.call::<JobGet>(&params)?;
        let job = &answer.value;
        if !job.state.has_ended() {
            let line = render::job_line(job);
            if line != told {
                note(&line);
                told = line;
            }
            continue;
        }
        context.print(&answer, |job, out| {
            writeln!(out, "{}", render::job_line(job))
        })?;
        return Ok(outcome(job));
    }
}

fn subscribe(job: &str, context: &mut Context) -> Result<Exit, Failure> {
    let mut news = JobNews::start(context.place()?, job, None)?;
    let mut told: Option<Job> = None;
    loop {
        let (json, item) = news.next_item()?;
        let job = item.job;
        // The first item of a subscription is the current state of the job, which may be unchanged.
        if told.as_ref() != Some(&job) || !item.entries.is_empty() {
            if context.global.json {
                context.write_line(json.get())?;
            } else {
                context.write_line(&render::job_line(&job))?;
            }
        }
        if item.ended {
            return Ok(outcome(&job));
        }
        told = Some(job);
    }
}

fn outcome(job: &Job) -> Exit {
    Exit::of_success(!matches!(job.state, JobState::Failed | JobState::Cancelled))
}
