//! Translates sequences that the screen model would not understand, or should not see.

use ccd_text::escape::{Csi, Kind, Sequence};

/// Distance of the tab stops, which are fixed.
const TAB_COLS: u16 = 8;

/// A count with as many digits may exceed what the screen can show.
const MANY_DIGITS: usize = 4;

/// Returns the bytes, possibly none, that are fed to the model in place of `sequence`; `None` to feed it unchanged.
/// `cursor` is row and column from 0, `size` rows and columns.
///
/// Strings are never passed on: the model ignores them, and would keep an unterminated one in memory.
pub(super) fn translate(
    sequence: &Sequence<'_>,
    cursor: (u16, u16),
    size: (u16, u16),
) -> Option<Vec<u8>> {
    let instead = |text: &str| Some(text.as_bytes().to_vec());
    match (sequence.kind, sequence.body) {
        _ if sequence.truncated => instead(""),
        (Kind::Csi, body) => csi(body, cursor, size),
        (Kind::Escape, b"D") => instead("\n"),
        (Kind::Escape, b"E") => instead("\r\n"),
        (Kind::Escape, _) => None,
        _ => instead(""),
    }
}

/// Returns whether the model certainly understands the CSI sequence with this body.
#[inline]
pub(super) fn is_understood(body: &[u8]) -> bool {
    match body {
        [params @ .., b'm'] => !needs_other_style(params),
        [params @ .., b'h' | b'l'] => !params.starts_with(b"?104"),
        [params @ .., b'b'] => params.len() < MANY_DIGITS,
        [.., last] => !matches!(last, b's' | b'u' | b'Z' | b'I' | b'a' | b'e' | b'p'),
        [] => false,
    }
}

fn csi(body: &[u8], (row, col): (u16, u16), size: (u16, u16)) -> Option<Vec<u8>> {
    let csi = Csi::parse(body)?;
    let count = csi.first().max(1);
    let text = match csi.shape() {
        (0, 0, b's') if csi.is_bare() => "\x1b7".to_owned(),
        (0, 0, b'u') if csi.is_bare() => "\x1b8".to_owned(),
        (0, 0, b'a') => format!("\x1b[{count}C"),
        (0, 0, b'e') => format!("\x1b[{count}B"),
        (0, 0, b'I') => format!(
            "\x1b[{}G",
            (col / TAB_COLS)
                .saturating_add(count)
                .saturating_mul(TAB_COLS)
                .saturating_add(1)
        ),
        (0, 0, b'Z') => format!(
            "\x1b[{}G",
            col.div_ceil(TAB_COLS).saturating_sub(count) * TAB_COLS + 1
        ),
        // Setting the margins or origin mode moves the cursor; a soft reset does not.
        (0, b'!', b'p') => format!(
            "\x1b[m\x1b[r\x1b[?1;6l\x1b[?25h\x1b>\x1b[{};{}H",
            row + 1,
            col + 1
        ),
        (b'?', 0, b'h') if csi.first() == 1047 => "\x1b[?47h".to_owned(),
        (b'?', 0, b'l') if csi.first() == 1047 => "\x1b[2J\x1b[?47l".to_owned(),
        (b'?', 0, b'h') if csi.first() == 1048 => "\x1b7".to_owned(),
        (b'?', 0, b'l') if csi.first() == 1048 => "\x1b8".to_owned(),
        (0, 0, b'b') => format!("\x1b[{}b", visible_repeats(count, size)),
        (0, 0, b'm') => return style(&body[..body.len() - 1]),
        _ => return None,
    };
    Some(text.into_bytes())
}

/// Returns a number of repetitions of a character, at most about a screenful, that has the same effect as `count`.
///
/// Once they have filled the screen, it is the same again after each row: after `cols` narrow characters or `cols / 2`
/// wide ones. All other counts are limited by the model.
fn visible_repeats(count: u16, (rows, cols): (u16, u16)) -> u32 {
    let (count, cols) = (u32::from(count), u32::from(cols));
    let screenful = u32::from(rows) * cols;
    // A multiple of both.
    let round = if cols % 2 == 0 {
        cols
    } else {
        cols * (cols / 2).max(1)
    };
    match count.checked_sub(screenful) {
        Some(extra) => screenful + extra % round,
        None => count,
    }
}

