//! Makes rows of an event.

use super::event::{HistoryEvent, JUDGEMENT, NotedEvent, Subject, TypedText};
use super::form::InputForm;
use super::table::InteractionRow;
use ccd_base::shell::quoted;
use ccd_text::expect::clean_lossy;
use ccd_text::hidden::{Echo, HIDDEN, Masked};
use ccd_text::redact::{KnownTexts, Secrets, Source, redact, redact_chunks, redact_typed};
use memchr::{memchr, memmem, memrchr};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::Instant;

/// Maximum characters of output in a RECV row.
const RECV_CHARS: usize = 500;

/// Bytes of output that are read for a RECV row; more than the row keeps, because sequences and secrets are removed.
const RECV_BYTES: usize = 4096;

/// Bytes of output before a row in which a secret may start: a private key of 8,192 bits has 6,400.
const BEFORE_BYTES: u64 = 8 << 10;

/// Bytes of output after a row in which a secret may end.
const AFTER_BYTES: u64 = 1024;

/// Bytes of output in which typed text is searched for.
const ECHO_BYTES: u64 = 16 << 10;

/// Maximum characters of typed text in a SEND row.
pub const SEND_CHARS: usize = 10_000;

/// Appends the rows of one event: the output before it as RECV, then its own row. Returns when to call this again if it is too
/// early for its own row.
pub(super) async fn rows_of(
    noted: &mut NotedEvent,
    rows: &mut Vec<InteractionRow>,
) -> Option<Instant> {
    let session = &*noted.session;
    let upto = match &noted.event {
        HistoryEvent::Send(typed) => Some(typed.offset),
        HistoryEvent::Match { end, .. } => Some(*end),
        HistoryEvent::Read { upto } | HistoryEvent::Finished { upto, .. } => Some(*upto),
        HistoryEvent::End { .. } => Some(session.about().output.published()),
        HistoryEvent::Start | HistoryEvent::Failure(_) | HistoryEvent::Trouble(_) => None,
    };
    let output = match upto {
        Some(upto) => received(noted, upto).await,
        None => None,
    };
    if let HistoryEvent::Finished { upto, exit_code } = noted.event {
        // The row of the command's output, unless a reader has made that row already.
        let mut row = output.unwrap_or_else(|| received_row(noted, upto..upto));
        row.exit_code = exit_code;
        rows.push(row);
        return None;
    }
    rows.extend(output);
    let shown = match &noted.event {
        HistoryEvent::Send(typed) => {
            let typed = Arc::clone(typed);
            match shown_text(noted, &typed).await {
                Ok(shown) => shown,
                Err(again_at) => return Some(again_at),
            }
        }
        _ => String::new(),
    };
    rows.extend(own_row(noted, shown).await);
    None
}

