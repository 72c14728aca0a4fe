//! The configuration file: mistakes in it, the effect of each key, and reloading.

mod effects;
mod reload;
mod status;
mod text;
mod watch;
