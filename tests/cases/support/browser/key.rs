//! Keys as a keyboard sends them.

use serde_json::{Value, json};

const CONTROL: u32 = 2;
const SHIFT: u32 = 8;

/// Keys with a name, what they type, and their code on Windows, which Chromium uses everywhere.
const NAMED: [(&str, &str, u32); 9] = [
    ("Enter", "\r", 13),
    ("Escape", "", 27),
    (" ", " ", 32),
    ("End", "", 35),
    ("Home", "", 36),
    ("ArrowLeft", "", 37),
    ("ArrowUp", "", 38),
    ("ArrowRight", "", 39),
    ("ArrowDown", "", 40),
];

/// Returns both events of a key: `j`, `?`, `Enter`, `Shift+Enter`, `Control+f`.
pub(super) fn events(key: &str) -> [Value; 2] {
    let (mut modifiers, mut name) = (0, key);
    for (prefix, bit) in [("Control+", CONTROL), ("Shift+", SHIFT)] {
        if let Some(rest) = name.strip_prefix(prefix) {
            (modifiers, name) = (modifiers | bit, rest);
        }
    }
    let named = NAMED.iter().find(|(known, ..)| *known == name);
    let (text, code) = match named {
        Some((_, text, code)) => (*text, *code),
        None => (name, code_of(name)),
    };
    if name.chars().all(|c| c.is_ascii_uppercase()) {
        modifiers |= SHIFT;
    }
    let down = json!({"type": "keyDown", "key": name, "windowsVirtualKeyCode": code, "modifiers": modifiers});
    let (mut up, mut down) = (down.clone(), down);
    up["type"] = json!("keyUp");
    // With Control, a key types nothing.
    if modifiers & CONTROL == 0 && !text.is_empty() {
        down["text"] = json!(text);
    }
    [down, up]
}

/// Returns the code of a letter or digit. Those of other signs are not their numbers: that of a point is the key Delete.
fn code_of(sign: &str) -> u32 {
    assert_eq!(sign.chars().count(), 1, "{sign:?} is no key");
    let known = sign.chars().find(char::is_ascii_alphanumeric);
    known.map_or(0, |c| u32::from(c.to_ascii_uppercase()))
}
