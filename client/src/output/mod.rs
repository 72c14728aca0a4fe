//! A session's output as it is pushed, without a gap and without a byte twice.

mod base64;
mod follow;
mod resume;
mod stream;

pub(crate) use base64::{decode, encode};
pub(crate) use follow::Follow;
pub(crate) use stream::{Output, OutputChunk, OutputForm};
