//! The daemon of this host, as far as hooks need it.

use crate::call::{Connection, DaemonAddress};
use crate::check::Check;
use crate::{Context, Failure};
use ccd_protocol::daemon::{DaemonStatus, DaemonStatusReply};
use ccd_protocol::{NoParams, PROTOCOL_VERSION};
use std::time::Duration;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// How long a running daemon may take to report its state.
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(crate) enum Daemon {
    Running(Box<DaemonStatusReply>),
    NotRunning,
    /// It cannot be asked, or does not reply.
    Silent(String),
}

impl Daemon {
    /// Asks it; starts none.
    pub(crate) fn ask(context: &Context) -> Self {
        match status(context) {
            Ok(Some(status)) => Self::Running(Box::new(status)),
            Ok(None) => Self::NotRunning,
            Err(Failure::Lost { .. }) => {
                Self::Silent("it accepts connections but does not reply; ccctl daemon stop --force ends it and its sessions".into())
            }
            Err(failure) => Self::Silent(failure.to_string()),
        }
    }

    /// Checks that it is running, if hooks need it, speaks this client's protocol, and uses its configuration.
    pub(crate) fn check(&self, has_hooks: bool) -> Check {
        let status = match self {
            Daemon::Running(status) => status,
            Daemon::NotRunning if !has_hooks => {
                return Check::ok("not running; ccctl starts it when it is needed");
            }
            Daemon::NotRunning => {
                return Check::warning(
                    "not running, so payloads of hooks go to the spool; ccctl daemon start starts it",
                );
            }
            Daemon::Silent(why) => return Check::wrong(why),
        };
        let (version, pid) = (&status.version, status.pid);
        if status.protocol != PROTOCOL_VERSION {
            let text = format!(
                "version {version} uses protocol {}, ccctl {VERSION} uses {PROTOCOL_VERSION}; run ccctl daemon upgrade",
                status.protocol
            );
            return Check::wrong(text);
        }
        if version != VERSION {
            let text =
                format!("version {version}, but ccctl is {VERSION}; run ccctl daemon upgrade");
            return Check::warning(text);
        }
        if let Some(error) = &status.config_error {
            return Check::wrong(format!("the configuration is not in force: {error}"));
        }
        Check::ok(format!("version {version}, pid {pid}"))
    }
}

fn status(context: &Context) -> Result<Option<DaemonStatusReply>, Failure> {
    let Some(mut connection) = connection(context)? else {
        return Ok(None);
    };
    let answer = connection.call::<DaemonStatus>(&NoParams {})?;
    Ok(Some(answer.value))
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
