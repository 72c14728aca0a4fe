//! The file format of tapes: JSON5 for people, exact bytes for programs.

mod edit;
mod exchange;
mod fault;
pub mod file;
mod json;
mod keys;
mod model;
mod quote;
mod read;
mod validate;
mod write;

pub use ccd_base::json5::{place, value as written_value};
pub use edit::{EditError, Edits, PathStep, comments};
pub(crate) use exchange::{number, side};
pub use fault::FormatError;
pub(crate) use fault::shortened;
pub use json::write_json;
pub(crate) use json::{meta as meta_json, pre as pre_json, session as session_json};
pub use model::{
    Annotations, Chunk, Exchange, FORMAT, InputKind, Meta, Pre, PtySize, RecordedBy, Stream, Tape,
    TypedInput, WORK_TREE_PATCH,
};
pub use quote::comment as chunk_comment;
pub use read::{Outline, Outlined, outline, read, read_exchange};
pub use validate::validate;
pub use write::write;
pub(crate) use write::{input as written_input, output as written_output};
