//! A screen as the cells that each of the terminals reports, and how they differ.

use ccd_protocol::session::{CellStyle, Color};
use std::fmt;

pub(super) const BOLD: u8 = 1;
pub(super) const DIM: u8 = 2;
pub(super) const ITALIC: u8 = 4;
pub(super) const UNDERLINE: u8 = 8;
pub(super) const BLINK: u8 = 16;
pub(super) const INVERSE: u8 = 32;
pub(super) const HIDDEN: u8 = 64;
pub(super) const STRIKETHROUGH: u8 = 128;

const FLAGS: [(u8, &str); 8] = [
    (BOLD, "bold"),
    (DIM, "dim"),
    (ITALIC, "italic"),
    (UNDERLINE, "underline"),
    (BLINK, "blink"),
    (INVERSE, "inverse"),
    (HIDDEN, "hidden"),
    (STRIKETHROUGH, "strikethrough"),
];

/// One cell. The second half of a wide character has no text and the style of the first.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Cell {
    pub(super) text: String,
    pub(super) fg: Option<Color>,
    pub(super) bg: Option<Color>,
    pub(super) flags: u8,
    /// As the subparameter of SGR 4; 0 without an underline.
    pub(super) underline: u8,
    pub(super) underline_color: Option<Color>,
}

/// A screen; a cell is `None` where the terminal does not report it.
#[derive(Debug, Clone)]
pub(super) struct Grid {
    /// Row and column, from 0.
    pub(super) cursor: (usize, usize),
    pub(super) rows: Vec<Vec<Option<Cell>>>,
}

/// A property of a cell, or of the screen, in which ours differs from the other two.
#[derive(Debug)]
pub(super) struct Difference {
    row: usize,
    col: usize,
    property: &'static str,
    ours: String,
    theirs: String,
}

/// The result of a comparison.
#[derive(Debug, Default)]
pub(super) struct Comparison {
    pub(super) differences: Vec<Difference>,
    /// Cells in which tmux and avt differ from each other, or that somebody does not report.
    pub(super) disputed: Vec<String>,
    pub(super) cells: usize,
}

impl Cell {
    pub(super) fn new(text: &str, style: &CellStyle) -> Self {
        let flags = [
            (style.bold, BOLD),
            (style.dim, DIM),
            (style.italic, ITALIC),
            (style.underline, UNDERLINE),
            (style.blink, BLINK),
            (style.inverse, INVERSE),
            (style.hidden, HIDDEN),
            (style.strikethrough, STRIKETHROUGH),
        ];
        let underline_style = style.underline_style.map(|style| style as u8);
        Self {
            text: text.to_owned(),
            fg: style.fg,
            bg: style.bg,
            flags: flags
                .iter()
                .filter(|(on, _)| *on)
                .map(|(_, flag)| flag)
                .sum(),
            underline: underline_style.unwrap_or(style.underline.into()),
            underline_color: style.underline_color,
        }
    }

    pub(super) fn blank() -> Self {
        Self {
            text: " ".to_owned(),
            ..Self::default()
        }
    }

    /// Returns the cell without what nobody sees: the colour of the text of a blank, and most of its style.
    fn seen(&self) -> Self {
        let lines = UNDERLINE | INVERSE | STRIKETHROUGH;
        let is_plain = self.flags & lines == 0;
        if self.text == " " {
            Self {
                fg: self.fg.filter(|_| !is_plain),
                flags: self.flags & lines,
                underline_color: self.underline_color.filter(|_| self.flags & UNDERLINE != 0),
                ..self.clone()
            }
        } else {
            self.clone()
        }
    }

    /// Returns whether a cell of avt is the same in all that avt reports: not which underline, and not what is hidden.
    fn is_alike(&self, avt: &Self) -> bool {
        self.base() == avt.base()
            && (self.fg, self.bg) == (avt.fg, avt.bg)
            && (self.flags ^ avt.flags) & !HIDDEN == 0
    }

    /// Returns whether it is as a new one, in whatever background.
    fn is_erased(&self) -> bool {
        let erased = Self {
            bg: self.bg,
            ..Self::blank()
        };
        *self == erased
    }

