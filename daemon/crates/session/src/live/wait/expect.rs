//! Waiting for patterns: each call searches at its own pace and reads every byte once.

use crate::durations::Deadline;
use crate::interaction::{HistoryEvent, InputForm};
use crate::live::error::{EndedReport, SessionError, TimeoutReport, describe_end, injected_end};
use crate::live::services::Services;
use crate::live::session::Session;
use crate::output::{PIECE_BYTES, Piece};
use crate::peer::Peer;
use ccd_protocol::Timeout;
use ccd_protocol::session::{ExpectResult, Pattern as WirePattern, SessionExpectParams};
use ccd_text::expect::{
    BEFORE_BYTES, Hit, Matcher, Pattern, PatternError, Patterns, clean_lossy, closest_miss,
};
use futures_util::future::{BoxFuture, FutureExt};
use std::sync::Arc;
use std::time::Duration;

/// If output pauses for this time, a match that could still grow is accepted as it is.
pub(super) const PAUSE: Duration = Duration::from_micros(1500);

/// Maximum lines and bytes of recent output in an error.
const RECENT_LINES: usize = 50;
const RECENT_BYTES: u64 = 32 << 10;

/// Longer lists of patterns are compiled on a blocking thread, so that other requests are not delayed.
const INLINE_PATTERNS: usize = 32;
const INLINE_PATTERN_BYTES: usize = 4 << 10;

pub struct ExpectSearch {
    patterns: Arc<Patterns>,
    from: u64,
    deadline: Deadline,
    warnings: Vec<String>,
    moves_cursor: bool,
}

