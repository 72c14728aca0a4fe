//! All matches of patterns in a session's output, one after another, each with its line.

use super::expect::{PAUSE, pattern, read_text};
use crate::live::error::SessionError;
use crate::live::registry::Sessions;
use crate::live::session::Session;
use crate::output::Piece;
use ccd_protocol::session::Pattern as WirePattern;
use ccd_text::expect::{Hit, Matcher, Pattern, PatternError, Patterns, clean_lossy};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

const PIECE_BYTES: usize = 64 << 10;

/// Bytes of output that are searched at a time: what follows a match is searched again.
const SEARCHED_BYTES: usize = 1 << 10;

/// Maximum bytes of a line before and after a match.
const LINE_BYTES: usize = 4000;

/// How long to wait for the rest of a match's line.
const LINE_WAIT: Duration = Duration::from_millis(10);

/// Prefix for each expression: `^` and `$` match at the start and end of each line.
const BY_LINES: &str = "(?m)";

/// A search that continues after each match.
pub struct PatternHits {
    session: Arc<Session>,
    patterns: Arc<Patterns>,
    at: u64,
    /// The text before `at` in its line.
    line: String,
    /// Output that was read last, so that files are not read again for each match.
    piece: Vec<u8>,
    piece_start: u64,
}

#[derive(Debug)]
pub struct LineHit {
    pub index: usize,
    /// The line or lines with the match, as far as they have arrived.
    pub text: String,
    pub matched: Range<usize>,
    /// Positions of the groups in `text`; `None` if a group took no part.
    pub groups: Vec<Option<Range<usize>>>,
    /// Position of the line in `text`, at most [`LINE_BYTES`] before the match's end and after it.
    pub line: Range<usize>,
    pub start: u64,
    pub end: u64,
}

impl Sessions {
    /// Compiles patterns for text with lines: `^` and `$` match at the start and end of each line.
    pub async fn line_patterns(&self, list: &[WirePattern]) -> Result<Arc<Patterns>, SessionError> {
        let by_lines = list.iter().map(|wire| match pattern(wire) {
            Pattern::Regex(regex) => Pattern::Regex(format!("{BY_LINES}{regex}")),
            other => other,
        });
        let compiled = self.services.compiled(by_lines.collect(), false).await;
        compiled.map_err(|error| match error {
            SessionError::Pattern(PatternError::Syntax { index, at, message }) => {
                let at = at.saturating_sub(BY_LINES.len());
                SessionError::Pattern(PatternError::Syntax { index, at, message })
            }
            other => other,
        })
    }
}

impl PatternHits {
    pub fn new(session: Arc<Session>, patterns: Arc<Patterns>, from: u64) -> Self {
        Self {
            session,
            patterns,
            at: from,
            line: String::new(),
            piece: Vec::new(),
            piece_start: 0,
        }
    }

    /// Waits for the next match; `None` if the session has ended without one.
    pub async fn next(&mut self) -> Result<Option<LineHit>, SessionError> {
        let Some(hit) = self.find().await? else {
            return Ok(None);
        };
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let matched = text(&hit.matched);
        self.line.push_str(&text(&hit.before));
        self.line.push_str(&matched);
        let rest = self.rest_of_line(hit.end).await;
        let first = self.line.len() - matched.len();
        let begin = self.line[..first].rfind('\n').map_or(0, |at| at + 1);
        let before = last_of(&self.line[begin..first]);
        let at = before.len();
        let matched_end = at + matched.len();
        let text = format!("{before}{matched}{rest}");
        let line = matched_end - last_of(&text[..matched_end]).len()..text.len();
        let place = |group: &Range<usize>| {
            let place = |offset: usize| text.floor_char_boundary(at + offset.min(matched.len()));
            place(group.start)..place(group.end)
        };
        let groups = hit.group_places.iter();
        let groups = groups.map(|group| group.as_ref().map(place)).collect();
        // Skip one byte after an empty match, which would be found again.
        self.at = hit.end + u64::from(hit.end == hit.start);
        let begun = self.line.rfind('\n').map_or(0, |at| at + 1);
        self.line = last_of(&self.line[begun..]).to_owned();
        Ok(Some(LineHit {
            index: hit.index,
            text,
            matched: at..matched_end,
            groups,
            line,
            start: hit.start,
            end: hit.end,
        }))
    }

