//! Tapes: a terminal program recorded once, so that the tape can stand in for it.

#[allow(
    dead_code,
    unused_imports,
    reason = "the tools come with the next changes"
)]
pub(crate) mod decorate;
mod error;
#[allow(
    dead_code,
    unused_imports,
    reason = "the tools come with the next changes"
)]
pub(crate) mod files;
#[allow(
    dead_code,
    unused_imports,
    reason = "the tools come with the next changes"
)]
pub(crate) mod format;
#[allow(
    dead_code,
    unused_imports,
    reason = "the tools come with the next changes"
)]
pub(crate) mod index;
#[allow(
    dead_code,
    unused_imports,
    reason = "the tools come with the next changes"
)]
pub(crate) mod key;
#[allow(
    dead_code,
    unused_imports,
    reason = "the tools come with the next changes"
)]
pub(crate) mod name;
#[allow(
    dead_code,
    unused_imports,
    reason = "the tools come with the next changes"
)]
pub(crate) mod play;
#[allow(
    dead_code,
    unused_imports,
    reason = "the tools come with the next changes"
)]
pub(crate) mod record;
#[allow(
    dead_code,
    unused_imports,
    reason = "the tools come with the next changes"
)]
pub(crate) mod root;
#[allow(
    dead_code,
    unused_imports,
    reason = "the tools come with the next changes"
)]
pub(crate) mod settings;
#[allow(
    dead_code,
    unused_imports,
    reason = "the tools come with the next changes"
)]
pub(crate) mod tools;

pub(crate) use error::TapeError;

/// What it was recorded on, as compilers name it.
pub(crate) const PLATFORM: &str = env!("CCD_TARGET");
