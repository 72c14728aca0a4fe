//! A session's record, and its history.

use super::Printer;
use super::style::Colour;
use super::table::{Cell, Column, columns};
use super::words::{self, word};
use crate::render::printable;
use ccd_protocol::session::{EndReason, Interaction, NamedPipe, PipeState, Session, SessionState};
use std::io;

const MAX_TEXT_LEN: usize = 100;

pub(crate) fn session(session: &Session, out: &mut Printer<'_>) -> io::Result<()> {
    let limit = |seconds: f64| match seconds {
        0.0 => "none".to_owned(),
        seconds => format!("{seconds} s"),
    };
    let waiting = session.waiting_for_input.as_ref().map(|waiting| {
        let verdict = format!("{:?}", waiting.verdict).to_lowercase();
        let hidden = if waiting.hidden { ", hidden" } else { "" };
        format!("{verdict} ({}{hidden})", waiting.how)
    });
    let success = match session.success {
        Some(true) => "yes",
        Some(false) => "no",
        None => "",
    };
    let (bytes, lines) = (session.output.output_bytes, session.output.output_lines);
    let fields = [
        ("id", session.session_id.clone()),
        ("name", session.name.clone().unwrap_or_default()),
        ("state", state(session)),
        ("command", command_line(session)),
        ("config", session.config.clone().unwrap_or_default()),
        ("success", success.to_owned()),
        ("reason", session.start_error.clone().unwrap_or_default()),
        ("started by", session.started_by.clone().unwrap_or_default()),
        ("directory", session.cwd.clone()),
        ("pid", session.pid.to_string()),
        ("size", format!("{}x{}", session.cols, session.rows)),
        ("started", session.created_at.clone()),
        ("last activity", session.last_activity.clone()),
        ("ended", session.ended_at.clone().unwrap_or_default()),
        ("waits for input", waiting.unwrap_or_default()),
        ("attached", attached(session, ", ")),
        ("output", format!("{bytes} bytes, {lines} lines")),
        ("log", session.output.log_path.clone()),
        (
            "pipe",
            session.pipe.as_ref().map(pipe_line).unwrap_or_default(),
        ),
        ("tapes", tapes(session)),
        ("timeout", format!("{} s", session.timeout)),
        ("idle timeout", limit(session.session_timeout_s)),
        ("max run time", limit(session.max_session_runtime_s)),
    ];
    out.fields(16, &fields)
}

/// Attached clients with their process ids, read-only ones in brackets.
pub(super) fn attached(session: &Session, separator: &str) -> String {
    let attached = session.attached.iter();
    let names: Vec<String> = attached
        .map(|attachment| {
            let pid = attachment.pid.map(|pid| format!("[{pid}]"));
            let client = printable(&attachment.client) + &pid.unwrap_or_default();
            if attachment.read_only {
                format!("({client})")
            } else {
                client
            }
        })
        .collect();
    names.join(separator)
}

fn tapes(session: &Session) -> String {
    let Some(done) = &session.tape else {
        return String::new();
    };
    let mut parts = vec![done.root.clone()];
    parts.extend(session.is_replay.then(|| "replay".to_owned()));
    for (count, what) in [
        (done.hits, "replayed"),
        (done.recorded, "recorded"),
        (done.known, "already on a tape"),
        (done.proxied, "proxied"),
        (done.misses, "missed"),
        (done.injected, "injected errors"),
    ] {
        parts.extend((count > 0).then(|| format!("{count} {what}")));
    }
    parts.extend(done.new.iter().cloned());
    parts.extend(done.problem.iter().cloned());
    parts.join(", ")
}

fn pipe_line(pipe: &NamedPipe) -> String {
    let mut line = match pipe.state {
        PipeState::Active => pipe.pipe_path.clone(),
        PipeState::Closed => String::from("closed"),
    };
    if pipe.dropped_bytes > 0 {
        line.push_str(&format!(", {} bytes dropped", pipe.dropped_bytes));
    }
    for repeat in &pipe.repeats {
        let (bytes, offset) = (repeat.bytes, repeat.offset);
        line.push_str(&format!(
            ", {bytes} bytes from offset {offset} may be repeated"
        ));
    }
    line
}

