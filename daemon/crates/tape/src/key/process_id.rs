//! Numbers of processes, as programs print them.

use super::bytes::{at_word_end, count, is_word};
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

/// Returns the position of the number in a text at `at`, one of: `pid 12`, `SSH_AGENT_PID=12`, `"pid": 12`,
/// `(process 12)`, `process [12]`, `Process 1234`, `LWP 12`, `(node:12)`, `==12==`, `line 3: 12 Killed`.
pub(super) fn process_id_at(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let before = at.checked_sub(1).map(|before| bytes[before]);
    // A variable such as SSH_AGENT_PID.
    let starts_word = before.is_none_or(|before| before == b'_' || !is_word(before));
    match bytes[at] {
        b'=' if before != Some(b'=') => between(bytes, at, b"==", b"=="),
        b'n' if before == Some(b'(') => between(bytes, at, b"node:", b")"),
        b'p' | b'P' | b'l' | b'L' if starts_word => {
            let mut found = WORDS.iter().filter_map(|word| after_word(bytes, at, *word));
            found.next().or_else(|| in_script(bytes, at))
        }
        _ => None,
    }
}

fn digits(bytes: &[u8], start: usize, least: usize) -> Option<Range<usize>> {
    let len = count(bytes, start, MAX_DIGITS + 1, u8::is_ascii_digit);
    let is_number = (least..=MAX_DIGITS).contains(&len);
    is_number.then_some(start..start + len)
}

fn between(bytes: &[u8], at: usize, open: &[u8], close: &[u8]) -> Option<Range<usize>> {
    bytes[at..].strip_prefix(open)?;
    let found = digits(bytes, at + open.len(), 1)?;
    bytes[found.end..].starts_with(close).then_some(found)
}

fn after_word(bytes: &[u8], at: usize, (word, least): (&[u8], usize)) -> Option<Range<usize>> {
    let end = at + word.len();
    if !bytes.get(at..end)?.eq_ignore_ascii_case(word) {
        return None;
    }
    let start = end + count(bytes, end, 4, |byte| b" =:#\"'([".contains(byte));
    let is_in_brackets = at > 0 && bytes[at - 1] == b'('
        || bytes[end..start].iter().any(|byte| b"([".contains(byte));
    let found = digits(bytes, start, if is_in_brackets { 1 } else { least })?;
    let is_apart = start > end && at_word_end(bytes, found.end).is_some();
    is_apart.then_some(found)
}

fn in_script(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    bytes[at..].strip_prefix(b"line ")?;
    let line = digits(bytes, at + 5, 1)?;
    bytes[line.end..].strip_prefix(b": ")?;
    let start = line.end + 2;
    let found = digits(
        bytes,
        start + count(bytes, start, 5, |byte| *byte == b' '),
        1,
    )?;
    let how = bytes[found.end..].strip_prefix(b" ")?;
    ENDS.iter().any(|end| how.starts_with(end)).then_some(found)
}

#[cfg(test)]
mod tests {
    use crate::key::scrub;

    #[test]
    fn numbers_of_processes_go_in_all_the_ways_in_which_programs_print_them() {
        for (text, clean) in [
            (
                "[Inferior 1 (process 1234) exited normally]",
                "[Inferior 1 (process <pid>) exited normally]",
            ),
            ("(process 7)", "(process <pid>)"),
            ("Attaching to process 1234", "Attaching to process <pid>"),
            (
                "Process 1234 launched: '/bin/x'",
                "Process <pid> launched: '/bin/x'",
            ),
            (
                "[New Thread 0x7f1c (LWP 99)]",
                "[New Thread <hex> (LWP <pid>)]",
            ),
            (
                "Started server process [12]",
                "Started server process [<pid>]",
            ),
            (
                "server process (PID 12) was",
                "server process (PID <pid>) was",
            ),
            (
                "Process ID: 31, process id 32",
                "Process ID: <pid>, process id <pid>",
            ),
            (
                "SSH_AGENT_PID=12; PPID 3",
                "SSH_AGENT_PID=<pid>; PPID <pid>",
            ),
            ("(node:41) Warning: x", "(node:<pid>) Warning: x"),
            (
                "==41== Memcheck\n==41==ERROR",
                "==<pid>== Memcheck\n==<pid>==ERROR",
            ),
            (
                "x.sh: line 3:  1234 Killed  ./y",
                "x.sh: line 3:  <pid> Killed  ./y",
            ),
        ] {
            assert_eq!(scrub(text), clean, "{text}");
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
