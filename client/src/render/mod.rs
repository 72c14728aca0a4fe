//! Output of records for people. What writes to an `out` returns only the errors of that.

mod about;
mod chain;
mod clean;
mod coach;
mod conversation;
mod data;
mod diff;
mod discover;
mod exec;
mod form;
mod job;
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

pub(crate) use about::about;
pub(crate) use chain::{job_list, parallel_command, step};
pub(crate) use clean::{message, on_one_line, printable, readable};
pub(crate) use coach::{detected, report, summary};
pub(crate) use conversation::{
    LiveConversation, Show, Spoken, all_tokens, conversation, conversation_hits,
    conversation_stats, conversations, cost_or_more, markdown, short_number, stats_svg, sub_agents,
};
pub(crate) use data::{data_kept, data_selected};
pub(crate) use diff::{diff, patch};
pub(crate) use discover::{investigation, investigation_diff, state_map};
pub(crate) use exec::{execution, run_notes, run_summary};
pub(crate) use job::job_line;
pub(crate) use line::{Line, cut, scrolled, wrapped, wrapped_at_spaces};
pub(crate) use memory::memory;
pub(crate) use page::{Page, columns};
pub(crate) use printer::{Printer, short_id};
pub(crate) use screen::{runs, screen};
pub(crate) use session::{command_line, end, ended, will_end};
pub(crate) use session_list::{SessionList, sessions};
pub(crate) use short::{age, counted, moment, seconds, size};
pub(crate) use status::status;
pub(crate) use style::{Colour, Style, is_utf8};
pub(crate) use template::{fill, filled, filled_whole, text};
pub(crate) use words::{few, joined};

#[cfg(test)]
mod examples;

#[cfg(test)]
pub(crate) use coach::candidate_tests;
#[cfg(test)]
pub(crate) use session::tests;
