//! Whether another build can go on with the sessions.

mod error;
mod formats;
#[cfg_attr(portable, path = "no_look.rs")]
mod look;

pub(crate) use error::HandOverError;
pub(crate) use formats::Formats;
pub(crate) use look::look;
