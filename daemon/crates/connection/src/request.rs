//! Parses a message into a request.

use super::fault::Fault;
use ccd_protocol::{Caller, PROTOCOL_VERSION};
use ccd_session::peer::Peer;
use jsonrpsee::core::middleware::{Batch, BatchEntry, BatchEntryErr, Notification};
use jsonrpsee::types::{Extensions, Id, InvalidRequest, Request, TwoPointZero};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, SeqAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;
use std::borrow::Cow;

pub(super) enum Parsed<'a> {
    Single(BatchEntry<'a>),
    /// Several messages; invalid ones are kept as their error.
    Batch(Batch<'a>),
    /// Not executable; the fault is sent as the reply to the id.
    Wrong(Id<'a>, Fault),
}

/// Parses `text`.
/// At most `batch_limit` + 1 entries of a batch are kept, which is enough to refuse it. A request that names its client
/// gets a [`Peer`] with that name.
pub(super) fn parse<'a>(text: &'a str, peer: &Peer, batch_limit: usize) -> Parsed<'a> {
    if !text.trim_ascii_start().starts_with('[') {
        return match parse_entry(text, peer) {
            Ok(entry) => Parsed::Single(entry),
            Err((id, fault)) => Parsed::Wrong(id, fault),
        };
    }
    let parse = |json: &'a RawValue| {
        parse_entry(json.get(), peer).map_err(|(id, fault)| BatchEntryErr::new(id, fault.into()))
    };
    match elements(text, batch_limit + 1) {
        Ok(elements) => Parsed::Batch(Batch::from(elements.into_iter().map(parse).collect())),
        Err(error) => Parsed::Wrong(Id::Null, Fault::NotJson(error)),
    }
}

/// A message of more bytes than this is parsed on a thread for it, because the others would notice the time.
pub(crate) const LARGE_BYTES: usize = 256 << 10;

/// Parses a large message, which need not be UTF-8. The caller is on a thread that may be busy for a while.
pub(super) fn parse_large(
    bytes: Vec<u8>,
    peer: &Peer,
    batch_limit: usize,
) -> Result<Parsed<'static>, Fault> {
    let text = String::from_utf8(bytes).map_err(|_| Fault::NotUtf8)?;
    Ok(match parse(&text, peer, batch_limit) {
        Parsed::Single(entry) => Parsed::Single(owned(entry)),
        Parsed::Batch(batch) => {
            let entries = batch.into_iter().map(|entry| {
                entry.map(owned).map_err(|error| {
                    let (error, id) = error.into_parts();
                    BatchEntryErr::new(id.into_owned(), error.into_owned())
                })
            });
            Parsed::Batch(Batch::from(entries.collect()))
        }
        Parsed::Wrong(id, fault) => Parsed::Wrong(id.into_owned(), fault),
    })
}

/// Returns the same entry without borrowing from the message.
fn owned(entry: BatchEntry<'_>) -> BatchEntry<'static> {
    match entry {
        BatchEntry::Call(request) => BatchEntry::Call(Request {
            jsonrpc: request.jsonrpc,
            id: request.id.into_owned(),
            method: request.method.into_owned().into(),
            params: request.params.map(|params| Cow::Owned(params.into_owned())),
            extensions: request.extensions,
        }),
        BatchEntry::Notification(notification) => {
            let params = notification
                .params
                .map(|params| Cow::Owned(params.into_owned()));
            let mut owned = Notification::new(notification.method.into_owned().into(), params);
            owned.extensions = notification.extensions;
            BatchEntry::Notification(owned)
        }
    }
}

/// The known members of a request; others are ignored.
#[derive(Deserialize)]
struct Envelope<'a> {
    jsonrpc: TwoPointZero,
    /// `None` if absent; `null` is a valid id.
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<Id<'a>>,
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    ccd: Option<Caller>,
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Id<'de>>, D::Error> {
    deserializer.deserialize_any(IdVisitor).map(Some)
}

/// Reads an id in one step: the derived code tries its forms in turn, and each failure allocates a message.
struct IdVisitor;

impl<'de> Visitor<'de> for IdVisitor {
    type Value = Id<'de>;

    fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("an id: a string, a whole number of 0 or more, or null")
    }

    fn visit_unit<E>(self) -> Result<Id<'de>, E> {
        Ok(Id::Null)
    }

    fn visit_u64<E>(self, number: u64) -> Result<Id<'de>, E> {
        Ok(Id::Number(number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Id<'de>, E> {
        Ok(Id::Str(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Id<'de>, E> {
        Ok(Id::Str(Cow::Owned(text.to_owned())))
    }
}

fn parse_entry<'a>(json: &'a str, peer: &Peer) -> Result<BatchEntry<'a>, (Id<'a>, Fault)> {
    let envelope = if json.trim_ascii_start().starts_with('[') {
        // The derived code would take its items for the members.
        Err(serde_json::Error::custom(
            "invalid type: sequence, expected an object",
        ))
    } else {
        serde_json::from_str::<Envelope<'a>>(json)
    };
    let envelope = envelope.map_err(|error| wrong(json, error))?;
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

/// Distinguishes JSON of the wrong shape, which may contain an id for the reply, from text that is not JSON.
fn wrong(json: &str, error: serde_json::Error) -> (Id<'_>, Fault) {
    if error.classify() != Category::Data {
        return (Id::Null, Fault::NotJson(error));
    }
    // Parsing stopped at the first invalid member; the text after it may be invalid too.
    if let Err(error) = serde_json::from_str::<IgnoredAny>(json) {
        return (Id::Null, Fault::NotJson(error));
    }
    let id = serde_json::from_str(json).map_or(Id::Null, |request: InvalidRequest<'_>| request.id);
    (id, Fault::NotARequest(error))
}

/// Parses the whole array `json` and returns at most `limit` of its elements.
fn elements(json: &str, limit: usize) -> Result<Vec<&RawValue>, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let elements = AtMost(limit).deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(elements)
}

/// Keeps no more elements than this, because a frame can contain millions.
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
