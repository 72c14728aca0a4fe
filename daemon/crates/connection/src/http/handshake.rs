//! The handshake of a WebSocket (RFC 6455, section 4.2).

use crate::fault::Fault;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::header::{
    AsHeaderName, CONNECTION, HeaderMap, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use hyper::{Method, StatusCode, Version};
use sha1::{Digest as _, Sha1};

/// The only version there is.
pub(super) const WEBSOCKET_VERSION: &str = "13";

const KEY_BYTES: usize = 16;

#[derive(Debug)]
pub(super) enum Handshake {
    None,
    /// A WebSocket: the value of `sec-websocket-accept`.
    Accepted(String),
    Refused(StatusCode, Fault),
}

/// Returns whether a request asks for a WebSocket. Other upgrades are ignored, as are those with other methods.
pub(super) fn handshake(method: &Method, version: Version, headers: &HeaderMap) -> Handshake {
    if method != Method::GET || !has_token(headers, UPGRADE, "websocket") {
        return Handshake::None;
    }
    let refused = |why| Handshake::Refused(StatusCode::BAD_REQUEST, Fault::Handshake(why));
    if version != Version::HTTP_11 {
        return refused("the request is not HTTP/1.1");
    }
    if !has_token(headers, CONNECTION, "upgrade") {
        return refused("the header connection: upgrade is missing");
    }
    if only(headers, SEC_WEBSOCKET_VERSION) != Some(WEBSOCKET_VERSION.as_bytes()) {
        let fault = Fault::Handshake("sec-websocket-version is not 13");
        return Handshake::Refused(StatusCode::UPGRADE_REQUIRED, fault);
    }
    match only(headers, SEC_WEBSOCKET_KEY) {
        Some(key) if STANDARD.decode(key).is_ok_and(|key| key.len() == KEY_BYTES) => {
            Handshake::Accepted(accept_key(key))
        }
        _ => refused("sec-websocket-key is not 16 bytes in base64"),
    }
}

/// Returns the proof that the server has read the client's key.
fn accept_key(key: &[u8]) -> String {
    const SUFFIX: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    STANDARD.encode(Sha1::digest([key, SUFFIX].concat()))
}

/// Returns whether a list in a header contains `token`, in any case.
fn has_token(headers: &HeaderMap, name: impl AsHeaderName, token: &str) -> bool {
    let lists = headers.get_all(name).into_iter();
    lists
        .flat_map(|list| list.as_bytes().split(|&byte| byte == b','))
        .any(|one| one.trim_ascii().eq_ignore_ascii_case(token.as_bytes()))
}

/// Returns the value of a header that is given once.
fn only(headers: &HeaderMap, name: impl AsHeaderName) -> Option<&[u8]> {
    let mut values = headers.get_all(name).into_iter();
    let value = values.next()?;
    values
        .next()
        .is_none()
        .then(|| value.as_bytes().trim_ascii())
}
