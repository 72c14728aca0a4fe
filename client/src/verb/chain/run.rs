//! `ccctl chain run`.

use super::follow::{Followed, count, is, run_job};
use crate::args::{ChainRunArgs, params};
use crate::verb::file::read_object;
use crate::{Context, Exit, Failure, caller, render};
use ccd_protocol::chain::{ChainRun, ChainRunParams};

/// Runs a chain, and prints each step with its output as it ends.
pub(super) fn run(args: &ChainRunArgs, context: &mut Context) -> Result<Exit, Failure> {
    let start = &args.start;
    let params = params!(ChainRunParams { name, shared, shell } of args,
        chain: args.file.as_deref().map(read_object).transpose()?,
        timeout_ms: args.timeout.unwrap_or_default(),
        cwd: caller::given_path(start.caller.cwd.as_deref())?,
        caller_cwd: caller::working_directory(None)?,
        env: start.caller.variables(),
        inherited: caller::inherited(start.caller.clean_env)?,
    );
    let end = run_job::<ChainRun>(&params, start.detach, context, |step, context| {
        if context.global.json {
            return Ok(());
        }
        context.render(|out| render::step(step, out))
    })?;
    let job = match end {
        Followed::Left(exit) => return Ok(exit),
        Followed::Ended(job) => job,
    };
    if !context.global.json {
        let count = |key| count(&job, key);
        context.write_line(&format!(
            "{} ran, {} failed, {} skipped",
            count("ran"),
            count("failed"),
            count("skipped")
        ))?;
    }
    Ok(Exit::of_success(is(&job, "success")))
}
