//! Python's click:
//!
//! ```text
//! Usage: prog [OPTIONS] COMMAND [ARGS]...
//!
//! Options:
//!   --debug / --no-debug  Set debug mode.
//!   --help                Show this message and exit.
//!
//! Commands:
//!   run     Run a development server.
//! ```

use super::{describes_help, has_label, read_sections};
use crate::help::help_text::{HelpText, Shape};
use crate::help::page::Page;

pub(in crate::help) fn recognises(page: &Page) -> bool {
    has_label(page, "Usage:") && describes_help(page, "Show this message and exit")
}

pub(in crate::help) fn read(page: &Page) -> HelpText {
    read_sections(page, Shape::Click)
}
