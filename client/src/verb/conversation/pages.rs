//! The turns of a conversation in reading order, requested page by page.

use crate::Failure;
use crate::call::{DaemonAddress, call_at};
use crate::render::Spoken;
use ccd_protocol::conversation::{
    ConversationExport, ConversationExportParams, ConversationExportReply, ConversationGet,
    ConversationGetReply, ConversationPageParams, ConversationPair,
};
use std::collections::HashMap;
use std::io;

/// Turns in the first page, which is on the screen before the next one is requested.
const FIRST_PAGE: u64 = 100;

/// An iterator over turns. It ends early if a page cannot be had; [`Pages::end`] says why.
pub(super) struct Pages {
    place: DaemonAddress,
    params: ConversationPageParams,
    turns: std::vec::IntoIter<ccd_protocol::conversation::ConversationTurn>,
    /// Calls made in the turns of the page.
    pairs: HashMap<String, ConversationPair>,
    next: Option<u64>,
    failure: Option<Failure>,
}

impl Pages {
    /// Requests the first page. Returns what it says about the conversation, and all turns.
    pub(super) fn start(
        params: ConversationPageParams,
        place: DaemonAddress,
    ) -> Result<(ConversationGetReply, Self), Failure> {
        let mut pages = Self {
            place,
            params: ConversationPageParams {
                nested: true,
                limit: Some(FIRST_PAGE),
                ..params
            },
            turns: Vec::new().into_iter(),
            pairs: HashMap::new(),
            next: None,
            failure: None,
        };
        let about = pages.request()?;
        pages.params.limit = None;
        Ok((about, pages))
    }

    /// Returns why the turns ended early, if they did.
    pub(super) fn end(self) -> Result<(), Failure> {
        self.failure.map_or(Ok(()), Err)
    }

    fn request(&mut self) -> Result<ConversationGetReply, Failure> {
        let mut reply = call_at::<ConversationGet>(&self.place, &self.params)?.value;
        let pairs = std::mem::take(&mut reply.pairs).into_iter();
        self.pairs = pairs.map(|pair| (pair.tool_use.id.clone(), pair)).collect();
        self.turns = std::mem::take(&mut reply.turns).into_iter();
        self.next = reply.next;
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
            self.params.from = Some(self.next.take()?);
            if let Err(failure) = self.request() {
                self.failure = Some(failure);
                return None;
            }
        }
    }
}

/// Requests a conversation part by part, and passes each part to `write`.
pub(super) fn each_part(
    mut params: ConversationExportParams,
    place: &DaemonAddress,
    mut write: impl FnMut(&ConversationExportReply) -> io::Result<()>,
) -> Result<(), Failure> {
    loop {
        let part = call_at::<ConversationExport>(place, &params)?.value;
        write(&part).map_err(Failure::Output)?;
        params.page.from = part.next;
        if params.page.from.is_none() {
            return Ok(());
        }
    }
}
