//! Sessions: programs on terminals of their own, which outlive every client.

mod attach;
mod end;
mod error;
mod input;
mod live;
mod output;
mod pipe;
mod record_program;
mod registry;
mod run;
mod screen;
mod shell;
mod start;
mod survive;
mod table;
mod tape;
mod wait;

pub(crate) use attach::{Attached, Size};
pub(crate) use error::{SessionError, describe_end, reason_text};
pub(crate) use live::Session;
pub(crate) use output::wait_for_published;
pub(crate) use registry::Sessions;
pub(crate) use run::OneShot;
pub(crate) use run::{Once, Part};
pub(crate) use survive::Past;
pub(crate) use survive::ids_of;
pub(crate) use wait::last_line;
pub(crate) use wait::{Hits, LineHit};
