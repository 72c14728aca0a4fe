//! Requests to the daemon: finds or starts it, calls it, repeats a lost call if that is safe, and reports failures.
//!
//! Layers, top first: `again` → `connect` → `start`, `ssh` → `activation`, `launch` → `local_socket` → `request` → `failure`
//! → `connect_error`, `hint`, `host`, `repeatable`; the rest uses none of them.

mod activation;
mod again;
mod connect;
mod connect_error;
mod failure;
mod hint;
mod host;
mod launch;
mod local_socket;
mod obstacle;
mod peer;
pub(crate) mod processes;
mod repeatable;
mod request;
mod ssh;
mod start;
mod start_files;
#[cfg(test)]
pub(crate) mod test_server;

pub(crate) use activation::installed_unit;
pub(crate) use again::{Losses, close, fetch_within, id_since, request_at};
pub(crate) use connect::{DaemonAddress, elsewhere, host_asked_for};
pub(crate) use connect_error::ConnectError;
pub(crate) use failure::{Failure, written_bytes};
pub(crate) use host::{Host, is_elsewhere, set_elsewhere};
pub(crate) use obstacle::foreign_folder_above;
pub(crate) use peer::check as check_peer;
pub(crate) use request::{Answer, CLIENT_NAME, Connection, garbled, lost, request_line, written};
pub(crate) use ssh::{GREETING, no_ccctl};
pub(crate) use start::make_socket_folder;
pub(crate) use start_files::where_else;