/// Returns the event's own row; `None` if that of the output is enough. `shown` is what was typed, as the row may show it.
async fn own_row(noted: &NotedEvent, shown: String) -> Option<InteractionRow> {
    let session = &*noted.session;
    let action = match &noted.event {
        HistoryEvent::Start => "START",
        HistoryEvent::Send(_) => "SEND",
        HistoryEvent::Match { .. } => "EXPECT",
        HistoryEvent::End { is_regular, .. } if *is_regular => "RECV",
        HistoryEvent::Failure(_) | HistoryEvent::Trouble(_) | HistoryEvent::End { .. } => "ERROR",
        HistoryEvent::Read { .. } | HistoryEvent::Finished { .. } => return None,
    };
    let mut row = blank(noted, action);
    match &noted.event {
        HistoryEvent::Start => row.input_text = Some(logged_command(session)),
        HistoryEvent::Send(typed) => {
            row.form = shown_form(typed, &shown).to_json();
            row.input_text = Some(shown);
            row.start_offset = Some(offset(typed.offset));
        }
        HistoryEvent::Match {
            pattern,
            form,
            matched,
            start,
            end,
        } => {
            row.form = form.to_json();
            row.pattern_matched = Some(kept(session, pattern));
            let matched = shown_match(session, matched, *start..*end).await;
            row.output_text = Some(first_chars(&matched, RECV_CHARS));
            (row.start_offset, row.end_offset) = (Some(offset(*start)), Some(offset(*end)));
        }
        HistoryEvent::Failure(failure) => {
            let shown = |text: &String| first_chars(&kept(session, text), SEND_CHARS);
            row.error_kind = Some(failure.kind.into());
            row.waited_ms = i64::try_from(failure.waited.as_millis()).ok();
            let command = failure.command.as_ref();
            row.input_text =
                command.map(|text| first_chars(&kept_input(session, text), SEND_CHARS));
            row.pattern_matched = failure.pattern.as_ref().map(shown);
            row.output_text = Some(kept(session, &failure.text));
        }
        HistoryEvent::Trouble(text) => row.output_text = Some(kept(session, text)),
        HistoryEvent::End {
            text, exit_code, ..
        } => {
            row.exit_code = *exit_code;
            row.pattern_matched = Some("eof".into());
            row.output_text = Some(text.clone());
            let end = session.about().output.published();
            (row.start_offset, row.end_offset) = (Some(offset(end)), Some(offset(end)));
        }
        HistoryEvent::Read { .. } | HistoryEvent::Finished { .. } => {}
    }
    Some(row)
}

fn blank(noted: &NotedEvent, action: &str) -> InteractionRow {
    InteractionRow {
        session_id: noted.session.about().id.to_string(),
        timestamp: ccd_base::clock::at(noted.time),
        action: action.into(),
        client: noted.client.as_ref().map(|client| client.0.to_string()),
        client_pid: noted.client.as_ref().and_then(|client| client.1),
        ..InteractionRow::default()
    }
}

/// Returns the row for the output since the last one, if there was any.
async fn received(noted: &NotedEvent, upto: u64) -> Option<InteractionRow> {
    let session = &*noted.session;
    let from = session
        .about()
        .recorded_upto
        .fetch_max(upto, Ordering::AcqRel);
    if from >= upto {
        return None;
    }
    let len = usize::try_from(upto - from)
        .unwrap_or(usize::MAX)
        .min(RECV_BYTES);
    let text = shown_output(session, from, len).await;
    let text = in_its_lines(session, &text, from..from + len as u64).await;
    let mut row = received_row(noted, from..upto);
    row.output_text = Some(first_chars(&text, RECV_CHARS));
    Some(row)
}

fn received_row(noted: &NotedEvent, place: Range<u64>) -> InteractionRow {
    InteractionRow {
        client: None,
        client_pid: None,
        start_offset: Some(offset(place.start)),
        end_offset: Some(offset(place.end)),
        ..blank(noted, "RECV")
    }
}

/// Returns the text of the output from `from` on, without hidden input that appears in it.
pub async fn shown_output(session: &dyn Subject, from: u64, len: usize) -> String {
    let text_at = async |from, end| {
        let bytes = session.about().output.readable(from, end).await;
        (clean_lossy(&bytes, session.about().encoding), bytes.len())
    };
    let (text, read_bytes) = text_at(from, from + len as u64).await;
    // Hidden input may be cut off at the edges; control sequences within it make it longer.
    let around = 2 * session.about().hidden.longest_line() as u64;
    if around == 0 {
        return text;
    }
    let (before, _) = text_at(from.saturating_sub(around), from).await;
    let end = from + read_bytes as u64;
    let (after, _) = text_at(end, end + around).await;
    let shown = before.len()..before.len() + text.len();
    session
        .about()
        .hidden
        .mask(&(before + &text + &after), shown)
}

