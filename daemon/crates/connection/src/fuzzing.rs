//! One connection for `tests/fuzz`, from its first byte to its last.

use super::accept::converse;
use super::credentials::peer_of;
use super::shared::Shared;
use super::{Agents, Limits};
use jsonrpsee::{Methods, RpcModule};
use serde_json::Value;
use std::io;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio_util::sync::CancellationToken;

/// Sends `pieces` to a daemon that has the method `echo`, closes the sending direction, and returns what the daemon sent
/// until it closed the connection.
pub async fn replies(pieces: &[&[u8]]) -> io::Result<Vec<u8>> {
    let (near, mut far) = UnixStream::pair()?;
    let token = CancellationToken::new;
    let peer = peer_of(&near, 1)?;
    let shared = Shared::new(echo(), peer, Limits::default(), token(), Default::default());
    let mut replies = Vec::new();
    let (mut from_daemon, mut to_daemon) = far.split();
    // Errors are how both learn that the other has closed the connection before its end.
    let write = async {
        for piece in pieces {
            to_daemon.write_all(piece).await?;
            tokio::task::yield_now().await;
        }
        to_daemon.shutdown().await
    };
    // Meanwhile: a client that does not read is disconnected after a while.
    let read = from_daemon.read_to_end(&mut replies);
    let _ = tokio::join!(converse(near, shared, Agents::none(), token()), write, read);
    Ok(replies)
}

fn echo() -> Methods {
    let mut module = RpcModule::new(());
    let registered = module.register_method("echo", |params, (), _| params.parse::<Value>());
    debug_assert!(registered.is_ok());
    module.into()
}
