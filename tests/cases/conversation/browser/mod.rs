//! The page of a conversation in Chromium. These tests are skipped if it is not installed.

mod filters;
mod hostile;
mod keys;
mod large;
mod look;
mod sample;
mod search;
mod sub_agents;
mod turns;
