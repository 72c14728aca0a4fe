//! Coding agents: hooks and runs report what they do; everything else is looked at when somebody asks.
//! Nothing runs while nobody asks, waits or subscribes, and no hook comes.

mod answer;
mod clock;
mod create;
mod details;
mod error;
mod keep;
mod look;
mod notify;
mod owner;
mod settings;

pub(crate) use notify::run as notify;
pub(crate) use owner::Agents;
pub(crate) use settings::{AgentSettings, NotifySettings};
