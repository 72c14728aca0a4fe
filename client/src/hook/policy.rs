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
use std::io::{self, Read as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long the caller may take to write the payload: much less than the time limit of the hook, after which Claude Code
/// would carry the call out.
const READ_LIMIT: Duration = Duration::from_secs(60);

/// Maximum size of a policy file. Its rules are limited when it is written, so a larger one is another file.
const MAX_FILE_BYTES: u64 = 1 << 20;

#[derive(Debug, thiserror::Error)]
enum PolicyError {
    #[error("the policy {0:?} cannot be read: {1}")]
    File(String, #[source] io::Error),
    #[error("the policy {0:?} is larger than {MAX_FILE_BYTES} bytes")]
    LargeFile(String),
    #[error("the file {0:?} is not a policy: {1}")]
    Garbled(String, #[source] serde_json::Error),
    #[error("the call is longer than {MAX_JSON_BYTES} bytes")]
    LongCall,
    #[error("the judgement could not be printed: {0}")]
    Print(#[source] io::Error),
    #[error("nobody reads the judgement")]
    Closed,
    #[error("bug in ccctl")]
    Panic,
}

/// Judges the call on standard input, and prints the answer for Claude Code: nothing if the call is allowed.
pub(super) fn judge(file: &Path) -> Exit {
    let judged = catch_unwind(AssertUnwindSafe(|| {
        let policy = read(file)?;
        let payload = payload::read(stdin(), Instant::now() + READ_LIMIT);
        let answer = answer(&policy, &payload)?;
        if !answer.is_empty() && is_null(rustix::stdio::stdout()) {
            return Err(PolicyError::Closed);
        }
        super::write(&answer).map_err(PolicyError::Print)
    }));
    match judged.unwrap_or(Err(PolicyError::Panic)) {
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

fn read(file: &Path) -> Result<Policy, PolicyError> {
    let name = || file.display().to_string();
    let mut bytes = Vec::new();
    named_file::open(file)
        .and_then(|open| open.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|error| PolicyError::File(name(), error))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(PolicyError::LargeFile(name()));
    }
    serde_json::from_slice(&bytes).map_err(|error| PolicyError::Garbled(name(), error))
}

/// Returns what to print for a payload; a payload that is not one is denied by the policy.
fn answer(policy: &Policy, payload: &[u8]) -> Result<String, PolicyError> {
    // What was read of a longer one has lost its end.
    if payload.len() > MAX_JSON_BYTES {
        return Err(PolicyError::LongCall);
    }
    let answer = policy.judge_payload(payload).hook_answer();
    Ok(answer.map(|answer| answer + "\n").unwrap_or_default())
}
