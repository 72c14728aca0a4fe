//! Jobs and chains of commands: in a row, side by side, watched.

mod commands;
mod definitions;
mod ends;
mod jobs;
mod parallel;
mod steps;
mod watch;
