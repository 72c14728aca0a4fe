//! A session's output as it is pushed, without a gap and without a byte twice.

mod follow;
mod resume;
mod stream;

pub(crate) use follow::Follow;
pub(crate) use stream::{Output, OutputChunk, OutputForm, decode};
