//! Shared by all tests: a real daemon in its own home, connections to it, the real client.

pub(crate) mod assertions;
pub(crate) mod browser;
pub(crate) mod client;
pub(crate) mod connection;
pub(crate) mod conversation;
pub(crate) mod daemon;
pub(crate) mod eventually;
pub(crate) mod exec;
pub(crate) mod executable;
pub(crate) mod files;
pub(crate) mod pipeline;
pub(crate) mod processes;
pub(crate) mod secrets;
pub(crate) mod session;
pub(crate) mod taped;
pub(crate) mod worker;

pub(crate) use assertions::{assert_fields, assert_has, assert_lacks};
pub(crate) use client::{Ccctl, sshd};
pub(crate) use connection::{Connection, kind};
pub(crate) use daemon::Daemon;
pub(crate) use eventually::{
    amount, any_moment, eventually, eventually_within, is_long_run, rounds, rounds_or, throughout,
};
