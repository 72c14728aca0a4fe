//! The summary of the tapes that a program used, printed at its end.

use crate::call::{DaemonAddress, call_at};
use crate::context::note;
use crate::render::few;
use crate::{Context, Exit};
use ccd_protocol::session::{SessionGet, SessionGetParams, SessionState};
use ccd_protocol::tape::{FallbackMode, RecordMode, TapeOptions, TapeUse};
use std::time::{Duration, Instant};

/// How long a tape may take to be written after its program has exited.
const PATIENCE: Duration = Duration::from_secs(10);

const PAUSE: Duration = Duration::from_millis(10);

const MAX_NAMES: usize = 20;

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
) -> (Exit, Option<TapeUse>) {
    if summary == Summary::None {
        return (exit, None);
    }
    let Some(done) = use_of(place, session) else {
        return (exit, None);
    };
    if summary == Summary::Told && !context.global.json {
        print_use(&done, last);
    } else if let Some(problem) = &done.problem {
        note(problem);
    }
    let is_lost = done.problem.is_some() && done.new.is_empty();
    let exit = match exit {
        Exit::Done | Exit::Program(0) if is_lost => Exit::Failed,
        exit => exit,
    };
    (exit, Some(done))
}

/// Prints the summary of a session that has ended, unless the session or the daemon's configuration wants none.
pub(crate) fn print_use(done: &TapeUse, last: LastMiss) {
    // The daemon lists no unused tapes then.
    if done.unused.is_some() {
        lines(done, last).iter().for_each(|line| note(line));
    } else if let Some(problem) = &done.problem {
        note(problem);
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
    let record = call_at::<SessionGet>(place, &params).map(|answer| answer.value);
    if record.is_ok_and(|record| record.state != SessionState::Alive) {
        let _ = print_summary(LastMiss::Told, summary, place, session, Exit::Done, context);
    }
}

/// Waits until the recording of a session that ends is written.
pub(crate) fn await_written(place: &DaemonAddress, session: &str) {
    let _ = use_of(place, session);
}

/// The field `tape` of the session's record, once it is final; `None` if the daemon does not reply.
fn use_of(place: &DaemonAddress, session: &str) -> Option<TapeUse> {
    let params = SessionGetParams::of(session);
    let deadline = Instant::now() + PATIENCE;
    loop {
        let record = call_at::<SessionGet>(place, &params).ok()?.value;
        let is_over = record.state == SessionState::Dead;
        let done = record.tape?;
        if (is_over && is_settled(&done)) || Instant::now() > deadline {
            return Some(done);
        }
        std::thread::sleep(PAUSE);
    }
}

/// True if the recording is written, or will not be.
fn is_settled(done: &TapeUse) -> bool {
    let records = matches!(done.record, Some(RecordMode::New | RecordMode::Overwrite));
    !records || done.recorded == 0 || !done.new.is_empty() || done.problem.is_some()
}

fn lines(done: &TapeUse, last: LastMiss) -> Vec<String> {
    let mut lines = Vec::new();
    if !done.new.is_empty() {
        let count = counted(done.recorded, "exchange", "exchanges");
        lines.push(format!(
            "recorded {count} as {} in {}",
            few(MAX_NAMES, ", ", done.new.iter()),
            done.root
        ));
    } else if done.known > 0 && done.recorded == 0 {
        lines.push(format!(
            "recorded nothing: {} already on tapes",
            counted(done.known, "exchange is", "exchanges are")
        ));
    }
    if let Some(problem) = &done.problem {
        lines.push(problem.clone());
    }
    if done.hits > 0 || !done.used.is_empty() {
        let count = counted(done.hits, "exchange", "exchanges");
        lines.push(format!(
            "replayed {count} of {}",
            few(MAX_NAMES, ", ", done.used.iter())
        ));
    }
    if done.proxied > 0 {
        let count = counted(done.proxied, "exchange", "exchanges");
        lines.push(format!("the real program answered {count}"));
    }
    if done.injected > 0 {
        lines.push(counted(
            done.injected,
            "error was injected",
            "errors were injected",
        ));
    }
    // If the real program answers, an input that is on no tape is not a miss.
    let is_proxied = done.proxied > 0 || done.fallback == Some(FallbackMode::Proxy);
    if done.misses > 0 && !is_proxied {
        let mut line = counted(done.misses, "input is on no tape", "inputs are on no tape");
        if let Some(last) = done.last_miss.as_ref().filter(|_| last == LastMiss::Told) {
            line.push_str(&format!("; the last one: {last}"));
        }
        lines.push(line);
    }
    // While recording, unused tapes are of no interest.
    let records = matches!(done.record, Some(RecordMode::New | RecordMode::Overwrite));
    let plays = !records || done.hits > 0;
    let unused = done
        .unused
        .as_ref()
        .filter(|unused| plays && !unused.is_empty());
    if let Some(unused) = unused {
        let count = counted(
            unused.len() as u64,
            "tape was not played",
            "tapes were not played",
        );
        lines.push(format!("{count}: {}", few(MAX_NAMES, ", ", unused.iter())));
    }
    lines
}

fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_happened_is_told() {
        let recorded = TapeUse {
            root: "/t".into(),
            recorded: 1,
            new: vec!["bc/rec-1".into()],
            ..TapeUse::default()
        };
        let known = TapeUse {
            known: 3,
            ..TapeUse::default()
        };
        for (done, told) in [
            (TapeUse::default(), &[][..]),
            (recorded, &["recorded 1 exchange as bc/rec-1 in /t"]),
            (
                known,
                &["recorded nothing: 3 exchanges are already on tapes"],
            ),
        ] {
            assert_eq!(lines(&done, LastMiss::Told), told);
        }
    }

    #[test]
    fn a_play_tells_what_was_used_and_what_was_missing() {
        let mut done = TapeUse {
            hits: 4,
            misses: 1,
            injected: 1,
            used: vec!["a".into(), "b".into()],
            unused: Some((1..=23).map(|number| number.to_string()).collect()),
            last_miss: Some("bc has no 2+2".into()),
            ..TapeUse::default()
        };
        let first: Vec<String> = (1..=20).map(|number| number.to_string()).collect();
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
        (done.proxied, done.unused) = (2, None);
        let expected = [
            "replayed 4 exchanges of a, b",
            "the real program answered 2 exchanges",
            "1 error was injected",
        ];
        assert_eq!(lines(&done, LastMiss::Told), expected);
    }

    #[test]
    fn a_recording_is_waited_for_until_it_is_written() {
        let mut done = TapeUse {
            record: Some(RecordMode::New),
            recorded: 2,
            ..TapeUse::default()
        };
        assert!(!is_settled(&done));
        done.problem = Some("disk full".into());
        assert!(is_settled(&done));
        done.problem = None;
        done.new = vec!["a".into()];
        assert!(is_settled(&done));
        done.record = Some(RecordMode::Disabled);
        assert!(is_settled(&done));
    }
}
