//! The modes that a program has set, which decide how keys are encoded and queries answered.

use serde::{Deserialize, Serialize};

use super::keyboard::Keyboard;
use ccd_text::escape::{Csi, Kind, Sequence};

/// Which mouse events the program requests, by DEC mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum MouseTracking {
    #[default]
    Off,
    Press = 9,
    PressRelease = 1000,
    /// And motion while a button is down.
    ButtonMotion = 1002,
    /// And all motion.
    AnyMotion = 1003,
}

/// How mouse events are encoded, by DEC mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum MouseEncoding {
    #[default]
    Legacy,
    Utf8 = 1005,
    Sgr = 1006,
    Urxvt = 1015,
    SgrPixels = 1016,
}

/// The modes of a terminal. The default is the state of a terminal that was just switched on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Modes {
    /// DECCKM: arrows, Home and End send SS3 instead of CSI.
    pub application_cursor: bool,
    /// DECKPAM: the keypad sends sequences instead of characters.
    pub application_keypad: bool,
    /// DEC mode 2004.
    pub bracketed_paste: bool,
    /// DEC modes 47, 1047 and 1049.
    pub alternate_screen: bool,
    /// DECTCEM.
    pub cursor_visible: bool,
    /// DEC mode 12.
    pub cursor_blink: bool,
    /// DECAWM.
    pub autowrap: bool,
    /// DECOM: rows count from the top of the scroll region.
    pub origin: bool,
    /// DECSCNM.
    pub reverse_video: bool,
    /// IRM: text moves the following text to the right.
    pub insert: bool,
    /// LNM: a line feed also returns the carriage.
    pub newline: bool,
    /// DEC mode 1004.
    pub focus_events: bool,
    pub mouse: MouseTracking,
    pub mouse_encoding: MouseEncoding,
    /// DECSCUSR: 0 is the terminal's default, 1 to 6 are block, underline and bar, each blinking and steady.
    pub cursor_style: u8,
    /// First and last row of the scroll region, from 0; `None` is the whole screen.
    pub scroll_region: Option<(u16, u16)>,
    pub keyboard: Keyboard,
    /// DEC mode 40: DECCOLM clears the screen. The number of columns never changes.
    #[serde(default)]
    pub column_mode_allowed: bool,
    /// What DECSC has saved on the main and on the alternate screen.
    #[serde(default)]
    pub saved: [SavedModes; 2],
}

/// The modes that DECSC saves and DECRC restores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedModes {
    pub origin: bool,
    pub autowrap: bool,
}

impl Default for SavedModes {
    fn default() -> Self {
        Self {
            origin: false,
            autowrap: true,
        }
    }
}

impl Default for Modes {
    fn default() -> Self {
        Self {
            application_cursor: false,
            application_keypad: false,
            bracketed_paste: false,
            alternate_screen: false,
            cursor_visible: true,
            cursor_blink: false,
            autowrap: true,
            origin: false,
            reverse_video: false,
            insert: false,
            newline: false,
            focus_events: false,
            mouse: MouseTracking::Off,
            mouse_encoding: MouseEncoding::Legacy,
            cursor_style: 0,
            scroll_region: None,
            keyboard: Keyboard::default(),
            column_mode_allowed: false,
            saved: [SavedModes::default(); 2],
        }
    }
}

impl Modes {
    /// Returns whether the DEC private mode `number` is set; `None` for a mode this terminal does not have.
    pub(crate) fn dec(&self, number: u16) -> Option<bool> {
        let mut copy = *self;
        let flag = copy.dec_flag(number).copied();
        let tracking = || mouse_tracking(number).map(|tracking| self.mouse == tracking);
        let encoding = || mouse_encoding(number).map(|wanted| self.mouse_encoding == wanted);
        flag.or_else(tracking).or_else(encoding)
    }

    /// Returns whether the ANSI mode `number` is set; `None` for a mode this terminal does not have.
    pub fn ansi(&self, number: u16) -> Option<bool> {
        let mut copy = *self;
        copy.ansi_flag(number).copied()
    }

