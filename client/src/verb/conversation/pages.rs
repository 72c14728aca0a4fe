//! The turns of a conversation in reading order, requested page by page.

use super::{fetch_mended, with};
use crate::Failure;
use crate::call::DaemonAddress;
use crate::fields::Fields as _;
use crate::render::Spoken;
use serde_json::{Value, json};
use std::collections::HashMap;

/// Turns in the first page, which is on the screen before the next one is requested.
const FIRST_PAGE: u64 = 100;

/// An iterator over turns. It ends early if a page cannot be had; [`Pages::end`] says why.
pub(super) struct Pages {
    place: DaemonAddress,
    params: Value,
    turns: std::vec::IntoIter<Value>,
    /// Calls made in the turns of the page.
    pairs: HashMap<String, Value>,
    next: Option<u64>,
    failure: Option<Failure>,
}

impl Pages {
    /// Requests the first page. Returns what it says about the conversation, and all turns.
    pub(super) fn start(params: &Value, place: DaemonAddress) -> Result<(Value, Self), Failure> {
        let mut pages = Self {
            place,
            params: with(params, json!({"nested": true, "limit": FIRST_PAGE})),
            turns: Vec::new().into_iter(),
            pairs: HashMap::new(),
            next: None,
            failure: None,
        };
        let about = pages.request()?;
        pages.params["limit"] = Value::Null;
        Ok((about, pages))
    }

    /// Returns why the turns ended early, if they did.
    pub(super) fn end(self) -> Result<(), Failure> {
        self.failure.map_or(Ok(()), Err)
    }

    fn request(&mut self) -> Result<Value, Failure> {
        let mut reply = fetch_mended(&self.place, "conversation.get", &self.params)?;
        let mut take = |name: &str| match reply[name].take() {
            Value::Array(items) => items,
            _ => Vec::new(),
        };
        let pairs = take("pairs").into_iter();
        self.pairs = pairs
            .map(|pair| (pair.text("toolUse.id").to_owned(), pair))
            .collect();
        self.turns = take("turns").into_iter();
        self.next = reply["next"].as_u64();
        Ok(reply)
    }
}

impl Iterator for Pages {
    type Item = Spoken;

    fn next(&mut self) -> Option<Spoken> {
        loop {
            if let Some(turn) = self.turns.next() {
                return Some(Spoken::of(turn, &mut self.pairs));
            }
            self.params["from"] = self.next.take()?.into();
            if let Err(failure) = self.request() {
                self.failure = Some(failure);
                return None;
            }
        }
    }
}
