//! Tapes of programs between pipes.

mod input;
mod or_terminal;
mod plain;
mod streams;
