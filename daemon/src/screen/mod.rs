//! The terminal that a program believes it talks to: what it shows, what it was set to, what it answers.

mod csi;
mod keyboard;
mod modes;
pub(crate) mod palette;
mod query;
mod scanner;
mod splitter;
mod strip;

pub(crate) use modes::{Modes, MouseEncoding, MouseTracking};
pub(crate) use query::{Query, answer, needs_cursor};
pub(crate) use scanner::{Event, EventKind, Mark, Scanner};
pub(crate) use strip::QueryStripper;
