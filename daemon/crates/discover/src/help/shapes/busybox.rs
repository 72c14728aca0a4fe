//! Busybox, whose applets print tabs:
//!
//! ```text
//! BusyBox v1.35.0 (Debian 1:1.35.0-4) multi-call binary.
//!
//! Usage: ls [-1Aa] [-w WIDTH] [FILE]...
//!
//!         -1      One column output
//!         --full-time     List full date/time
//! ```
//!
//! Without an applet, the functions follow `Currently defined functions:`, separated by commas.

use super::read_sections;
use crate::help::commands::Commands;
use crate::help::help_text::{HelpText, Shape};
use crate::help::page::Page;
use crate::help::sections::sections;

pub(in crate::help) fn recognises(page: &Page) -> bool {
    page.first()
        .is_some_and(|line| line.text.starts_with("BusyBox v") || line.text.starts_with("Toybox "))
}

pub(in crate::help) fn read(page: &Page) -> HelpText {
    let mut commands = Commands::default();
    for section in sections(page, |line| line.text == "Currently defined functions:") {
        commands.add_list(section);
    }
    HelpText {
        commands: commands.finish(),
        ..read_sections(page, Shape::Busybox)
    }
}
