//! Processes that outlived their ended session, because they left it with `setsid`.

use super::live::Session;
use crate::holder::{descendants, orphans, signal_all};
use rustix::process::Signal;

/// Kills them; returns which.
pub(super) async fn kill(session: &Session) -> Vec<i32> {
    let marker = format!("CCD_SESSION_ID={}", session.id());
    let is_ours = session.facts.slot.is_some();
    tokio::task::spawn_blocking(move || {
        let left = if is_ours {
            descendants(None, &marker)
        } else {
            orphans(&marker)
        };
        signal_all(&left, Signal::KILL)
    })
    .await
    .unwrap_or_default()
}
