//! `ccctl hook --policy FILE`: judges one call of a tool by the policy of a run of Claude Code.
//! It contacts no daemon, so a run stays bound to its policy whatever happens to the daemon. Claude Code carries a call out
//! if its hook fails in any other way than with exit code 2, so everything that goes wrong here ends with that code.

use super::payload::{self, MAX_JSON_BYTES};
use crate::context::write_error;
use crate::exit_code::Exit;
use crate::named_file;
use ccd_policy::Policy;
use rustix::fd::BorrowedFd;
use rustix::fs::{fstat, stat};
use rustix::stdio::stdin;
use std::io::Read as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long the caller may take to write the payload: much less than the time limit of the hook, after which Claude Code
/// would carry the call out.
const READ_LIMIT: Duration = Duration::from_secs(60);

/// Maximum size of a policy file. Its rules are limited when it is written, so a larger one is another file.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Judges the call on standard input, and prints the answer for Claude Code: nothing if the call is allowed.
pub(super) fn judge(file: &Path) -> Exit {
    let judged = catch_unwind(AssertUnwindSafe(|| {
        let policy = read(file)?;
        let payload = payload::read(stdin(), Instant::now() + READ_LIMIT);
        let answer = answer(&policy, &payload)?;
        if !answer.is_empty() && is_null(rustix::stdio::stdout()) {
            return Err("nobody reads the judgement".to_owned());
        }
        super::write(&answer)
            .map_err(|error| format!("the judgement could not be printed: {error}"))
    }));
    match judged.unwrap_or_else(|_| Err("bug in ccctl".to_owned())) {
        Ok(()) => Exit::Done,
        Err(error) => {
            // If nobody reads this either, the exit code still says enough.
            let line = format!("forbidden, because it cannot be judged: {error}\n");
            write_error(&line, false);
            Exit::Usage // exit code 2, which to Claude Code is a refusal
        }
    }
}

/// Returns whether a descriptor is the null device, which also takes the place of one that was closed at the start.
fn is_null(descriptor: BorrowedFd<'_>) -> bool {
    match (fstat(descriptor), stat("/dev/null")) {
        (Ok(it), Ok(null)) => it.st_rdev == null.st_rdev,
        _ => true,
    }
}

fn read(file: &Path) -> Result<Policy, String> {
    let mut bytes = Vec::new();
    named_file::open(file)
        .and_then(|open| open.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|error| format!("the policy {file:?} cannot be read: {error}"))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(format!(
            "the policy {file:?} is larger than {MAX_FILE_BYTES} bytes"
        ));
    }
    serde_json::from_slice(&bytes)
        .map_err(|error| format!("the file {file:?} is not a policy: {error}"))
}

/// Returns what to print for a payload; a payload that is not one is denied by the policy.
fn answer(policy: &Policy, payload: &[u8]) -> Result<String, String> {
    // What was read of a longer one has lost its end.
    if payload.len() > MAX_JSON_BYTES {
        return Err(format!("the call is longer than {MAX_JSON_BYTES} bytes"));
    }
    let answer = policy.judge_payload(payload).hook_answer();
    Ok(answer.map(|answer| answer + "\n").unwrap_or_default())
}
