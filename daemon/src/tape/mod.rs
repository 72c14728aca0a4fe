//! Tapes: a terminal program recorded once, so that the tape can stand in for it.

pub(crate) mod format;
