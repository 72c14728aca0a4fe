//! What investigations and tests need before they start.

use super::error::DiscoverError;
use crate::daemon::Daemon;
use ccd_discover::drive::{Driver, Limits, Target, folder_of};
use ccd_discover::safety::refusal;
use ccd_session::peer::Peer;
use ccd_text::shell::quoted;
use std::sync::Arc;

/// Prepares to start copies of a program; none is started yet. A sandbox is tried.
///
/// # Errors
///
/// Safe mode forbids to start it, the folder cannot be made, or the sandbox does not work on this system.
pub(super) async fn driver(
    daemon: &Daemon,
    peer: &Peer,
    method: &'static str,
    target: Target,
    limits: Limits,
    is_safe: bool,
) -> Result<Driver, DiscoverError> {
    let words = std::iter::once(target.name()).chain(target.args.iter().map(String::as_str));
    let line = words.map(quoted).collect::<Vec<_>>().join(" ");
    if let Some(rule) = refusal(&line).filter(|_| is_safe) {
        return Err(DiscoverError::Refused { line, rule });
    }
    let sessions = Arc::clone(&daemon.sessions);
    let driver = Driver::new(
        target,
        limits,
        (sessions, peer),
        method,
        &folder_of(&daemon.paths.base),
    )
    .map_err(DiscoverError::Folder)?;
    driver.try_sandbox().await?;
    Ok(driver)
}
