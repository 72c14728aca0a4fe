//! `ccctl parallel`.

use super::follow::{Followed, count, run_job};
use crate::args::ParallelArgs;
use crate::verb::file::read_text;
use crate::{Context, Exit, Failure, caller, render};
use ccd_protocol::chain::{ChainParallel, ChainParallelParams};

pub(crate) fn parallel(args: &ParallelArgs, context: &mut Context) -> Result<Exit, Failure> {
    let start = &args.start;
    let params = ChainParallelParams {
        commands: commands(args)?,
        max_concurrent: args.max_concurrent,
        timeout_ms: args.timeout.unwrap_or_default(),
        shell: args.shell,
        cwd: caller::working_directory(start.caller.cwd.as_deref())?,
        env: start.caller.variables(),
        inherited: caller::inherited(start.caller.clean_env)?,
    };
    let total = params.commands.len() as u64;
    let end = run_job::<ChainParallel>(&params, start.detach, context, |command, context| {
        if context.global.json {
            return Ok(());
        }
        context.render(|out| render::parallel_command(command, args.output, out))
    })?;
    let job = match end {
        Followed::Left(exit) => return Ok(exit),
        Followed::Ended(job) => job,
    };
    let succeeded = count(&job, "succeeded");
    context.tell(&format!("{succeeded}/{total} commands succeeded"))?;
    Ok(Exit::of_success(succeeded == total))
}

/// The commands of the command line, then those of the file, one per line; empty lines and comments are skipped.
fn commands(args: &ParallelArgs) -> Result<Vec<String>, Failure> {
    let mut commands = args.commands.clone();
    if let Some(file) = &args.file {
        let text = read_text(file)?;
        let lines = text.lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        commands.extend(lines.map(str::to_owned));
        if commands.is_empty() {
            return Failure::usage(format!("{} contains no commands", file.display()));
        }
    }
    Ok(commands)
}
