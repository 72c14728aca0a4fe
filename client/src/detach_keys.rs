//! Finds the detach keys in the input, and the keys that change what a terminal of another size shows.

const MAX_KEYS: usize = 4;

const PASTE_START: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";

/// The keys of a sequence that detaches, none if none does: a character, after `C-` for Ctrl and `M-` for Alt.
pub(crate) type DetachKeys = Vec<String>;

fn key_name(ctrl: bool, alt: bool, character: char) -> String {
    let (ctrl, alt) = (if ctrl { "C-" } else { "" }, if alt { "M-" } else { "" });
    format!("{ctrl}{alt}{character}")
}

/// The keys with their long names, such as `Ctrl-\\ then d`; `None` if there are none.
pub(crate) fn in_words(keys: &[String]) -> Option<String> {
    let word = |key: &String| {
        let (modifiers, character) = key.split_at(key.len() - last_len(key));
        let modifiers = modifiers.replace("C-", "Ctrl-").replace("M-", "Alt-");
        modifiers + if character == " " { "Space" } else { character }
    };
    let words: Vec<String> = keys.iter().map(word).collect();
    (!words.is_empty()).then(|| words.join(" then "))
}

fn last_len(text: &str) -> usize {
    text.chars().next_back().map_or(0, char::len_utf8)
}

/// Parses keys such as `C-\ d` or `C-p,C-q`; `none` for no keys.
/// The error is a fragment: the mistake and what to give instead.
pub(crate) fn detach_keys(text: &str) -> Result<DetachKeys, String> {
    let names = text.split([' ', ',']).filter(|name| !name.is_empty());
    match names.map(key).collect::<Result<DetachKeys, _>>() {
        _ if text == "none" => Ok(DetachKeys::new()),
        Ok(keys) if keys.is_empty() || keys.len() > MAX_KEYS => Err(format!(
            "give 1 to {MAX_KEYS} keys, such as 'C-\\ d', or none"
        )),
        keys => keys,
    }
}

fn key(name: &str) -> Result<String, String> {
    let (modifiers, character) = name.split_at(name.len() - last_len(name));
    let lower = modifiers.to_ascii_lowercase().replace("ctrl-", "c-");
    let lower = lower.replace('^', "c-");
    let (ctrl, alt) = (lower.contains("c-"), lower.contains("m-"));
    let is_known = lower.replace("c-", "").replace("m-", "").is_empty();
    let may_be_held = |character: char| matches!(character, '@'..='_' | 'a'..='z' | ' ');
    match character.chars().next() {
        Some(character) if is_known && ctrl && may_be_held(character) => {
            Ok(key_name(ctrl, alt, character.to_ascii_lowercase()))
        }
        Some(character) if is_known && !ctrl => Ok(key_name(ctrl, alt, character)),
        _ => Err(format!(
            "{name:?} is not a key; give a character, C-x for Ctrl-x, or M-x for Alt-x"
        )),
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Typed {
    pub(crate) bytes: Vec<u8>,
    /// The detach keys were typed; what follows them is dropped.
    pub(crate) detaches: bool,
    pub(crate) looks: Vec<Look>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// The visible part moves down and to the right.
    Move { rows: i64, cols: i64 },
    /// The session takes the size of this terminal; a read-only terminal follows the cursor again.
    Fit,
}

/// When the keys of [`Look`] work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LookKeys {
    /// The terminal has the size of the session: there is nothing else to show.
    None,
    /// After the first of the detach keys.
    AfterFirst,
    /// Alone too, because nothing can be typed here.
    Alone,
}

/// Rows or columns of one move, as in tmux.
const STEP: i64 = 10;

impl Look {
    fn of(token: &Token<'_>) -> Option<Self> {
        let (rows, cols) = match (token.bytes, &token.key) {
            (_, Some(key)) => return (key == FIT_KEY).then_some(Self::Fit),
            ([0x1b, b'[', .., b'A'], _) => (-STEP, 0),
            ([0x1b, b'[', .., b'B'], _) => (STEP, 0),
            ([0x1b, b'[', .., b'C'], _) => (0, STEP),
            ([0x1b, b'[', .., b'D'], _) => (0, -STEP),
            _ => return None,
        };
        Some(Self::Move { rows, cols })
    }
}

/// As in GNU screen.
const FIT_KEY: &str = "f";

#[derive(Debug)]
pub(crate) struct Watch {
    keys: DetachKeys,
    /// How many of them were typed so far.
    matched: usize,
    /// Their bytes, and those typed between them.
    held: Vec<u8>,
    in_paste: bool,
}

/// One key press or control sequence of the input.
struct Token<'a> {
    bytes: &'a [u8],
    /// `None` if it is not a key that types a character, such as a mouse report.
    key: Option<String>,
    is_release: bool,
}

impl Watch {
    pub(crate) fn new(keys: &[String]) -> Self {
        Self {
            keys: keys.to_vec(),
            matched: 0,
            held: Vec::new(),
            in_paste: false,
        }
    }

