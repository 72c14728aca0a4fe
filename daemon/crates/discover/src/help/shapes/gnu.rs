//! Options in the way of GNU's getopt, and everything that resembles it:
//!
//! ```text
//! Usage: tar [OPTION...] [FILE]...
//!
//!  Main operation mode:
//!   -A, --catenate, --concatenate   append tar files to an archive
//!       --delete               delete from the archive
//! ```

use super::read_sections;
use crate::help::options::options;
use crate::help::page::Page;
use crate::help::parse::{HelpText, Shape};
use crate::help::sections::{announces_commands, sections};
use crate::help::usage::usage;

/// How many options make a help text that has neither usage lines nor a list of commands.
const LEAST_OPTIONS: usize = 2;

pub(in crate::help) fn recognises(page: &Page) -> bool {
    let usage = usage(page);
    !usage.lines.is_empty()
        || options(page, &usage.range).len() >= LEAST_OPTIONS
        || sections(page, announces_commands).next().is_some()
}

pub(in crate::help) fn read(page: &Page) -> HelpText {
    read_sections(page, Shape::Gnu)
}
