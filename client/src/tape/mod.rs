//! Tapes in use: `ccctl rec`, `play` and `proxy`, what they tell at the end, and shims.

mod miss;
mod options;
mod shim;
mod summary;

pub(crate) use miss::{Misses, block, is_final, line, miss_of, print_blocks};
pub(crate) use options::{folder, named, of_verb};
pub(crate) use shim::shim;
pub(crate) use summary::{Summary, await_written, tell, tell_if_ended};
