//! What happens before the runtime starts: the directories, the configuration and the daemon's own log.

use super::args::Args;
use super::error::StartError;
use super::locks_and_socket::find_paths;
use super::terminals::Terminals;
use crate::config::{DirectoryProblem, Loaded, Paths, Snapshot, Sources};
use crate::log::Log;
use std::path::Path;
use std::sync::Arc;

/// What is prepared before the runtime starts.
pub(crate) struct Prepared {
    pub(crate) paths: Paths,
    pub(super) sources: Sources,
    /// The configuration file, and the configuration in it.
    pub(super) read: Snapshot,
    pub(super) loaded: Arc<Loaded>,
    pub(super) log: Log,
}

/// Reads the configuration that a daemon with these arguments would use.
///
/// # Errors
///
/// [`StartError`]; [`StartError::Config`] has a line for each mistake.
pub(crate) fn load_config(args: &Args) -> Result<Loaded, StartError> {
    Ok(sources(args, &find_paths(args)?.base).read().load()?)
}

fn sources(args: &Args, base: &Path) -> Sources {
    let env = |name: &str| std::env::var_os(name);
    Sources::from_env(args.config.clone(), env, base)
}

/// Reads the configuration and starts the daemon's own log.
///
/// # Errors
///
/// [`StartError`] in one line.
pub(crate) fn prepare(args: &Args, terminals: &Terminals) -> Result<Prepared, StartError> {
    let paths = find_paths(args)?;
    let found = if terminals.are_handed_over() {
        paths.prepare_again()?
    } else {
        paths.prepare().map(|()| Vec::new())?
    };
    let sources = sources(args, &paths.base);
    let read = sources.read();
    let loaded = match read.load() {
        // Sessions are waiting, and must not end because of a mistake in a file.
        Err(error) if terminals.are_handed_over() => Loaded::in_spite_of(&error),
        loaded => loaded?,
    };
    let loaded = Arc::new(loaded);
    let log = Log::start(&loaded.config.logging, loaded.config.log_level, &paths.logs)
        .map_err(StartError::Log)?;
    for found in found {
        match found {
            DirectoryProblem::SetAside(path) => {
                tracing::error!(path = %path.display(), "a directory was replaced; what was in its place is set aside");
            }
            DirectoryProblem::Unsafe(error) => {
                tracing::error!(%error, "the sessions continue; the next start will refuse this directory");
            }
        }
    }
    loaded.use_redact_rules();
    Ok(Prepared {
        paths,
        sources,
        read,
        loaded,
        log,
    })
}
