//! Copies of transcripts and streams, which stay when the files are deleted.

mod copier;
mod imports;
mod kept;

pub(crate) use imports::Imports;
