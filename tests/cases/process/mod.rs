//! The programs of sessions: what they start with, what they start, what is left of them.

mod environment;
mod odd;
mod tree;
