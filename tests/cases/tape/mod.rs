//! Tapes: recording, replaying, and other operations.

mod bad_options;
mod bad_tapes;
mod casts;
mod claude;
mod client;
mod config;
mod config_of_recordings;
mod messages;
mod pipes;
mod play;
mod programs;
mod record;
mod summary;
mod tools;
mod verify;
mod verify_again;
mod watch;