impl Session {
    pub fn expect<'a>(
        self: &'a Arc<Self>,
        peer: &'a Peer,
        params: &'a SessionExpectParams,
    ) -> BoxFuture<'a, Result<ExpectResult, SessionError>> {
        async move {
            let search = self.search(&params.patterns, params.raw, params.timeout_ms);
            let mut search = search.await?;
            search.from = params.from.unwrap_or_else(|| self.output.cursor());
            search.moves_cursor = params.from.is_none();
            let end = self.output.end();
            if search.from > end {
                return Err(SessionError::InvalidArgument(format!(
                    "from is {}, but the output has only {end} bytes so far",
                    search.from
                )));
            }
            self.run_search(peer, search).await
        }
        .boxed()
    }

    /// Prepares a search; its timeout starts now.
    pub async fn search(
        &self,
        patterns: &[WirePattern],
        raw: bool,
        timeout: Timeout,
    ) -> Result<ExpectSearch, SessionError> {
        let mut warnings = Vec::new();
        let deadline = Deadline::start(timeout, Some(self.facts.timeout), &mut warnings)?;
        let search = self.search_until(patterns, raw, deadline).await?;
        Ok(ExpectSearch { warnings, ..search })
    }

    /// Prepares a search whose timeout has already started.
    pub(crate) async fn search_until(
        &self,
        patterns: &[WirePattern],
        raw: bool,
        deadline: Deadline,
    ) -> Result<ExpectSearch, SessionError> {
        let list: Vec<Pattern> = patterns.iter().map(pattern).collect();
        Ok(ExpectSearch {
            patterns: self.services.compiled(list, raw).await?,
            from: 0,
            deadline,
            warnings: Vec::new(),
            moves_cursor: true,
        })
    }

    /// Searches from `offset` on, for a send that was written there.
    pub(crate) async fn search_from(
        self: &Arc<Self>,
        peer: &Peer,
        mut search: ExpectSearch,
        offset: u64,
    ) -> Result<ExpectResult, SessionError> {
        search.from = offset;
        search.moves_cursor = true;
        self.run_search(peer, search).await
    }

    async fn run_search(
        self: &Arc<Self>,
        peer: &Peer,
        search: ExpectSearch,
    ) -> Result<ExpectResult, SessionError> {
        let found = self.find_match(&search).await;
        match found {
            Ok(result) => {
                if search.moves_cursor {
                    self.output.advance_cursor(result.end);
                }
                let pattern = search.patterns.list().get(result.index);
                self.note(
                    Some(peer),
                    HistoryEvent::Match {
                        pattern: pattern.map_or_else(String::new, pattern_text),
                        form: pattern.map_or(InputForm::Event, form_of),
                        matched: result.matched.clone(),
                        start: result.start,
                        end: result.end,
                    },
                );
                Ok(result)
            }
            Err(error) => {
                let patterns = search.patterns.list().iter().map(pattern_text);
                let patterns = patterns.collect::<Vec<_>>().join("\n");
                let began = search.deadline.started();
                self.note_failure(peer, &error, began, Some(patterns), None);
                Err(error)
            }
        }
    }

    async fn find_match(
        self: &Arc<Self>,
        search: &ExpectSearch,
    ) -> Result<ExpectResult, SessionError> {
        let search_at =
            |from| Matcher::new(Arc::clone(&search.patterns), from, self.facts.encoding);
        let mut matcher = search_at(search.from);
        let look_upto = self.output.end();
        if self.output.published() < look_upto {
            // A program that answers at once has done so: no task needs to be woken.
            self.take_output(usize::MAX);
        }
        loop {
            let changed = self.output.changed();
            let at = matcher.position();
            match self
                .output
                .read(at, PIECE_BYTES)
                .await
                .map_err(SessionError::Files)?
            {
                Piece::Bytes(bytes) => {
                    if let Some(hit) = matcher.feed(&bytes) {
                        return Ok(result_of(hit, &search.warnings));
                    }
                    let looked = !search.deadline.looks_once() || matcher.position() >= look_upto;
                    if looked && search.deadline.is_over() {
                        return self.timed_out(search, &mut matcher).await;
                    }
                    if bytes.len() == PIECE_BYTES {
                        tokio::task::yield_now().await;
                    }
                }
                // A match cannot span lost output.
                Piece::Missing { resume } => matcher = search_at(resume),
                Piece::End => return self.ended(search, &mut matcher).await,
                // In the ring, but not taken from it yet: it counts as output that is available.
                Piece::Pending if at < look_upto => changed.await,
                Piece::Pending if search.deadline.is_over() => {
                    return self.timed_out(search, &mut matcher).await;
                }
                Piece::Pending if matcher.undecided() => {
                    if tokio::time::timeout(PAUSE, changed).await.is_err()
                        && let Some(hit) = matcher.pause()
                    {
                        return Ok(result_of(hit, &search.warnings));
                    }
                }
                Piece::Pending => {
                    let _ = tokio::time::timeout_at(search.deadline.instant(), changed).await;
                }
            }
        }
    }

    /// Accepts a match that could still grow, else the pattern with this index, which matches the empty text.
    async fn accepted(
        &self,
        search: &ExpectSearch,
        matcher: &mut Matcher,
        index: Option<usize>,
    ) -> Option<ExpectResult> {
        if let Some(hit) = matcher.pause() {
            return Some(result_of(hit, &search.warnings));
        }
        Some(self.without_match(search, index?, matcher.position()).await)
    }

    /// Handles the timeout, which may be one of the patterns.
    async fn timed_out(
        self: &Arc<Self>,
        search: &ExpectSearch,
        matcher: &mut Matcher,
    ) -> Result<ExpectResult, SessionError> {
        let index = search.patterns.timeout_index();
        if let Some(accepted) = self.accepted(search, matcher, index).await {
            return Ok(accepted);
        }
        let mut report = self.timeout_report(&search.deadline).await;
        report.closest_miss =
            closest_miss(search.patterns.list(), &report.recent_output).map(|miss| miss.message);
        Err(SessionError::ExpectTimeout(report))
    }

    /// Handles the end: all output was searched and the program has ended.
    async fn ended(
        self: &Arc<Self>,
        search: &ExpectSearch,
        matcher: &mut Matcher,
    ) -> Result<ExpectResult, SessionError> {
        let index = search.patterns.eof_index();
        match self.accepted(search, matcher, index).await {
            Some(accepted) => Ok(accepted),
            None => Err(process_ended(self).await),
        }
    }

    /// Returns the result for `eof` and `timeout`, which match the empty text after everything that was searched.
    async fn without_match(&self, search: &ExpectSearch, index: usize, end: u64) -> ExpectResult {
        let start = search.from.max(end.saturating_sub(BEFORE_BYTES as u64));
        let bytes = self.output.readable(start, end).await;
        let before = if search.patterns.is_raw() {
            String::from_utf8_lossy(&bytes).into_owned()
        } else {
            clean_lossy(&bytes, self.facts.encoding)
        };
        ExpectResult {
            index,
            matched: String::new(),
            groups: vec![Some(String::new())],
            before,
            before_omitted_bytes: start - search.from,
            start: end,
            end,
            cursor: end,
            warnings: search.warnings.clone(),
        }
    }

    pub(crate) async fn timeout_report(
        self: &Arc<Self>,
        deadline: &Deadline,
    ) -> Box<TimeoutReport> {
        let waited_ms = deadline.elapsed_ms();
        let tape = self.tape();
        let awaited = tape.as_ref().and_then(|tape| tape.awaited());
        Box::new(TimeoutReport {
            waited_ms,
            recent_output: recent_output(self).await,
            program: match self.probe().await {
                Some(probe) => probe.activity(),
                None => "running",
            },
            awaited: awaited.map(|rest| String::from_utf8_lossy(&rest).into_owned()),
            injected: tape.is_some_and(|tape| tape.has_cut_answer()),
            ..TimeoutReport::default()
        })
    }
}

