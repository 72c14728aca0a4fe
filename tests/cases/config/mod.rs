//! The configuration file: mistakes in it, the effect of each key, and reloading.

mod effects;
mod reload;
mod text;
mod watch;
