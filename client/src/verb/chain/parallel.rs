//! `ccctl parallel`.

use super::follow::{Followed, count, run_job};
use crate::args::Given;
use crate::fields::Fields as _;
use crate::verb::file::read_text;
use crate::{Context, Exit, Failure, caller, render};
use ccd_protocol::Method as _;
use ccd_protocol::chain::ChainParallel;

pub(crate) fn parallel(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let mut params = caller::values(args, "max_concurrent shell")?;
    let commands = commands(args)?;
    let total = commands.len() as u64;
    params["commands"] = commands.into();
    let end = run_job(
        ChainParallel::NAME,
        &params,
        args,
        context,
        |command, context| {
            if context.global.json {
                return Ok(());
            }
            context.render(|out| render::parallel_command(command, args.has("output"), out))
        },
    )?;
    let job = match end {
        Followed::Left(exit) => return Ok(exit),
        Followed::Ended(job) => job,
    };
    let succeeded = count(&job, "succeeded");
    context.tell(&format!("{succeeded}/{total} commands succeeded"))?;
    Ok(Exit::of_success(succeeded == total))
}

/// The commands of the command line, then those of the file, one per line; empty lines and comments are skipped.
fn commands(args: &Given) -> Result<Vec<String>, Failure> {
    let mut commands = args.words("commands");
    if let Some(file) = args.path("file") {
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
