//! Renders a tape as readable text.

use super::one_line::input_in_one_line;
use super::timeline::size;
use crate::format::{Exchange, InputKind, Tape};
use ccd_protocol::tape::TapeExit;
use ccd_screen::{ShownText, shown};

/// How many characters of an input identify its echo.
const ECHO_CHARS: usize = 16;

/// How much of an exchange's output is searched for the echo.
const ECHO_BYTES: usize = 1024;

/// Returns the text of the terminal: prompts with the inputs, the output, and how the program exited.
/// Input without an echo is written where its echo would be.
pub fn transcript(tape: &Tape) -> String {
    let size = tape.meta.pty.map(|_| size(tape));
    let cols = size.map(|(_, cols)| cols);
    let mut text = ShownText::new(size);
    for exchange in &tape.exchanges {
        if cols.is_none() {
            text.feed(&exchange.input.bytes);
            text.fresh_line();
        } else if let Some(line) = unseen_line(exchange, cols) {
            text.feed(line.as_bytes());
            let first = exchange.chunks.first().and_then(|chunk| chunk.data.first());
            if !matches!(first, Some(b'\r' | b'\n')) {
                text.fresh_line();
            }
        }
        for chunk in &exchange.chunks {
            text.feed(&chunk.data);
        }
    }
    let exit = tape.exchanges.last().and_then(|exchange| exchange.exit);
    if let Some(exit) = exit {
        text.fresh_line();
        text.feed(format!("[{}]", ended(exit)).as_bytes());
    }
    text.fresh_line();
    text.text()
}

/// Whether the terminal or the program showed the input; true if there was none.
pub fn is_echoed(tape: &Tape) -> bool {
    let cols = tape.meta.pty.map(|_| size(tape).1);
    let is_line = |exchange: &&Exchange| {
        exchange.input.kind == InputKind::Line
            && exchange.input.bytes.len() > 1
            && !exchange.pre.hidden
    };
    let mut lines = tape.exchanges.iter().filter(is_line).peekable();
    let has_none = lines.peek().is_none();
    cols.is_some() && (has_none || lines.any(|exchange| unseen_line(exchange, cols).is_none()))
}

/// Describes how a program exited: `exit 0`, `signal 9`.
pub fn ended(exit: TapeExit) -> String {
    match (exit.code, exit.signal) {
        (_, Some(signal)) => format!("signal {signal}"),
        (Some(code), None) => format!("exit {code}"),
        (None, None) => "ended".to_owned(),
    }
}

/// Returns the typed line if the output does not show it. Keys that are not a line show nothing on a terminal.
fn unseen_line(exchange: &Exchange, cols: Option<u16>) -> Option<String> {
    let input = &exchange.input;
    if input.bytes.is_empty() || input.kind == InputKind::Raw {
        return None;
    }
    let line = input_in_one_line(input);
    let bytes = exchange.chunks.iter().flat_map(|chunk| &chunk.data);
    let output: Vec<u8> = bytes.take(ECHO_BYTES).copied().collect();
    let begin: String = line.chars().take(ECHO_CHARS).collect();
    (!shown(&output, cols).starts_with(&begin)).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{exchange, tape};
    use super::*;

    fn ending(mut tape: Tape, code: Option<i32>, signal: Option<i32>) -> Tape {
        if let Some(last) = tape.exchanges.last_mut() {
            last.exit = Some(TapeExit { code, signal });
        }
        tape
    }

    #[test]
    fn it_reads_as_the_terminal_did() {
        let tape = tape(vec![
            exchange("", &["SQLite\r\n\x1b[1msqlite> \x1b[0m"]),
            exchange("select 1;\r", &["select 1;", "\r\n1\r\nsqli", "te> "]),
            exchange(".quit\r", &[".quit\r\n"]),
        ]);
        assert!(is_echoed(&tape));
        let text = "SQLite\nsqlite> select 1;\n1\nsqlite> .quit\n[exit 0]\n";
        assert_eq!(transcript(&ending(tape, Some(0), None)), text);
    }

    #[test]
    fn what_was_typed_unseen_is_shown_in_its_place() {
        let mut hidden = exchange("***\r", &["\r\nWelcome\r\n$ "]);
        hidden.pre.hidden = true;
        let tape = tape(vec![
            exchange("", &["Password: "]),
            hidden,
            exchange("ls\r", &["file\r\n$ "]),
            exchange("\u{3}", &["^C"]),
        ]);
        assert!(!is_echoed(&tape));
        let text = "Password: ***\nWelcome\n$ ls\nfile\n$ ^C\n[signal 2]\n";
        assert_eq!(transcript(&ending(tape, None, Some(2))), text);
    }

    #[test]
    fn without_a_terminal_nothing_is_echoed() {
        let mut tape = tape(vec![exchange("", &[]), exchange("b\na\n", &["a\n", "b\n"])]);
        tape.meta.pty = None;
        assert_eq!(transcript(&tape), "b\na\na\nb\n");
    }
}
