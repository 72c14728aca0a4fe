//! A session's output: read, logged, pushed.

mod disk;
mod flood;
mod log;
mod read;
mod subscribe;
