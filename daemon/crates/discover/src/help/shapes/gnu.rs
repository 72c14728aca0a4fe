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
use crate::help::flags;
use crate::help::help_text::{HelpText, Shape};
use crate::help::page::{Line, Page};
use crate::help::sections::{announces_commands, sections};
use crate::help::usage::usage;

/// How many options make a help text that has neither usage lines nor a list of commands.
const LEAST_OPTIONS: usize = 2;

pub(in crate::help) fn recognises(page: &Page) -> bool {
    let is_option = |line: &&Line| flags::read(&line.text, None).is_some();
    let mut options = page.lines.iter().filter(is_option);
    !usage(page).lines.is_empty()
        || options.nth(LEAST_OPTIONS - 1).is_some()
        || sections(page, announces_commands).next().is_some()
}

pub(in crate::help) fn read(page: &Page) -> HelpText {
    read_sections(page, Shape::Gnu)
}
