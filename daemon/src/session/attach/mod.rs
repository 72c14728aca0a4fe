//! People whose terminals are a session's for a while.

mod typed_line;
mod viewers;

pub(crate) use typed_line::Taken;
pub(crate) use viewers::{Attached, Size, Viewers};
