//! A tape as a file: JSON5 for people, exact bytes for programs.

mod exchange;
mod fault;
mod keys;
mod literal;
mod model;
mod quote;
mod read;
mod scan;
mod write;

pub(crate) use fault::{Fault, FormatError, place};
pub(crate) use model::{
    Annotations, Chunk, Exchange, FORMAT, InputKind, Meta, Pre, PtySize, Recorder, Stream, Tape,
    TypedInput,
};
pub(crate) use read::{Outline, Outlined, outline, read, read_exchange};
pub(crate) use write::write;
