//! A session's output: reading, logging, subscribing.

pub(crate) mod disk;
mod flood;
mod full_disk;
mod hung;
mod log;
mod read;
mod subscribe;
