//! Random inputs from a seed: what breaks the program, which input did it, and how short it can be.
//!
//! - `run`: the order: rounds of inputs, then what broke in each, so that the result depends on the seed alone
//! - `words`: the words of the inputs, and which inputs are not sent
//! - `chunk`: inputs for one copy after the other, several at a time
//! - `replay`: the same inputs again in a fresh copy
//! - `culprit`: the one input that did it, made short, and its tape

mod chunk;
mod culprit;
mod replay;
mod run;
mod words;

pub(in crate::black_box) use run::{run, shortened};
