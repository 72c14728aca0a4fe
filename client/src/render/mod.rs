//! Output of records for people. What writes to an `out` returns only the errors of that.

mod clean;
mod coach;
mod conversation;
mod data;
mod diff;
mod discover;
mod exec;
mod form;
mod inline;
mod line;
mod memory;
mod page;
pub(crate) mod printer;
mod screen;
mod session;
mod session_list;
mod short;
mod status;
mod style;
mod table;
mod template;
mod words;

pub(crate) use ccd_base::about::about;
pub(crate) use clean::{message, on_one_line, printable, readable};
pub(crate) use coach::{detected, report, summary};
pub(crate) use conversation::{
    LiveConversation, Show, Spoken, conversation, conversation_stats, markdown, stats_svg,
    sub_agents,
};
pub(crate) use data::{data_kept, data_selected};
pub(crate) use diff::{diff, patch};
pub(crate) use discover::{investigation, state_map};
pub(crate) use exec::execution;
pub(crate) use line::{Line, cut, scrolled, wrapped, wrapped_at_spaces};
pub(crate) use memory::memory;
pub(crate) use page::columns;
pub(crate) use printer::{Printer, short_id};
pub(crate) use screen::{runs, screen};
pub(crate) use session::{command_line, end, ended};
pub(crate) use session_list::{SessionList, agents, sessions};
pub(crate) use short::{counted, size};
pub(crate) use status::status;
pub(crate) use style::{Colour, Style, is_utf8};
pub(crate) use template::{filled, filled_whole, text, text_line};
pub(crate) use words::{few, joined};

#[cfg(test)]
mod examples;

#[cfg(test)]
pub(crate) use coach::candidate_tests;
#[cfg(test)]
pub(crate) use session::tests;
