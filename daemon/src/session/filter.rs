//! A filter: a program that makes bytes of bytes, for decorators of tapes.

use super::once::Part;
use super::registry::Sessions;
use crate::connection::Peer;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ccd_protocol::run::RunOnceParams;
use ccd_protocol::timeout::Timeout;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// How long a filter may take, in seconds.
const FILTER_S: u32 = 5;

impl Sessions {
    /// Runs a program with `input` on its standard input, in the folder `cwd`; returns what it printed.
    ///
    /// What it prints on standard error is part of that: it has one terminal for both.
    ///
    /// # Errors
    ///
    /// Why there is no output: it could not be started, took longer than [`FILTER_S`], printed too much, or ended with
    /// another status than 0.
    pub(crate) async fn filter(
        self: &Arc<Self>,
        peer: &Peer,
        words: &[String],
        input: &[u8],
        cwd: Option<String>,
    ) -> Result<Vec<u8>, String> {
        let Some((program, args)) = words.split_first() else {
            return Err("it names no program".to_owned());
        };
        let params = RunOnceParams {
            program: program.clone(),
            args: args.to_vec(),
            stdin_b64: Some(STANDARD.encode(input)),
            timeout_ms: Timeout::After(f64::from(FILTER_S) * 1000.0),
            cwd,
            ..RunOnceParams::default()
        };
        let once = self
            .once(peer, &params, Part::Start, &CancellationToken::new())
            .await;
        let reply = once.map_err(|error| error.to_string())?.reply;
        if reply.timed_out {
            return Err(format!("it did not end within {FILTER_S} s"));
        }
        match (reply.exit_code, reply.signal) {
            (Some(0), _) => {}
            (Some(code), _) => return Err(format!("it ended with status {code}")),
            (None, Some(signal)) => return Err(format!("signal {signal} ended it")),
            (None, None) => return Err("nobody knows how it ended".to_owned()),
        }
        if reply.truncated {
            return Err("it printed more than 16 MiB".to_owned());
        }
        match reply.output_b64 {
            None => Ok(reply.output.into_bytes()),
            Some(bytes) => STANDARD.decode(bytes).map_err(|error| error.to_string()),
        }
    }
}
