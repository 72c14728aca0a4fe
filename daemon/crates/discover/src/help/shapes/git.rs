//! git, whose lists of commands have headings without a colon:
//!
//! ```text
//! usage: git [-v | --version] <command> [<args>]
//!
//! These are common Git commands used in various situations:
//!
//! start a working area (see also: git help tutorial)
//!    clone     Clone a repository into a new directory
//! ```
//!
//! `git help -a` also lists guides and file formats, which are no commands.

use super::read_sections;
use crate::help::commands::below_headings;
use crate::help::help_text::{HelpText, Shape};
use crate::help::page::{Line, Page};
use crate::help::sections::announces_commands;

/// What the two lists of commands start with.
const COMMON: &str = "These are common Git commands used in various situations:";
const ALL: &str = "See 'git help <command>' to read about a specific subcommand";

pub(in crate::help) fn recognises(page: &Page) -> bool {
    page.has_line(&[COMMON, ALL])
}

pub(in crate::help) fn read(page: &Page) -> HelpText {
    let is_common = page.has_line(&[COMMON]);
    let is_group = |line: &Line| line.indent == 0 && !line.text.starts_with("usage:");
    let is_list = |line: &Line| {
        announces_commands(line)
            || line.text.starts_with("Ancillary Commands")
            || line.text.starts_with("Low-level Commands")
    };
    let help = read_sections(page, Shape::Git);
    HelpText {
        commands: below_headings(page, |line| {
            if is_common {
                is_group(line)
            } else {
                is_list(line)
            }
        }),
        ..help
    }
}
