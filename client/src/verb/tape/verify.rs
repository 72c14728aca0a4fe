//! `ccctl tape verify`: compares the real program with a tape.

use crate::args::Given;
use crate::fields::Fields as _;
use crate::verb::chain::{Cancel, Followed, until_end};
use crate::{Context, Exit, Failure, caller, named_file};
use ccd_protocol::tape::{TapeVerify, TapeVerifyParams};
use ccd_protocol::{Method as _, Timeout};
use std::io;
use std::path::Path;

/// "No limit" on the command line; `^C` then ends a program that never answers.
const FOREVER_MS: u64 = 30 * 24 * 3_600 * 1_000;

/// Compares the answers of the program with the tape, and shows each exchange that differs.
pub(super) fn verify(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let params = TapeVerifyParams {
        root: args.word("root").map(str::to_owned),
        tape: args.text("tape").to_owned(),
        cwd: caller::given_path(args.word("cwd"))?,
        inherited: caller::inherited(args.has("clean_env"))?,
        timeout_ms: limit_ms(args.timeout("timeout")),
        secrets: secrets(args.path("secrets_from"))?,
    };
    let cancel = Cancel::listen()?;
    let job = context
        .fetch(TapeVerify::NAME, &params)?
        .value
        .text("job")
        .to_owned();
    let job = match until_end(&cancel, job, context, |_, _| Ok(()))? {
        Followed::Left(exit) => return Ok(exit),
        Followed::Ended(job) => job,
    };
    let mut verdict = job.result.unwrap_or_default();
    let drifts = verdict.list("drifts").iter();
    let different = drifts.filter(|drift| drift.text("what") != "hidden");
    verdict["different"] = different.count().into();
    if !context.global.json {
        context.render(|out| out.reply(TapeVerify::NAME, &verdict))?;
    }
    Ok(Exit::of_success(verdict.has("same")))
}

/// The secrets in a file, one per line. They are not on the command line, which other users can read.
fn secrets(file: Option<&Path>) -> Result<Vec<String>, Failure> {
    let Some(file) = file else {
        return Ok(Vec::new());
    };
    let text = if file == Path::new("-") {
        io::read_to_string(io::stdin())
    } else {
        named_file::read_text(file)
    };
    let text = text.map_err(Failure::io(file.display()))?;
    Ok(text.lines().map(str::to_owned).collect())
}

fn limit_ms(timeout: Timeout) -> Option<u64> {
    match timeout {
        Timeout::Default => None,
        Timeout::Forever => Some(FOREVER_MS),
        Timeout::After(ms) => Some(ms.ceil() as u64),
    }
}
