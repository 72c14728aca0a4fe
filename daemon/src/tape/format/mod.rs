//! A tape as a file: JSON5 for people, exact bytes for programs.

mod model;

pub(crate) use model::{
    Annotations, Chunk, Exchange, FORMAT, InputKind, Meta, Pre, PtySize, Recorder, Stream, Tape,
    TypedInput,
};
