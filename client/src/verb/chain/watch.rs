//! `ccctl watch`.

use super::follow::{Followed, is, run_job};
use super::hit_command::HitCommand;
use crate::args::Given;
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, caller};
use ccd_protocol::Method as _;
use ccd_protocol::chain::ChainWatch;
use serde_json::{Value, json};

/// Reports each match as it arrives, and runs a command for it if asked for.
pub(crate) fn watch(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let mut command = args
        .word("run")
        .map(|line| HitCommand::start(line, args.has("shell"), context.global.json))
        .transpose()?;
    let params = params(args)?;
    let mut hits = 0;
    let end = run_job(ChainWatch::NAME, &params, args, context, |hit, context| {
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
    if hits >= args.count("max_hits").unwrap_or(1) {
        return Ok(Exit::Done);
    }
    if !is(&job, "timed_out") {
        return Ok(Exit::Failed);
    }
    context.note("watch: timed out");
    Ok(Exit::TimedOut)
}

fn params(args: &Given) -> Result<Value, Failure> {
    let is_line = args.has("shell");
    let (program, words) = args.program();
    let mut params = caller::values(args, "session since max_hits")?;
    params["patterns"] = json!(args.patterns("patterns"));
    params["program"] = match program {
        Some(_) if is_line => args.words("program").join(" ").into(),
        program => program.unwrap_or_default().into(),
    };
    params["args"] = if is_line { json!([]) } else { words.into() };
    params["shell"] = (is_line && !args.is_given("session")).into();
    Ok(params)
}
