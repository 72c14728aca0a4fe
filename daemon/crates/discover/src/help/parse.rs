//! Recognises the shape of a help text and reads it.

use super::help_text::HelpText;
use super::page::Page;
use super::{lists, shapes, synopsis};
use ccd_text::pattern::Compiled;

/// Whether a text has a shape, and what it says if it has.
type Reader = (fn(&Page) -> bool, fn(&Page) -> HelpText);

/// In the order in which they are tried: the most particular first.
const READERS: &[Reader] = &[
    (shapes::man::recognises, shapes::man::read),
    (shapes::busybox::recognises, shapes::busybox::read),
    (shapes::git::recognises, shapes::git::read),
    (shapes::argparse::recognises, shapes::argparse::read),
    (shapes::cobra::recognises, shapes::cobra::read),
    (shapes::click::recognises, shapes::click::read),
    (shapes::commander::recognises, shapes::commander::read),
    (shapes::docopt::recognises, shapes::docopt::read),
    (shapes::clap::recognises, shapes::clap::read),
    (lists::dots::recognises, lists::dots::read),
    (lists::backslashes::recognises, lists::backslashes::read),
    (lists::dashes::recognises, lists::dashes::read),
    (lists::builtins::recognises, lists::builtins::read),
    (lists::synopses::recognises, lists::synopses::read),
    (lists::statements::recognises, lists::statements::read),
    (lists::columns::recognises, lists::columns::read),
    (lists::quoted::recognises, lists::quoted::read),
    (shapes::gnu::recognises, shapes::gnu::read),
];

/// Reads the text that a program prints when it is asked for help. It may be any text, of which the first MiB is read.
/// `library` finds the commands of texts without a known shape.
pub fn parse(text: &str, library: &Compiled) -> HelpText {
    let page = Page::of(text);
    let found = READERS.iter().find(|(recognises, _)| recognises(&page));
    let mut help = match found.map(|(_, read)| read(&page)) {
        Some(help) => help,
        None => lists::other::read(&page, library),
    };
    if help.options.is_empty() {
        help.options = synopsis::options(&help.usage);
    }
    help
}
