//! Start through the service manager, if its unit is installed: the daemon then runs as the user set it up.

use super::local_socket::LocalSocket;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const UNIT: &str = "ccd.socket";

/// Starts the user's socket unit if it is installed and listens at `socket`; true if that worked.
/// The unit listens at the default socket only.
pub(crate) fn start_unit(socket: &LocalSocket) -> bool {
    if !has_unit(socket) {
        return false;
    }
    Command::new("systemctl")
        .args(["--user", "--quiet", "start", UNIT])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// True if the user's socket unit is installed and listens at `socket`: systemd may then listen in the daemon's place.
pub(super) fn has_unit(socket: &LocalSocket) -> bool {
    // systemd creates the directory when it starts for a user.
    folder_named_by("XDG_RUNTIME_DIR").is_some_and(|runtime| {
        let is_default = socket.path == runtime.join("ccd/ccd.sock");
        is_default && runtime.join("systemd").is_dir() && installed_unit().is_some()
    })
}

/// The file of the user's socket unit, if it is installed.
pub(crate) fn installed_unit() -> Option<PathBuf> {
    let home = folder_named_by("HOME");
    let under_home = |path: &str| home.as_ref().map(|home| home.join(path));
    let config = folder_named_by("XDG_CONFIG_HOME").or_else(|| under_home(".config"));
    let data = folder_named_by("XDG_DATA_HOME").or_else(|| under_home(".local/share"));
    let system = ["/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"].map(PathBuf::from);
    [config, data]
        .into_iter()
        .flatten()
        .chain(system)
        .map(|folder| unit_in(&folder))
        .find(|unit| unit.exists())
}

fn unit_in(folder: &Path) -> PathBuf {
    folder.join("systemd/user").join(UNIT)
}

fn folder_named_by(variable: &str) -> Option<PathBuf> {
    let path = PathBuf::from(std::env::var_os(variable)?);
    path.is_absolute().then_some(path)
}
