//! What a program's help says: usage, options, commands.
//! All of it reads a text once and line by line, so that the time is linear in its length.

mod argparse;
mod asked;
mod columns;
mod command_line;
mod commands;
mod entry;
#[cfg(test)]
mod fixture_tests;
mod flags;
mod help_text;
mod lists;
mod menu;
mod options;
mod other;
mod page;
mod parse;
#[cfg(test)]
mod property_tests;
mod sections;
mod synopsis;
#[cfg(test)]
mod table_tests;
mod usage;

pub use asked::help_of;
pub use help_text::{HelpCommand, HelpText, MAX_ENTRIES};
pub use menu::menu;
pub(crate) use page::without_overstrikes;
pub use parse::parse;
