//! `chain.parallel`: runs commands in parallel.

use super::error::ChainError;
use super::job_context::{CommandEnd, JobContext, Order, Work, words_of};
use crate::job::{JobHandle, Jobs, Outcome};
use ccd_protocol::chain::{ChainParallel, ChainParallelParams, ChainStarted, ParallelCommand};
use ccd_protocol::{Method, Timeout};
use ccd_session::SessionError;
use ccd_session::durations::Deadline;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use serde_json::{Value, json};

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

impl Work {
    /// Starts the job that runs commands in parallel. If a command cannot be run, that is its result, not an error.
    pub(crate) async fn parallel(
        self,
        jobs: &Jobs,
        params: ChainParallelParams,
    ) -> Result<ChainStarted, ChainError> {
        let work = self.checked()?;
        let mut warnings = work.warnings();
        Deadline::start(params.timeout_ms, None, &mut warnings).map_err(SessionError::from)?;
        let parallel = Parallel {
            concurrent: concurrent(params.max_concurrent)?,
            commands: params.commands,
            shell: params.shell,
            timeout: params.timeout_ms,
        };
        match parallel.commands.len() {
            0 => return Err(ChainError::Wrong("commands is empty".into())),
            len if len > MAX_COMMANDS => {
                return Err(ChainError::Wrong(format!(
                    "{len} commands: at most {MAX_COMMANDS} are allowed"
                )));
            }
            _ => {}
        }
        let run = |handle: JobHandle| async move {
            let context = JobContext::new(work, handle, ChainParallel::NAME);
            parallel.run(&context).await
        };
        let job = jobs.start(ChainParallel::NAME, Some("results"), run);
        let job = job.await?;
        Ok(ChainStarted { job, warnings })
    }
}

fn concurrent(given: Option<u64>) -> Result<usize, ChainError> {
    let concurrent = given.unwrap_or(DEFAULT_CONCURRENT);
    if !(1..=MAX_CONCURRENT).contains(&concurrent) {
        return Err(ChainError::Wrong(format!(
            "max_concurrent is {concurrent}: give 1 to {MAX_CONCURRENT}"
        )));
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
            entry(context, index, ended);
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
                context
                    .run(Order {
                        command,
                        words: &words,
                        expect: None,
                        send: None,
                        timeout: self.timeout,
                    })
                    .await
            }
        };
        (index, ended)
    }
}

fn entry(context: &JobContext, index: usize, ended: CommandEnd) {
    let result = ParallelCommand {
        index,
        result: ended.result,
    };
    context.handle.entry(result, Some(index as u64));
}
