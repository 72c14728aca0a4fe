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

use crate::args::Given;
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure};
use std::path::Path;

pub(crate) use daemon::{Daemon, connection};
pub(crate) use file::user_folder;
pub(crate) use plugins::Plugin;
pub(crate) use status::checks;
pub(crate) use survey::Survey;

pub(crate) fn dispatch(verb: &str, args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        "install" => install::install(args, context),
        "uninstall" => install::uninstall(args, context),
        "plugin" => plugin::write(Path::new(args.text("dir")), context),
        _ => status::status(context),
    }
}
