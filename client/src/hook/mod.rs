//! `ccctl hook`: hands one payload of a Claude Code hook to the daemon, or keeps it in the spool.
//! It runs at every prompt and every tool call of the user's work, so it must not be noticed: it starts nothing, reads no
//! file, prints only what the daemon says, and always exits 0. One exception: if a session starts and no daemon answers, it
//! prints the head of the project's session memory.
//! `ccctl hook --policy FILE` is something else: see [`policy`].

mod delivery;
mod memory;
mod payload;
mod policy;
mod post;
mod spool;

use crate::exit_code::Exit;
use crate::fields::Fields;
use crate::writer;
use ccd_protocol::hook::spool::LIMIT_BYTES;
use ccd_protocol::socket::{base_path, socket_path};
use delivery::Delivery;
use payload::Payload;
use rustix::stdio::stdin;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::time::{Duration, Instant, SystemTime};

/// How long the caller may take to write the payload. It waits for itself, so this is not part of the time that the hook
/// may take; without a limit, a caller that keeps the pipe open would be stopped by Claude Code, and the payload lost.
const READ_LIMIT: Duration = Duration::from_secs(1);

/// How long the hook may take, unless its options say something else.
const TIMEOUT_MS: u64 = 100;

/// The allowed range of that time; commands.txt has it too.
const MIN_TIMEOUT_MS: u64 = 20;
const MAX_TIMEOUT_MS: u64 = 1000;

/// Hands the payload on standard input to the daemon, which never fails, or judges it by a policy. `args` are the arguments of
/// `ccctl hook`.
pub(crate) fn run(args: &impl Fields, socket: Option<&str>) -> Exit {
    match args.at("policy").as_str() {
        Some(file) => policy::judge(file.as_ref()),
        None => {
            post_or_keep(args, socket);
            Exit::Done
        }
    }
}

/// The options of a hook as they are written into its command: those that differ from the defaults.
pub(crate) fn unusual(
    timeout_ms: Option<u64>,
    spool_bytes: Option<u64>,
    no_memory: bool,
) -> Vec<String> {
    let timeout_ms = timeout_ms.filter(|ms| *ms != TIMEOUT_MS);
    let spool_bytes = spool_bytes.filter(|bytes| *bytes != LIMIT_BYTES);
    let numbers = [("--timeout-ms", timeout_ms), ("--spool-bytes", spool_bytes)];
    let words = numbers
        .into_iter()
        .filter_map(|(option, value)| Some([option.to_owned(), value?.to_string()]));
    let memory = no_memory.then(|| "--no-memory".to_owned());
    words.flatten().chain(memory).collect()
}

/// How long the hook may take. A value out of range is no reason to fail: a hook never fails.
fn timeout(args: &impl Fields) -> Duration {
    let ms = args.at("timeout_ms").as_u64().unwrap_or(TIMEOUT_MS);
    Duration::from_millis(ms.clamp(MIN_TIMEOUT_MS, MAX_TIMEOUT_MS))
}

fn post_or_keep(args: &impl Fields, socket: Option<&str>) {
    let read = payload::read(stdin(), Instant::now() + READ_LIMIT);
    let start = Instant::now();
    let Some(payload) = Payload::of(read) else {
        return;
    };
    let session = env("CCD_SESSION_ID").and_then(|id| id.into_string().ok());
    let delivery = Delivery::of(payload, SystemTime::now(), session.as_deref());
    // A quarter of the time is left to start, and to write to the spool.
    let deadline = start + timeout(args) * 3 / 4;
    let taken = socket_path(socket, env)
        .ok()
        .and_then(|socket| post::post(&socket, &delivery, deadline));
    match taken {
        Some(reply) => {
            // Claude Code may have closed its end.
            let _ = write(reply.output.as_deref().unwrap_or_default());
        }
        None => {
            keep(
                &delivery,
                args.at("spool_bytes").as_u64().unwrap_or(LIMIT_BYTES),
            );
            if !args.has("no_memory") {
                let head = memory::answer(delivery.payload());
                let _ = write(&head.unwrap_or_default());
            }
        }
    }
}

/// Writes the payload to the spool. If that fails too, nobody is there to hear of it but the spool's count of losses.
fn keep(delivery: &Delivery, limit_bytes: u64) {
    if let Ok(base) = base_path(env) {
        let folder = base.join(ccd_protocol::hook::spool::FOLDER);
        spool::keep(&folder, delivery, limit_bytes);
    }
}

fn write(answer: &str) -> io::Result<()> {
    writer::json_lines().write_all(answer.as_bytes())
}

fn env(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}