    /// Takes input. The first key pressed twice is passed on once.
    pub(crate) fn feed(&mut self, mut input: &[u8], look_keys: LookKeys) -> Typed {
        let mut typed = Typed::default();
        while !input.is_empty() {
            let token = next(input);
            input = &input[token.bytes.len()..];
            if let Some(look) = self.take_look(&token, look_keys) {
                typed.looks.push(look);
                continue;
            }
            if self.take(&token, &mut typed.bytes) {
                typed.detaches = true;
                break;
            }
        }
        typed
    }

    fn take_look(&mut self, token: &Token<'_>, look_keys: LookKeys) -> Option<Look> {
        let works = match look_keys {
            LookKeys::None => false,
            LookKeys::AfterFirst => self.matched > 0,
            LookKeys::Alone => true,
        };
        let next = self.keys.get(self.matched);
        let is_detach_key = next.is_some() && token.key.as_ref() == next;
        if !works || self.in_paste || token.is_release || is_detach_key {
            return None;
        }
        let look = Look::of(token)?;
        self.held.clear();
        self.matched = 0;
        Some(look)
    }

    /// Returns true if this was the last of the detach keys.
    fn take(&mut self, token: &Token<'_>, out: &mut Vec<u8>) -> bool {
        if token.bytes == PASTE_START {
            self.in_paste = true;
        } else if token.bytes == PASTE_END {
            self.in_paste = false;
        }
        let key = token.key.as_ref().filter(|_| !self.in_paste);
        if key.is_some() && key == self.keys.get(self.matched) && !token.is_release {
            self.matched += 1;
            self.held.extend_from_slice(token.bytes);
            return self.matched == self.keys.len();
        }
        if self.matched == 0 {
            out.extend_from_slice(token.bytes);
            return false;
        }
        if token.is_release || key.is_none() {
            self.held.extend_from_slice(token.bytes);
            return false;
        }
        self.matched = 0;
        let held = std::mem::take(&mut self.held);
        if key != self.keys.first() {
            out.extend_from_slice(&held);
        }
        out.extend_from_slice(token.bytes);
        false
    }
}

/// Returns the next token of the input; an unfinished sequence is a token as far as it goes.
fn next(input: &[u8]) -> Token<'_> {
    if let Some(rest) = input.strip_prefix(b"\x1b[") {
        let params = rest.iter().take_while(|byte| (0x20..=0x3f).contains(*byte));
        let len = 2 + params.count();
        let is_whole = input
            .get(len)
            .is_some_and(|last| (0x40..=0x7e).contains(last));
        let len = len + usize::from(is_whole);
        let (key, is_release) = reported(&input[2..len]);
        return Token {
            bytes: &input[..len],
            key,
            is_release,
        };
    }
    let (alt, rest) = match input {
        [0x1b, rest @ ..] if !rest.is_empty() && rest[0] >= 0x20 => (true, rest),
        input => (false, input),
    };
    // The longest character has 4 bytes.
    let start = &rest[..rest.len().min(4)];
    let start = start.utf8_chunks().next();
    let character = start.and_then(|start| start.valid().chars().next());
    let len = character.map_or(1, char::len_utf8);
    let key = character.map(|character| {
        let ctrl = character < ' ' && character != '\x1b';
        let character = if ctrl {
            char::from(character as u8 + b'@').to_ascii_lowercase()
        } else {
            character
        };
        key_name(ctrl, alt, character)
    });
    Token {
        bytes: &input[..usize::from(alt) + len],
        key,
        is_release: false,
    }
}