/// Returns the text that a pattern matched at `place`, also without hidden input.
async fn shown_match(session: &dyn Subject, matched: &str, place: Range<u64>) -> String {
    let mut text = matched.to_owned();
    if session.about().hidden.longest_line() > 0 {
        let len = usize::try_from(place.end - place.start).unwrap_or(usize::MAX);
        text = shown_output(session, place.start, len.min(RECV_BYTES)).await;
        if !text.contains(HIDDEN) {
            text = session.about().hidden.mask(matched, 0..matched.len());
        }
    }
    in_its_lines(session, &text, place).await
}

/// How often it is judged whether a line was echoed that is being echoed.
const MAX_JUDGEMENTS: usize = 20;

/// How long the program may print nothing at all before what was typed counts as not echoed: it may not have run yet.
const MAX_SILENCE: Duration = Duration::from_secs(1);

/// How texts start in which a line can be a secret because of earlier lines: private keys and the entries of a `.netrc`.
const MULTILINE_STARTS: [&[u8]; 3] = [b"-----BEGIN ", b"machine", b"default login"];

/// Returns `text`, the output at `place`, without secrets, including parts of secrets that start before it or end after
/// it in the same line, and those that only lines before it show to be secrets.
async fn in_its_lines(session: &dyn Subject, text: &str, place: Range<u64>) -> String {
    if !session.about().redacts_log {
        return text.to_owned();
    }
    let (encoding, output) = (session.about().encoding, session.about().output);
    let first = place.start.saturating_sub(BEFORE_BYTES);
    // Cut before cleaning: most lines are short, and this is done for each row.
    let before = output.readable(first, place.start).await;
    let starts = MULTILINE_STARTS.iter();
    let first_start = starts
        .filter_map(|start| memmem::rfind(&before, start))
        .min();
    let in_line = &before[..first_start.unwrap_or(before.len())];
    let line_start = memrchr(b'\n', in_line).map_or(0, |newline| newline + 1);
    let after = output.readable(place.end, place.end + AFTER_BYTES).await;
    let line_end = memchr(b'\n', &after).unwrap_or(after.len());
    let before = clean_lossy(&before[line_start..], encoding);
    let after = clean_lossy(&after[..line_end], encoding);
    let shown = before.len()..before.len() + text.len();
    let masked = Secrets::new(&format!("{before}{text}{after}")).masked_part(shown);
    // What a rule recognised where it was typed.
    let known = KnownTexts::new(session.about().hidden.recognised());
    let mut chunks = [masked.into_bytes()];
    known.mask(&mut chunks);
    let [masked] = chunks;
    String::from_utf8_lossy(&masked).into_owned()
}

/// Returns typed text as the log may keep it, as far as the terminal echoed it soon after; the error is the time of the next check.
async fn shown_text(noted: &mut NotedEvent, typed: &TypedText) -> Result<String, Instant> {
    let session = Arc::clone(&noted.session);
    let about = session.about();
    if about.redacts_log && !typed.hidden && noted.judged.times == 0 {
        let found = redact_chunks([typed.text.as_bytes()], Source::Typed).texts;
        about.hidden.recognise(&found);
    }
    if let Some(shown) = shown_input(&*session, typed).await {
        return Ok(shown);
    }
    // The last inputs of a batch were typed a moment ago.
    if noted.at.elapsed() < JUDGEMENT {
        return Err(noted.at + JUDGEMENT);
    }
    // A busy machine takes its time to echo a long line.
    let begun = begun_echo(&*session, typed).await;
    let is_silent = about.output.published() <= typed.offset;
    let goes_on = begun > noted.judged.begun || (is_silent && noted.at.elapsed() < MAX_SILENCE);
    noted.judged.begun = begun;
    noted.judged.times += 1;
    if goes_on && noted.judged.times < MAX_JUDGEMENTS {
        return Err(Instant::now() + JUDGEMENT);
    }
    // Programs may print a line that they did not echo.
    if matches!(
        typed.form,
        InputForm::Line | InputForm::Text | InputForm::Inexact { .. }
    ) {
        about.hidden.remember(&typed.text);
    }
    Ok(HIDDEN.into())
}