fn needs_other_style(params: &[u8]) -> bool {
    let mut previous = 0;
    params.iter().any(|&byte| {
        let found = byte == b':' || (previous, byte) == (b'5', b'8');
        previous = byte;
        found
    })
}

/// Rewrites colon parameters with semicolons: kinds of underline, direct colours. Underline colours are omitted.
fn style(params: &[u8]) -> Option<Vec<u8>> {
    if !needs_other_style(params) {
        return None;
    }
    let mut known: Vec<String> = Vec::new();
    let mut rest = params
        .split(|&byte| byte == b';')
        .map(String::from_utf8_lossy);
    while let Some(param) = rest.next() {
        let parts: Vec<&str> = param.split(':').collect();
        match parts[..] {
            ["58"] => match rest.next().as_deref() {
                Some("5") => drop(rest.next()),
                Some("2") => drop(rest.nth(2)),
                _ => {}
            },
            [one] => known.push(one.to_owned()),
            ["4", "0"] => known.push("24".to_owned()),
            ["4", _] => known.push("4".to_owned()),
            // The form with a colour space has one more parameter.
            [ground @ ("38" | "48"), "2", red, green, blue]
            | [ground @ ("38" | "48"), "2", _, red, green, blue, ..] => {
                known.push(format!("{ground};2;{red};{green};{blue}"));
            }
            [ground @ ("38" | "48"), "5", index] => known.push(format!("{ground};5;{index}")),
            _ => {}
        }
    }
    // Without any parameter, the sequence would be a reset.
    let text = if known.is_empty() {
        String::new()
    } else {
        format!("\x1b[{}m", known.join(";"))
    };
    Some(text.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(body: &str, col: u16) -> Option<String> {
        let sequence = Sequence {
            kind: Kind::Csi,
            body: body.as_bytes(),
            controls: &[],
            len_bytes: 0,
            truncated: false,
        };
        let bytes = translate(&sequence, (3, col), (24, 80))?;
        assert!(!is_understood(sequence.body), "{body}");
        Some(String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn unknown_sequences_become_known_ones() {
        let table = [
            ("s", 0, "\x1b7"),
            ("u", 0, "\x1b8"),
            ("Z", 17, "\x1b[17G"),
            ("Z", 16, "\x1b[9G"),
            ("9Z", 17, "\x1b[1G"),
            ("I", 0, "\x1b[9G"),
            ("2I", 9, "\x1b[25G"),
            ("99999999I", 9, "\x1b[65535G"),
            ("?1047l", 0, "\x1b[2J\x1b[?47l"),
            ("1000b", 0, "\x1b[1000b"),
            ("99999999b", 0, "\x1b[1935b"),
        ];
        for (body, col, expected) in table {
            assert_eq!(translated(body, col).as_deref(), Some(expected), "{body}");
        }
        for body in [
            "1;31m", "m", "H", "?25l", "?1049h", "4h", ">1u", "?u", ">4;2m",
        ] {
            assert_eq!(translated(body, 0), None, "{body}");
        }
    }

    #[test]
    fn colon_parameters_become_semicolons() {
        let table = [
            ("38:2:1:2:3m", "\x1b[38;2;1;2;3m"),
            ("1;48:2::1:2:3;4:3m", "\x1b[1;48;2;1;2;3;4m"),
            ("38:5:9m", "\x1b[38;5;9m"),
            ("58:5:9m", ""),
            ("4;58;2;1;2;3;31m", "\x1b[4;31m"),
            ("4:0m", "\x1b[24m"),
        ];
        for (body, expected) in table {
            assert_eq!(translated(body, 0).as_deref(), Some(expected), "{body}");
        }
    }

    #[test]
    fn strings_are_kept_from_the_model() {
        for kind in [
            Kind::Osc { bell: true },
            Kind::Dcs,
            Kind::Other,
            Kind::Cancelled { by_escape: false },
        ] {
            let sequence = Sequence {
                kind,
                body: b"52;c;aGk=",
                controls: &[],
                len_bytes: 0,
                truncated: false,
            };
            assert_eq!(translate(&sequence, (0, 0), (24, 80)), Some(Vec::new()));
        }
    }
}
