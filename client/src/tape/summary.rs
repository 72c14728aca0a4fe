//! The summary of the tapes that a program used, printed at its end.

use crate::call::{DaemonAddress, fetch_within};
use crate::context::note;
use crate::fields::Fields as _;
use crate::render::filled;
use crate::{Context, Exit};
use ccd_protocol::Method as _;
use ccd_protocol::session::{SessionGet, SessionGetParams};
use ccd_protocol::tape::TapeOptions;
use serde_json::Value;
use std::time::{Duration, Instant};

/// How long a tape may take to be written after its program has exited.
const PATIENCE: Duration = Duration::from_secs(10);

const PAUSE: Duration = Duration::from_millis(10);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Summary {
    None,
    /// Tapes are used, but no summary is wanted.
    Silent,
    Told,
}

impl Summary {
    pub(crate) fn of(options: Option<&TapeOptions>) -> Self {
        match options {
            None => Summary::None,
            Some(options) if options.summary == Some(false) => Summary::Silent,
            Some(_) => Summary::Told,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LastMiss {
    Told,
    /// It is reported in a block of its own.
    KnownBesides,
}

/// Waits until the recording of an ended session is written, and prints the summary.
/// Returns the exit status: `exit`, unless that is success and the tape could not be written.
pub(crate) fn print_summary(
    last: LastMiss,
    summary: Summary,
    place: &DaemonAddress,
    session: &str,
    exit: Exit,
    context: &Context,
) -> (Exit, Option<Value>) {
    if summary == Summary::None {
        return (exit, None);
    }
    let Some(done) = use_of(place, session) else {
        return (exit, None);
    };
    if summary == Summary::Told && !context.global.json {
        print_use(&done, last);
    } else if done.has("problem") {
        note(done.text("problem"));
    }
    let is_lost = done.has("problem") && !done.has("new");
    let exit = match exit {
        Exit::Done | Exit::Program(0) if is_lost => Exit::Failed,
        exit => exit,
    };
    (exit, Some(done))
}

/// Prints the summary of a session that has ended, unless the session or the daemon's configuration wants none.
pub(crate) fn print_use(done: &Value, last: LastMiss) {
    // The daemon lists no unused tapes then.
    if done["unused"].is_array() {
        lines(done, last).iter().for_each(|line| note(line));
    } else if done.has("problem") {
        note(done.text("problem"));
    }
}

/// Does the same as [`print_summary`] if the session has ended; otherwise prints nothing.
pub(crate) fn print_summary_if_ended(
    summary: Summary,
    place: &DaemonAddress,
    session: &str,
    context: &Context,
) {
    let params = SessionGetParams::of(session);
    let record = fetch_within(place, SessionGet::NAME, &params, None);
    if record.is_ok_and(|record| record.value.text("state") != "alive") {
        let _ = print_summary(LastMiss::Told, summary, place, session, Exit::Done, context);
    }
}

/// Waits until the recording of a session that ends is written.
pub(crate) fn await_written(place: &DaemonAddress, session: &str) {
    let _ = use_of(place, session);
}

/// The field `tape` of the session's record, once it is final; `None` if the daemon does not reply.
fn use_of(place: &DaemonAddress, session: &str) -> Option<Value> {
    let params = SessionGetParams::of(session);
    let deadline = Instant::now() + PATIENCE;
    loop {
        let record = fetch_within(place, SessionGet::NAME, &params, None)
            .ok()?
            .value;
        let done = record.get("tape").filter(|done| done.is_object())?;
        let is_over = record.text("state") == "dead";
        if (is_over && is_settled(done)) || Instant::now() > deadline {
            return Some(done.clone());
        }
        std::thread::sleep(PAUSE);
    }
}

/// True if the recording is written, or will not be.
fn is_settled(done: &Value) -> bool {
    let records = ["new", "overwrite"].contains(&done.text("record"));
    !records || !done.has("recorded") || done.has("new") || done.has("problem")
}

/// What is said of the tapes that were used, a line each. If the real program answers, an input that is on no tape is not a
/// miss. While recording, unused tapes are of no interest.
const LINES: [&str; 7] = [
    "[{new?}recorded {recorded:count exchange} as {new:few 20} in {root}\
     |{known=1}{recorded!}recorded nothing: 1 exchange is already on tapes\
     |{known?}{recorded!}recorded nothing: {known} exchanges are already on tapes]",
    "{problem}",
    "[{hits?}replayed {hits:count exchange} of [{used:few 20}]\
     |{used?}replayed 0 exchanges of {used:few 20}]",
    "[{proxied?}the real program answered {proxied:count exchange}]",
    "[{injected=1}1 error was injected|{injected?}{injected} errors were injected]",
    "[{misses?}{proxied!}{fallback#proxy}[{misses=1}1 input is|{misses} inputs are] on no tape\
     [; the last one: {last_miss}]]",
    "[{record=new}{hits!}|{record=overwrite}{hits!}\
     |{unused.1?}{unused:len} tapes were not played: {unused:few 20}\
     |{unused?}1 tape was not played: {unused:few 20}]",
];

fn lines(done: &Value, last: LastMiss) -> Vec<String> {
    let mut done = done.clone();
    if last == LastMiss::KnownBesides {
        done["last_miss"].take();
    }
    let lines = LINES.iter().map(|line| filled(line, &done));
    lines.filter(|line| !line.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_what_happened_is_told() {
        for (done, told) in [
            (json!({}), &[][..]),
            (
                json!({"root": "/t", "recorded": 1, "new": ["bc/rec-1"]}),
                &["recorded 1 exchange as bc/rec-1 in /t"],
            ),
            (
                json!({"known": 3}),
                &["recorded nothing: 3 exchanges are already on tapes"],
            ),
        ] {
            assert_eq!(lines(&done, LastMiss::Told), told);
        }
    }

    #[test]
    fn a_play_tells_what_was_used_and_what_was_missing() {
        let all: Vec<String> = (1..=23).map(|number| number.to_string()).collect();
        let mut done = json!({"hits": 4, "misses": 1, "injected": 1, "used": ["a", "b"], "unused": all,
            "last_miss": "bc has no 2+2"});
        let first = &all[..20];
        let expected = [
            "replayed 4 exchanges of a, b",
            "1 error was injected",
            "1 input is on no tape; the last one: bc has no 2+2",
            &format!("23 tapes were not played: {} and 3 more", first.join(", ")),
        ];
        assert_eq!(lines(&done, LastMiss::Told), expected);
        assert_eq!(
            lines(&done, LastMiss::KnownBesides)[2],
            "1 input is on no tape"
        );
        (done["proxied"], done["unused"]) = (json!(2), Value::Null);
        let expected = [
            "replayed 4 exchanges of a, b",
            "the real program answered 2 exchanges",
            "1 error was injected",
        ];
        assert_eq!(lines(&done, LastMiss::Told), expected);
    }

    #[test]
    fn a_recording_is_waited_for_until_it_is_written() {
        for (field, value, is_over) in [
            ("problem", json!("disk full"), true),
            ("new", json!(["a"]), true),
            ("record", json!("disabled"), true),
            ("used", json!(["a"]), false),
        ] {
            let mut done = json!({"record": "new", "recorded": 2});
            done[field] = value;
            assert_eq!(is_settled(&done), is_over, "{field}");
        }
    }
}
