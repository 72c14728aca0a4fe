//! Sessions: programs on terminals of their own, which outlive every client.

mod attach;
mod end;
mod error;
mod facts;
mod input;
mod live;
mod logged;
mod output;
mod pipe;
mod record;
mod record_program;
mod registry;
mod run;
mod screen;
mod services;
mod settings;
mod shell;
mod start;
mod state;
mod survive;
mod tape;
mod wait;

pub(crate) use attach::{Attached, Size};
pub(crate) use error::{SessionError, reason_text};
pub(crate) use live::Session;
pub(crate) use output::wait_for_published;
pub(crate) use registry::Sessions;
pub(crate) use run::OneShot;
pub(crate) use run::{Once, Part};
pub(crate) use services::{Folders, Services};
pub(crate) use settings::SessionSettings;
pub(crate) use survive::Past;
pub(crate) use survive::ids_of;
pub(crate) use wait::last_line;
pub(crate) use wait::{Hits, LineHit};
