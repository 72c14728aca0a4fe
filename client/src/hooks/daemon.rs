//! The daemon of this host, as far as hooks need it.

use crate::call::{Connection, DaemonAddress};
use crate::check::{Check, checks};
use crate::{Context, Failure};
use ccd_protocol::daemon::DaemonStatus;
use ccd_protocol::{Method as _, NoParams, PROTOCOL_VERSION};
use serde_json::{Value, json};
use std::time::Duration;

/// How long a running daemon may take to report its state.
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(crate) enum Daemon {
    /// Its status.
    Running(Value),
    NotRunning,
    /// It cannot be asked, or does not reply.
    Silent(String),
}

impl Daemon {
    /// Asks it; starts none.
    pub(crate) fn ask(context: &Context) -> Self {
        let asked = connection(context).and_then(|connection| {
            let status =
                |mut connection: Connection| connection.fetch(DaemonStatus::NAME, &NoParams {});
            connection.map(status).transpose()
        });
        match asked {
            Ok(Some(status)) => Self::Running(status.value),
            Ok(None) => Self::NotRunning,
            Err(Failure::Lost { .. }) => {
                Self::Silent("it accepts connections but does not reply; ccctl daemon stop --force ends it and its sessions".into())
            }
            Err(failure) => Self::Silent(failure.to_string()),
        }
    }

    /// Its status; null if there is none.
    pub(crate) fn status(&self) -> &Value {
        match self {
            Daemon::Running(status) => status,
            _ => &Value::Null,
        }
    }

    /// Checks that it is running, if hooks need it, speaks this client's protocol, and uses its configuration.
    pub(crate) fn check(&self, has_hooks: bool) -> Vec<Check> {
        let mut facts = match self {
            Daemon::Running(status) => status.clone(),
            Daemon::NotRunning => json!({}),
            Daemon::Silent(why) => json!({ "silent": why }),
        };
        facts["has_hooks"] = has_hooks.into();
        facts["own_protocol"] = PROTOCOL_VERSION.into();
        checks("daemon", facts)
    }
}

/// Connects to the daemon if one is running; a call then takes [`PATIENCE`] at most. Hooks are on this host, so its daemon
/// is asked, whatever host is asked for.
pub(crate) fn connection(context: &Context) -> Result<Option<Connection>, Failure> {
    let place = DaemonAddress::here(&context.global, |name| std::env::var_os(name))?;
    let Some(stream) = place.try_connect()? else {
        return Ok(None);
    };
    Connection::limited(stream, PATIENCE).map(Some)
}
