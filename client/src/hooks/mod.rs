//! `ccctl hooks`: Claude Code's settings, and whether the hooks in them work.

mod command;
mod daemon;
mod diff;
mod file;
mod install;
mod plugin;
mod plugins;
mod recording;
mod settings;
mod status;
mod survey;

use crate::args::HooksVerb;
use crate::{Context, Exit, Failure};

pub(crate) use command::{is_executable, is_same, on_path};
pub(crate) use daemon::{Daemon, connection};
pub(crate) use file::user_folder;
pub(crate) use plugins::Plugin;
pub(crate) use status::checks;
pub(crate) use survey::Survey;

pub(crate) fn dispatch(verb: &HooksVerb, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        HooksVerb::Install(args) => install::install(args, context),
        HooksVerb::Uninstall(args) => install::uninstall(args, context),
        HooksVerb::Status => status::status(context),
        HooksVerb::Plugin { dir } => plugin::write(dir, context),
    }
}
