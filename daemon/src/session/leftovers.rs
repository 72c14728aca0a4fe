//! Processes that outlived their ended session, because they left it with `setsid`.

use super::live::Session;
use crate::holder::{descendants, signal_all};
use rustix::process::Signal;

/// Kills them; returns which.
pub(super) async fn kill(session: &Session) -> Vec<i32> {
    let marker = format!("CCD_SESSION_ID={}", session.id());
    tokio::task::spawn_blocking(move || signal_all(&descendants(None, &marker), Signal::KILL))
        .await
        .unwrap_or_default()
}
