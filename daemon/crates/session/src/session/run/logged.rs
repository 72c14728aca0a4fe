//! `session.run`, with calls that fail in the history. The one that follows the command notes its status.

use crate::peer::Peer;
use crate::session::error::SessionError;
use crate::session::live::Session;
use ccd_protocol::session::{SessionRunParams, SessionRunReply};
use futures_util::future::{BoxFuture, FutureExt};
use std::sync::Arc;
use std::time::Instant;

impl Session {
    /// Runs a command in a shell that is at its prompt.
    /// A request with the `run_id` of the last command waits for that one.
    /// [`SessionError::RunTimeout`] has the output so far; the command then keeps running.
    pub fn run<'a>(
        self: &'a Arc<Self>,
        peer: &'a Peer,
        params: &'a SessionRunParams,
    ) -> BoxFuture<'a, Result<SessionRunReply, SessionError>> {
        async move {
            let began = Instant::now();
            let ran = self.run_in_shell(peer, params).await;
            if let Err(error) = &ran {
                self.note_failure(peer, error, began, None, Some(&params.command));
            }
            ran
        }
        .boxed()
    }
}
