//! The colours of the terminal: xterm's 256 on a dark background, and those that a program has changed.

use super::theme::{Theme, XTERM, theme};
use ccd_protocol::image::ImageTheme;
use ccd_text::escape::{Kind, Sequence};
use std::collections::BTreeMap;
use std::fmt::Write as _;

pub type Rgb = (u8, u8, u8);

pub const FOREGROUND: Rgb = rgb(XTERM.foreground);
pub const BACKGROUND: Rgb = rgb(XTERM.background);

const fn rgb(color: u32) -> Rgb {
    let [_, red, green, blue] = color.to_be_bytes();
    (red, green, blue)
}

/// Returns red, green and blue of colour `index`: 16 named ones, a cube of 216, 24 greys.
pub fn color(index: u8) -> Rgb {
    match index {
        0..16 => rgb(XTERM.named[usize::from(index)]),
        16..232 => {
            let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
            let place = index - 16;
            (level(place / 36), level(place / 6 % 6), level(place % 6))
        }
        232.. => {
            let grey = 8 + 10 * (index - 232);
            (grey, grey, grey)
        }
    }
}

/// The colours including a program's changes (OSC 4, 10 to 12, 104, 110 to 112).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Palette {
    colors: BTreeMap<u8, Rgb>,
    /// Text, background and cursor.
    grounds: [Option<Rgb>; 3],
    /// The colours that the program has not changed.
    theme: ImageTheme,
}

impl Palette {
    pub(super) fn with_theme(&self, theme: ImageTheme) -> Self {
        Self {
            theme,
            ..self.clone()
        }
    }

    pub(super) fn theme(&self) -> &'static Theme {
        theme(self.theme)
    }

    pub(super) fn color(&self, index: u8) -> Rgb {
        let named = self.theme().named.get(usize::from(index));
        let unchanged = || named.map_or(color(index), |named| rgb(*named));
        self.colors.get(&index).copied().unwrap_or_else(unchanged)
    }

    pub(super) fn foreground(&self) -> Rgb {
        self.grounds[0].unwrap_or(rgb(self.theme().foreground))
    }

    pub(super) fn background(&self) -> Rgb {
        self.grounds[1].unwrap_or(rgb(self.theme().background))
    }

    /// Returns the cursor's colour; `None` means that of the text.
    pub(super) fn cursor(&self) -> Option<Rgb> {
        self.grounds[2]
    }

    pub(super) fn apply(&mut self, sequence: &Sequence<'_>) {
        match sequence.kind {
            Kind::Osc { .. } if !sequence.truncated => self.apply_osc(sequence.body),
            Kind::Escape if sequence.body == b"c" => *self = Self::default(),
            _ => {}
        }
    }

    fn apply_osc(&mut self, body: &[u8]) {
        let mut fields = body.split(|&byte| byte == b';');
        match fields.next() {
            Some(b"4") => {
                while let (Some(index), Some(spec)) = (fields.next(), fields.next()) {
                    if let (Some(index), Some(color)) = (decimal(index), parse(spec)) {
                        self.colors.insert(index, color);
                    }
                }
            }
            Some(b"104") => {
                let indices: Vec<&[u8]> = fields.filter(|field| !field.is_empty()).collect();
                if indices.is_empty() {
                    self.colors.clear();
                }
                for index in indices.into_iter().filter_map(decimal) {
                    self.colors.remove(&index);
                }
            }
            // Each further field applies to the next of the three.
            Some(&[b'1', first @ b'0'..=b'2']) => {
                let grounds = &mut self.grounds[usize::from(first - b'0')..];
                for (ground, color) in grounds.iter_mut().zip(fields.map(parse)) {
                    *ground = color.or(*ground);
                }
            }
            Some(&[b'1', b'1', which @ b'0'..=b'2']) => {
                self.grounds[usize::from(which - b'0')] = None;
            }
            _ => {}
        }
    }

    /// Returns the sequences that change the default colours to these.
    pub(super) fn restored(&self) -> String {
        let mut out = String::new();
        let colors = self
            .colors
            .iter()
            .map(|(index, color)| (format!("4;{index}"), *color));
        let grounds = self.grounds.iter().zip(10..);
        let grounds = grounds.filter_map(|(color, number)| Some((number.to_string(), (*color)?)));
        for (what, (red, green, blue)) in colors.chain(grounds) {
            // Writing to a String cannot fail.
            let _ = write!(out, "\x1b]{what};rgb:{red:02x}/{green:02x}/{blue:02x}\x07");
        }
        out
    }
}

