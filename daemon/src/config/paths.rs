use ccd_protocol::socket::{SocketPathError, base_path, socket_path};
use ccd_store::folder::{FolderError, prepare_named, prepare_private, set_aside_replaced};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The daemon's paths; all are absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Paths {
    /// `$CCD_HOME`, else `~/.claude-control`.
    pub(crate) base: PathBuf,
    pub(crate) sessions: PathBuf,
    /// Contains the daemon's own log.
    pub(crate) logs: PathBuf,
    pub(crate) database: PathBuf,
    pub(crate) socket: PathBuf,
    /// The socket's directory, on Linux usually in memory.
    pub(crate) runtime: PathBuf,
    /// Ring files of output. Each socket has its own directory, so two daemons with the same base never share them.
    pub(crate) rings: PathBuf,
    /// Payloads of hooks that are not processed yet; like the rings, each socket has its own.
    pub(crate) hook_journal: PathBuf,
    /// Payloads that clients have kept while no daemon took them.
    pub(crate) spool: PathBuf,
    /// Runs of Claude Code.
    pub(crate) exec_database: PathBuf,
    /// Files of runs that are in progress; like the rings, each socket has its own.
    pub(crate) exec_runtime: PathBuf,
    /// What agents do; like the rings, each socket has its own.
    pub(crate) agents: PathBuf,
    pub(crate) worktrees: PathBuf,
    /// `$CCD_COACH_HOME`, else `~/.claude-coach`.
    pub(crate) coach: PathBuf,
    /// The user's directory of Claude Code: `$CLAUDE_CONFIG_DIR`, else `~/.claude`.
    pub(crate) claude: PathBuf,
    /// The socket was named explicitly, so its directory may contain other files.
    runtime_is_named: bool,
}

impl Paths {
    /// Returns the paths for `socket` (`--socket`) and the environment; touches no files.
    pub(crate) fn from_env(
        socket: Option<&str>,
        env: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, SocketPathError> {
        let base = base_path(&env)?;
        let runtime_is_named =
            socket.is_some() || env("CCD_SOCKET").is_some_and(|path| !path.is_empty());
        let socket = socket_path(socket, &env)?;
        let beside_socket = |suffix: &str| {
            let mut path = socket.clone().into_os_string();
            path.push(suffix);
            PathBuf::from(path)
        };
        let in_home = |variable: &str, name: &str| match env(variable) {
            Some(path) if !path.is_empty() => PathBuf::from(path),
            // Without a home directory, everything is in the base directory, which was named.
            _ => env("HOME")
                .map_or_else(|| base.clone(), PathBuf::from)
                .join(name),
        };
        Ok(Self {
            hook_journal: beside_socket(".hooks"),
            exec_database: base.join("exec.sqlite"),
            exec_runtime: beside_socket(".exec"),
            agents: beside_socket(".agents"),
            worktrees: base.join("worktrees"),
            spool: base.join(ccd_protocol::hook::spool::FOLDER),
            coach: in_home("CCD_COACH_HOME", ".claude-coach"),
            claude: in_home("CLAUDE_CONFIG_DIR", ".claude"),
            sessions: base.join("sessions"),
            logs: base.join("logs"),
            database: base.join("ccd.sqlite"),
            runtime: socket.parent().unwrap_or(Path::new("/")).to_owned(),
            rings: beside_socket(".rings"),
            base,
            socket,
            runtime_is_named,
        })
    }

    /// Creates the directories, accessible only to the daemon's user, and checks those that exist.
    pub(crate) fn prepare(&self) -> Result<(), FolderError> {
        self.prepared().collect()
    }

    /// As [`Self::prepare`], for sessions that must not end because of what has become of a directory: what is in the
    /// place of one is set aside, and one that others can use by now is used nevertheless. Returns what was found.
    /// Not that of the rings: without them no session can continue, and somebody may put them back in time.
    pub(crate) fn prepare_again(&self) -> Result<Vec<DirectoryProblem>, FolderError> {
        let mut found = Vec::new();
        for folder in [&self.sessions, &self.logs, &self.hook_journal, &self.coach] {
            found.extend(set_aside_replaced(folder)?.map(DirectoryProblem::SetAside));
        }
        for prepared in self.prepared() {
            match prepared {
                Err(
                    error @ (FolderError::Foreign { .. }
                    | FolderError::Shared { .. }
                    | FolderError::Open { .. }),
                ) => found.push(DirectoryProblem::Unsafe(error)),
                prepared => prepared?,
            }
        }
        Ok(found)
    }

    fn prepared(&self) -> impl Iterator<Item = Result<(), FolderError>> {
        let prepare_runtime = if self.runtime_is_named {
            prepare_named
        } else {
            prepare_private
        };
        let own = [&self.base, &self.sessions, &self.logs];
        let own = own.map(|folder| (folder, prepare_private as fn(&Path) -> _));
        let runtime = [
            (&self.runtime, prepare_runtime as fn(&Path) -> _),
            (&self.rings, prepare_private),
        ];
        let all = own.into_iter().chain(runtime);
        all.map(|(folder, prepare)| prepare(folder))
    }
}

/// What has become of a directory while sessions were running.
#[derive(Debug)]
pub(crate) enum DirectoryProblem {
    /// Something else was in its place, and is here now.
    SetAside(PathBuf),
    Unsafe(FolderError),
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

    fn home(home: &Path) -> impl Fn(&str) -> Option<OsString> {
        move |name| (name == "CCD_HOME").then(|| home.into())
    }

    #[test]
    fn everything_lies_in_the_base_when_it_is_given() {
        let paths = Paths::from_env(None, home(Path::new("/b"))).unwrap();
        assert_eq!(paths.sessions, Path::new("/b/sessions"));
        assert_eq!(paths.database, Path::new("/b/ccd.sqlite"));
        assert_eq!(paths.socket, Path::new("/b/run/ccd.sock"));
        assert_eq!(paths.runtime, Path::new("/b/run"));
        assert_eq!(paths.rings, Path::new("/b/run/ccd.sock.rings"));
    }

    #[test]
    fn prepared_folders_are_private_and_preparing_again_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::from_env(None, home(&folder.path().join("base"))).unwrap();
        for _ in 0..2 {
            paths.prepare().unwrap();
            for made in [
                &paths.base,
                &paths.sessions,
                &paths.logs,
                &paths.runtime,
                &paths.rings,
            ] {
                let mode = fs::metadata(made).unwrap().mode() & 0o7777;
                assert_eq!(mode, 0o700, "{}", made.display());
            }
        }
    }

    #[test]
    fn the_folder_of_a_named_socket_keeps_its_mode() {
        let folder = tempfile::tempdir().unwrap();
        let open = folder.path().join("open");
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, fs::Permissions::from_mode(0o755)).unwrap();
        let socket = open.join("s.sock");
        let base = folder.path().join("base");
        let paths = Paths::from_env(socket.to_str(), home(&base)).unwrap();
        paths.prepare().unwrap();
        assert_eq!(fs::metadata(&open).unwrap().mode() & 0o777, 0o755);
        assert_eq!(fs::metadata(&paths.rings).unwrap().mode() & 0o777, 0o700);
    }
}
