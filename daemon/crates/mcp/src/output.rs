//! What a tool says: the output of a session without control sequences, cut in the middle, and a line about the session.

use crate::daemon::Calls;
use crate::wait::Waited;
use ccd_protocol::ErrorObject;
use ccd_protocol::session::{
    EndReason, InputVerdict, Session, SessionRead, SessionReadParams, SessionReadReply,
    SessionState,
};
use ccd_text::expect::Cleaned;
use std::fmt::Write as _;
use std::path::Path;

/// Most bytes of output in a result, unless the agent asks for another number.
pub(crate) const DEFAULT_BYTES: u64 = 16 << 10;

/// Most bytes that an agent can ask for.
pub(crate) const MAX_BYTES: u64 = 64 << 10;

/// How it is known that a program waits for input if the system does not show it: by a prompt and silence.
const GUESS: &str = "guess";

/// Returns the output from `start` to `end`. More than `limit_bytes` of it is cut in the middle.
pub(crate) async fn between(
    calls: Calls<'_>,
    session: &str,
    (start, end): (u64, u64),
    limit_bytes: u64,
) -> Result<String, ErrorObject> {
    let read = async |since: u64, bytes: u64| {
        let params = SessionReadParams {
            session: session.to_owned(),
            since: Some(since),
            max_bytes: Some(bytes),
            ..SessionReadParams::default()
        };
        calls.call::<SessionRead>(&params).await
    };
    if end <= start {
        return Ok(String::new());
    }
    if end - start <= limit_bytes {
        let whole = read(start, end - start).await?;
        return Ok(with_lost(start, &whole));
    }
    let half = limit_bytes / 2;
    let head = read(start, half).await?;
    let tail_at = end.saturating_sub(half).max(head.end);
    let tail = read(tail_at, end - tail_at).await?;
    let mut text = with_lost(start, &head);
    let left_out = tail.start.saturating_sub(head.end);
    if left_out > 0 {
        let from = head.end;
        let _ = write!(
            text,
            "\n[… {left_out} bytes left out; session_read with from={from} shows them …]\n"
        );
    }
    text.push_str(&tidy(tail.text.as_deref().unwrap_or_default()));
    Ok(text)
}

/// The text of a reply, with a remark if its start is no longer kept.
pub(crate) fn with_lost(start: u64, reply: &SessionReadReply) -> String {
    let text = tidy(reply.text.as_deref().unwrap_or_default());
    match reply.start.saturating_sub(start) {
        0 => text,
        lost => format!("[… {lost} bytes are no longer kept …]\n{text}"),
    }
}

pub(crate) fn clean(text: &str) -> String {
    tidy(Cleaned::new(text).text())
}

/// Returns text with line ends alone: of a line that was printed over, only what was printed last.
pub(crate) fn tidy(text: &str) -> String {
    if !text.contains('\r') {
        return text.to_owned();
    }
    let lines = text.split('\n').map(|line| {
        let mut parts = line.rsplit('\r');
        parts
            .find(|part| !part.trim().is_empty())
            .unwrap_or_default()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Cuts a text of more than `limit` bytes in the middle.
pub(crate) fn cut(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(limit / 2);
    let tail = text.ceil_char_boundary(text.len() - limit / 2);
    let left_out = tail - head;
    format!(
        "{}\n[… {left_out} bytes left out …]\n{}",
        &text[..head],
        &text[tail..]
    )
}

pub(crate) fn report(output: &str, waited: &Waited, next: u64) -> String {
    let output = or_none(output.trim_end_matches(['\n', ' ']));
    format!("{output}\n{}", about(waited, next))
}

pub(crate) fn or_none(output: &str) -> &str {
    if output.is_empty() {
        "(no output)"
    } else {
        output
    }
}

fn about(waited: &Waited, next: u64) -> String {
    let session = &waited.session;
    let mut line = format!("[session {}", session.session_id);
    if let Some(name) = &session.name {
        let _ = write!(line, " ({name})");
    }
    let _ = write!(line, ": {}", state(session));
    if session.full_screen {
        line.push_str("; a full-screen program is showing: session_screen returns what it shows");
    }
    if !waited.why.is_empty() {
        let _ = write!(line, "; {}", waited.why);
    }
    if let Some(tapes) = session.tape.as_ref().map(|tape| &tape.new)
        && !tapes.is_empty()
    {
        let _ = write!(line, "; tapes written: {}", tapes.join(", "));
    }
    let _ = write!(line, "; next offset {next}]");
    line
}

/// Says what the session's program does, or how it ended.
pub(crate) fn state(session: &Session) -> String {
    let program = program_name(session);
    if session.state != SessionState::Alive {
        return ended(session);
    }
    let Some(waiting) = &session.waiting_for_input else {
        return format!("{program} is running");
    };
    let waits = match waiting.verdict {
        InputVerdict::No => return format!("{program} is running and does not wait for input"),
        InputVerdict::Unknown if waiting.how != GUESS => {
            return format!("{program} is running; it is unknown whether it waits for input");
        }
        InputVerdict::Unknown => "seems to wait",
        InputVerdict::Blocked | InputVerdict::Accepts => "waits",
    };
    if waiting.hidden {
        format!(
            "{program} {waits} for hidden input, such as a password: ask a person to type it in ccctl attach {}, \
             or send it with session_send and secret",
            session.session_id
        )
    } else {
        format!("{program} {waits} for input")
    }
}

pub(crate) fn ended(session: &Session) -> String {
    let program = program_name(session);
    let mut text = match (session.exitstatus, session.signal) {
        (Some(status), _) => format!("{program} has exited with status {status}"),
        (None, Some(signal)) => format!("{program} was ended by signal {signal}"),
        (None, None) => format!("{program} has ended"),
    };
    match session.end_reason {
        None | Some(EndReason::Exited | EndReason::Closed) => {}
        Some(EndReason::OutputLimit) => text.push_str(
            " (its output exceeded max_output_size; redirect it to a file, or start it with keep)",
        ),
        Some(reason) => {
            let _ = write!(text, " ({})", reason.name());
        }
    }
    if let Some(error) = &session.start_error {
        let _ = write!(text, ": {error}");
    }
    text
}

fn program_name(session: &Session) -> String {
    let name = Path::new(&session.program).file_name();
    name.map_or_else(
        || session.program.clone(),
        |name| name.to_string_lossy().into_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_line_printed_over_the_last_version_stays() {
        assert_eq!(tidy("a\r\nb\n"), "a\nb\n");
        assert_eq!(tidy("10%\r50%\r100%\r\ndone"), "100%\ndone");
        assert_eq!(tidy("x\r   \r\n"), "x\n");
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(cut("short", 5), "short");
        let text = "é".repeat(100);
        let cut = cut(&text, 20);
        assert!(
            cut.starts_with("ééééé\n[… 180 bytes left out …]") && cut.ends_with(" …]\nééééé"),
            "{cut}"
        );
    }
}