/// Parses `rgb:r/g/b` with one to four digits each, `#rgb`, `#rrggbb` and longer; colour names are not supported.
fn parse(spec: &[u8]) -> Option<Rgb> {
    let spec = std::str::from_utf8(spec).ok()?;
    if let Some(parts) = spec.strip_prefix("rgb:") {
        let mut parts = parts.split('/').map(scaled);
        let color = (parts.next()??, parts.next()??, parts.next()??);
        return parts.next().is_none().then_some(color);
    }
    let digits = spec.strip_prefix('#').filter(|digits| is_hex(digits))?;
    let len = digits.len() / 3;
    if digits.len() % 3 != 0 || !(1..=4).contains(&len) {
        return None;
    }
    // Here, missing digits are the lower ones.
    let part = |at: usize| {
        let number = u16::from_str_radix(&digits[at * len..(at + 1) * len], 16).ok()?;
        Some((number << (16 - 4 * len) >> 8) as u8)
    };
    Some((part(0)?, part(1)?, part(2)?))
}

fn is_hex(digits: &str) -> bool {
    digits.bytes().all(|digit| digit.is_ascii_hexdigit())
}

/// Parses a part of `rgb:`, where `f` is as bright as `ffff`.
fn scaled(digits: &str) -> Option<u8> {
    let is_number = (1..=4).contains(&digits.len()) && is_hex(digits);
    let number = u32::from_str_radix(is_number.then_some(digits)?, 16).ok()?;
    let most = (1 << (4 * digits.len())) - 1;
    Some((number * 255 / most) as u8)
}

pub(super) fn decimal<N: std::str::FromStr>(field: &[u8]) -> Option<N> {
    std::str::from_utf8(field).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cube_and_the_greys_are_those_of_xterm() {
        assert_eq!(
            [16, 21, 67, 231].map(color),
            [(0, 0, 0), (0, 0, 255), (95, 135, 175), (255, 255, 255)]
        );
        assert_eq!([232, 255].map(color), [(8, 8, 8), (238, 238, 238)]);
        assert_eq!(color(9), (255, 0, 0));
    }

    fn changed(output: &[u8]) -> Palette {
        let (mut splitter, mut rest) = (ccd_text::escape::Splitter::new(), output);
        let mut palette = Palette::default();
        while let Some(sequence) = splitter.next(&mut rest, |_| true) {
            palette.apply(&sequence);
        }
        palette
    }

    #[test]
    fn a_program_changes_colours_and_takes_it_back() {
        let palette =
            changed(b"\x1b]4;1;rgb:12/34/56;300;#fff;2;#abc\x07\x1b]10;#010203;rgb:f/8/0;?\x1b\\");
        assert_eq!(palette.color(1), (0x12, 0x34, 0x56));
        assert_eq!(palette.color(2), (0xa0, 0xb0, 0xc0));
        assert_eq!(palette.color(3), color(3));
        assert_eq!(palette.foreground(), (1, 2, 3));
        assert_eq!(palette.background(), (255, 136, 0));
        assert_eq!(palette.cursor(), None);
        assert_eq!(changed(palette.restored().as_bytes()), palette);
        let back = [
            palette.restored().as_bytes(),
            b"\x1b]104;1\x07\x1b]110\x07\x1b]111\x07",
        ]
        .concat();
        assert_eq!(changed(&back).restored(), "\x1b]4;2;rgb:a0/b0/c0\x07");
        for all in ["\x1b]104\x07", "\x1b]104;\x07", "\x1bc"] {
            let back = [&back, all.as_bytes()].concat();
            assert_eq!(changed(&back), Palette::default());
        }
    }

    #[test]
    fn what_is_no_colour_changes_nothing() {
        for spec in [
            "red",
            "?",
            "",
            "rgb:1/2",
            "rgb:1/2/3/4",
            "rgb:12345/1/1",
            "rgb:+1/1/1",
            "#12",
            "#12é",
            "#",
        ] {
            assert_eq!(parse(spec.as_bytes()), None, "{spec}");
        }
    }
}
