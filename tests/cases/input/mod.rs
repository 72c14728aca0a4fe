//! Typing into sessions.

mod discarded;
mod end_of_input;
mod hidden;
mod typing;
