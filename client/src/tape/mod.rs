//! Tapes in use: `ccctl rec`, `play` and `proxy`, the summary at their end, and shims.

mod miss;
mod options;
mod shim;
mod summary;

pub(crate) use miss::{Misses, block, ends_conversation, is_final, line, miss_of, print_blocks};
pub(crate) use options::{TapeCommand, named, of_verb};
pub(crate) use shim::shim;
pub(crate) use summary::{
    LastMiss, Summary, await_written, print_summary, print_summary_if_ended, print_use,
};
