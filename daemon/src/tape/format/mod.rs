//! A tape as a file: JSON5 for people, exact bytes for programs.

mod edit;
mod exchange;
mod fault;
pub(crate) mod file;
mod json;
mod keys;
mod model;
mod quote;
mod read;
mod text;
mod validate;
mod write;

pub(crate) use ccd_text::json5::{place, quoted as written_text, value as written_value};
pub(crate) use edit::{EditError, Edits, Step, comments};
pub(crate) use fault::FormatError;
pub(crate) use json::write_json;
pub(crate) use model::{
    Annotations, Chunk, Exchange, FORMAT, InputKind, Meta, Pre, PtySize, Recorder, Stream, Tape,
    TypedInput,
};
pub(crate) use quote::comment as chunk_comment;
pub(crate) use read::{Outline, Outlined, outline, read, read_exchange};
pub(crate) use validate::validate;
pub(crate) use write::write;
