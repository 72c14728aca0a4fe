//! Tapes: recording, replaying, and other operations.

mod bad_options;
mod bad_tapes;
mod claude;
mod client;
mod config;
mod messages;
mod pipes;
mod play;
mod programs;
mod record;
mod tools;
mod verify;
mod watch;
