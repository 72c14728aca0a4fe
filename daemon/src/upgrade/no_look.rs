//! There is one process, and nobody to go on with the sessions.

use crate::daemon::Successor;
use crate::rpc::RpcError;
use crate::session::SessionError;
use std::path::Path;

/// Refuses.
///
/// # Errors
///
/// Always.
pub(crate) fn look(_path: Option<&Path>) -> Result<(Successor, String), RpcError> {
    Err(SessionError::Unavailable(
        "holder and worker are one process on this system: stop the daemon and start it again"
            .into(),
    )
    .into())
}
