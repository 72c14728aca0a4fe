//! Tapes of programs over pipes.

mod input;
mod or_terminal;
mod plain;
mod streams;
