//! The bytes that keys send, by tmux's names for them.

use super::names::{self, Key};
use ccd_screen::Modes;

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum KeyError {
    /// Names the key (its first 40 characters), and the one that was probably meant.
    #[error("no key is named {name:?}{}", did_you_mean(.meant.as_deref()))]
    Unknown { name: String, meant: Option<String> },
    /// The combination only exists on keyboards, unless the program asks for extended keys.
    #[error(
        "the key {name:?} has no terminal sequence, because the program has not enabled extended keys"
    )]
    NoBytes { name: String },
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Modifiers {
    shift: bool,
    alt: bool,
    ctrl: bool,
}

impl Modifiers {
    /// Returns the number that xterm writes for the combination; 1 is none.
    fn number(self) -> u8 {
        1 + u8::from(self.shift) + 2 * u8::from(self.alt) + 4 * u8::from(self.ctrl)
    }

    fn none(self) -> bool {
        self == Self::default()
    }
}

/// Returns what is wrong with the name of a key; `None` if it is valid.
pub fn fault(name: &str) -> Option<String> {
    encode(name, &Modes::default())
        .err()
        .map(|error| error.to_string())
}

/// Returns the bytes of the key called `name`, in the program's modes.
/// A name is one character, `^X`, or a key such as `Up`, `F5` or `Enter` (upper or lower case), with any of `C-`, `M-`
/// and `S-` before it. Without `C-`, `M-` and `S-` a single character is itself.
/// [`KeyError::NoBytes`] for combinations like `C-1` or `S-Enter` that only a program with extended keys enabled can
/// distinguish.
pub fn encode(name: &str, modes: &Modes) -> Result<Vec<u8>, KeyError> {
    let (held, base) = modifiers(name);
    let key = only_char(base).map(Key::Char).or_else(|| names::find(base));
    let key = key.ok_or_else(|| KeyError::Unknown {
        name: shortened(name),
        meant: meant(name).or_else(|| names::nearest(base).map(str::to_owned)),
    })?;
    let bytes = match key {
        Key::Cursor(last) if held.none() => format!(
            "\x1b{}{last}",
            if modes.application_cursor { 'O' } else { '[' }
        ),
        Key::Function(last) if held.none() => format!("\x1bO{last}"),
        Key::Cursor(last) | Key::Function(last) => format!("\x1b[1;{}{last}", held.number()),
        Key::Tilde(number) if held.none() => format!("\x1b[{number}~"),
        Key::Tilde(number) => format!("\x1b[{number};{}~", held.number()),
        Key::Keypad(last, _) if modes.application_keypad && held.none() => {
            format!("\x1bO{last}")
        }
        Key::BackTab => {
            let shifted = Modifiers {
                shift: true,
                ..held
            };
            return typed('\t', shifted, modes, name);
        }
        Key::Keypad(_, character) | Key::Char(character) => {
            return typed(character, held, modes, name);
        }
    };
    Ok(bytes.into_bytes())
}

fn typed(character: char, held: Modifiers, modes: &Modes, name: &str) -> Result<Vec<u8>, KeyError> {
    let Some(plain) = without_alt(character, held) else {
        return extended(character, held, modes).ok_or_else(|| KeyError::NoBytes {
            name: shortened(name),
        });
    };
    let mut bytes = if held.alt { vec![0x1b] } else { Vec::new() };
    bytes.extend_from_slice(plain.as_bytes());
    Ok(bytes)
}

/// Returns the bytes of a traditional terminal, if it has any for this combination.
fn without_alt(character: char, held: Modifiers) -> Option<String> {
    match (character, held.ctrl, held.shift) {
        ('\t', false, true) => Some("\x1b[Z".to_owned()),
        // Both would send the bare key, which has a different meaning to a program: Enter submits, Escape cancels.
        ('\r' | '\t' | '\x1b', true, _) | ('\r' | '\x1b', _, true) => None,
        ('\x7f', true, _) => Some('\x08'.to_string()),
        (_, true, _) => control(character).map(|byte| char::from(byte).to_string()),
        (_, false, true) if character.is_alphabetic() => Some(character.to_uppercase().collect()),
        (' ' | '\x7f', false, true) | (_, false, false) => Some(character.to_string()),
        _ => None,
    }
}