/// A key that the terminal reports by number because the program asked for that: `code ; modifiers : event u` (kitty)
/// or `27 ; modifiers ; code ~` (xterm).
fn reported(body: &[u8]) -> (Option<String>, bool) {
    let Some((last, params)) = body.split_last() else {
        return (None, false);
    };
    let params = std::str::from_utf8(params).unwrap_or_default();
    let fields: Vec<&str> = params.split(';').collect();
    let (code, modifiers) = match (last, fields.as_slice()) {
        (b'u', [code]) => (*code, "1"),
        (b'u', [code, modifiers, ..]) => (*code, *modifiers),
        (b'~', ["27", modifiers, code]) => (*code, *modifiers),
        // An arrow.
        (_, [_, modifiers]) => return (None, modifiers.ends_with(":3")),
        _ => return (None, false),
    };
    let number = |text: &str| {
        text.split(':')
            .next()
            .and_then(|first| first.parse::<u32>().ok())
    };
    let event = modifiers.split(':').nth(1);
    let held = number(modifiers).unwrap_or(1).saturating_sub(1);
    let character = number(code).and_then(char::from_u32);
    let key = character.map(|character| key_name(held & 4 != 0, held & 2 != 0, character));
    (key, event == Some("3"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn watch(keys: &str) -> Watch {
        Watch::new(&detach_keys(keys).unwrap())
    }

    /// The bytes for the program of successive inputs, and whether they detach.
    fn after(keys: &str, inputs: &[&[u8]]) -> (Vec<u8>, bool) {
        let mut watch = watch(keys);
        let mut all = Vec::new();
        for input in inputs {
            let typed = watch.feed(input, LookKeys::None);
            all.extend(typed.bytes);
            if typed.detaches {
                return (all, true);
            }
        }
        (all, false)
    }

    #[test]
    fn the_keys_detach_in_one_read_or_in_several_and_all_else_is_passed_on() {
        for (keys, inputs, bytes, detaches) in [
            ("C-\\ d", &[&b"ab\x1cdcd"[..]][..], &b"ab"[..], true),
            ("C-\\ d", &[b"\x1c", b"d"], b"", true),
            ("C-p,C-q", &[b"\x10\x11"], b"", true),
            ("^A", &[b"x\x01"], b"x", true),
            ("M-x", &[b"\x1bx"], b"", true),
            // The first key twice is the key once.
            ("C-\\ d", &[b"\x1c\x1c", b"d"], b"\x1cd", false),
            ("C-\\ d", &[b"\x1cxd"], b"\x1cxd", false),
            ("none", &[b"\x1cd"], b"\x1cd", false),
            // Keys that the terminal reports in numbers; the last one with Caps Lock on.
            ("C-\\ d", &[b"\x1b[92;5u", b"\x1b[100u"], b"", true),
            ("C-\\ d", &[b"\x1b[27;5;92~d"], b"", true),
            (
                "C-\\ d",
                &[b"\x1b[92;5:1u\x1b[92;5:3u", b"\x1b[100;1:1u"],
                b"",
                true,
            ),
            ("C-\\ d", &[b"\x1b[92;69u", b"d"], b"", true),
            // Mouse reports in between do not matter.
            ("C-\\ d", &[b"\x1c", b"\x1b[<35;1;1M", b"d"], b"", true),
        ] {
            let expected = (bytes.to_vec(), detaches);
            assert_eq!(after(keys, inputs), expected, "{inputs:?}");
        }
        // In between, a mouse report is passed on if the keys do not follow, and what is pasted does not detach.
        for all in [&b"\x1c\x1b[<35;1;1Mx"[..], b"\x1b[200~\x1cd\x1b[201~"] {
            assert_eq!(after("C-\\ d", &[all]), (all.to_vec(), false));
        }
    }

    #[test]
    fn arrows_move_the_view_after_the_first_key_or_alone() {
        use LookKeys::{AfterFirst, Alone};
        let moved = |rows, cols| Look::Move { rows, cols };
        let (right, up) = (moved(0, STEP), moved(-STEP, 0));
        for (look_keys, input, bytes, looks) in [
            (AfterFirst, &b"a\x1c\x1b[Cb"[..], &b"ab"[..], &[right][..]),
            (AfterFirst, b"\x1c\x1b[1;2A\x1cf", b"", &[up, Look::Fit]),
            (AfterFirst, b"\x1b[Cf", b"\x1b[Cf", &[]),
            (AfterFirst, b"\x1c\x1b[<5;1;1Mx", b"\x1c\x1b[<5;1;1Mx", &[]),
            (AfterFirst, b"\x1cx", b"\x1cx", &[]),
            (Alone, b"\x1b[C\x1b[Afx", b"x", &[right, up, Look::Fit]),
            (Alone, b"\x1b[1;1:3C", b"\x1b[1;1:3C", &[]),
            (LookKeys::None, b"\x1c\x1b[Cf", b"\x1c\x1b[Cf", &[]),
        ] {
            let typed = watch("C-\\ d").feed(input, look_keys);
            assert_eq!((&*typed.bytes, &*typed.looks), (bytes, looks), "{input:?}");
        }
        let typed = watch("f d").feed(b"fd", Alone);
        assert!(typed.detaches, "a detach key comes first");
    }

    #[test]
    fn keys_are_told_in_words_and_names_that_are_no_keys_are_refused() {
        for (good, words) in [
            ("C-\\ d", Some("Ctrl-\\ then d")),
            ("M-x", Some("Alt-x")),
            ("none", None),
            ("ctrl-b", Some("Ctrl-b")),
            ("C-p C-q", Some("Ctrl-p then Ctrl-q")),
            ("q", Some("q")),
        ] {
            let keys = detach_keys(good).expect(good);
            assert_eq!(in_words(&keys).as_deref(), words);
        }
        assert!(detach_keys("C-M-x").is_ok());
        for bad in ["", " ", "F1", "C-é", "C-", "a b c d e", "Enter"] {
            assert!(detach_keys(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn without_the_keys_everything_is_passed_on(input in prop::collection::vec(any::<u8>(), 0..60), cut in any::<prop::sample::Index>()) {
            let at = cut.index(input.len() + 1);
            prop_assert_eq!(after("none", &[&input[..at], &input[at..]]), (input, false));
        }

        #[test]
        fn nothing_is_lost_before_the_keys(input in "[a-z\u{1b}\\[;0-9u~é]{0,40}") {
            let mut bytes = input.clone().into_bytes();
            bytes.extend_from_slice(b" \x1cd");
            let (passed, detaches) = after("C-\\ d", &[&bytes]);
            prop_assert!(detaches);
            prop_assert_eq!(passed, [input.as_bytes(), b" "].concat());
        }
    }
}