pub(crate) const HISTORY: &[Column<Interaction>] = &columns! { |row|
    "TIME" => whole_seconds(&row.timestamp),
    "ACTION" => Cell::coloured(word(&row.action).to_uppercase(), Colour::Heading),
    "CLIENT" => match (&row.client, row.client_pid) {
        (Some(client), Some(pid)) => Cell::from(format!("{client}[{pid}]")),
        (client, _) => Cell::maybe(client),
    },
    "RANGE" => match (row.start, row.end) {
        (Some(start), Some(end)) => Cell::from(format!("{start}-{end}")),
        _ => Cell::default(),
    },
    "TEXT" => texts(row),
};

fn texts(row: &Interaction) -> String {
    let mut texts: Vec<String> = [&row.input_text, &row.pattern_matched, &row.output_text]
        .into_iter()
        .flatten()
        .map(|text| format!("{:?}", shortened(text)))
        .collect();
    // A pattern without special characters equals its match.
    texts.dedup();
    let waited = row.waited_ms.map(|ms| format!("after {ms} ms"));
    texts.splice(0..0, row.error_kind.iter().cloned().chain(waited));
    // The last row of a session says it in its text.
    let status = row.exit_code.filter(|_| row.pattern_matched.is_none());
    texts.extend(status.map(|code| format!("exit status {code}")));
    texts.join(" ")
}

pub(crate) fn command_line(session: &Session) -> String {
    words::program_line(&session.program, &session.args)
}

/// Returns how a session ended, such as `exited 0` or `signal 15 (closed)`.
pub(crate) fn end(status: Option<i32>, signal: Option<i32>, reason: Option<EndReason>) -> String {
    let how = match (status, signal) {
        (Some(status), _) => format!("exited {status}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "ended".to_owned(),
    };
    let reason = match reason {
        None | Some(EndReason::Exited | EndReason::Signalled) => return how,
        Some(reason) => word(&reason).replace('_', " "),
    };
    format!("{how} ({reason})")
}

/// Returns how a program ended, in words: `exited 0`, `ended by signal 1 (HUP)`.
pub(crate) fn ended(exitstatus: Option<i32>, signal: Option<i32>) -> String {
    let number = signal.filter(|_| exitstatus.is_none());
    let Some(number) = number else {
        return end(exitstatus, None, None);
    };
    let name = signal_hook::low_level::signal_name(number);
    match name.and_then(|name| name.strip_prefix("SIG")) {
        Some(name) => format!("ended by signal {number} ({name})"),
        None => format!("ended by signal {number}"),
    }
}

/// Returns a sentence about when a session will be ended by a limit; `None` if it will not.
pub(crate) fn will_end(session: &Session) -> Option<String> {
    let (idle_s, runtime_s) = (session.session_timeout_s, session.max_session_runtime_s);
    let when = match (idle_s > 0.0, runtime_s > 0.0) {
        (false, false) => return None,
        (true, false) => format!("after {idle_s} s without input or output"),
        (false, true) => format!("after {runtime_s} s"),
        (true, true) => {
            format!(
                "after {idle_s} s without input or output, and after {runtime_s} s at the latest"
            )
        }
    };
    // A limit that was asked for applies in spite of --persist.
    let advice = if session.persist {
        ""
    } else {
        "; --persist disables this limit"
    };
    Some(format!("the session will be ended {when}{advice}"))
}

pub(super) fn state(session: &Session) -> String {
    match session.state {
        _ if session.start_error.is_some() => "not started".to_owned(),
        SessionState::Alive => "alive".to_owned(),
        SessionState::Zombie => "ending".to_owned(),
        SessionState::Dead => end(session.exitstatus, session.signal, session.end_reason),
    }
}

/// A time such as `2026-01-02T03:04:05.678Z` without its fraction; the `Z` of UTC is kept.
fn whole_seconds(time: &str) -> String {
    match time.split_once('.') {
        Some((seconds, _)) => format!("{seconds}Z"),
        None => time.to_owned(),
    }
}

fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(MAX_TEXT_LEN).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
#[path = "session_tests.rs"]
pub(crate) mod tests;
