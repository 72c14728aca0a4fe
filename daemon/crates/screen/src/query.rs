//! Terminal queries of programs, and the answers.
//! Programs such as vim and tmux wait for an unanswered query, so all usual ones are answered, as a dark terminal of
//! the VT220 family with 256 colours would.

use super::modes::Modes;
use super::palette::{self, decimal};
use ccd_text::escape::{Csi, Kind, Sequence};

/// Nominal size of a cell, for queries in pixels.
const CELL_HEIGHT_PX: u32 = 16;
const CELL_WIDTH_PX: u32 = 8;

/// Maximum number of colours in one query; the rest of a longer list is not answered.
const MAX_COLORS_ASKED: usize = 256;

/// A query to the terminal. It contains everything that depends on the moment of the query, except the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// DA1.
    PrimaryAttributes,
    /// DA2.
    SecondaryAttributes,
    /// DA3.
    TertiaryAttributes,
    /// DSR 5: the terminal's status.
    Status,
    /// CPR, or DECXCPR when `private`.
    CursorPosition { private: bool },
    /// The other DEC private status reports, by number.
    DeviceStatus(u16),
    /// DECRQM; `set` is `None` for an unsupported mode.
    Mode {
        private: bool,
        number: u16,
        set: Option<bool>,
    },
    /// OSC 10, 11 and 12: text, background and cursor. `bell`: how the query was terminated.
    Color { number: u16, bell: bool },
    /// OSC 4.
    PaletteColor { index: u8, bell: bool },
    /// XTVERSION.
    Version,
    /// Kitty keyboard flags.
    KeyboardFlags(u8),
    /// DECRQSS for the cursor style.
    CursorStyle(u8),
    /// DECRQSS for the scroll region, as [`Modes::scroll_region`].
    ScrollRegion(Option<(u16, u16)>),
    /// DECRQSS for anything else.
    Setting,
    /// XTGETTCAP.
    Capability,
    /// XTWINOPS reports, by number.
    Window(u16),
    /// Some terminals report something; this one does not answer.
    Unanswered,
}

impl Query {
    /// Calls `found` for each query in `sequence`; `modes` are the modes before it.
    pub(super) fn find(sequence: &Sequence<'_>, modes: &Modes, mut found: impl FnMut(Self)) {
        if sequence.truncated {
            return;
        }
        match sequence.kind {
            Kind::Csi => {
                if let Some(query) = csi_query(sequence.body, modes) {
                    found(query);
                }
            }
            Kind::Escape if sequence.body == b"Z" => found(Self::PrimaryAttributes),
            Kind::Osc { bell } => osc_queries(sequence.body, bell, found),
            Kind::Dcs => match sequence.body {
                [b'$', b'q', setting @ ..] => found(setting_query(setting, modes)),
                [b'+', b'q', ..] => found(Self::Capability),
                _ => {}
            },
            // Kitty graphics: a query for support.
            Kind::Other
                if sequence.body.starts_with(b"G")
                    && sequence.body.windows(3).any(|w| w == b"a=q") =>
            {
                found(Self::Unanswered);
            }
            _ => {}
        }
    }
}

/// Returns whether [`answer`] needs the cursor, and so a screen model with all output up to the query's end.
pub fn needs_cursor(query: &Query) -> bool {
    matches!(query, Query::CursorPosition { .. })
}

/// Returns the bytes to write to the terminal as input; `None` if there is no answer.
/// `cursor` is row and column from 0; without it, a query for the cursor is not answered. `size` is rows and columns.
/// The cursor's row counts from the top of the screen even in origin mode.
pub fn answer(query: &Query, cursor: Option<(u16, u16)>, size: (u16, u16)) -> Option<Vec<u8>> {
    let text = match *query {
        Query::PrimaryAttributes => "\x1b[?62;22c".to_owned(),
        // The first number means a VT220; the second is a version with which vim uses the SGR mouse protocol.
        Query::SecondaryAttributes => "\x1b[>1;300;0c".to_owned(),
        Query::TertiaryAttributes => "\x1bP!|00000000\x1b\\".to_owned(),
        Query::Status => "\x1b[0n".to_owned(),
        Query::CursorPosition { private } => {
            let (row, col) = cursor?;
            // In the model, a cursor that waits to wrap is after the last column.
            let col = col.min(size.1.saturating_sub(1));
            let (row, col) = (u32::from(row) + 1, u32::from(col) + 1);
            format!("\x1b[{}{row};{col}R", mark(private))
        }
        Query::DeviceStatus(number) => format!("\x1b[?{}n", device_status(number)?),
        Query::Mode {
            private,
            number,
            set,
        } => {
            let value = set.map_or(0, |set| if set { 1 } else { 2 });
            format!("\x1b[{}{number};{value}$y", mark(private))
        }
        Query::Color { number, bell } => {
            let color = if number == 11 {
                palette::BACKGROUND
            } else {
                palette::FOREGROUND
            };
            format!("\x1b]{number};{}{}", spelled(color), terminator(bell))
        }
        Query::PaletteColor { index, bell } => {
            let color = spelled(palette::color(index));
            format!("\x1b]4;{index};{color}{}", terminator(bell))
        }
        Query::Version => format!("\x1bP>|ccd {}\x1b\\", env!("CARGO_PKG_VERSION")),
        Query::KeyboardFlags(flags) => format!("\x1b[?{flags}u"),
        Query::CursorStyle(style) => format!("\x1bP1$r{style} q\x1b\\"),
        Query::ScrollRegion(region) => {
            let (top, bottom) = region.unwrap_or((0, u16::MAX));
            let (top, bottom) = (u32::from(top) + 1, bottom.saturating_add(1).min(size.0));
            format!("\x1bP1$r{top};{bottom}r\x1b\\")
        }
        Query::Setting => "\x1bP0$r\x1b\\".to_owned(),
        Query::Capability => "\x1bP0+r\x1b\\".to_owned(),
        Query::Window(number) => window_report(number, size)?,
        Query::Unanswered => return None,
    };
    Some(text.into_bytes())
}