impl Services {
    /// Compiles a list of patterns, unless it is cached from an earlier call.
    pub async fn compiled(
        &self,
        list: Vec<Pattern>,
        raw: bool,
    ) -> Result<Arc<Patterns>, SessionError> {
        if let Some(kept) = self.patterns.kept(&list, raw) {
            return Ok(kept);
        }
        let bytes: usize = list.iter().map(|pattern| pattern_text(pattern).len()).sum();
        if list.len() <= INLINE_PATTERNS && bytes <= INLINE_PATTERN_BYTES {
            return Ok(self.patterns.get(&list, raw)?);
        }
        // Takes up to a second, so it must not block the async threads. Not cached, because it is rare.
        let compiled = tokio::task::spawn_blocking(move || Patterns::compile(&list, raw)).await;
        match compiled {
            Ok(patterns) => Ok(Arc::new(patterns?)),
            Err(_) => Err(SessionError::Pattern(PatternError::ListTooBig)),
        }
    }
}

/// Returns the error of a call that needs a program that has ended.
pub(crate) async fn process_ended(session: &Session) -> SessionError {
    let (exit, reason) = {
        let state = session.state();
        (state.exit, state.end_reason)
    };
    let is_injected = session.has_injected_end();
    let how = describe_end(exit, reason);
    SessionError::ProcessEnded(Box::new(EndedReport {
        how: if is_injected { injected_end(&how) } else { how },
        is_injected,
        exitstatus: exit.and_then(|exit| exit.code),
        signal: exit.and_then(|exit| exit.signal),
        recent_output: recent_output(session).await,
    }))
}

fn result_of(hit: Hit, warnings: &[String]) -> ExpectResult {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    ExpectResult {
        index: hit.index,
        matched: text(&hit.matched),
        groups: hit
            .groups
            .iter()
            .map(|group| group.as_deref().map(text))
            .collect(),
        before: text(&hit.before),
        before_omitted_bytes: hit.before_omitted_bytes,
        start: hit.start,
        end: hit.end,
        cursor: hit.end,
        warnings: warnings.to_vec(),
    }
}

pub(super) fn pattern(wire: &WirePattern) -> Pattern {
    match wire {
        WirePattern::Regex(text) => Pattern::Regex(text.clone()),
        WirePattern::Exact(text) => Pattern::Exact(text.clone()),
        WirePattern::Eof(_) => Pattern::Eof,
        WirePattern::Timeout(_) => Pattern::Timeout,
    }
}

/// The text of a request's pattern, or the word for what is none.
pub fn text_of(wire: &WirePattern) -> String {
    pattern_text(&pattern(wire))
}

fn pattern_text(pattern: &Pattern) -> String {
    match pattern {
        Pattern::Regex(text) | Pattern::Exact(text) => text.clone(),
        Pattern::Eof => "eof".into(),
        Pattern::Timeout => "timeout".into(),
    }
}

fn form_of(pattern: &Pattern) -> InputForm {
    match pattern {
        Pattern::Regex(_) => InputForm::Regex,
        Pattern::Exact(_) => InputForm::Exact,
        Pattern::Eof | Pattern::Timeout => InputForm::Event,
    }
}

pub(super) async fn recent_output(session: &Session) -> String {
    let end = session.output.published();
    let text = read_text(session, end.saturating_sub(RECENT_BYTES), end).await;
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(RECENT_LINES)..].join("\n")
}

/// Returns the output `[from, end)` as clean text, without what is lost.
pub(super) async fn read_text(session: &Session, from: u64, end: u64) -> String {
    let bytes = session.output.readable(from, end).await;
    clean_lossy(&bytes, session.facts.encoding)
}
