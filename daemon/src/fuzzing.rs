//! What `tests/fuzz` reads from outside.

use crate::chain::{Plan, numbers, refuse_secrets, unknown_fields};
use ccd_protocol::Timeout;
use ccd_protocol::chain::Chain;
use serde_json::Value;
use std::io;
use tokio::runtime::{Builder, Runtime};

#[must_use]
pub fn configuration(bytes: &[u8]) -> Vec<String> {
    crate::config::remarks(bytes)
}

/// Reads and checks a document with a chain. Returns the chain, if the document is one.
#[must_use]
pub fn chain(bytes: &[u8]) -> Option<Chain> {
    let document: Value = serde_json::from_slice(bytes).ok()?;
    let _ = unknown_fields(&document);
    let chain: Chain = serde_json::from_value(document).ok()?;
    let _ = refuse_secrets(&chain);
    numbers(&chain.commands);
    let _ = Plan::without_patterns(&chain, None, Timeout::Default);
    Some(chain)
}

/// Serves a client that sends `pieces`, in any of the three transports. Returns what it receives.
pub fn replies(pieces: &[&[u8]]) -> io::Result<Vec<u8>> {
    thread_local! {
        static RUNTIME: io::Result<Runtime> = Builder::new_current_thread().enable_all().build();
    }
    RUNTIME.with(|runtime| match runtime {
        Ok(runtime) => runtime.block_on(ccd_connection::fuzzing::replies(pieces)),
        Err(error) => Err(error.kind().into()),
    })
}