    async fn find(&mut self) -> Result<Option<Hit>, SessionError> {
        let session = Arc::clone(&self.session);
        let patterns = Arc::clone(&self.patterns);
        let search = |from| Matcher::new(Arc::clone(&patterns), from, session.facts.encoding);
        let mut matcher = search(self.at);
        let mut searched_bytes = 0;
        loop {
            let changed = session.output.changed();
            match self.read(matcher.position()).await? {
                Piece::Bytes(bytes) => {
                    if let Some(hit) = matcher.feed(&bytes) {
                        return Ok(Some(hit));
                    }
                    // Give other sessions their turn.
                    searched_bytes += bytes.len();
                    if searched_bytes >= PIECE_BYTES {
                        searched_bytes = 0;
                        tokio::task::yield_now().await;
                    }
                }
                Piece::Missing { resume } => {
                    self.line.clear();
                    matcher = search(resume);
                }
                Piece::End => return Ok(matcher.pause()),
                Piece::Pending if matcher.undecided() => {
                    if tokio::time::timeout(PAUSE, changed).await.is_err()
                        && let Some(hit) = matcher.pause()
                    {
                        return Ok(Some(hit));
                    }
                }
                Piece::Pending => changed.await,
            }
        }
    }

    /// Returns the output from `at` on: the part that was already read, else what is available.
    async fn read(&mut self, at: u64) -> Result<Piece, SessionError> {
        if let known @ [_, ..] = self.known(at) {
            let known = &known[..known.len().min(SEARCHED_BYTES)];
            return Ok(Piece::Bytes(known.to_vec()));
        }
        let mut piece = self.session.read_piece(at, PIECE_BYTES).await?;
        if let Piece::Bytes(bytes) = &mut piece {
            self.piece.clone_from(bytes);
            self.piece_start = at;
            bytes.truncate(SEARCHED_BYTES);
        }
        Ok(piece)
    }

    /// Returns what was already read from `at` on.
    fn known(&self, at: u64) -> &[u8] {
        let skip = at.checked_sub(self.piece_start);
        let skip = skip.and_then(|skip| usize::try_from(skip).ok());
        skip.and_then(|skip| self.piece.get(skip..))
            .unwrap_or_default()
    }

    /// Returns the rest of the line after `from` if all of it was read; `None` if it may continue.
    fn known_rest(&self, from: u64) -> Option<String> {
        let known = self.known(from);
        let known = &known[..known.len().min(LINE_BYTES)];
        if known.len() < LINE_BYTES && !known.contains(&b'\n') {
            return None;
        }
        let text = clean_lossy(known, self.session.facts.encoding);
        let line = text.split('\n').next().unwrap_or_default();
        // In some encodings this byte is not a line end.
        (line.len() < text.len() || known.len() == LINE_BYTES).then(|| line.to_owned())
    }

    /// Returns the text after `from` in its line, without the line end.
    async fn rest_of_line(&self, from: u64) -> String {
        if let Some(rest) = self.known_rest(from) {
            return rest;
        }
        let deadline = Instant::now() + LINE_WAIT;
        loop {
            let changed = self.session.output.changed();
            let end = self.session.output.end().min(from + LINE_BYTES as u64);
            let text = read_text(&self.session, from, end).await;
            let line = text.split('\n').next().unwrap_or_default();
            let is_whole = line.len() < text.len() || text.len() >= LINE_BYTES;
            let waited = || tokio::time::timeout_at(deadline, changed);
            if is_whole || self.session.is_dead() || waited().await.is_err() {
                return line.to_owned();
            }
        }
    }
}

/// Returns the last [`LINE_BYTES`] of a text, in whole characters.
fn last_of(text: &str) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(LINE_BYTES))..]
}
