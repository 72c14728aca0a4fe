//! `ccctl watch`.

use super::follow::run_job;
use super::hit_command::HitCommand;
use crate::args::Given;
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, caller};
use serde_json::{Value, json};

/// Reports each match as it arrives, and runs a command for it if asked for.
pub(crate) fn watch(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let mut command = args
        .word("run")
        .map(|line| HitCommand::start(line, args.has("shell"), context.global.json))
        .transpose()?;
    let params = params(args)?;
    let (most, mut hits) = (args.count("max_hits").unwrap_or(1), 0);
    let mut timed_out = None;
    let end = run_job(
        "chain.watch",
        &params,
        args,
        context,
        |hit, context| {
            hits += 1;
            context.tell(hit.text("line"))?;
            if let Some(command) = &mut command {
                command.run(hit.clone());
            }
            Ok(())
        },
        |result, _| {
            timed_out = Some(result.has("timed_out"));
            Ok(Exit::Done)
        },
    );
    if let Some(command) = command {
        // Waiting commands are run unless the watch timed out.
        command.finish(timed_out == Some(false));
    }
    let left = end?;
    Ok(match timed_out {
        None => left,
        Some(_) if hits >= most => Exit::Done,
        Some(false) => Exit::Failed,
        Some(true) => {
            context.note("watch: timed out");
            Exit::TimedOut
        }
    })
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
