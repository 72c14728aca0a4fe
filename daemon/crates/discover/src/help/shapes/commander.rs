//! JavaScript's commander, whose commands show their arguments:
//!
//! ```text
//! Usage: prog [options] [command]
//!
//! Options:
//!   -V, --version             output the version number
//!   -h, --help                display help for command
//!
//! Commands:
//!   agents|agent [options]    Manage agents
//! ```

use super::{has_label, read_sections};
use crate::help::help_text::{HelpText, Shape};
use crate::help::page::Page;

pub(in crate::help) fn recognises(page: &Page) -> bool {
    has_label(page, "Usage:")
        && page.has_line(&["Options:", "Commands:"])
        && (page.contains("[options] [command]")
            || super::describes_help(page, "isplay help for command"))
}

pub(in crate::help) fn read(page: &Page) -> HelpText {
    read_sections(page, Shape::Commander)
}
