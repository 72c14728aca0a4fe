//! A request to the daemon: the way to its socket, a start when none runs, the call, the same again when it was lost,
//! and why it failed.

mod activation;
mod again;
mod connect;
mod failure;
mod hint;
mod launch;
mod request;
mod start;

pub(crate) use again::{SETTLED, id_since};
pub(crate) use connect::{ConnectError, Place};
pub(crate) use failure::Failure;
pub(crate) use launch::{LaunchError, find_program};
pub(crate) use request::{
    Answer, Connection, call_at, close, garbled, lost, request_at, request_line,
};
