//! tmux's names for keys.

/// A key, before modifiers and modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Char(char),
    /// Arrows, Home and End: `CSI` or `SS3` and this letter.
    Cursor(char),
    /// F1 to F4: `SS3` and this letter.
    Function(char),
    /// `CSI`, this number, `~`.
    Tilde(u8),
    /// Shift and Tab, which has its own name.
    BackTab,
    /// `SS3` and the first in application-keypad mode, else the second as a character.
    Keypad(char, char),
}

/// The names of each key; the first is tmux's, or the more usual one of several.
const NAMES: &[(&str, Key)] = &[
    ("Enter Return", Key::Char('\r')),
    ("Escape Esc", Key::Char('\x1b')),
    ("Tab", Key::Char('\t')),
    ("BTab", Key::BackTab),
    ("Space", Key::Char(' ')),
    ("BSpace Backspace", Key::Char('\x7f')),
    ("Up", Key::Cursor('A')),
    ("Down", Key::Cursor('B')),
    ("Right", Key::Cursor('C')),
    ("Left", Key::Cursor('D')),
    ("Home", Key::Cursor('H')),
    ("End", Key::Cursor('F')),
    ("PageUp PgUp PPage", Key::Tilde(5)),
    ("PageDown PgDn NPage", Key::Tilde(6)),
    ("IC Insert", Key::Tilde(2)),
    ("DC Delete", Key::Tilde(3)),
    ("F1", Key::Function('P')),
    ("F2", Key::Function('Q')),
    ("F3", Key::Function('R')),
    ("F4", Key::Function('S')),
    ("F5", Key::Tilde(15)),
    ("F6", Key::Tilde(17)),
    ("F7", Key::Tilde(18)),
    ("F8", Key::Tilde(19)),
    ("F9", Key::Tilde(20)),
    ("F10", Key::Tilde(21)),
    ("F11", Key::Tilde(23)),
    ("F12", Key::Tilde(24)),
    ("KP0", Key::Keypad('p', '0')),
    ("KP1", Key::Keypad('q', '1')),
    ("KP2", Key::Keypad('r', '2')),
    ("KP3", Key::Keypad('s', '3')),
    ("KP4", Key::Keypad('t', '4')),
    ("KP5", Key::Keypad('u', '5')),
    ("KP6", Key::Keypad('v', '6')),
    ("KP7", Key::Keypad('w', '7')),
    ("KP8", Key::Keypad('x', '8')),
    ("KP9", Key::Keypad('y', '9')),
    ("KP*", Key::Keypad('j', '*')),
    ("KP+", Key::Keypad('k', '+')),
    ("KP-", Key::Keypad('m', '-')),
    ("KP.", Key::Keypad('n', '.')),
    ("KP/", Key::Keypad('o', '/')),
    ("KPEnter", Key::Keypad('M', '\r')),
];

/// Returns every name, with its key.
fn all() -> impl Iterator<Item = (&'static str, Key)> {
    let groups = NAMES.iter();
    groups.flat_map(|(names, key)| names.split(' ').map(move |name| (name, *key)))
}

/// Returns the key with this name, in upper or lower case.
pub(super) fn find(name: &str) -> Option<Key> {
    let mut all = all();
    let found = all.find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map(|(_, key)| key)
}

/// Returns the first name of a key.
pub(crate) fn name_of(key: Key) -> Option<&'static str> {
    let found = all().find(|(_, known)| *known == key);
    found.map(|(name, _)| name)
}

/// Returns the name that was probably meant; `None` if no key has a similar one.
pub(super) fn nearest(name: &str) -> Option<&'static str> {
    let names = all().map(|(known, _)| known.to_ascii_lowercase());
    let names: Vec<String> = names.collect();
    let meant = ccd_base::nearest::nearest(name, names.iter().map(String::as_str));
    let key = find(meant.filter(|_| !name.is_empty())?)?;
    name_of(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_there_once_and_found_in_any_case() {
        for (name, key) in all() {
            assert_eq!(find(&name.to_uppercase()), Some(key), "{name}");
            let same = all().filter(|(other, _)| other.eq_ignore_ascii_case(name));
            assert_eq!(same.count(), 1, "{name}");
        }
        assert_eq!(find("Hyper"), None);
    }
}
