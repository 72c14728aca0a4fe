//! Tapes: a terminal program recorded once, so that the tape can stand in for it.

pub(crate) mod advice;
pub(crate) mod decorate;
mod error;
pub(crate) mod files;
pub(crate) mod format;
pub(crate) mod index;
pub(crate) mod key;
pub(crate) mod name;
pub(crate) mod play;
pub(crate) mod record;
mod replay_defaults;
pub(crate) mod root;
pub(crate) mod settings;
pub(crate) mod tools;

pub(crate) use error::TapeError;

/// What it was recorded on, as compilers name it.
pub(crate) const PLATFORM: &str = env!("CCD_TARGET");
