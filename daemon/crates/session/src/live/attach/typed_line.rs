//! Turns single keys that a person types into lines for the interaction log.

use crate::interaction::{InputForm, TypedText};
use crate::keys::{self, Key};

/// A longer line is split.
const MAX_LINE_BYTES: usize = 4096;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Pressed {
    Text(char),
    Named(String),
    /// The key completes the line: Enter, `^C`, `^D`.
    Done(&'static str),
    Erase,
    EraseWord,
    EraseLine,
}

/// The keys since the last completed line.
#[derive(Debug, Default)]
pub(super) struct TypedLine {
    /// Text, and named keys between angle brackets.
    shown: String,
    /// Text between named keys, each on its own line, which the terminal must have shown; includes erased text.
    echo: String,
    /// Start of the line's last text in `shown`; what precedes it cannot be erased.
    text_start: usize,
    /// Named keys, and the characters before each, as names.
    keys: Vec<String>,
    /// Number of characters typed into a full-screen program, which are not kept.
    counted: usize,
    offset: Option<u64>,
    hidden: bool,
    reads_keys: bool,
}

/// The state of the terminal when keys were written.
#[derive(Debug, Clone, Copy)]
pub struct TakenInput {
    /// Offset of the output when they were written.
    pub offset: u64,
    pub hidden: bool,
    /// The terminal hands over lines, not keys.
    pub canonical: bool,
    /// A full-screen program uses the alternate screen.
    pub alternate: bool,
}

impl TypedLine {
    pub(super) fn add(&mut self, bytes: &[u8], taken: TakenInput) -> Vec<TypedText> {
        let mut done = Vec::new();
        for pressed in pressed(bytes) {
            self.offset.get_or_insert(taken.offset);
            self.hidden |= taken.hidden;
            self.reads_keys |= !taken.canonical;
            match pressed {
                Pressed::Text(_) if taken.alternate && !self.hidden => self.counted += 1,
                Pressed::Text(character) => {
                    self.shown.push(character);
                    self.echo.push(character);
                }
                Pressed::Named(name) => self.named(&name),
                Pressed::Done(name) => {
                    if self.is_empty() || name != "Enter" {
                        self.named(name);
                    }
                    done.extend(self.take_line(name == "Enter"));
                }
                Pressed::Erase if self.shown.len() == self.text_start => self.named("BSpace"),
                Pressed::Erase => _ = self.shown.pop(),
                Pressed::EraseWord => {
                    let text = self.shown[self.text_start..].trim_end();
                    let rest = text.trim_end_matches(|c: char| !c.is_whitespace());
                    self.shown.truncate(self.text_start + rest.len());
                }
                Pressed::EraseLine => self.shown.truncate(self.text_start),
            }
            if self.shown.len() >= MAX_LINE_BYTES {
                done.extend(self.take());
            }
        }
        done
    }

    /// Takes the text of a line that is not complete.
    pub(super) fn take(&mut self) -> Option<TypedText> {
        self.take_line(false)
    }

    fn take_line(&mut self, has_enter: bool) -> Option<TypedText> {
        self.count();
        let form = self.form(has_enter);
        let line = std::mem::take(self);
        let text = if line.shown.is_empty() {
            return None;
        } else {
            line.shown
        };
        Some(TypedText {
            text,
            offset: line.offset.unwrap_or_default(),
            hidden: line.hidden,
            echo: line.reads_keys.then_some(line.echo),
            form,
        })
    }

    fn form(&mut self, has_enter: bool) -> InputForm {
        if self.keys.is_empty() {
            return if has_enter {
                InputForm::Line
            } else {
                InputForm::Text
            };
        }
        self.name_text();
        let mut keys = std::mem::take(&mut self.keys);
        if has_enter && keys.last().is_none_or(|last| last != "Enter") {
            keys.push("Enter".to_owned());
        }
        if keys.iter().all(|key| keys::fault(key).is_none()) {
            InputForm::Keys(keys)
        } else {
            // For example, characters that were only counted cannot be typed.
            InputForm::Event
        }
    }

    /// Adds the text since the last named key to `keys`, character by character.
    fn name_text(&mut self) {
        let text = self.shown[self.text_start..].chars();
        self.keys.extend(text.map(String::from));
    }

    fn is_empty(&self) -> bool {
        self.shown.is_empty() && self.counted == 0
    }

    fn named(&mut self, name: &str) {
        self.count();
        self.name_text();
        self.keys.push(name.to_owned());
        self.shown.push_str(&format!("<{name}>"));
        if !self.echo.is_empty() && !self.echo.ends_with('\n') {
            self.echo.push('\n');
        }
        self.text_start = self.shown.len();
    }

    fn count(&mut self) {
        match std::mem::take(&mut self.counted) {
            0 => {}
            1 => self.named("1 character"),
            count => self.named(&format!("{count} characters")),
        }
    }
}

/// Splits input into keys, without mouse and focus reports.
fn pressed(bytes: &[u8]) -> Vec<Pressed> {
    let text = String::from_utf8_lossy(bytes);
    let mut keys = Vec::new();
    let mut rest = text.as_ref();
    while let Some(first) = rest.chars().next() {
        let (key, len) = match first {
            '\x1b' => escaped(rest),
            first => (Some(plain(first)), first.len_utf8()),
        };
        keys.extend(key);
        rest = &rest[len..];
    }
    keys
}

fn plain(character: char) -> Pressed {
    match character {
        '\r' | '\n' => Pressed::Done("Enter"),
        '\x03' => Pressed::Done("C-c"),
        '\x04' => Pressed::Done("C-d"),
        '\x08' | '\x7f' => Pressed::Erase,
        '\x15' => Pressed::EraseLine,
        '\x17' => Pressed::EraseWord,
        '\t' => Pressed::Named("Tab".into()),
        control @ '\0'..='\x1f' => {
            let letter = char::from(control as u8 + b'@').to_ascii_lowercase();
            Pressed::Named(format!("C-{letter}"))
        }
        character => Pressed::Text(character),
    }
}

/// Returns the first key of `rest`, which starts with ESC, and its length.
fn escaped(rest: &str) -> (Option<Pressed>, usize) {
    let named = |name: &str| Some(Pressed::Named(name.to_owned()));
    match rest[1..].chars().next() {
        Some('[') => {
            let Some(len) = rest[2..].find(|last: char| ('@'..='~').contains(&last)) else {
                return (named("key"), rest.len());
            };
            (sequence(&rest[2..2 + len + 1]), 2 + len + 1)
        }
        Some('O') => match rest[2..].chars().next() {
            Some(last) => (named(letter_name(last)), 2 + last.len_utf8()),
            None => (named("M-O"), 2),
        },
        Some('\x1b') | None => (named("Escape"), 1),
        Some(character) => (
            named(&format!("M-{}", character.escape_default())),
            1 + character.len_utf8(),
        ),
    }
}

/// Returns the key of a sequence, which is passed without its `ESC [`.
fn sequence(body: &str) -> Option<Pressed> {
    let (params, last) = body.split_at(body.len() - 1);
    let mut numbers = params.split([';', ':']).map(|number| number.parse::<u32>());
    let first = numbers.next().and_then(Result::ok);
    let name = match (last, first) {
        ("M" | "m", _) if params.starts_with('<') => return None,
        ("M" | "I" | "O", _) if params.is_empty() => return None,
        // The start and end of a paste; the text between them is ordinary text.
        ("~", Some(200 | 201)) => return None,
        ("~", Some(number)) => tilde_name(u8::try_from(number).unwrap_or(0)),
        ("u", Some(code)) => {
            let character = char::from_u32(code).unwrap_or('?');
            return Some(match plain(character) {
                Pressed::Text(character) => Pressed::Named(format!("key {character}")),
                pressed => pressed,
            });
        }
        (last, _) => letter_name(last.chars().next().unwrap_or('?')),
    };
    Some(Pressed::Named(name.to_owned()))
}

fn letter_name(last: char) -> &'static str {
    let key = match last {
        'P'..='S' => Key::Function(last),
        'Z' => Key::BackTab,
        _ => Key::Cursor(last),
    };
    keys::name_of(key).unwrap_or("key")
}

