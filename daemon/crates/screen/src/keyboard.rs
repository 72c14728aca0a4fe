//! The extended key encodings that a program may have requested.

use serde::{Deserialize, Serialize};

use ccd_text::escape::Csi;

/// Maximum depth of the stack of kitty keyboard flags; beyond it the oldest entry is dropped, as the protocol allows.
const MAX_STACK_LEN: usize = 8;

/// Kitty keyboard flags and xterm's `modifyOtherKeys`.
/// Keys with a traditional encoding keep it, whatever is set: every program understands it, even one that follows after
/// a crash. Only keys without one, such as `S-Enter`, depend on this.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keyboard {
    flags: u8,
    saved: [u8; MAX_STACK_LEN],
    saved_len: u8,
    modify_other_keys: u8,
}

impl Keyboard {
    /// Returns the current kitty flags, 0 for none.
    pub fn flags(&self) -> u8 {
        self.flags
    }

    /// Returns whether the program reads `CSI code ; modifiers u`.
    pub fn reads_csi_u(&self) -> bool {
        self.flags != 0
    }

    /// Returns whether the program reads `CSI 27 ; modifiers ; code ~`.
    pub fn reads_modified_other_keys(&self) -> bool {
        self.modify_other_keys != 0
    }

    /// Pushes, pops or sets flags as the sequence requests; other sequences are ignored.
    pub(super) fn apply(&mut self, csi: &Csi<'_>) {
        let mut numbers = csi.numbers();
        let (first, second) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        let flags = (first & 0x1f) as u8;
        match csi.shape() {
            (b'>', 0, b'u') => self.push(flags),
            (b'<', 0, b'u') => (0..first.clamp(1, MAX_STACK_LEN as u16)).for_each(|_| self.pop()),
            (b'=', 0, b'u') => match second {
                2 => self.flags |= flags,
                3 => self.flags &= !flags,
                _ => self.flags = flags,
            },
            (b'>', 0, b'm') if first == 4 || csi.is_bare() => {
                self.modify_other_keys = second.min(2) as u8
            }
            _ => {}
        }
    }

    fn push(&mut self, flags: u8) {
        if usize::from(self.saved_len) == MAX_STACK_LEN {
            self.saved.rotate_left(1);
            self.saved_len -= 1;
        }
        self.saved[usize::from(self.saved_len)] = self.flags;
        self.saved_len += 1;
        self.flags = flags;
    }

    fn pop(&mut self) {
        self.saved_len = self.saved_len.saturating_sub(1);
        self.flags = std::mem::take(&mut self.saved[usize::from(self.saved_len)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(bodies: &[&[u8]]) -> Keyboard {
        let mut keyboard = Keyboard::default();
        for body in bodies {
            keyboard.apply(&Csi::parse(body).unwrap());
        }
        keyboard
    }

    #[test]
    fn flags_are_pushed_popped_and_set() {
        assert_eq!(after(&[b">1u"]).flags(), 1);
        assert_eq!(after(&[b">1u", b">3u", b"<u"]).flags(), 1);
        assert_eq!(after(&[b">1u", b">3u", b"<9u"]).flags(), 0);
        assert_eq!(after(&[b"=5u", b"=2;2u", b"=4;3u"]).flags(), 3);
        assert_eq!(after(&[b"<u", b"<u"]), Keyboard::default());
    }

    #[test]
    fn a_full_stack_forgets_its_oldest_entry() {
        let mut bodies: Vec<&[u8]> = vec![b">1u"; MAX_STACK_LEN + 3];
        assert_eq!(after(&bodies).flags(), 1);
        bodies.push(b"<8u");
        assert_eq!(after(&bodies).flags(), 1);
    }

    #[test]
    fn modify_other_keys_is_set_and_reset() {
        assert!(after(&[b">4;2m"]).reads_modified_other_keys());
        assert!(!after(&[b">4;2m", b">4m"]).reads_modified_other_keys());
        assert!(!after(&[b">4;2m", b">m"]).reads_modified_other_keys());
    }
}
