//! A command line taken apart so strictly that a policy can rely on it.
//!
//! The coach has a splitter too (`coach:command/`). It answers which program a line is about, so it guesses on and
//! leaves out substitutions and redirections. Here a form that bash and zsh could read otherwise is an error, because
//! what is not understood must not be executed.
//!
//! - `word`: [`Word`]
//! - `scan`: a line into commands, including those in subshells and substitutions
//! - `expansion`: `$…`, backticks and quotation marks inside a word
//! - `command`: keywords and assignments before a program
//! - `part`: [`parts`], with the commands that other commands execute
//! - `carriers`, `git`, `options`: which commands do that

mod carriers;
mod command;
mod doubt;
mod expansion;
mod git;
mod options;
mod part;
mod scan;
mod word;

pub use doubt::Doubt;
pub use part::{ExecutedCommand, parts};

pub use word::{Word, file_name};
