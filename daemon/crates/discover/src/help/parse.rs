//! Recognises the shape of a help text and reads it.

use super::help_text::HelpText;
use super::page::Page;
use super::{columns, command_line, lists, other, synopsis};
use ccd_text::pattern::Compiled;

/// Reads the text that a program prints when it is asked for help. It may be any text, of which the first MiB is read.
/// `library` finds the commands of texts without a known shape.
pub fn parse(text: &str, library: &Compiled) -> HelpText {
    let page = Page::parse(text);
    let command_line = |is_one: fn(&Page) -> bool| is_one(&page).then(|| command_line::read(&page));
    // The most particular first.
    let mut help = command_line(command_line::is_certain)
        .or_else(|| lists::read(&page))
        .or_else(|| columns::read(&page))
        .or_else(|| command_line(command_line::is_likely))
        .unwrap_or_else(|| other::read(&page, library));
    if help.options.is_empty() {
        help.options = synopsis::options(&help.usage);
    }
    help
}