    pub(super) fn apply(&mut self, sequence: &Sequence<'_>) {
        if sequence.truncated {
            return;
        }
        match sequence.kind {
            Kind::Csi => self.apply_csi(sequence.body),
            Kind::Escape => match sequence.body {
                b"=" => self.application_keypad = true,
                b">" => self.application_keypad = false,
                b"7" => self.save(),
                b"8" => self.restore(),
                b"c" => *self = Self::default(),
                _ => {}
            },
            _ => {}
        }
    }

    fn apply_csi(&mut self, body: &[u8]) {
        let Some(csi) = Csi::parse(body) else { return };
        match csi.shape() {
            (b'?', 0, b'h') => csi.numbers().for_each(|number| self.set_dec(number, true)),
            (b'?', 0, b'l') => csi.numbers().for_each(|number| self.set_dec(number, false)),
            (0, 0, last @ (b'h' | b'l')) => {
                for number in csi.numbers() {
                    if let Some(flag) = self.ansi_flag(number) {
                        *flag = last == b'h';
                    }
                }
            }
            (0, b'!', b'p') => self.soft_reset(),
            (0, b' ', b'q') => self.cursor_style = csi.first().min(6) as u8,
            (0, 0, b'r') => {
                if let Some(region) = scroll_region(&csi) {
                    self.scroll_region = (region != (0, u16::MAX)).then_some(region);
                }
            }
            (0, 0, b's') if csi.is_bare() => self.save(),
            (0, 0, b'u') if csi.is_bare() => self.restore(),
            _ => self.keyboard.apply(&csi),
        }
    }

    fn save(&mut self) {
        self.saved[usize::from(self.alternate_screen)] = SavedModes {
            origin: self.origin,
            autowrap: self.autowrap,
        };
    }

    fn restore(&mut self) {
        let saved = self.saved[usize::from(self.alternate_screen)];
        (self.origin, self.autowrap) = (saved.origin, saved.autowrap);
    }

    fn set_dec(&mut self, number: u16, on: bool) {
        match (number, on) {
            (1048, true) => return self.save(),
            (1048, false) => return self.restore(),
            (1049, true) if !self.alternate_screen => self.save(),
            (1049, false) => {
                self.alternate_screen = false;
                self.restore();
            }
            _ => {}
        }
        if let Some(flag) = self.dec_flag(number) {
            *flag = on;
        } else if let Some(tracking) = mouse_tracking(number) {
            // xterm has one tracking mode: switching any of them off switches tracking off.
            self.mouse = if on { tracking } else { MouseTracking::Off };
        } else if let Some(encoding) = mouse_encoding(number) {
            self.mouse_encoding = if on { encoding } else { MouseEncoding::Legacy };
        }
    }

    fn ansi_flag(&mut self, number: u16) -> Option<&mut bool> {
        match number {
            4 => Some(&mut self.insert),
            20 => Some(&mut self.newline),
            _ => None,
        }
    }

    fn dec_flag(&mut self, number: u16) -> Option<&mut bool> {
        Some(match number {
            1 => &mut self.application_cursor,
            5 => &mut self.reverse_video,
            6 => &mut self.origin,
            7 => &mut self.autowrap,
            12 => &mut self.cursor_blink,
            25 => &mut self.cursor_visible,
            40 => &mut self.column_mode_allowed,
            47 | 1047 | 1049 => &mut self.alternate_screen,
            66 => &mut self.application_keypad,
            1004 => &mut self.focus_events,
            2004 => &mut self.bracketed_paste,
            _ => return None,
        })
    }

    /// Applies DECSTR. In xterm it does not affect screen, mouse and paste modes.
    fn soft_reset(&mut self) {
        let fresh = Self::default();
        self.application_cursor = fresh.application_cursor;
        self.application_keypad = fresh.application_keypad;
        self.cursor_visible = fresh.cursor_visible;
        self.autowrap = fresh.autowrap;
        self.origin = fresh.origin;
        self.insert = fresh.insert;
        self.scroll_region = fresh.scroll_region;
        self.saved[usize::from(self.alternate_screen)] = SavedModes::default();
    }
}

