//! Which parts of a session's output are standard error.

use crate::live::session::Session;
use ccd_tape::format::Stream;
use ccd_terminal::piped::{Marks, StreamPart};
use parking_lot::Mutex;
use std::io;
use std::sync::Arc;

/// The marks of a session over pipes, as far as they were requested.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    marks: Arc<Mutex<Marks>>,
}

impl Session {
    /// Returns which parts of the output `[from, upto)` are standard error: the first offset and the one after.
    pub async fn stderr(&self, from: u64, upto: u64) -> Vec<[u64; 2]> {
        if !self.may_have_marks() {
            return Vec::new();
        }
        let parts = self.marked(from, upto).await.into_iter();
        let stderr = parts.filter(|part| part.stream == Stream::Stderr);
        stderr.map(|part| [part.from, part.upto]).collect()
    }

    /// For a session of an earlier daemon, the database does not say whether it ran over pipes.
    fn may_have_marks(&self) -> bool {
        self.facts.pipes || self.facts.slot.is_none()
    }

    /// Returns output that was read from the offset `from` on, split where its stream changes.
    pub async fn parts(&self, from: u64, bytes: &[u8]) -> Vec<(Stream, Vec<u8>)> {
        if !self.may_have_marks() {
            return vec![(Stream::Stdout, bytes.to_vec())];
        }
        let at = |offset: u64| usize::try_from(offset - from).unwrap_or(bytes.len());
        let parts = self.marked(from, from + bytes.len() as u64).await;
        let cut = |part: StreamPart| (part.stream, bytes[at(part.from)..at(part.upto)].to_vec());
        parts.into_iter().map(cut).collect()
    }

    /// If the marks cannot be read, everything counts as standard output.
    async fn marked(&self, from: u64, upto: u64) -> Vec<StreamPart> {
        let folder = self.output.dir().to_owned();
        let marks = Arc::clone(&self.streams.marks);
        let found = tokio::task::spawn_blocking(move || {
            let mut marks = marks.lock();
            let followed = marks.follow(&folder);
            (marks.parts(from, upto), followed)
        });
        let (parts, followed) = found.await.unwrap_or_else(|error| {
            let parts = Marks::default().parts(from, upto);
            (parts, Err(io::Error::other(error)))
        });
        if let Err(error) = followed {
            tracing::error!(session = %self.id(), %error, "could not tell standard error from standard output");
        }
        parts
    }
}