/// Returns the control character of a key held with Ctrl, as on a VT220 and in xterm.
fn control(character: char) -> Option<u8> {
    Some(match character {
        'a'..='z' | 'A'..='Z' | '@' | '[' | '\\' | ']' | '^' | '_' => character as u8 & 0x1f,
        ' ' | '2' | '`' => 0,
        '3'..='7' => character as u8 - b'3' + 0x1b,
        '~' => 0x1e,
        '/' | '-' => 0x1f,
        '8' | '?' => 0x7f,
        _ => return None,
    })
}

/// Returns the bytes in the protocol for extended keys, if the program has enabled one.
fn extended(character: char, held: Modifiers, modes: &Modes) -> Option<Vec<u8>> {
    let (code, held) = (u32::from(character), held.number());
    if modes.keyboard.reads_csi_u() {
        Some(format!("\x1b[{code};{held}u").into_bytes())
    } else if modes.keyboard.reads_modified_other_keys() {
        Some(format!("\x1b[27;{held};{code}~").into_bytes())
    } else {
        None
    }
}

/// Splits `C-`, `M-`, `S-` and `^` off the name.
fn modifiers(name: &str) -> (Modifiers, &str) {
    let (mut held, mut rest) = (Modifiers::default(), name);
    while let [letter, b'-', _, ..] = rest.as_bytes() {
        match letter {
            b'C' | b'c' => held.ctrl = true,
            b'M' | b'm' => held.alt = true,
            b'S' | b's' => held.shift = true,
            _ => break,
        }
        rest = &rest[2..];
    }
    match rest.strip_prefix('^') {
        Some(base) if only_char(base).is_some() => (Modifiers { ctrl: true, ..held }, base),
        _ => (held, rest),
    }
}

/// Returns the name of the key that is meant if it is written as on keyboards: `Ctrl-C`, `alt+x`, or several keys.
fn meant(name: &str) -> Option<String> {
    const MODIFIERS: [(&str, &str); 6] = [
        ("control", "C-"),
        ("ctrl", "C-"),
        ("c", "C-"),
        ("alt", "M-"),
        ("meta", "M-"),
        ("shift", "S-"),
    ];
    let is_key = |name: &str| {
        let (_, base) = modifiers(name);
        only_char(base).is_some() || names::find(base).is_some()
    };
    let parts: Vec<&str> = name
        .split([' ', ','])
        .filter(|part| !part.is_empty())
        .collect();
    if parts.len() > 1 && parts.iter().all(|part| part.len() > 1) {
        let keys = parts.iter().map(|part| {
            if is_key(part) {
                Some((*part).to_owned())
            } else {
                meant(part)
            }
        });
        return keys.collect::<Option<Vec<_>>>().map(|keys| keys.join(","));
    }
    let (mut held, mut rest) = (String::new(), name);
    while let Some((modifier, key)) = rest
        .split_once(['-', '+'])
        .filter(|(_, key)| !key.is_empty())
    {
        let modifier = modifier.to_ascii_lowercase();
        let (_, short) = MODIFIERS.iter().find(|(long, _)| *long == modifier)?;
        held.push_str(short);
        rest = key;
    }
    let key = match only_char(rest) {
        Some(letter) => letter.to_lowercase().to_string(),
        None => rest.to_owned(),
    };
    let name = format!("{held}{key}");
    (!held.is_empty() && is_key(&name)).then_some(name)
}

fn only_char(text: &str) -> Option<char> {
    let mut characters = text.chars();
    characters.next().filter(|_| characters.next().is_none())
}

fn shortened(name: &str) -> String {
    name.chars().take(40).collect()
}

fn did_you_mean(meant: Option<&str>) -> String {
    meant.map_or_else(String::new, |name| format!(", did you mean {name}?"))
}

#[cfg(test)]
#[path = "encode_tests.rs"]
mod tests;
