//! Whether another build can take over the sessions.

mod error;
mod formats;
#[cfg_attr(portable, path = "no_look.rs")]
mod look;

pub(crate) use error::HandOverError;
pub(crate) use formats::Formats;
pub(crate) use look::look;