fn csi_query(body: &[u8], modes: &Modes) -> Option<Query> {
    let csi = Csi::parse(body)?;
    let number = csi.first();
    let mode = |private, set| Query::Mode {
        private,
        number,
        set,
    };
    Some(match csi.shape() {
        (0, 0, b'c') if number == 0 => Query::PrimaryAttributes,
        (b'>', 0, b'c') if number == 0 => Query::SecondaryAttributes,
        (b'=', 0, b'c') if number == 0 => Query::TertiaryAttributes,
        (0, 0, b'n') if number == 5 => Query::Status,
        (0, 0, b'n') if number == 6 => Query::CursorPosition { private: false },
        (b'?', 0, b'n') if number == 6 => Query::CursorPosition { private: true },
        (b'?', 0, b'n') => Query::DeviceStatus(number),
        (b'?', b'$', b'p') => mode(true, modes.dec(number)),
        (0, b'$', b'p') => mode(false, modes.ansi(number)),
        (b'>', 0, b'q') if number == 0 => Query::Version,
        (b'?', 0, b'u') if csi.is_bare() => Query::KeyboardFlags(modes.keyboard.flags()),
        (0, 0, b't') if matches!(number, 11 | 13..=16 | 18..=21) => Query::Window(number),
        // DECREQTPARM, DECRQPSR, DECRQUPSS and checksums, XTSMGRAPHICS, XTQMODKEYS.
        (0, 0, b'x') | (0, b'$', b'w') | (0, b'*', b'y') | (b'?', 0, b'S' | b'm') => {
            Query::Unanswered
        }
        _ => return None,
    })
}

fn osc_queries(body: &[u8], bell: bool, mut found: impl FnMut(Query)) {
    let mut fields = body.split(|&byte| byte == b';');
    let number = fields.next().and_then(decimal::<u16>);
    match number {
        Some(4) => {
            let mut pairs = fields.take(2 * MAX_COLORS_ASKED);
            while let (Some(index), Some(value)) = (pairs.next(), pairs.next()) {
                if let (Some(index), b"?") = (decimal(index), value) {
                    found(Query::PaletteColor { index, bell });
                }
            }
        }
        // Each further field applies to the next of the ten colours.
        Some(first @ 10..=19) => {
            for (number, _) in (first..=19).zip(fields).filter(|(_, value)| value == b"?") {
                found(match number {
                    ..=12 => Query::Color { number, bell },
                    _ => Query::Unanswered,
                });
            }
        }
        // Special colours, font, clipboard: the answer would disclose what the terminal shows or stores.
        Some(5 | 50 | 52) if fields.any(|field| field == b"?") => found(Query::Unanswered),
        _ => {}
    }
}

fn setting_query(setting: &[u8], modes: &Modes) -> Query {
    match setting {
        b" q" => Query::CursorStyle(modes.cursor_style),
        b"r" => Query::ScrollRegion(modes.scroll_region),
        _ => Query::Setting,
    }
}

/// Reports no printer, no user-defined keys, a North American keyboard, no locator, dark colours.
fn device_status(number: u16) -> Option<&'static str> {
    Some(match number {
        15 => "13",
        25 => "20",
        26 => "27;1;0;0",
        53 | 55 => "50",
        996 => "997;1",
        _ => return None,
    })
}

fn window_report(number: u16, (rows, cols): (u16, u16)) -> Option<String> {
    let height_px = u32::from(rows) * CELL_HEIGHT_PX;
    let width_px = u32::from(cols) * CELL_WIDTH_PX;
    Some(match number {
        11 => "\x1b[1t".to_owned(),
        13 => "\x1b[3;0;0t".to_owned(),
        14 => format!("\x1b[4;{height_px};{width_px}t"),
        15 => format!("\x1b[5;{height_px};{width_px}t"),
        16 => format!("\x1b[6;{CELL_HEIGHT_PX};{CELL_WIDTH_PX}t"),
        18 => format!("\x1b[8;{rows};{cols}t"),
        19 => format!("\x1b[9;{rows};{cols}t"),
        // A title that is returned as input is a known way to inject commands, so it is always empty.
        20 => "\x1b]L\x1b\\".to_owned(),
        21 => "\x1b]l\x1b\\".to_owned(),
        _ => return None,
    })
}

fn mark(private: bool) -> &'static str {
    if private { "?" } else { "" }
}

fn terminator(bell: bool) -> &'static str {
    if bell { "\x07" } else { "\x1b\\" }
}

fn spelled((red, green, blue): (u8, u8, u8)) -> String {
    format!("rgb:{red:02x}{red:02x}/{green:02x}{green:02x}/{blue:02x}{blue:02x}")
}

#[cfg(test)]
#[path = "query_tests.rs"]
mod tests;
