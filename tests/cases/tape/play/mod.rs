//! Tapes that answer instead of their program.

mod lines;
mod middle;
mod round_trip;
mod run;
mod sessions;
mod survival;
