//! Investigations and tests of programs. All their texts come from the program: nothing reaches the terminal unchanged.

mod diff;
mod investigation;
mod map;

pub(crate) use diff::investigation_diff;
pub(crate) use investigation::investigation;
pub(crate) use map::state_map;
