//! What completion offers for the value of an argument, which the argument itself says: one of these, or a hint of clap's for
//! files, directories and programs.

use clap::builder::ArgExt;

/// A name after `@`: of a list in `commands.txt`, or of values that `complete::names` knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Offer(pub(crate) &'static str);

impl ArgExt for Offer {}

/// A path that the daemon gets in its absolute form, or something else that stands for one; or the file itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DaemonPath {
    Directory,
    /// Or the id of a repository.
    Project,
    /// Or the id of a tape.
    Tape,
    /// The text in a file of this host.
    Text,
    /// The JSON in a file of this host.
    Document,
}

impl ArgExt for DaemonPath {}

/// An argument that is not simply a parameter of the method with its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// Not a parameter at all.
    Own,
    /// The parameter is false if the argument is given.
    Off,
    /// The parameter is true or false.
    Switch,
}

impl ArgExt for Use {}