/// Returns how much of its first line the terminal has shown so far, if that is all that it has shown.
async fn begun_echo(session: &dyn Subject, typed: &TypedText) -> Option<usize> {
    let first = lines_of(typed.echo.as_ref()?).next()?;
    echo_of(session, typed).await.has_begun(first)
}

/// Returns the typed lines; the Enter key is a carriage return.
fn lines_of(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.split(['\r', '\n']);
    lines.filter(|line| !line.trim().is_empty())
}

async fn echo_of(session: &dyn Subject, typed: &TypedText) -> Echo {
    let end = typed.offset + ECHO_BYTES;
    let output = session.about().output.readable(typed.offset, end).await;
    Echo::new(&output, &clean_lossy(&output, session.about().encoding))
}

/// Returns typed text as others may see it; `None` while the terminal must show it first and has not.
pub async fn shown_input(session: &dyn Subject, typed: &TypedText) -> Option<String> {
    if typed.hidden {
        return Some(HIDDEN.into());
    }
    if let Some(echo) = &typed.echo {
        let screen = echo_of(session, typed).await;
        let mut lines = lines_of(echo);
        let is_first_shown = match lines.next() {
            Some(line) => screen.shows(line, true),
            None => true,
        };
        if !is_first_shown || !lines.all(|line| screen.shows(line, false)) {
            return None;
        }
    }
    Some(first_chars(&kept_input(session, &typed.text), SEND_CHARS))
}

/// Returns the command of a session, as others may see it.
pub fn shown_command(session: &dyn Subject) -> String {
    command_of(&shown_words(session))
}

/// Returns the command of a session, as its rows may show it.
fn logged_command(session: &dyn Subject) -> String {
    if session.about().redacts_log {
        return shown_command(session);
    }
    let hidden = session.about().hidden;
    let words = words_of(session).map(|word| hidden.mask(word, 0..word.len()));
    command_of(&words.collect::<Vec<_>>())
}

fn command_of(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    words.join(" ")
}

/// Returns the program and its arguments as others may see them, one by one.
pub fn shown_words(session: &dyn Subject) -> Vec<String> {
    let line = words_of(session).collect::<Vec<_>>().join(" ");
    let masked = Masked::new(&line, session.about().hidden);
    let mut start = 0;
    let words = words_of(session).map(|word| {
        let end = start + word.len();
        // Redacted again, because on its own an argument may start a line, as a secret in YAML does.
        let shown = redact(&masked.part(start..end)).text.into_owned();
        start = end + 1;
        shown
    });
    words.collect()
}

/// Returns a text about the session as others may see it.
pub fn shown_fact(session: &dyn Subject, text: &str) -> String {
    let text = session.about().hidden.mask(text, 0..text.len());
    redact(&text).text.into_owned()
}

/// Returns the form; includes key names only if the text is shown.
fn shown_form(typed: &TypedText, shown: &str) -> InputForm {
    match &typed.form {
        InputForm::Keys(_) if shown != typed.text => InputForm::Text,
        form => form.clone(),
    }
}

fn words_of(session: &dyn Subject) -> impl Iterator<Item = &str> {
    let about = session.about();
    std::iter::once(about.program).chain(about.args.iter().map(String::as_str))
}

/// Returns a text about the session as the database may keep it.
fn kept(session: &dyn Subject, text: &str) -> String {
    if session.about().redacts_log {
        shown_fact(session, text)
    } else {
        session.about().hidden.mask(text, 0..text.len())
    }
}

/// Returns an input, or a command, as the database may keep it.
fn kept_input(session: &dyn Subject, text: &str) -> String {
    let text = kept(session, text);
    if session.about().redacts_log {
        redact_typed(&text).into_owned()
    } else {
        text
    }
}

fn first_chars(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((at, _)) => text[..at].to_owned(),
        None => text.to_owned(),
    }
}

fn offset(offset: u64) -> i64 {
    i64::try_from(offset).unwrap_or(i64::MAX)
}
