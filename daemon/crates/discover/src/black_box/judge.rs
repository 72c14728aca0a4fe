//! What an answer says about the program.

use super::sample::finding;
use crate::drive::{Exit, Reply, Settled, signal_name};
use ccd_protocol::investigate::{Finding, FindingKind};
use std::collections::HashSet;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It waits for more.
    Fine,
    /// It ended in its own way, whatever its exit status.
    Ended(Exit),
    Broke(Fault),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Fault {
    pub(super) kind: FindingKind,
    pub(super) signal: Option<i32>,
}

impl Fault {
    pub(super) fn new(kind: FindingKind) -> Self {
        Self { kind, signal: None }
    }

    /// Returns what happened, as the end of a sentence that starts with the program.
    pub(super) fn in_words(self) -> String {
        match (self.kind, self.signal) {
            (FindingKind::Crash, Some(signal)) => {
                format!("was ended by {}", signal_name(signal))
            }
            (FindingKind::Crash, None) => "was ended by a signal".to_owned(),
            (FindingKind::Hang, _) => "neither answered nor waited for input".to_owned(),
            (FindingKind::Flood, _) => "did not stop printing".to_owned(),
            (FindingKind::Leak, _) => "kept memory with each input".to_owned(),
            (FindingKind::BrokenOutput, _) => {
                "printed invalid UTF-8 that was not in its input".to_owned()
            }
            (FindingKind::ProcessLeft, _) => "left processes that outlived it".to_owned(),
            (FindingKind::TerminalChanged, _) => "left the terminal in another mode".to_owned(),
        }
    }

    /// `when` ends the message: `at its start`, `after …`.
    pub(super) fn finding(self, input: Option<&[u8]>, when: &str) -> Finding {
        let message = format!("it {} {when}", self.in_words());
        Finding {
            signal: self.signal.map(signal_name),
            ..finding(self.kind, input, message)
        }
    }
}

pub(super) fn judge<'a>(reply: &Reply, inputs: impl IntoIterator<Item = &'a [u8]>) -> Verdict {
    match reply.settled {
        Settled::Ended(exit) => verdict_on_exit(exit),
        Settled::Hangs => Verdict::Broke(Fault::new(FindingKind::Hang)),
        Settled::Floods => Verdict::Broke(Fault::new(FindingKind::Flood)),
        Settled::Waits { .. } if is_broken(&reply.raw, inputs) => {
            Verdict::Broke(Fault::new(FindingKind::BrokenOutput))
        }
        Settled::Waits { .. } => Verdict::Fine,
    }
}

pub(super) fn verdict_on_exit(exit: Exit) -> Verdict {
    fault_of(exit).map_or(Verdict::Ended(exit), Verdict::Broke)
}

/// Returns the fault that ended a program which nobody asked to end; none if it exited, or ended itself with a signal
/// that asks programs to end.
pub(super) fn fault_of(exit: Exit) -> Option<Fault> {
    exit.is_crash().then_some(Fault {
        kind: FindingKind::Crash,
        signal: exit.signal,
    })
}

/// Returns whether an output has invalid UTF-8 of bytes that were in none of the inputs.
/// Inputs with control characters excuse everything: a terminal that erases a part of a character passes on the rest.
fn is_broken<'a>(raw: &[u8], inputs: impl IntoIterator<Item = &'a [u8]>) -> bool {
    if std::str::from_utf8(raw).is_ok() {
        return false;
    }
    let mut typed: HashSet<u8> = HashSet::new();
    for input in inputs {
        if input.iter().any(u8::is_ascii_control) {
            return false;
        }
        typed.extend(input.iter().filter(|byte| !byte.is_ascii()));
    }
    let mut chunks = raw.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        // What is cut at the end of the part that was read is not broken.
        let is_last = chunks.peek().is_none();
        let invalid = chunk.invalid();
        if !is_last && invalid.iter().any(|byte| !typed.contains(byte)) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_signals_that_are_faults_break_a_program() {
        let by = |signal| Exit {
            code: None,
            signal: Some(signal),
        };
        for signal in [4, 6, 9, 11, 13] {
            assert!(fault_of(by(signal)).is_some(), "{signal}");
        }
        for signal in [1, 2, 15] {
            assert_eq!(fault_of(by(signal)), None);
        }
        let failed = Exit {
            code: Some(1),
            signal: None,
        };
        assert_eq!(fault_of(failed), None);
    }

    #[test]
    fn broken_output_is_not_that_of_the_input() {
        let plain: &[u8] = b"data";
        assert!(is_broken(b"a\xffb", [plain]));
        assert!(!is_broken("aé".as_bytes(), [plain]));
        assert!(!is_broken(b"a\xffb", [plain, b"\xff"]));
        assert!(!is_broken(b"a\xffb", [plain, b"\x7f"]));
        assert!(!is_broken(b"cut \xc3", [plain]));
    }
}
