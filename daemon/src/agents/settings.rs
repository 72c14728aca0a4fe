//! What the configuration says about agents.

use crate::config::TerminalNotice;
use ccd_agents::Programs;
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug, Clone)]
pub(crate) struct AgentSettings {
    pub(crate) programs: Arc<Programs>,
    pub(crate) stuck_after: Duration,
    pub(crate) notify: NotifySettings,
    /// What hooks say may be written down.
    pub(crate) keep: bool,
}

/// How the user is called.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct NotifySettings {
    /// A program and its arguments.
    pub(crate) command: Vec<String>,
    pub(crate) desktop: bool,
    pub(crate) terminals: TerminalNotice,
}

impl NotifySettings {
    pub(super) fn is_off(&self) -> bool {
        *self == Self::default()
    }
}
