//! From a line to a request.

use super::fault::Fault;
use crate::peer::Peer;
use ccd_protocol::{Caller, PROTOCOL_VERSION};
use jsonrpsee::core::middleware::{Batch, BatchEntry, BatchEntryErr, Notification};
use jsonrpsee::types::{Extensions, Id, InvalidRequest, Request, TwoPointZero};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// What a line turned out to be.
pub(super) enum Message<'a> {
    /// One request or notification.
    Single(BatchEntry<'a>),
    /// Several, wrong ones among them with their error.
    Batch(Batch<'a>),
    /// Nothing that can be executed; the fault is answered to the id.
    Wrong(Id<'a>, Fault),
}

/// Parses `line`.
///
/// Of a batch no more than `batch_limit` + 1 entries are kept, which is enough to refuse it. A
/// request that names its client gets a [`Peer`] of that name.
pub(super) fn parse<'a>(line: &'a str, peer: &Peer, batch_limit: usize) -> Message<'a> {
    if !line.trim_ascii_start().starts_with('[') {
        return match parse_entry(line, peer) {
            Ok(entry) => Message::Single(entry),
            Err((id, fault)) => Message::Wrong(id, fault),
        };
    }
    let parse = |json: &'a RawValue| {
        parse_entry(json.get(), peer).map_err(|(id, fault)| BatchEntryErr::new(id, fault.into()))
    };
    match elements(line, batch_limit + 1) {
        Ok(elements) => Message::Batch(Batch::from(elements.into_iter().map(parse).collect())),
        Err(error) => Message::Wrong(Id::Null, Fault::NotJson(error)),
    }
}

/// The members of a request that mean something; others are ignored.
#[derive(Deserialize)]
struct Envelope<'a> {
    jsonrpc: TwoPointZero,
    /// `None` when absent: `null` is an id, though a poor one.
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<Id<'a>>,
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    ccd: Option<Caller>,
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Id<'de>>, D::Error> {
    Id::deserialize(deserializer).map(Some)
}

fn parse_entry<'a>(json: &'a str, peer: &Peer) -> Result<BatchEntry<'a>, (Id<'a>, Fault)> {
    let envelope: Envelope<'a> = serde_json::from_str(json).map_err(|error| wrong(json, error))?;
    let mut extensions = Extensions::new();
    if let Some(Caller { protocol, client }) = envelope.ccd {
        if protocol != PROTOCOL_VERSION {
            let fault = Fault::Version {
                client,
                theirs: protocol,
            };
            return Err((envelope.id.unwrap_or(Id::Null), fault));
        }
        extensions.insert(peer.named(&client));
    }
    let Envelope {
        jsonrpc, method, ..
    } = envelope;
    let params = envelope.params.map(Cow::Borrowed);
    Ok(match envelope.id {
        Some(id) => BatchEntry::Call(Request {
            jsonrpc,
            id,
            method,
            params,
            extensions,
        }),
        None => {
            let mut notification = Notification::new(method, params);
            notification.extensions = extensions;
            BatchEntry::Notification(notification)
        }
    })
}

/// Tells JSON of the wrong shape, which may have an id to answer to, from no JSON at all.
fn wrong(json: &str, error: serde_json::Error) -> (Id<'_>, Fault) {
    if error.classify() != Category::Data {
        return (Id::Null, Fault::NotJson(error));
    }
    // The first wrong member ended the parsing: what follows may be broken as well.
    if let Err(error) = serde_json::from_str::<IgnoredAny>(json) {
        return (Id::Null, Fault::NotJson(error));
    }
    let id = serde_json::from_str(json).map_or(Id::Null, |request: InvalidRequest<'_>| request.id);
    (id, Fault::NotARequest(error))
}

/// Returns the elements of the array `json`, at most `limit` of them, having read it to its end.
fn elements(json: &str, limit: usize) -> Result<Vec<&RawValue>, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let elements = AtMost(limit).deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(elements)
}

/// Keeps no more elements than this: a frame has room for millions.
struct AtMost(usize);

impl<'de> DeserializeSeed<'de> for AtMost {
    type Value = Vec<&'de RawValue>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for AtMost {
    type Value = Vec<&'de RawValue>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a batch of requests")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut elements = Vec::new();
        while elements.len() < self.0 {
            match seq.next_element()? {
                Some(element) => elements.push(element),
                None => return Ok(elements),
            }
        }
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(elements)
    }
}
