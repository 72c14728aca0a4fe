//! Coding agents: hooks and runs report what they do; everything else is looked at when somebody asks.
//! Nothing runs while nobody asks, waits or subscribes, and no hook comes.

mod answer;
mod clock;
mod create;
mod details;
mod error;
mod keep;
mod look;
mod owner;

pub(crate) use owner::{AgentSettings, Agents};
