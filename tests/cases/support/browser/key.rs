//! Keys as a keyboard sends them.

use serde_json::{Value, json};

const ALT: u32 = 1;
const CONTROL: u32 = 2;
const SHIFT: u32 = 8;

/// Names, and the codes that Windows gave them.
const NAMED: [(&str, u32); 13] = [
    ("Backspace", 8),
    ("Tab", 9),
    ("Enter", 13),
    ("Escape", 27),
    ("Space", 32),
    ("PageUp", 33),
    ("PageDown", 34),
    ("End", 35),
    ("Home", 36),
    ("ArrowLeft", 37),
    ("ArrowUp", 38),
    ("ArrowRight", 39),
    ("ArrowDown", 40),
];

/// Returns both events of a key: `j`, `?`, `Enter`, `Shift+Enter`, `Control+f`.
pub(super) fn events(key: &str) -> [Value; 2] {
    let (mut modifiers, mut name) = (0, key);
    for (prefix, bit) in [("Alt+", ALT), ("Control+", CONTROL), ("Shift+", SHIFT)] {
        if let Some(rest) = name.strip_prefix(prefix) {
            (modifiers, name) = (modifiers | bit, rest);
        }
    }
    let (text, code) = match NAMED.iter().find(|(known, _)| *known == name) {
        Some((_, code)) => {
            let text = match name {
                "Enter" => "\r",
                "Space" => " ",
                _ => "",
            };
            (text, *code)
        }
        None => {
            assert_eq!(name.chars().count(), 1, "{key:?} is no key");
            if name.chars().all(|c| c.is_ascii_uppercase() || c == '?') {
                modifiers |= SHIFT;
            }
            // Other signs have codes that differ from their number: that of a point is the key Delete.
            let code = name.chars().next().filter(char::is_ascii_alphanumeric);
            (name, code.map_or(0, |c| u32::from(c.to_ascii_uppercase())))
        }
    };
    // With Control, a key types nothing.
    let text = if modifiers & (ALT | CONTROL) == 0 {
        text
    } else {
        ""
    };
    let key = if name == "Space" { " " } else { name };
    ["keyDown", "keyUp"].map(|kind| {
        let mut event = json!({"type": kind, "key": key, "windowsVirtualKeyCode": code, "modifiers": modifiers});
        if kind == "keyDown" && !text.is_empty() {
            event["text"] = json!(text);
        }
        event
    })
}
