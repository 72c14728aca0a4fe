//! Jobs and chains of commands: in sequence, in parallel, watched.

mod commands;
mod definitions;
mod ends;
mod jobs;
mod parallel;
mod steps;
mod watch;
