//! What a screen shows at one moment, as data.

use serde::{Serialize, Serializer};

/// A screen as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Snapshot {
    /// Height.
    pub(crate) rows: u16,
    /// Width.
    pub(crate) cols: u16,
    /// Where the next character goes.
    pub(crate) cursor: Cursor,
    /// One text a row, always `rows` of them, trailing blanks removed.
    pub(crate) lines: Vec<String>,
    /// At most 1 KiB, without control characters.
    pub(crate) title: String,
    /// The program uses the alternate screen.
    pub(crate) alternate: bool,
}

/// Where the cursor is, counted from 0, always inside the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub(crate) row: u16,
    pub(crate) col: u16,
    pub(crate) visible: bool,
}

/// A colour; one of the terminal's own (a number in JSON) or a mixed one (`"#rrggbb"`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Color {
    Indexed(u8),
    Rgb(u8, u8, u8),
}

impl Serialize for Color {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Indexed(index) => serializer.serialize_u8(index),
            Self::Rgb(red, green, blue) => {
                serializer.collect_str(&format_args!("#{red:02x}{green:02x}{blue:02x}"))
            }
        }
    }
}

/// How cells are drawn; what is off or the default is left out of the JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Style {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fg: Option<Color>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bg: Option<Color>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) bold: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) dim: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) italic: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) underline: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) inverse: bool,
}

/// Neighbouring cells of one style.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct CellRun {
    /// First column, from 0.
    pub(crate) col: u16,
    /// Columns, two for a wide character.
    pub(crate) width: u16,
    pub(crate) text: String,
    #[serde(flatten)]
    pub(crate) style: Style,
}

/// Returns row `row` of `screen` as runs; blank cells of the default style at its end are left out.
pub(super) fn runs(screen: &vt100::Screen, row: u16) -> Vec<CellRun> {
    let mut runs: Vec<CellRun> = Vec::new();
    for col in 0..screen.size().1.get() {
        let Some(cell) = screen.cell(row, col) else {
            break;
        };
        if cell.is_wide_continuation() {
            continue;
        }
        let width = if cell.is_wide() { 2 } else { 1 };
        let text = if cell.has_contents() {
            cell.contents()
        } else {
            " "
        };
        let style = style(cell);
        match runs.last_mut() {
            Some(run) if run.style == style => {
                run.width += width;
                run.text.push_str(text);
            }
            _ => runs.push(CellRun {
                col,
                width,
                text: text.to_owned(),
                style,
            }),
        }
    }
    trim_end(&mut runs);
    runs
}

fn trim_end(runs: &mut Vec<CellRun>) {
    let Some(last) = runs.last_mut().filter(|run| run.style == Style::default()) else {
        return;
    };
    let kept = last.text.trim_end_matches(' ').len();
    last.width -= (last.text.len() - kept) as u16;
    last.text.truncate(kept);
    if last.text.is_empty() {
        runs.pop();
    }
}

pub(super) fn style(cell: &vt100::Cell) -> Style {
    Style {
        fg: color(cell.fgcolor()),
        bg: color(cell.bgcolor()),
        bold: cell.bold(),
        dim: cell.dim(),
        italic: cell.italic(),
        underline: cell.underline(),
        inverse: cell.inverse(),
    }
}

fn color(color: vt100::Color) -> Option<Color> {
    match color {
        vt100::Color::Default => None,
        vt100::Color::Idx(index) => Some(Color::Indexed(index)),
        vt100::Color::Rgb(red, green, blue) => Some(Color::Rgb(red, green, blue)),
    }
}
