//! Tapes: recording, replaying, and other operations.

mod bad_options;
mod bad_tapes;
mod casts;
mod claude;
mod client;
mod config;
mod messages;
mod pipes;
mod play;
mod programs;
mod record;
mod summary;
mod tools;
mod verify;
mod watch;
