//! Text of others on a user's terminal: nothing in it is obeyed.

mod arguments;
mod commands;
mod fake;
mod made;
mod records;
mod terminal;

use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// A text that changes colours and the title, clears the screen (with an 8-bit control), moves the cursor, and reverses
/// what follows. ccctl itself writes none of these sequences.
const HOSTILE: &str = "h\u{1b}[35m\u{1b}]0;owned\u{7}\u{9b}2J\u{8}\u{7f}\u{202e}\u{2066}\u{85}x";

/// What ccctl itself writes after the escape character, beside colours and positions.
const OWN: [&str; 12] = [
    "[G", "[K", "[2J", "[?1049h", "[?1049l", "[?25h", "[?25l", "[?7h",
    "[?7l", // the end of a link, and its start
    "]8;;", "\\", "[0m",
];

/// How many programs run at a time.
const THREADS: usize = 4;

/// Returns what a terminal would obey in the output of ccctl.
fn obeyed(output: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(output);
    let mut rest = &*text;
    while let Some((at, c)) = rest.char_indices().find(|(_, c)| is_obeyed(*c)) {
        let after = &rest[at + c.len_utf8()..];
        match (c, own_len(after)) {
            ('\u{1b}', Some(len)) => rest = &after[len..],
            _ => return Some(rest[..at + c.len_utf8()].escape_debug().to_string()),
        }
    }
    // Bytes that are not UTF-8 are replaced before they reach a terminal.
    std::str::from_utf8(output)
        .err()
        .map(|error| error.to_string())
}

fn is_obeyed(c: char) -> bool {
    let is_direction = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    // The terminal itself adds the carriage returns.
    is_direction || c.is_control() && !matches!(c, '\n' | '\r' | '\t')
}

/// Returns the length of what ccctl itself writes after the escape character.
fn own_len(text: &str) -> Option<usize> {
    if let Some(own) = OWN.iter().find(|own| text.starts_with(**own)) {
        return Some(own.len());
    }
    // A colour, or the start of a row of a screen.
    let body = text.strip_prefix('[')?;
    let numbers = body.find(|c: char| !c.is_ascii_digit() && !";:".contains(c))?;
    let is_own = match &body[..numbers] {
        "35" => false,
        position if position.ends_with(";1") => body[numbers..].starts_with(['H', 'm']),
        _ => body[numbers..].starts_with('m'),
    };
    is_own.then_some(numbers + 2)
}

/// Gives a command a home of its own, a terminal, and programs that do nothing.
fn alone_in(folder: &Path, command: &mut Command) {
    command.env("HOME", folder).env("TERM", "xterm-256color");
    command.env("EDITOR", "true").env("BROWSER", "true");
    command.current_dir(folder);
}

/// Does a task for each of the items, several at a time.
fn each<T: Sync>(items: &[T], task: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    task(item);
                }
            });
        }
    });
}

/// What was found in the outputs.
#[derive(Default)]
struct Findings {
    obeyed: Mutex<Vec<String>>,
    /// How many outputs showed the hostile text.
    shown: AtomicUsize,
}

impl Findings {
    fn look(&self, command: &Command, output: &[u8]) {
        if let Some(obeyed) = obeyed(output) {
            let words: Vec<_> = command.get_args().collect();
            let found = format!("{words:?}: {obeyed}");
            self.obeyed.lock().unwrap().push(found);
        }
        let text = String::from_utf8_lossy(output);
        if text.contains("\\u{9b}") || text.contains("\\u009b") {
            self.shown.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Asserts that nothing was obeyed, and that the hostile text got as far as many outputs.
    fn assert_none(self, least_shown: usize) {
        let obeyed = self.obeyed.into_inner().unwrap();
        assert!(obeyed.is_empty(), "{} of: {obeyed:#?}", obeyed.len());
        let shown = self.shown.into_inner();
        assert!(shown >= least_shown, "only {shown} outputs show the text");
    }
}

#[test]
fn what_a_terminal_obeys_is_found() {
    for bad in ["\u{1b}[35m", "a\u{9b}m", "\u{7f}", "\u{202e}", "\u{1b}]0;x"] {
        assert!(obeyed(bad.as_bytes()).is_some(), "{bad:?}");
    }
    assert!(obeyed(b"\x9b2J").is_some());
    let own = "\u{1b}[1mx\u{1b}[0m\r\n\t\u{1b}[12;1H\u{1b}[K é";
    assert_eq!(obeyed(own.as_bytes()), None);
}
