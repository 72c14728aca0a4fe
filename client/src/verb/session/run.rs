//! `ccctl session run`.

use crate::args::Given;
use crate::fields::Fields as _;
use crate::output::decode;
use crate::{Context, Exit, Failure};
use serde_json::json;
use std::ops::Range;
use std::time::{SystemTime, UNIX_EPOCH};

/// Bytes of one request for the rest of an output.
const PIECE_BYTES: u64 = 4 << 20;

/// Runs a command in a session's shell, prints exactly its output and returns its exit status.
/// After a timeout, the output so far is printed too.
pub(crate) fn run(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let timeout = args.timeout("timeout_ms");
    let mut params = args.params();
    // If the connection breaks, the repetition gets the outcome of the first request.
    params["run_id"] = new_run_id().into();
    let answer = match context.fetch_waiting("session.run", &params, timeout) {
        Ok(answer) => answer,
        Err(failure) => {
            let data = failure.refusal().and_then(|error| error.data.as_ref());
            let so_far = data.and_then(|data| data.get("output")?.as_str());
            if let (Some(output), false) = (so_far, context.global.json) {
                context.write_bytes(output.as_bytes())?;
            }
            return Err(failure);
        }
    };
    let reply = &answer.value;
    context.warn_of(reply);
    context.print_output(&answer, false)?;
    let rest = reply["rest"].as_u64().filter(|_| !context.global.json);
    let is_whole = match rest {
        _ if !reply.has("truncated") => true,
        Some(rest) => print_rest(args.text("session"), rest..reply.number("end"), context)?,
        None => false,
    };
    if !is_whole {
        context.note("session.run: part of the output is missing: with --isolate it was cut at 16 MiB, the session's log lost it, or the shell did not mark where it starts");
        return Ok(Exit::Failed);
    }
    if reply.has("session_ended") {
        context.note("session.run: the command ended the session");
    }
    let code = reply["exit_code"]
        .as_i64()
        .and_then(|code| i32::try_from(code).ok());
    Ok(code.map_or(Exit::Failed, |code| Exit::of_program(Some(code), None)))
}

/// Prints the part of the output that the reply had no room for; returns false if the session's log no longer has all of it.
fn print_rest(session: &str, mut rest: Range<u64>, context: &mut Context) -> Result<bool, Failure> {
    let mut is_whole = true;
    let mut has_return = false;
    while !rest.is_empty() {
        let len = PIECE_BYTES.min(rest.end - rest.start);
        let params =
            json!({"session": session, "since": rest.start, "max_bytes": len, "raw": true});
        let reply = context.fetch("session.read", &params)?.value;
        is_whole &= reply.number("start") == rest.start;
        if reply.number("end") <= rest.start {
            return Ok(false);
        }
        rest.start = reply.number("end");
        let bytes = decode(reply.text("data_b64"))?;
        context.write_bytes(&without_returns(&bytes, &mut has_return))?;
    }
    Ok(is_whole)
}

/// Removes the `\r` of each `\r\n`, which may be split between two pieces.
fn without_returns(bytes: &[u8], has_return: &mut bool) -> Vec<u8> {
    let mut written = Vec::with_capacity(bytes.len() + 1);
    for &byte in bytes {
        if *has_return && byte != b'\n' {
            written.push(b'\r');
        }
        *has_return = byte == b'\r';
        if !*has_return {
            written.push(byte);
        }
    }
    written
}

/// Returns an id that no other request has.
fn new_run_id() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanos = since.map_or(0, |since| since.as_nanos());
    format!("{}-{nanos}", std::process::id())
}
