//! Where the files of the daemon are.

use crate::fields::Fields as _;
use crate::hooks::Survey;
use ccd_protocol::socket::{SocketPathError, socket_path};
use std::path::{Path, PathBuf};

/// Paths as a running daemon reports them, otherwise as the next one will find them.
#[derive(Debug)]
pub(super) struct Places {
    pub(super) socket: Result<PathBuf, SocketPathError>,
    /// `None` if the home directory is unknown.
    pub(super) base: Option<PathBuf>,
    pub(super) coach: Option<PathBuf>,
    pub(super) tapes: Option<PathBuf>,
    /// True if the user named the socket: its directory may then have other files.
    pub(super) socket_is_named: bool,
}

impl Places {
    pub(super) fn find(survey: &Survey, socket: Option<&str>) -> Self {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let paths = survey.daemon.status().at("paths");
        let reported = |name: &str| paths[name].as_str().map(PathBuf::from);
        let base = reported("base").or_else(|| survey.base.clone());
        let in_home = || Some(PathBuf::from(set("HOME")?).join(".claude-coach"));
        let by_rule = || set("CCD_COACH_HOME").map(PathBuf::from).or_else(in_home);
        Self {
            coach: reported("coach").or_else(by_rule),
            tapes: reported("tapes").or_else(|| base.as_ref().map(|base| base.join("tapes"))),
            base,
            socket_is_named: socket.is_some() || set("CCD_SOCKET").is_some(),
            socket: socket_path(socket, |name| std::env::var_os(name)),
        }
    }

    pub(super) fn runtime(&self) -> Option<&Path> {
        self.socket.as_ref().ok()?.parent()
    }
}
