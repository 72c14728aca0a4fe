//! What completion offers for the value of an argument, which the argument itself says: one of these, or a hint of clap's for
//! files, directories and programs.

use clap::builder::ArgExt;

/// A name after `@`: of a list in `commands.txt`, or of values that `complete::names` knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Offer(pub(crate) &'static str);

impl ArgExt for Offer {}

/// A path that the daemon gets in its absolute form, or something else that stands for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DaemonPath {
    Directory,
    /// Or the id of a repository.
    Project,
    /// Or the id of a tape.
    Tape,
}

impl ArgExt for DaemonPath {}
