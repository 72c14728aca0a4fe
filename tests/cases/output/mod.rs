//! A session's output: reading, logging, subscribing.

mod disk;
mod flood;
mod hung;
mod log;
mod read;
mod subscribe;
