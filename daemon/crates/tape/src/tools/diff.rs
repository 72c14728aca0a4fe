//! Compares two tapes after normalisation.

use super::one_line::input_in_one_line;
use super::timeline::size;
use super::transcript::ended;
use crate::format::{Chunk, Stream, Tape};
use crate::key::{program_name, scrub};
use ccd_screen::shown;
use std::fmt::Write as _;

/// Maximum length of a difference, in lines after the two of its header and in bytes.
const MAX_LINES: usize = 10_000;
const MAX_BYTES: usize = 4 << 20;

/// Returns the differences between two tapes as a unified diff; `None` if there are none.
/// Program, arguments, inputs, outputs and the exit are compared, as text without values that differ from run to run.
/// Each exchange has its own line, `exchange 3: select 1;`, and its output is indented, so that they cannot be
/// confused.
pub fn diff((a_name, a): (&str, &Tape), (b_name, b): (&str, &Tape)) -> Option<String> {
    unified((a_name, &described(a)), (b_name, &described(b)))
}

/// Returns the differences between two texts, with their names; `None` if there are none.
pub fn unified(a: (&str, &str), b: (&str, &str)) -> Option<String> {
    if a.1 == b.1 {
        return None;
    }
    let (mut text, mut left_out) = (String::new(), 0);
    let all = ccd_text::diff::unified(a, b);
    for (index, line) in all.split_inclusive('\n').enumerate() {
        if index >= 2 + MAX_LINES || text.len() + line.len() > MAX_BYTES {
            left_out += 1;
        } else {
            text.push_str(line);
        }
    }
    if left_out > 0 {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "… {left_out} more lines");
    }
    Some(text)
}

/// Returns output for comparison. Standard error is separate, because the order of two streams is left to chance.
pub(super) fn normal_output(chunks: &[Chunk], cols: Option<u16>) -> String {
    let of = |stream: Stream| {
        let chunks = chunks.iter().filter(|chunk| chunk.stream == stream);
        let bytes: Vec<&[u8]> = chunks.map(|chunk| &*chunk.data).collect();
        scrub(shown(&bytes.concat(), cols).trim_end()).into_owned()
    };
    let (output, errors) = (of(Stream::Stdout), of(Stream::Stderr));
    match (output.is_empty(), errors.is_empty()) {
        (_, true) => output,
        (true, false) => format!("stderr:\n{errors}"),
        (false, false) => format!("{output}\nstderr:\n{errors}"),
    }
}

fn described(tape: &Tape) -> String {
    let cols = tape.meta.pty.map(|_| size(tape).1);
    let words = std::iter::once(program_name(&tape.meta.program))
        .chain(tape.meta.args.iter().map(String::as_str));
    let words: Vec<String> = words.map(ccd_base::shell::quoted).collect();
    let mut text = format!("program: {}\n", line_of(&words.join(" ")));
    for (index, exchange) in tape.exchanges.iter().enumerate() {
        let typed = line_of(&input_in_one_line(&exchange.input));
        let hidden = if exchange.pre.hidden { " (hidden)" } else { "" };
        let colon = if typed.is_empty() { "" } else { ": " };
        let _ = writeln!(text, "exchange {index}{colon}{typed}{hidden}");
        for line in normal_output(&exchange.chunks, cols).lines() {
            let _ = writeln!(text, "  {line}");
        }
        if let Some(exit) = exchange.exit {
            let _ = writeln!(text, "{}", ended(exit));
        }
    }
    text
}

fn line_of(text: &str) -> String {
    scrub(text).replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::super::tests::{exchange, tape};
    use super::*;
    use ccd_protocol::tape::TapeExit;

    fn differ(a: &Tape, b: &Tape) -> Option<String> {
        diff(("a", a), ("b", b))
    }

    #[test]
    fn equal_tapes_do_not_differ_however_their_output_was_cut() {
        let a = tape(vec![exchange("x\r", &["\x1b[1mon", "e\x1b[0m  \r\n"])]);
        let b = tape(vec![exchange("x\r", &["one\r\n"])]);
        assert_eq!(differ(&a, &b), None);
    }

    #[test]
    fn a_difference_is_told_with_its_exchange() {
        let a = tape(vec![
            exchange("", &["> "]),
            exchange("a\r", &["a\r\n1\r\n> "]),
        ]);
        let mut b = tape(vec![
            exchange("", &["> "]),
            exchange("a\r", &["a\r\n2\r\n> "]),
        ]);
        let (code, signal) = (Some(1), None);
        b.exchanges[1].exit = Some(TapeExit { code, signal });
        assert_eq!(
            differ(&a, &b).unwrap(),
            "--- a\n+++ b\n@@ -3,5 +3,6 @@\n   >\n exchange 1: a\n   a\n-  1\n+  2\n   >\n+exit 1\n"
        );
    }

    #[test]
    fn an_input_of_several_lines_cannot_be_taken_for_anything_else() {
        let a = tape(vec![exchange("a\r\nexchange 2: b\r\n\u{2028}\u{85}", &[])]);
        let b = tape(vec![exchange("c\r", &["exchange 9: x\r\n"])]);
        let text = differ(&a, &b).unwrap();
        for part in [
            "-exchange 0: a\\r\\nexchange 2: b\\r\\n\\u{2028}\\u{85}\n",
            "+exchange 0: c\n+  exchange 9: x\n",
        ] {
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn a_long_difference_is_cut() {
        let lines = |word: &str| word.repeat(30_000);
        let text = unified(("a", &lines("x\n")), ("b", &lines("y\n"))).unwrap();
        assert_eq!(text.lines().count(), 2 + MAX_LINES + 1);
        let end = &text[text.len() - 40..];
        assert!(end.ends_with(" more lines\n"), "{end}");
        assert_eq!(unified(("a", "x"), ("b", "x")), None);
    }
}
