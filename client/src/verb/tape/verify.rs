//! `ccctl tape verify`: the real program against a tape.

use super::{named, root, yes_or_failed};
use crate::args::TapeVerifyArgs;
use crate::caller;
use crate::context::Context;
use crate::exit_code::Exit;
use crate::failure::Failure;
use crate::render;
use crate::verb::chain::{Cancel, End, until_end};
use ccd_protocol::Timeout;
use ccd_protocol::tape::{TapeVerdict, TapeVerify, TapeVerifyParams};
use serde_json::Value;

/// "No limit" on the command line; a program that never answers ends by `^C` then.
const FOREVER_MS: u64 = 30 * 24 * 3_600 * 1_000;

/// Compares what the program answers, and shows each exchange where it does not say the same.
///
/// # Errors
///
/// Those of the calls; [`Failure::Failed`] when the program could not be asked.
pub(super) fn verify(args: &TapeVerifyArgs, context: &mut Context) -> Result<Exit, Failure> {
    let cwd = args.cwd.as_deref();
    let params = TapeVerifyParams {
        root: root(&args.of.root)?,
        tape: named(&args.of.tape)?,
        cwd: cwd
            .map(|cwd| caller::working_folder(Some(cwd)))
            .transpose()?,
        caller_env: (!args.clean_env).then(caller::environment),
        timeout_ms: args.timeout.and_then(limit_ms),
        secrets: Vec::new(),
    };
    let cancel = Cancel::listen()?;
    let job = context.call::<TapeVerify>(&params)?.value.job;
    let job = match until_end(&cancel, job, context, |_: Value, _| Ok(()))? {
        End::Exit(exit) => return Ok(exit),
        End::Done(job) => job,
    };
    let verdict: TapeVerdict = serde_json::from_value(job.result.unwrap_or_default())
        .map_err(|error| crate::call::garbled("tape.verify", &error))?;
    if !context.global.json {
        let style = context.style;
        context.render(|out| render::verdict(&verdict, out, style))?;
    }
    Ok(yes_or_failed(verdict.same))
}

fn limit_ms(timeout: Timeout) -> Option<u64> {
    match timeout {
        Timeout::Default => None,
        Timeout::Forever => Some(FOREVER_MS),
        Timeout::After(ms) => Some(ms.ceil() as u64),
    }
}
