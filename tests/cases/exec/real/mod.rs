//! The real Claude Code against a stand-in for its API. These tests are skipped if it is not installed.

mod changes;
mod conversations;
mod ends;
mod tape;
mod tools;
