//! Sessions: programs in their own terminals, which outlive every client.

mod attach;
mod end;
mod error;
mod facts;
mod input;
mod logged;
mod output;
mod pipe;
mod record;
mod record_program;
mod registry;
mod run;
mod screen;
mod services;
mod session;
mod shell;
mod start;
mod state;
mod survive;
mod tape;
mod temporary_file;
mod wait;

pub use attach::{Attached, Size};
pub use error::{SessionError, reason_text};
pub use output::wait_for_published;
pub use registry::Sessions;
pub use run::{OnceResult, OneShot, OutputPart, Runner};
pub use screen::Looked;
pub use services::{Services, SessionFolders, SessionSettings};
pub use session::Session;
pub use survive::{PastProcesses, ids_of};
pub use wait::{LineHit, PatternHits, last_line, records_with_waiting, text_of};
