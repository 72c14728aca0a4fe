//! What completion offers for the value of an argument, which the argument itself says: one of these, or a hint of clap's for
//! files, directories and programs.

use super::definition::lines_of;
use clap::builder::ArgExt;

/// A name after `@`: of a list in `commands.txt`, or of values that `complete::names` knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Offer(pub(crate) &'static str);

impl ArgExt for Offer {}

impl Offer {
    /// The words that a list of the definition has for this name.
    pub(crate) fn words_in(self, list: &str) -> Option<Vec<&'static str>> {
        let (_, words) = lines_of(list).find(|(name, _)| *name == self.0)?;
        Some(words.split(' ').collect())
    }
}

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