fn tilde_name(number: u8) -> &'static str {
    match number {
        1 | 7 => "Home",
        4 | 8 => "End",
        5 => "PPage",
        6 => "NPage",
        11 => "F1",
        12 => "F2",
        13 => "F3",
        14 => "F4",
        _ => keys::name_of(Key::Tilde(number)).unwrap_or("key"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SHELL: TakenInput = TakenInput {
        offset: 7,
        hidden: false,
        canonical: false,
        alternate: false,
    };

    const FULL_SCREEN: TakenInput = TakenInput {
        alternate: true,
        ..SHELL
    };

    fn typed(line: &mut TypedLine, keys: &[&str], taken: TakenInput) -> Vec<String> {
        let done = keys
            .iter()
            .flat_map(|keys| line.add(keys.as_bytes(), taken));
        done.map(|typed| typed.text).collect()
    }

    #[test]
    fn keys_become_lines_as_they_were_edited() {
        let mut line = TypedLine::default();
        let keys = ["l", "a", "\x7f", "s", " ", "-l", "\r", "\r", "x\x03"];
        assert_eq!(
            typed(&mut line, &keys, SHELL),
            ["ls -l", "<Enter>", "x<C-c>"]
        );
        let keys = ["git wrong", "\x17", "log", "\x1b[A", "\x1b[1;5C", "ab\r"];
        assert_eq!(typed(&mut line, &keys, SHELL), ["git log<Up><Right>ab"]);
        // A blank of two bytes.
        let keys = ["a\u{a0}wrong", "\x17", "b\r"];
        assert_eq!(typed(&mut line, &keys, SHELL), ["a\u{a0}b"]);
        assert!(line.take().is_none());
    }

    #[test]
    fn a_line_tells_how_it_could_be_typed_again() {
        let mut line = TypedLine::default();
        let mut forms = |keys: &[u8], taken| {
            let done = line.add(keys, taken);
            done.into_iter().map(|typed| typed.form).collect::<Vec<_>>()
        };
        let keys =
            |names: &[&str]| InputForm::Keys(names.iter().map(|&name| name.into()).collect());
        assert_eq!(
            forms(b"ls\r\rcx\x7fd\ty\rz\x03", SHELL),
            [
                InputForm::Line,
                keys(&["Enter"]),
                keys(&["c", "d", "Tab", "y", "Enter"]),
                keys(&["z", "C-c"]),
            ]
        );
        assert_eq!(forms(b"ihello\r", FULL_SCREEN), [InputForm::Event]);
        assert!(line.add(b"not done", SHELL).is_empty());
        assert_eq!(line.take().unwrap().form, InputForm::Text);
    }

    #[test]
    fn text_between_named_keys_must_have_been_shown_piece_by_piece() {
        let mut line = TypedLine::default();
        let done = line.add(b"ls /et\tpass\t\r", SHELL);
        assert_eq!(done[0].text, "ls /et<Tab>pass<Tab>");
        assert_eq!(done[0].echo.as_deref(), Some("ls /et\npass\n"));
        assert_eq!(done[0].offset, 7);
        let canonical = TakenInput {
            canonical: true,
            ..SHELL
        };
        assert_eq!(line.add(b"x\r", canonical)[0].echo, None);
    }

    #[test]
    fn at_a_full_screen_program_characters_are_counted() {
        let mut line = TypedLine::default();
        let keys = ["ihello", "\x1b", "j", "\x1b[<0;3;4M", "\x1b[I", ":wq\r"];
        assert_eq!(
            typed(&mut line, &keys, FULL_SCREEN),
            ["<6 characters><Escape><4 characters>"]
        );
    }

    #[test]
    fn one_hidden_key_hides_the_line_and_the_line_is_known_as_a_whole() {
        let mut line = TypedLine::default();
        let hidden = TakenInput {
            hidden: true,
            canonical: true,
            ..SHELL
        };
        let mut done = line.add(b"hunt", hidden);
        done.extend(line.add(b"ex\x7fr2\r", hidden));
        assert_eq!((done[0].text.as_str(), done[0].hidden), ("hunter2", true));
        assert!(!line.add(b"ls\r", SHELL)[0].hidden);
    }

    #[test]
    fn a_line_without_end_is_cut() {
        let mut line = TypedLine::default();
        let done = line.add(&[b'x'; 3 * MAX_LINE_BYTES], SHELL);
        assert_eq!(done.len(), 3);
        assert!(line.take().is_none());
    }

    proptest! {
        #[test]
        fn any_input_cut_anywhere_is_taken(bytes in prop::collection::vec(any::<u8>(), 0..60), cut in any::<prop::sample::Index>()) {
            let mut line = TypedLine::default();
            let at = cut.index(bytes.len() + 1);
            line.add(&bytes[..at], SHELL);
            line.add(&bytes[at..], SHELL);
            line.take();
        }
    }
}
