//! Tapes that answer instead of their program.

mod build;
mod lines;
mod middle;
mod round_trip;
mod run;
mod sessions;
mod survival;
mod travel;