fn mouse_tracking(number: u16) -> Option<MouseTracking> {
    use MouseTracking::{AnyMotion, ButtonMotion, Press, PressRelease};
    let all = [Press, PressRelease, ButtonMotion, AnyMotion];
    all.into_iter().find(|mode| *mode as u16 == number)
}

fn mouse_encoding(number: u16) -> Option<MouseEncoding> {
    use MouseEncoding::{Sgr, SgrPixels, Urxvt, Utf8};
    let all = [Utf8, Sgr, Urxvt, SgrPixels];
    all.into_iter().find(|mode| *mode as u16 == number)
}

/// Returns the region that DECSTBM sets; `None` if it has less than two rows, which xterm does not obey. A bottom that is
/// 0 or missing means the last row, as `u16::MAX`.
pub(super) fn scroll_region(csi: &Csi<'_>) -> Option<(u16, u16)> {
    let mut numbers = csi.numbers();
    let mut next = || numbers.next().unwrap_or(0).checked_sub(1);
    let (top, bottom) = (next().unwrap_or(0), next().unwrap_or(u16::MAX));
    (top < bottom).then_some((top, bottom))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccd_text::escape::Splitter;

    fn after(output: &[u8]) -> Modes {
        let (mut modes, mut splitter, mut rest) = (Modes::default(), Splitter::new(), output);
        while let Some(sequence) = splitter.next(&mut rest, |_| true) {
            modes.apply(&sequence);
        }
        modes
    }

    #[test]
    fn what_vim_sets_is_set_and_taken_back() {
        let set = after(b"\x1b[?1049h\x1b[?1h\x1b=\x1b[?2004h\x1b[?1004h\x1b[?1002;1006h\x1b[?25l\x1b[1;23r\x1b[2 q");
        assert!(set.alternate_screen && set.application_cursor && set.application_keypad);
        assert!(set.bracketed_paste && set.focus_events && !set.cursor_visible);
        assert_eq!(set.mouse, MouseTracking::ButtonMotion);
        assert_eq!(set.mouse_encoding, MouseEncoding::Sgr);
        assert_eq!((set.scroll_region, set.cursor_style), (Some((0, 22)), 2));
        let back = after(
            b"\x1b[?1049;1;2004;1004;1002;1006;25h\x1b=\x1b[?1049l\x1b[?1;2004;1004;1002;1006l\x1b>\x1b[5;9r\x1b[r\x1b[0 q",
        );
        assert_eq!(back, Modes::default());
    }

    #[test]
    fn a_reset_restores_all_and_a_soft_reset_only_what_it_should() {
        let set = b"\x1b[?1;6;1000;2004;1049h\x1b[?7;25l\x1b[4h\x1b[>1u".as_slice();
        assert_eq!(after(&[set, b"\x1bc"].concat()), Modes::default());
        let soft = after(&[set, b"\x1b[!p"].concat());
        assert!(!soft.application_cursor && !soft.origin && !soft.insert);
        assert!(soft.autowrap && soft.cursor_visible);
        assert!(soft.bracketed_paste && soft.alternate_screen);
        assert_eq!(soft.mouse, MouseTracking::PressRelease);
    }

    #[test]
    fn a_mode_is_set_reset_or_unknown() {
        let modes = after(b"\x1b[?1003h\x1b[?2004h\x1b[4h");
        let (set, reset) = (Some(true), Some(false));
        let dec = [1003, 1000, 2004, 25, 7, 1, 2026].map(|mode| modes.dec(mode));
        assert_eq!(dec, [set, reset, set, set, set, reset, None]);
        assert_eq!([4, 20, 2].map(|mode| modes.ansi(mode)), [set, reset, None]);
    }

    #[test]
    fn sequences_that_only_look_alike_change_nothing() {
        assert_eq!(
            after(b"\x1b[1h\x1b[>1h\x1b[?1$p\x1b[?1049r\x1b(c\x1b[?9999h\x1b[?1 h\x1b[9;3r"),
            Modes::default()
        );
    }
}
