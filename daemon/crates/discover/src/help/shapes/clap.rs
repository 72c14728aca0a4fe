//! Rust's clap. Short help has descriptions beside the options, long help below them:
//!
//! ```text
//! Usage: prog [OPTIONS] [COMMAND]
//!
//! Commands:
//!   add   Add it
//!
//! Options:
//!   -q, --quiet
//!           Print nothing
//!       --color <WHEN>  When to use colours [possible values: auto, never]
//! ```
//!
//! Version 2 has its headings in capitals, with the usage below `USAGE:`.

use super::{describes_help, has_label, read_sections};
use crate::help::help_text::{HelpText, Shape};
use crate::help::page::Page;

pub(in crate::help) fn recognises(page: &Page) -> bool {
    let has_options = page.has_line(&["Options:", "OPTIONS:", "FLAGS:"]);
    let is_clap = || {
        page.has_line(&["USAGE:"])
            || describes_help(page, "Print help")
            || page.contains("[possible values: ")
            || page.contains("[OPTIONS] [COMMAND]")
    };
    has_options && (has_label(page, "Usage:") || has_label(page, "USAGE:")) && is_clap()
}

pub(in crate::help) fn read(page: &Page) -> HelpText {
    read_sections(page, Shape::Clap)
}
