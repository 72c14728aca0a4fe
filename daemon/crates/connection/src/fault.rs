//! Errors of the transport itself: what was wrong with a message, or which limit it reached.

use ccd_protocol::{ErrorCode, ErrorData, ErrorObject, PROTOCOL_VERSION, Reportable};
use jsonrpsee::MethodResponse;
use jsonrpsee::types::{ErrorObjectOwned, Id};
use serde_json::Value;

/// A method name in an error message is truncated to this many characters.
const SHOWN_NAME_CHARS: usize = 64;

/// Why a message did not reach a handler, or its reply did not reach the client.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    #[error("the message is not UTF-8")]
    NotUtf8,
    #[error("the message is not JSON: {0}")]
    NotJson(serde_json::Error),
    #[error("the body of the HTTP request cannot be read: {0}")]
    BrokenBody(String),
    #[error("{0} requests are not served")]
    HttpMethod(String),
    #[error("the request has the header origin, so it comes from a web page")]
    Origin,
    #[error("the body is not declared as JSON")]
    ContentType,
    #[error("not a WebSocket handshake: {0}")]
    Handshake(&'static str),
    #[error("not a JSON-RPC 2.0 request: {0}")]
    NotARequest(serde_json::Error),
    #[error("the batch is empty")]
    EmptyBatch,
    #[error("no method is named {0:?}")]
    NoMethod(String),
    #[error("{0:?} was not accepted; plain HTTP cannot carry subscriptions")]
    NoSubscription(&'static str),
    #[error("internal error")]
    Panicked,
    #[error("the request is longer than {limit_bytes} bytes")]
    FrameTooLong { limit_bytes: usize },
    #[error("the requests of all clients together take {limit_bytes} bytes, which is the limit")]
    RequestMemory { limit_bytes: usize },
    #[error("the batch has more than {limit} entries")]
    BatchTooLong { limit: usize },
    #[error("{limit} calls on this connection are still unanswered, which is the limit")]
    InFlight { limit: usize },
    #[error("{limit} connections are open, which is the limit")]
    Connections { limit: usize },
    #[error("this connection has {limit} subscriptions, which is the limit")]
    Subscriptions { limit: u32 },
    #[error("the reply is longer than {limit_bytes} bytes")]
    ReplyTooLarge { limit_bytes: usize },
    #[error("not finished: the worker is handing over to another one")]
    HandedOver { repeatable: bool },
    #[error(
        "client {client:?} speaks protocol {theirs}, but this daemon speaks {PROTOCOL_VERSION}"
    )]
    Version { client: String, theirs: u32 },
}

impl Fault {
    /// The fault for an unknown method; a long name is truncated.
    pub(super) fn no_method(name: &str) -> Self {
        Self::NoMethod(name.chars().take(SHOWN_NAME_CHARS).collect())
    }

    pub(super) fn response(self, id: Id<'_>) -> MethodResponse {
        MethodResponse::error(id, ErrorObjectOwned::from(self))
    }
}

impl Reportable for Fault {
    fn code(&self) -> ErrorCode {
        match self {
            Self::NotUtf8 | Self::NotJson(_) | Self::BrokenBody(_) => ErrorCode::ParseError,
            Self::NotARequest(_)
            | Self::EmptyBatch
            | Self::HttpMethod(_)
            | Self::Origin
            | Self::ContentType
            | Self::Handshake(_) => ErrorCode::InvalidRequest,
            Self::NoMethod(_) => ErrorCode::MethodNotFound,
            Self::NoSubscription(_) => ErrorCode::Unavailable,
            Self::Panicked => ErrorCode::Internal,
            Self::FrameTooLong { .. }
            | Self::BatchTooLong { .. }
            | Self::InFlight { .. }
            | Self::Connections { .. }
            | Self::Subscriptions { .. } => ErrorCode::LimitReached,
            Self::RequestMemory { .. } => ErrorCode::Busy,
            Self::ReplyTooLarge { .. } => ErrorCode::ReplyTooLarge,
            Self::HandedOver { .. } => ErrorCode::HandedOver,
            Self::Version { .. } => ErrorCode::VersionMismatch,
        }
    }

    fn hint(&self) -> Option<&str> {
        Some(match self {
            Self::NotUtf8 | Self::NotJson(_) => {
                "send JSON as UTF-8: one message per line, HTTP body or WebSocket frame"
            }
            Self::BrokenBody(_) => {
                "send as many bytes as content-length says, or well-formed chunks"
            }
            Self::HttpMethod(_) => "send calls with POST, or open a WebSocket with GET",
            Self::Origin => {
                "web pages may not call the daemon; send the request from a program, without this header"
            }
            Self::ContentType => "send the header content-type: application/json",
            Self::Handshake(_) => "open the WebSocket as RFC 6455 says, with version 13",
            Self::NotARequest(_) | Self::EmptyBatch => {
                r#"send {"jsonrpc":"2.0","id":1,"method":"noun.verb","params":{}}"#
            }
            Self::NoMethod(_) => "rpc.discover lists the methods",
            Self::NoSubscription(_) => "send JSON lines or open a WebSocket",
            Self::Panicked => "the daemon's log has the details",
            Self::FrameTooLong { .. } => "send less at a time, or raise limits.frame_bytes",
            Self::RequestMemory { .. } => {
                "the message was dropped: send it again later and without pauses, or in smaller parts"
            }
            Self::BatchTooLong { .. } => "send smaller batches, or raise limits.batch",
            Self::InFlight { .. } => "wait for some replies first, or raise limits.in_flight",
            Self::Connections { .. } => "close some connections, or raise limits.connections",
            Self::Subscriptions { .. } => "unsubscribe first, or use a second connection",
            Self::ReplyTooLarge { .. } => "ask for less at a time, or raise limits.reply_bytes",
            Self::HandedOver { repeatable: true } => "connect again and repeat the call",
            Self::HandedOver { repeatable: false } => {
                "it may have been carried out: connect and check before you call again"
            }
            Self::Version { .. } => {
                "run `ccctl daemon upgrade`, or use the client that came with the daemon"
            }
        })
    }

    /// The limit that was reached, and similar values.
    fn data(&self) -> ErrorData {
        let (name, value): (&str, Value) = match *self {
            Self::FrameTooLong { limit_bytes }
            | Self::RequestMemory { limit_bytes }
            | Self::ReplyTooLarge { limit_bytes } => ("limit_bytes", limit_bytes.into()),
            Self::BatchTooLong { limit }
            | Self::InFlight { limit }
            | Self::Connections { limit } => ("limit", limit.into()),
            Self::Subscriptions { limit } => ("limit", limit.into()),
            Self::HandedOver { repeatable } => ("repeatable", repeatable.into()),
            Self::Version { .. } => ("protocol", PROTOCOL_VERSION.into()),
            _ => return ErrorData::new(),
        };
        ErrorData::from_iter([(name.into(), value)])
    }
}

impl From<Fault> for ErrorObjectOwned {
    fn from(fault: Fault) -> Self {
        let object = ErrorObject::from_error(&fault);
        Self::owned(fault.code() as i32, object.message, object.data)
    }
}