    /// Returns the character without its combining characters.
    fn base(&self) -> Option<char> {
        self.text.chars().next()
    }
}

impl Grid {
    /// Returns whether both show the same, as far as avt reports it.
    pub(super) fn looks_like(&self, other: &Self) -> bool {
        let pairs = self.rows.iter().flatten().zip(other.rows.iter().flatten());
        let mut alike = pairs.map(|cells| match cells {
            (Some(ours), Some(other)) => ours.seen().is_alike(&other.seen()),
            _ => false,
        });
        self.cursor == other.cursor && alike.all(|alike| alike)
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in &self.rows {
            let cells = row
                .iter()
                .map(|cell| cell.as_ref().map_or("?", |cell| &cell.text));
            writeln!(f, "{}|", cells.collect::<String>())?;
        }
        write!(f, "{:?}", self.cursor)
    }
}

impl Comparison {
    /// Compares `ours` with what tmux and avt both say, or with the one of them that reports a property.
    pub(super) fn new(ours: &Grid, tmux: &Grid, avt: &Grid) -> Self {
        let mut result = Self::default();
        if tmux.cursor == avt.cursor && ours.cursor != tmux.cursor {
            let (row, col) = ours.cursor;
            result.push((row, col), "cursor", &ours.cursor, &tmux.cursor);
        }
        for (row, cells) in ours.rows.iter().enumerate() {
            for (col, cell) in cells.iter().enumerate() {
                result.cells += 1;
                let cells = [cell, &tmux.rows[row][col], &avt.rows[row][col]];
                let [ours, tmux, avt] = cells.map(|cell| cell.as_ref().map(Cell::seen));
                match (&ours, &tmux, &avt) {
                    (Some(ours), Some(tmux), Some(avt)) if agree(tmux, avt) => {
                        result.cell((row, col), ours, tmux)
                    }
                    _ => result
                        .disputed
                        .push(format!("row {row}, column {col}: {tmux:?}, {avt:?}")),
                }
            }
        }
        result
    }

    fn cell(&mut self, place: (usize, usize), ours: &Cell, tmux: &Cell) {
        if ours.text != tmux.text {
            self.push(place, "text", &ours.text, &tmux.text);
        }
        if ours.fg != tmux.fg {
            self.push(place, "fg", &ours.fg, &tmux.fg);
        }
        if ours.bg != tmux.bg {
            self.push(place, "bg", &ours.bg, &tmux.bg);
        }
        if ours.flags != tmux.flags {
            self.push(place, "flags", &names(ours.flags), &names(tmux.flags));
        }
        if ours.underline != tmux.underline {
            self.push(place, "underline", &ours.underline, &tmux.underline);
        }
        if ours.underline_color != tmux.underline_color {
            let (ours, theirs) = (&ours.underline_color, &tmux.underline_color);
            self.push(place, "underline colour", ours, theirs);
        }
    }

    fn push(
        &mut self,
        place: (usize, usize),
        property: &'static str,
        ours: &dyn fmt::Debug,
        theirs: &dyn fmt::Debug,
    ) {
        self.differences.push(Difference {
            row: place.0,
            col: place.1,
            property,
            ours: format!("{ours:?}"),
            theirs: format!("{theirs:?}"),
        });
    }
}

/// Returns whether tmux and avt show the same. avt fills erased cells with the whole style, where only the background
/// belongs: whether a blank cell of avt was erased or written, tmux must say.
fn agree(tmux: &Cell, avt: &Cell) -> bool {
    tmux.is_alike(avt) || tmux.is_erased() && avt.text == " " && tmux.bg == avt.bg
}

fn names(flags: u8) -> Vec<&'static str> {
    let set = FLAGS.iter().filter(|(flag, _)| flags & flag != 0);
    set.map(|(_, name)| *name).collect()
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            row,
            col,
            property,
            ours,
            theirs,
        } = self;
        write!(
            f,
            "row {row}, column {col}: {property} is {ours}, theirs {theirs}"
        )
    }
}
