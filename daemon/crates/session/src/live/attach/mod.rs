//! People who attach their terminals to a session.

mod typed_line;
mod viewers;

pub(super) use typed_line::TakenInput;
pub(super) use viewers::Viewers;
pub use viewers::{Attached, Size};
