//! Typing into sessions.

mod discarded;
mod end_of_input;
pub(crate) mod hidden;
mod typing;
