//! The configuration file: what is wrong in it, what each key does, how it is read again.

mod effects;
mod reload;
mod text;
mod watch;
