//! Numbers of processes, as programs print them.

use super::cursor::{Cursor, is_word};
use std::ops::Range;

/// Maximum number of digits of the number.
const MAX_DIGITS: usize = 10;

/// Words before the number, and the least number of digits that it has then: `process 3 of 5` is none.
const WORDS: [(&[u8], usize); 5] = [
    (b"pid", 1),
    (b"ppid", 1),
    (b"lwp", 1),
    (b"process id", 1),
    (b"process", 3),
];

/// How bash says that a command of a script was ended.
const ENDS: [&[u8]; 8] = [
    b"Aborted",
    b"Bus error",
    b"Floating point",
    b"Hangup",
    b"Illegal",
    b"Killed",
    b"Segmentation",
    b"Terminated",
];

/// Returns where the number starts and ends in a text at `at`, one of: `pid 12`, `SSH_AGENT_PID=12`, `"pid": 12`,
/// `(process 12)`, `process [12]`, `Process 1234`, `LWP 12`, `(node:12)`, `==12==`, `line 3: 12 Killed`.
pub(super) fn process_id_at(at: Cursor<'_>) -> Option<Range<usize>> {
    // A variable such as SSH_AGENT_PID.
    let starts_word = || {
        at.before()
            .is_none_or(|before| before == b'_' || !is_word(before))
    };
    match at.bytes[at.at] {
        b'=' if at.before() != Some(b'=') => between(at, b"==", b"=="),
        b'n' if at.before() == Some(b'(') => between(at, b"node:", b")"),
        b'p' | b'P' | b'l' | b'L' if starts_word() => {
            let mut found = WORDS.iter().filter_map(|word| after_word(at, *word));
            found.next().or_else(|| in_script(at))
        }
        _ => None,
    }
}

fn between(at: Cursor<'_>, open: &[u8], close: &[u8]) -> Option<Range<usize>> {
    let start = at.text(open)?;
    let end = start.digits(1, MAX_DIGITS)?;
    end.text(close).map(|_| start.at..end.at)
}

fn after_word(at: Cursor<'_>, (word, least): (&[u8], usize)) -> Option<Range<usize>> {
    if !at.rest().get(..word.len())?.eq_ignore_ascii_case(word) {
        return None;
    }
    let end = at.skip(word.len());
    let start = end.run(1, 4, |byte| b" =:#\"'([".contains(byte))?;
    let mut between = at.bytes[end.at..start.at].iter();
    let is_in_brackets = at.before() == Some(b'(') || between.any(|byte| b"([".contains(byte));
    let least = if is_in_brackets { 1 } else { least };
    let end = start.digits(least, MAX_DIGITS)?.word_end()?;
    Some(start.at..end.at)
}

fn in_script(at: Cursor<'_>) -> Option<Range<usize>> {
    let line = at.text(b"line ")?.digits(1, MAX_DIGITS)?;
    let start = line.text(b": ")?.run(0, 5, |byte| *byte == b' ')?;
    let end = start.digits(1, MAX_DIGITS)?;
    end.text(b" ")?.any_text(&ENDS).map(|_| start.at..end.at)
}

#[cfg(test)]
mod tests {
    use crate::key::scrub;

    #[test]
    fn numbers_of_processes_go_in_all_the_ways_in_which_programs_print_them() {
        for clean in [
            "[Inferior 1 (process <pid>) exited normally]",
            "[New Thread 0x (LWP <pid>)]",
            "Started server process [<pid>]",
            "server process (PID <pid>) was",
            "Process ID: <pid>, process id <pid>",
            "SSH_AGENT_PID=<pid>; PPID <pid>",
            "(node:<pid>) Warning: x",
            "==<pid>== Memcheck\n==<pid>==ERROR",
        ] {
            for number in ["7", "41", "1234"] {
                assert_eq!(scrub(&clean.replace("<pid>", number)), clean);
            }
        }
        for clean in [
            "Attaching to process <pid>",
            "Process <pid> launched: '/bin/x'",
            "x.sh: line 3:  <pid> Killed  ./y",
        ] {
            assert_eq!(scrub(&clean.replace("<pid>", "1234")), clean);
        }
    }

    #[test]
    fn other_numbers_stay() {
        for text in [
            "process 3 of 5, processes 1234, reprocess 1234, process1234",
            "[1] 12345",
            "node:41, (main:41), =41=, ==4x==, ===4==",
            "line 3: 12 errors, line 3: 1234",
            "process 12345678901",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
