//! One request: its checks, its body, and the response.

use super::handshake::{Handshake, WEBSOCKET_VERSION, handshake};
use crate::fault::Fault;
use crate::guard::Guard;
use crate::intake::Admission;
use crate::outgoing::Message;
use crate::request::{LARGE_BYTES, Parsed, parse_large};
use crate::service::{carry_out, complaint};
use crate::shared::Shared;
use bytes::Bytes;
use ccd_store::blocking;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Incoming};
use hyper::header::{
    ALLOW, CONNECTION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, ORIGIN,
    SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use hyper::{Method, Request, StatusCode};
use serde_json::value::RawValue;
use std::error::Error as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio_util::task::TaskTracker;

pub(super) type Response = hyper::Response<Full<Bytes>>;

pub(super) struct Posts {
    pub(super) service: Guard,
    /// Calls run as tasks, because a notification may outlive its connection for the grace period.
    pub(super) calls: TaskTracker,
    pub(super) is_upgraded: AtomicBool,
}

impl Posts {
    pub(super) async fn respond(self: Arc<Self>, request: Request<Incoming>) -> Response {
        // A browser sends it with whatever a page may send to another host.
        if request.headers().contains_key(ORIGIN) {
            return refusal(StatusCode::FORBIDDEN, Fault::Origin);
        }
        match handshake(request.method(), request.version(), request.headers()) {
            Handshake::Accepted(key) => {
                self.is_upgraded.store(true, Ordering::Relaxed);
                switching(&key)
            }
            Handshake::Refused(status, fault) => refusal(status, fault),
            Handshake::None if request.method() != Method::POST => {
                let fault = Fault::HttpMethod(request.method().to_string());
                refusal(StatusCode::METHOD_NOT_ALLOWED, fault)
            }
            Handshake::None if !is_json(request.headers()) => {
                refusal(StatusCode::UNSUPPORTED_MEDIA_TYPE, Fault::ContentType)
            }
            Handshake::None => match self.body(request.into_body()).await {
                Ok((body, admission)) => self.carry_out(body, admission).await,
                Err((status, fault)) => refusal(status, fault),
            },
        }
    }

    async fn body(
        &self,
        mut body: Incoming,
    ) -> Result<(Vec<u8>, Option<Admission>), (StatusCode, Fault)> {
        let shared = &self.service.shared;
        let limit_bytes = shared.limits.frame_bytes;
        let too_large = || {
            let fault = Fault::FrameTooLong { limit_bytes };
            (StatusCode::PAYLOAD_TOO_LARGE, fault)
        };
        if body.size_hint().lower() > limit_bytes as u64 {
            return Err(too_large());
        }
        let no_memory = |fault| (StatusCode::SERVICE_UNAVAILABLE, fault);
        let (requests, connection) = (&shared.budget.requests, shared.peer.connection);
        let mut unfinished = requests.begin(connection, shared.limits);
        let mut text = Vec::new();
        loop {
            let frame = tokio::select! {
                frame = body.frame() => frame,
                () = unfinished.dropped() => {
                    unfinished.count(text.len()).map_err(no_memory)?;
                    continue;
                }
            };
            let Some(frame) = frame else { break };
            let frame = frame.map_err(|error| {
                // hyper's own message only says that reading failed.
                let cause = error.source();
                let why = cause.map_or_else(|| error.to_string(), ToString::to_string);
                (StatusCode::BAD_REQUEST, Fault::BrokenBody(why))
            })?;
            let data = frame.into_data().unwrap_or_default();
            if data.len() > limit_bytes - text.len() {
                return Err(too_large());
            }
            text.extend_from_slice(&data);
            unfinished.count(text.len()).map_err(no_memory)?;
        }
        let admission = unfinished.complete(text.len()).map_err(no_memory)?;
        Ok((text, admission))
    }

    async fn carry_out(&self, body: Vec<u8>, admission: Option<Admission>) -> Response {
        let reply = reply(self.service.clone(), body, admission);
        match self.calls.spawn(reply).await {
            Ok(Ok(Some(reply))) => json(StatusCode::OK, reply),
            Ok(Ok(None)) => json(StatusCode::OK, RawValue::NULL.to_owned().into()),
            Ok(Err(fault)) => refusal(StatusCode::BAD_REQUEST, fault),
            Err(_) => refusal(StatusCode::INTERNAL_SERVER_ERROR, Fault::Panicked),
        }
    }
}

async fn reply(
    service: Guard,
    body: Vec<u8>,
    _admission: Option<Admission>,
) -> Result<Option<Message>, Fault> {
    let Shared { peer, limits, .. } = &*service.shared;
    let (peer, batch_limit, len) = (peer.clone(), limits.batch, body.len());
    let parse = move || parse_large(body, &peer, batch_limit);
    let parsed = if len > LARGE_BYTES {
        blocking(parse).await?
    } else {
        parse()?
    };
    match parsed {
        Parsed::Wrong(_, fault @ Fault::NotJson(_)) => Err(fault),
        parsed => Ok(carry_out(&service, parsed).await),
    }
}

pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let declared = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    let kind = declared.and_then(|value| value.split(|&byte| byte == b';').next());
    kind.is_some_and(|kind| {
        let kind = kind.trim_ascii();
        kind.eq_ignore_ascii_case(b"application/json")
            || kind.eq_ignore_ascii_case(b"application/json-rpc")
    })
}

fn json(status: StatusCode, body: Message) -> Response {
    let mut response = Response::new(Full::new(body.into_bytes()));
    *response.status_mut() = status;
    set(
        &mut response,
        CONTENT_TYPE,
        "application/json; charset=utf-8",
    );
    response
}

/// The response to a request that reached no handler.
fn refusal(status: StatusCode, fault: Fault) -> Response {
    let mut response = json(status, complaint(fault).into());
    match status {
        StatusCode::METHOD_NOT_ALLOWED => set(&mut response, ALLOW, "POST"),
        StatusCode::UPGRADE_REQUIRED => {
            set(&mut response, SEC_WEBSOCKET_VERSION, WEBSOCKET_VERSION);
            set(&mut response, UPGRADE, "websocket");
            set(&mut response, CONNECTION, "upgrade");
        }
        _ => {}
    }
    response
}

fn switching(key: &str) -> Response {
    let mut response = Response::new(Full::default());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    set(&mut response, UPGRADE, "websocket");
    set(&mut response, CONNECTION, "upgrade");
    if let Ok(key) = HeaderValue::from_str(key) {
        response.headers_mut().insert(SEC_WEBSOCKET_ACCEPT, key);
    }
    response
}

fn set(response: &mut Response, name: HeaderName, value: &'static str) {
    let value = HeaderValue::from_static(value);
    response.headers_mut().insert(name, value);
}
