//! What the next worker must know of a conversation in MCP.

use ccd_protocol::mcp::Resume;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// Requests without a reply that are kept; the daemon refuses more than it can have in flight.
const MAX_UNANSWERED: usize = 1024;

/// What the client has said and was not answered, and what stays in force.
#[derive(Debug, Default)]
pub(super) struct Pending {
    initialize: Option<Box<RawValue>>,
    /// Addresses of resources.
    subscriptions: Vec<String>,
    /// By id, as the client wrote it, in the order of their arrival.
    unanswered: Vec<(String, Box<RawValue>)>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Named<'a> {
    #[serde(borrow)]
    uri: Option<Cow<'a, str>>,
    #[serde(rename = "requestId", borrow)]
    request_id: Option<&'a RawValue>,
}

impl Pending {
    pub(super) fn sent(&mut self, line: &[u8]) {
        let Ok(message) = serde_json::from_slice::<Message<'_>>(line) else {
            return;
        };
        match (message.id, message.method.as_deref()) {
            (Some(id), Some(_)) if self.unanswered.len() < MAX_UNANSWERED => {
                if let Ok(whole) = serde_json::from_slice(line) {
                    self.unanswered.push((id.get().to_owned(), whole));
                }
            }
            (None, Some("notifications/cancelled")) => {
                let named = message.params.and_then(named);
                if let Some(id) = named.and_then(|named| named.request_id) {
                    self.take(id.get());
                }
            }
            _ => {}
        }
    }

    /// Notes a message of the daemon. Returns whether it is the reply to a request.
    pub(super) fn received(&mut self, line: &[u8]) -> bool {
        let Ok(message) = serde_json::from_slice::<Message<'_>>(line) else {
            return false;
        };
        let (Some(id), None) = (message.id, &message.method) else {
            return false;
        };
        let Some(request) = self.take(id.get()) else {
            return false;
        };
        if message.error.is_none() {
            self.succeeded(request);
        }
        true
    }

    fn succeeded(&mut self, request: Box<RawValue>) {
        let Ok(message) = serde_json::from_str::<Message<'_>>(request.get()) else {
            return;
        };
        let uri = || message.params.and_then(named)?.uri.map(Cow::into_owned);
        match message.method.as_deref() {
            Some("initialize") => self.initialize = Some(request),
            Some("resources/subscribe") => self.subscriptions.extend(uri()),
            Some("resources/unsubscribe") => {
                let ended = uri();
                self.subscriptions.retain(|uri| Some(uri) != ended.as_ref());
            }
            _ => {}
        }
    }

    fn take(&mut self, id: &str) -> Option<Box<RawValue>> {
        let at = self.unanswered.iter().position(|(known, _)| known == id)?;
        Some(self.unanswered.remove(at).1)
    }

    pub(super) fn has_no_request(&self) -> bool {
        self.unanswered.is_empty()
    }

    pub(super) fn take_unanswered(&mut self) -> Vec<Box<RawValue>> {
        let taken = std::mem::take(&mut self.unanswered);
        taken.into_iter().map(|(_, request)| request).collect()
    }

    /// Forgets the requests without a reply, and returns an error for each.
    pub(super) fn give_up(&mut self, why: &str) -> Vec<String> {
        let taken = std::mem::take(&mut self.unanswered);
        let why = serde_json::Value::from(why);
        let reply = |(id, _): &(String, _)| {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32000,"message":{why}}}}}"#)
        };
        taken.iter().map(reply).collect()
    }

    pub(super) fn resume(&self) -> Resume {
        let unanswered = self.unanswered.iter().map(|(_, request)| request.clone());
        Resume {
            initialize: self.initialize.clone(),
            subscriptions: self.subscriptions.clone(),
            unanswered: unanswered.collect(),
        }
    }
}

fn named(params: &RawValue) -> Option<Named<'_>> {
    serde_json::from_str(params.get()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_reply_is_not_sent_again() {
        let mut pending = Pending::default();
        for line in [
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{}}"#,
            r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{}}"#,
            "not JSON",
        ] {
            pending.sent(line.as_bytes());
        }
        pending.received(br#"{"jsonrpc":"2.0","id":0,"result":{}}"#);
        pending.received(br#"{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":""}}"#);
        pending.received(br#"{"jsonrpc":"2.0","method":"notifications/progress","params":{}}"#);
        pending.sent(
            br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}"#,
        );
        let resume = pending.resume();
        assert!(resume.initialize.unwrap().get().contains("initialize"));
        assert_eq!(resume.unanswered.len(), 1);
        assert!(resume.unanswered[0].get().contains("\"a\""));
    }

    #[test]
    fn subscriptions_stay_in_force() {
        let mut pending = Pending::default();
        let mut done = |method: &str, uri: &str| {
            let line = format!(r#"{{"id":1,"method":"{method}","params":{{"uri":"{uri}"}}}}"#);
            pending.sent(line.as_bytes());
            pending.received(br#"{"id":1,"result":{}}"#);
        };
        done("resources/subscribe", "ccd://a");
        done("resources/subscribe", "ccd://b");
        done("resources/unsubscribe", "ccd://a");
        assert_eq!(pending.resume().subscriptions, ["ccd://b"]);
    }
}
