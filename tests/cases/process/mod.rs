//! The programs of sessions: what they start with, what they start, and what is left of them.

mod container;
mod environment;
mod fork_chain;
mod inherited;
mod odd;
mod signals;
mod tree;
mod wiped;
