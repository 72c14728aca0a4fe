//! `ccctl chain run`.

use super::follow::{Followed, count, is, run_job};
use crate::args::Given;
use crate::verb::file::read_object;
use crate::{Context, Exit, Failure, caller, render};
use ccd_protocol::Method as _;
use ccd_protocol::chain::ChainRun;

/// Runs a chain, and prints each step with its output as it ends.
pub(super) fn run(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let mut params = caller::values(args, "name shared shell")?;
    params["caller_cwd"] = caller::working_directory(None)?.into();
    params["cwd"] = caller::given_path(args.word("cwd"))?.into();
    params["chain"] = args.path("file").map(read_object).transpose()?.into();
    let end = run_job(ChainRun::NAME, &params, args, context, |step, context| {
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
