//! Styles (SGR) and links (OSC 8).

use super::cell::{Attributes, Cell, Style, Underline};
use super::page::Terminal;
use ccd_protocol::session::{Color, UnderlineStyle};
use ccd_text::escape::{Csi, number};
use std::sync::Arc;

/// Most bytes of the addresses of all cells, if each has another one. So an address is at most 2 KiB long on a terminal of
/// 8,192 cells or less (longer sequences are cut and not obeyed), and shorter on larger ones.
const MAX_LINKS_BYTES: usize = 16 << 20;

impl Terminal {
    /// Obeys SGR; numbers that mean nothing are left out.
    pub(super) fn set_style(&mut self, csi: &Csi<'_>) {
        let pen = &mut self.page.grid.cursor.template;
        let mut params = csi.params();
        while let Some(param) = params.next() {
            if let Some(colon) = param.iter().position(|byte| *byte == b':') {
                set_by_colons(pen, number(param), &param[colon + 1..]);
                continue;
            }
            match number(param) {
                which @ (38 | 48 | 58) => {
                    if let Some(color) = color_after(&mut params) {
                        set_color(pen, which, Some(color));
                    }
                }
                plain => set(pen, plain),
            }
        }
    }

    /// Obeys OSC 8; `body` is what follows its number. Without an address, the link ends.
    pub(super) fn set_link(&mut self, body: &[u8]) {
        let at = body.iter().position(|byte| *byte == b';');
        let address = at.map_or(&[][..], |at| &body[at + 1..]);
        let mut address = String::from_utf8_lossy(address).into_owned();
        address.retain(|character| !character.is_control());
        let most = MAX_LINKS_BYTES / (self.rows() * self.cols());
        let is_link = (1..=most).contains(&address.len());
        let link = is_link.then(|| Arc::from(address));
        self.cursor().template.set_link(link);
    }
}

fn set(pen: &mut Cell, number: u16) {
    use Attributes as A;
    let style = &mut pen.style;
    match number {
        0 => reset(pen),
        1 => style.attributes.insert(A::BOLD),
        2 => style.attributes.insert(A::DIM),
        3 => style.attributes.insert(A::ITALIC),
        4 => style.underline = Underline::Single,
        5 | 6 => style.attributes.insert(A::BLINK),
        7 => style.attributes.insert(A::INVERSE),
        8 => style.attributes.insert(A::HIDDEN),
        9 => style.attributes.insert(A::STRIKETHROUGH),
        21 => style.underline = Underline::Other(UnderlineStyle::Double),
        22 => style.attributes.remove(A::BOLD | A::DIM),
        23 => style.attributes.remove(A::ITALIC),
        24 => style.underline = Underline::None,
        25 => style.attributes.remove(A::BLINK),
        27 => style.attributes.remove(A::INVERSE),
        28 => style.attributes.remove(A::HIDDEN),
        29 => style.attributes.remove(A::STRIKETHROUGH),
        39 | 49 | 59 => set_color(pen, number - 1, None),
        _ => {
            if let Some((ground, index)) = named_color(number) {
                set_color(pen, ground, Some(Color::Indexed(index)));
            }
        }
    }
}

/// Resets what SGR sets: neither the link nor the protection.
fn reset(pen: &mut Cell) {
    let attributes = pen.style.attributes & Attributes::PROTECTED;
    pen.style = Style {
        attributes,
        ..Style::default()
    };
    pen.set_underline_color(None);
}

fn named_color(number: u16) -> Option<(u16, u8)> {
    let (ground, first) = match number {
        30..=37 => (38, 30),
        40..=47 => (48, 40),
        90..=97 => (38, 90 - 8),
        100..=107 => (48, 100 - 8),
        _ => return None,
    };
    Some((ground, (number - first) as u8))
}

fn set_color(pen: &mut Cell, ground: u16, color: Option<Color>) {
    match ground {
        38 => pen.style.fg = color,
        48 => pen.style.bg = color,
        _ => pen.set_underline_color(color),
    }
}

