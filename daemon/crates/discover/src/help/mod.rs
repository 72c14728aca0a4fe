//! What a program's help says: usage, options, commands.
//!
//! - `page`: a text as lines, without escape sequences, overstrikes and tabs
//! - `flags`, `options`: `-q, --quiet  description`
//! - `entry`, `sections`, `commands`: lists of commands below a heading
//! - `usage`, `synopsis`: usage lines, and the options that only they name
//! - `shapes`: a file for each way in which programs print `--help`
//! - `lists`: a file for each way in which interactive programs answer help words
//! - `menu`: [`menu()`], the entries of a menu of numbers
//! - `asked`: [`help_of()`], whether an answer is help
//! - `help_text`: [`HelpText`], what was found
//! - `parse`: [`parse()`], which recognises the shape
//!
//! All of it reads a text once and line by line, so that the time is linear in its length.

mod asked;
mod commands;
mod entry;
#[cfg(test)]
mod fixture_tests;
mod flags;
mod help_text;
mod lists;
mod menu;
mod options;
mod page;
mod parse;
#[cfg(test)]
mod property_tests;
mod sections;
mod shapes;
mod synopsis;
#[cfg(test)]
mod table_tests;
mod usage;

pub use asked::help_of;
pub use help_text::{HelpCommand, HelpText, MAX_ENTRIES, Shape};
pub use menu::menu;
pub(crate) use page::without_overstrikes;
pub use parse::parse;
