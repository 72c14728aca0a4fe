//! Random inputs from a seed: what breaks the program, which input did it, and how short it can be.

mod chunk;
mod culprit;
mod replay;
mod run;
mod words;

pub(in crate::black_box) use run::{run, shortened};
