//! Tapes: a terminal program recorded once, so that the tape can stand in for it.

#[allow(dead_code, reason = "its callers come with recording")]
pub(crate) mod decorate;
pub(crate) mod files;
#[allow(
    dead_code,
    unused_imports,
    reason = "its callers come with recording and replaying"
)]
pub(crate) mod format;
#[allow(
    dead_code,
    unused_imports,
    reason = "recorder and player are not there yet"
)]
pub(crate) mod index;
#[allow(
    dead_code,
    unused_imports,
    reason = "recorder and player are not there yet"
)]
pub(crate) mod key;
#[allow(dead_code, reason = "its callers come with recording")]
pub(crate) mod name;
#[allow(
    dead_code,
    unused_imports,
    reason = "recorder and player are not there yet"
)]
pub(crate) mod root;
#[allow(dead_code, reason = "its callers come with recording and replaying")]
pub(crate) mod settings;
pub(crate) mod tools;
