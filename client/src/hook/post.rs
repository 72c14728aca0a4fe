//! One request to the daemon, under a deadline.
//! Apart from [`crate::call`], whose calls may take as long as they need: here a daemon that is stopped, or accepts and does
//! not reply, must not be noticed.

use super::delivery::Delivery;
use super::payload::is_ready;
use crate::call::{CLIENT_NAME, check_peer};
use ccd_protocol::hook::{HookPost, HookPostReply};
use ccd_protocol::{ErrorCode, Method as _, PROTOCOL_VERSION};
use rustix::event::PollFlags;
use rustix::fd::{AsFd as _, OwnedFd};
use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{
    AddressFamily, RecvFlags, SendAncillaryBuffer, SendFlags, SocketAddrUnix, SocketType, connect,
    recv, sendmsg, socket,
};
use serde::Deserialize;
use std::io::IoSlice;
use std::path::Path;
use std::time::Instant;

/// Longest reply: Claude Code takes 10,000 characters of a hook's output.
const MAX_REPLY_BYTES: usize = 1 << 20;

#[derive(Deserialize)]
struct Reply {
    #[serde(default)]
    result: Option<HookPostReply>,
    #[serde(default)]
    error: Option<ReplyError>,
}

#[derive(Deserialize)]
struct ReplyError {
    code: i64,
}

/// Hands the payload to the daemon and returns its reply; `None` if no daemon has said before `deadline` that it took it.
pub(super) fn post(path: &Path, delivery: &Delivery, deadline: Instant) -> Option<HookPostReply> {
    let socket = connected(path, deadline)?;
    send(&socket, delivery, deadline)?;
    let reply: Reply = serde_json::from_slice(&receive(&socket, deadline)?).ok()?;
    match (reply.result, reply.error) {
        (Some(result), None) => Some(result),
        // The daemon will never accept it, so it need not be kept.
        (None, Some(error)) if error.code == i64::from(ErrorCode::HookPayloadInvalid as i32) => {
            Some(HookPostReply::default())
        }
        _ => None,
    }
}

fn connected(path: &Path, deadline: Instant) -> Option<OwnedFd> {
    let address = SocketAddrUnix::new(path).ok()?;
    let socket = socket(AddressFamily::UNIX, SocketType::STREAM, None).ok()?;
    // On Linux this also limits how long connect waits for a place in a daemon's full queue. Elsewhere it does not wait.
    let rest = deadline.saturating_duration_since(Instant::now());
    set_socket_timeout(&socket, Timeout::Send, Some(rest)).ok()?;
    connect(&socket, &address).ok()?;
    check_peer(&socket).ok()?;
    Some(socket)
}

/// Sends the request in one system call, if the socket takes it at once.
fn send(socket: &OwnedFd, delivery: &Delivery, deadline: Instant) -> Option<()> {
    let head = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"{}","ccd":{{"protocol":{PROTOCOL_VERSION},"client":"{CLIENT_NAME}"}},"params":"#,
        HookPost::NAME
    );
    let [params, payload, tail] = delivery.parts();
    let parts = [&head, params, payload, tail.trim_end(), "}\n"];
    let mut slices = parts.map(|part| IoSlice::new(part.as_bytes()));
    let mut rest = &mut slices[..];
    while !rest.is_empty() {
        let flags = SendFlags::DONTWAIT;
        match sendmsg(socket, rest, &mut SendAncillaryBuffer::default(), flags) {
            Ok(sent) => IoSlice::advance_slices(&mut rest, sent),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) if is_ready(socket.as_fd(), PollFlags::OUT, deadline) => {}
            Err(_) => return None,
        }
    }
    Some(())
}

fn receive(socket: &OwnedFd, deadline: Instant) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    let mut buffer = [0; 4096];
    while line.len() < MAX_REPLY_BYTES && is_ready(socket.as_fd(), PollFlags::IN, deadline) {
        match recv(socket, &mut buffer, RecvFlags::DONTWAIT) {
            Ok((0, _)) => return None,
            Ok((len, _)) => {
                let read = &buffer[..len];
                let end = read.iter().position(|byte| *byte == b'\n');
                line.extend_from_slice(&read[..end.unwrap_or(len)]);
                if end.is_some() {
                    return Some(line);
                }
            }
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(_) => return None,
        }
    }
    None
}

#[cfg(test)]
#[path = "post_tests.rs"]
mod tests;
