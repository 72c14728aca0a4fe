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

pub(crate) use about::about;
pub(crate) use chain::{CHAINS, chain, job_list, parallel_command, step};
pub(crate) use clean::{on_one_line, printable, readable};
pub(crate) use coach::{
    CANDIDATES, EVENTS, candidate, coach_status, detected, evidence, ledger, mutes, pattern_groups,
    pattern_texts, report, summary,
};
pub(crate) use conversation::{
    LiveConversation, Show, Spoken, all_tokens, conversation, conversation_hits,
    conversation_stats, conversations, cost_or_more, imported, markdown, moment, short_number,
    stats_svg, sub_agents, what_is_left, what_is_unreadable,
};
pub(crate) use data::{data_kept, data_selected};
pub(crate) use diff::{diff, patch};
pub(crate) use discover::{
    INVESTIGATIONS, TEST_REPORTS, investigation, investigation_diff, probed, state_map, test_report,
};
pub(crate) use exec::{
    EXEC_SESSIONS, EXECUTIONS, exec_session, execution, run_notes, run_summary, seconds,
};
pub(crate) use job::{JOBS, job_line};
pub(crate) use line::{Line, cut, scrolled, wrapped, wrapped_at_spaces};
pub(crate) use memory::{memory, memory_saved, memory_status};
pub(crate) use pattern::{LIBRARY, MATCHES, classified, patterns};
pub(crate) use printer::{Printer, short_id};
pub(crate) use program::{PROGRAMS, program};
pub(crate) use screen::{runs, screen};
pub(crate) use session::{HISTORY, command_line, end, ended, session, will_end};
pub(crate) use session_list::{SessionList, sessions};
pub(crate) use short::{age, counted, size};
pub(crate) use status::status;
pub(crate) use style::{Colour, Style, is_utf8};
pub(crate) use table::{Cell, Column, columns};
pub(crate) use tape::{TAPES, tape, tape_problem, verdict};

#[cfg(test)]
pub(crate) use coach::candidate_tests;
#[cfg(test)]
pub(crate) use session::tests;
pub(crate) use words::{few, joined};
