//! `chain.parallel`: runs commands in parallel.

use super::job_context::{CommandEnd, JobContext, Order, Work, words_of};
use crate::failure::{CallError, Failure, invalid};
use crate::job::{Jobs, Outcome};
use ccd_protocol::chain::{ChainParallel, ChainParallelParams, ChainStarted, ParallelCommand};
use ccd_protocol::{Method, Timeout};
use ccd_session::durations::Deadline;
use ccd_session::peer::Peer;
use ccd_session::{SessionError, Sessions};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use serde_json::{Value, json};
use std::sync::Arc;

const MAX_COMMANDS: usize = 1000;

/// Maximum number of commands that run at a time.
const DEFAULT_CONCURRENT: u64 = 10;
const MAX_CONCURRENT: u64 = 64;

struct Parallel {
    commands: Vec<String>,
    concurrent: usize,
    shell: bool,
    timeout: Timeout,
}

/// Starts the job that runs commands in parallel. If a command cannot be run, that is its result, not an error.
pub(crate) async fn start_parallel(
    jobs: &Jobs,
    sessions: &Arc<Sessions>,
    peer: Peer,
    params: ChainParallelParams,
) -> Result<ChainStarted, Failure> {
    let (work, mut warnings) = Work::new(sessions, peer, params.cwd, params.env, params.inherited)?;
    Deadline::start(params.timeout_ms, None, &mut warnings).map_err(SessionError::from)?;
    let parallel = Parallel {
        concurrent: concurrent(params.max_concurrent)?,
        commands: params.commands,
        shell: params.shell,
        timeout: params.timeout_ms,
    };
    match parallel.commands.len() {
        0 => return Err(invalid("commands is empty").into()),
        len if len > MAX_COMMANDS => {
            let message = format!("{len} commands: at most {MAX_COMMANDS} are allowed");
            return Err(invalid(message).into());
        }
        _ => {}
    }
    let run = |context| async move { parallel.run(&context).await };
    let job = work
        .start(jobs, ChainParallel::NAME, "results", run)
        .await?;
    Ok(ChainStarted { job, warnings })
}

fn concurrent(given: Option<u64>) -> Result<usize, CallError> {
    let concurrent = given.unwrap_or(DEFAULT_CONCURRENT);
    if !(1..=MAX_CONCURRENT).contains(&concurrent) {
        let message = format!("max_concurrent is {concurrent}: give 1 to {MAX_CONCURRENT}");
        return Err(invalid(message));
    }
    Ok(usize::try_from(concurrent).unwrap_or(1))
}

impl Parallel {
    async fn run(&self, context: &JobContext) -> Outcome {
        let of = self.commands.len();
        let (mut finished, mut succeeded) = (0, 0);
        let mut rest = self.commands.iter().enumerate();
        let mut running = FuturesUnordered::new();
        loop {
            context.tell(json!({"finished": finished, "of": of}));
            let free = self.concurrent - running.len();
            running.extend(
                rest.by_ref()
                    .take(free)
                    .map(|(index, command)| self.one(context, index, command)),
            );
            let Some((index, ended)) = running.next().await else {
                break;
            };
            finished += 1;
            succeeded += usize::from(ended.result.success);
            let result = ended.result;
            let entry = ParallelCommand { index, result };
            context.handle.entry(entry, Some(index as u64));
        }
        let outcome = if context.is_cancelled() {
            Outcome::cancelled()
        } else {
            Outcome::done(Value::Null)
        };
        outcome.with(json!({"succeeded": succeeded, "failed": of - succeeded}))
    }

    async fn one(&self, context: &JobContext, index: usize, command: &str) -> (usize, CommandEnd) {
        let words = if self.shell {
            Ok(Vec::new())
        } else {
            words_of(command)
        };
        let ended = match words {
            Err(why) => context.not_run(command, &why),
            Ok(_) if command.trim().is_empty() => context.not_run(command, "the command is empty"),
            Ok(words) => {
                let order = Order {
                    command,
                    words: &words,
                    expect: None,
                    send: None,
                    timeout: self.timeout,
                };
                context.run(order).await
            }
        };
        (index, ended)
    }
}