/// Sets a colour or an underline style whose parts are separated by colons.
fn set_by_colons(pen: &mut Cell, which: u16, parts: &[u8]) {
    let parts: Vec<Option<u16>> = parts
        .split(|byte| *byte == b':')
        .map(|part| (!part.is_empty()).then(|| number(part)))
        .collect();
    match (which, &parts[..]) {
        (4, [kind]) => match kind.unwrap_or(0) {
            0 => pen.style.underline = Underline::None,
            1 => pen.style.underline = Underline::Single,
            2 => pen.style.underline = Underline::Other(UnderlineStyle::Double),
            3 => pen.style.underline = Underline::Other(UnderlineStyle::Curly),
            4 => pen.style.underline = Underline::Other(UnderlineStyle::Dotted),
            5 => pen.style.underline = Underline::Other(UnderlineStyle::Dashed),
            _ => {}
        },
        (38 | 48 | 58, [Some(5), index]) => {
            let color = channel(index.unwrap_or(0)).map(Color::Indexed);
            if color.is_some() {
                set_color(pen, which, color);
            }
        }
        // The form with a colour space has one more part.
        (38 | 48 | 58, [Some(2), red, green, blue] | [Some(2), _, red, green, blue, ..]) => {
            let color = rgb([*red, *green, *blue].map(Option::unwrap_or_default));
            if color.is_some() {
                set_color(pen, which, color);
            }
        }
        _ => {}
    }
}

/// Reads the colour whose parts are the next parameters.
fn color_after<'a>(params: &mut impl Iterator<Item = &'a [u8]>) -> Option<Color> {
    let mut next = || Some(number(params.next()?));
    match next()? {
        5 => channel(next()?).map(Color::Indexed),
        2 => rgb([next()?, next()?, next()?]),
        _ => None,
    }
}

fn rgb(channels: [u16; 3]) -> Option<Color> {
    let [red, green, blue] = channels.map(channel);
    Some(Color::Rgb(red?, green?, blue?))
}

fn channel(value: u16) -> Option<u8> {
    value.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pen(params: &str) -> Cell {
        let mut terminal = Terminal::new(1, 1, 0);
        let body = format!("{params}m");
        terminal.set_style(&Csi::parse(body.as_bytes()).unwrap());
        terminal.page.grid.cursor.template.clone()
    }

    #[test]
    fn colours_have_every_form() {
        let rgb = Some(Color::Rgb(1, 2, 3));
        for (params, fg) in [
            ("31", Some(Color::Indexed(1))),
            ("97", Some(Color::Indexed(15))),
            ("38;5;200", Some(Color::Indexed(200))),
            ("38:5:200", Some(Color::Indexed(200))),
            ("38;2;1;2;3", rgb),
            ("38:2:1:2:3", rgb),
            ("38:2::1:2:3", rgb),
            ("38:2:0:1:2:3:9", rgb),
            ("38;5;300;1", None),
            ("38;9;1", None),
            ("38", None),
            ("31;39", None),
        ] {
            assert_eq!(pen(params).style.fg, fg, "{params}");
        }
        assert_eq!(pen("48;2;1;2;3;1").style.bg, rgb);
        assert_eq!(pen("48;2;1;2;3;1").style.attributes, Attributes::BOLD);
        assert_eq!(pen("58;5;9").underline_color(), Some(Color::Indexed(9)));
        assert_eq!(pen("58:2::1:2:3").underline_color(), rgb);
        assert_eq!(pen("58:5:9;0"), Cell::default());
    }

    #[test]
    fn underlines_have_styles() {
        for (params, underline) in [
            ("4", Underline::Single),
            ("4:3", Underline::Other(UnderlineStyle::Curly)),
            ("21", Underline::Other(UnderlineStyle::Double)),
            ("4:3;4:0", Underline::None),
            ("4:3;24", Underline::None),
            ("4:9", Underline::None),
        ] {
            assert_eq!(pen(params).style.underline, underline, "{params}");
        }
    }

    #[test]
    fn bold_and_dim_are_two_attributes() {
        assert_eq!(
            pen("1;2").style.attributes,
            Attributes::BOLD | Attributes::DIM
        );
        assert_eq!(pen("1;2;22;5;8;9").style.attributes.bits(), 8 + 32 + 64);
    }
}
