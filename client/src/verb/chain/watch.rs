//! `ccctl watch`.

use super::follow::{Followed, is, run_job};
use super::hit_command::HitCommand;
use crate::args::{WatchArgs, patterns};
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, caller};
use ccd_protocol::chain::{ChainWatch, ChainWatchParams};

/// Reports each match as it arrives, and runs a command for it if asked for.
pub(crate) fn watch(args: &WatchArgs, context: &mut Context) -> Result<Exit, Failure> {
    let mut command = args
        .run
        .as_deref()
        .map(|line| HitCommand::start(line, args.shell, context.global.json))
        .transpose()?;
    let params = params(args)?;
    let mut hits = 0;
    let end = run_job::<ChainWatch>(&params, args.start.detach, context, |hit, context| {
        hits += 1;
        context.tell(hit.text("line"))?;
        if let Some(command) = &mut command {
            command.run(hit.clone());
        }
        Ok(())
    });
    if let Some(command) = command {
        // Waiting commands are run unless the watch timed out.
        let has_time = matches!(&end, Ok(Followed::Ended(job)) if !is(job, "timed_out"));
        command.finish(has_time);
    }
    let job = match end? {
        Followed::Left(exit) => return Ok(exit),
        Followed::Ended(job) => job,
    };
    if hits >= args.max.unwrap_or(1) {
        return Ok(Exit::Done);
    }
    if !is(&job, "timed_out") {
        return Ok(Exit::Failed);
    }
    context.note("watch: timed out");
    Ok(Exit::TimedOut)
}

fn params(args: &WatchArgs) -> Result<ChainWatchParams, Failure> {
    let start = &args.start;
    let mut words = args.program.iter().cloned();
    let (program, words) = if args.shell {
        (args.program.join(" "), Vec::new())
    } else {
        (words.next().unwrap_or_default(), words.collect())
    };
    Ok(ChainWatchParams {
        program,
        args: words,
        session: args.session.clone(),
        since: args.since,
        patterns: patterns(&args.patterns, args.exact),
        timeout_ms: args.timeout.unwrap_or_default(),
        max_hits: args.max,
        shell: args.shell && args.session.is_none(),
        cwd: caller::working_directory(start.caller.cwd.as_deref())?,
        env: start.caller.variables(),
        inherited: caller::inherited(start.caller.clean_env)?,
    })
}
