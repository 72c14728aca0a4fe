//! Output of records for people. What writes to an `out` returns only the errors of that.

mod chain;
mod clean;
mod coach;
mod columns;
mod conversation;
mod data;
mod discover;
mod exec;
mod job;
mod line;
mod memory;
mod pattern;
pub(crate) mod printer;
mod program;
mod screen;
mod session;
mod session_list;
mod short;
mod status;
mod style;
mod table;
mod tape;
mod words;

pub(crate) use chain::{chain, chains, job_list, parallel_command, step};
pub(crate) use clean::{on_one_line, printable, readable};
pub(crate) use coach::{
    candidate, candidates, coach_status, detected, events, evidence, ledger, mutes, pattern_groups,
    pattern_texts, report, summary,
};
pub(crate) use conversation::{
    LiveConversation, Show, Spoken, about, all_tokens, conversation, conversation_hits,
    conversation_stats, conversations, cost_or_more, imported, markdown, moment, short_number,
    stats_svg, sub_agents, what_is_left, what_is_unreadable,
};
pub(crate) use data::{data_kept, data_selected};
pub(crate) use discover::{
    investigation, investigation_diff, investigations, probed, state_map, test_report, test_reports,
};
pub(crate) use exec::{
    exec_session, exec_sessions, execution, executions, run_diff, run_notes, run_summary, seconds,
};
pub(crate) use job::{job_line, jobs};
pub(crate) use line::{Line, cut, wrapped, wrapped_at_spaces};
pub(crate) use memory::{memory, memory_saved, memory_status};
pub(crate) use pattern::{classified, library, matches, patterns};
pub(crate) use printer::{Printer, short_id};
pub(crate) use program::{program, programs};
pub(crate) use screen::{runs, screen};
pub(crate) use session::{command_line, end, ended, history, session, will_end};
pub(crate) use session_list::{SessionList, sessions};
pub(crate) use short::{age, counted, size};
pub(crate) use status::status;
pub(crate) use style::{Colour, Style, is_utf8};
pub(crate) use table::Table;
pub(crate) use tape::{diff, tape, tape_problem, tapes, verdict};
pub(crate) use words::program_line;

#[cfg(test)]
pub(crate) use coach::candidate_tests;
#[cfg(test)]
pub(crate) use session::tests;
