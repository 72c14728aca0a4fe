//! A file for each way in which programs print `--help`.

pub(super) mod argparse;
pub(super) mod busybox;
pub(super) mod clap;
pub(super) mod click;
pub(super) mod cobra;
pub(super) mod commander;
pub(super) mod docopt;
pub(super) mod git;
pub(super) mod gnu;
pub(super) mod man;

use super::commands::below_headings;
use super::help_text::{HelpText, Shape};
use super::options::options;
use super::page::{Line, Page};
use super::sections::announces_commands;
use super::usage::usage;

/// Reads usage, options, and the commands below headings such as `Commands:`.
fn read_sections(page: &Page, shape: Shape) -> HelpText {
    let usage = usage(page);
    HelpText {
        shape,
        options: options(page, &usage.range),
        commands: below_headings(page, announces_commands),
        usage: usage.lines,
    }
}

/// Returns whether a line starts with `usage:` in exactly this spelling.
fn has_label(page: &Page, label: &str) -> bool {
    page.position(|line| line.text.starts_with(label)).is_some()
}

/// Returns whether a line describes `--help` in these words.
fn describes_help(page: &Page, words: &str) -> bool {
    let mut lines = page.lines.iter();
    let is_help = |line: &&Line| line.text.starts_with('-') && line.text.contains("--help");
    lines.find(is_help).is_some_and(|line| {
        let next = lines.find(|line| !line.is_blank());
        line.text.contains(words) || next.is_some_and(|next| next.text.starts_with(words))
    })
}
