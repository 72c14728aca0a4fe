//! Tests with a real daemon: one binary.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "tests fail by panicking and say why"
)]

mod agents;
mod attach;
mod chain;
mod client;
mod coach;
mod config;
mod connection;
mod conversation;
mod data;
mod discover;
mod documents;
mod examples;
mod exec;
mod expect;
mod hook;
mod input;
mod life;
mod mcp;
mod memory;
mod output;
mod pattern;
mod pipe;
mod process;
mod program;
mod run;
mod session;
mod structure;
mod support;
mod survive;
mod tape;
