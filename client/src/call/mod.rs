//! Requests to the daemon: finds or starts it, calls it, repeats a lost call if that is safe, and reports failures.

mod activation;
mod again;
mod connect;
mod failure;
mod foreign_folder;
mod hint;
mod host;
mod launch;
mod no_folder;
mod peer;
pub(crate) mod processes;
mod request;
mod ssh;
mod start;
mod start_files;
#[cfg(test)]
pub(crate) mod test_server;

pub(crate) use activation::installed_unit;
pub(crate) use again::{Losses, SETTLED, id_since};
pub(crate) use connect::{ConnectError, DaemonAddress, elsewhere, host_asked_for};
pub(crate) use failure::{Failure, written_bytes};
pub(crate) use foreign_folder::ForeignFolder;
pub(crate) use host::{Host, is_elsewhere, set_elsewhere};
pub(crate) use launch::LaunchError;
pub(crate) use peer::check as check_peer;
pub(crate) use request::{
    Answer, CLIENT_NAME, Connection, call_at, call_within, close, fetch_within, garbled, lost,
    request_at, request_line, written,
};
pub(crate) use ssh::{GREETING, SshError};
pub(crate) use start::make_socket_folder;
pub(crate) use start_files::where_else;
