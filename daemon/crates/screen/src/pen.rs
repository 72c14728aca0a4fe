//! Writes the styles of cells as sequences.

use super::terminal::{Attributes, Cell, Underline};
use ccd_protocol::session::Color;
use std::fmt::Write as _;
use std::sync::Arc;

/// What a terminal's pen is after the output so far; the default is the state after `ESC [ m`.
#[derive(Debug, Default)]
pub(super) struct Pen(Cell);

impl Pen {
    pub(super) fn push(&mut self, out: &mut String, cell: &Cell) {
        if self.0.has_style_of(cell) {
            return;
        }
        let bit = Attributes::PROTECTED;
        let (old, new) = (self.0.style, cell.style);
        let protects = new.attributes.contains(bit);
        if old.attributes.contains(bit) != protects {
            let _ = write!(out, "\x1b[{}\"q", u8::from(protects));
        }
        if self.0.link() != cell.link() {
            let link = cell.link().map_or("", |link| link);
            let _ = write!(out, "\x1b]8;;{link}\x1b\\");
        }
        push_style(out, cell);
        self.0 = Cell {
            style: cell.style,
            ..Cell::default()
        };
        self.0.set_underline_color(cell.underline_color());
        self.0.set_link(cell.link().map(Arc::clone));
    }
}

fn push_style(out: &mut String, cell: &Cell) {
    use Attributes as A;
    let style = cell.style;
    out.push_str("\x1b[0");
    for (attribute, number) in [
        (A::BOLD, 1),
        (A::DIM, 2),
        (A::ITALIC, 3),
        (A::BLINK, 5),
        (A::INVERSE, 7),
        (A::HIDDEN, 8),
        (A::STRIKETHROUGH, 9),
    ] {
        if style.attributes.contains(attribute) {
            let _ = write!(out, ";{number}");
        }
    }
    match style.underline {
        Underline::None => {}
        Underline::Single => out.push_str(";4"),
        Underline::Other(kind) => {
            let _ = write!(out, ";4:{}", kind as u8);
        }
    }
    push_color(out, style.fg, 30);
    push_color(out, style.bg, 40);
    match cell.underline_color() {
        None => {}
        Some(Color::Indexed(index)) => {
            let _ = write!(out, ";58:5:{index}");
        }
        Some(Color::Rgb(red, green, blue)) => {
            let _ = write!(out, ";58:2::{red}:{green}:{blue}");
        }
    }
    out.push('m');
}

fn push_color(out: &mut String, color: Option<Color>, first: u8) {
    let _ = match color {
        None => Ok(()),
        Some(Color::Indexed(index @ 0..8)) => write!(out, ";{}", first + index),
        Some(Color::Indexed(index @ 8..16)) => write!(out, ";{}", first + 60 + index - 8),
        Some(Color::Indexed(index)) => write!(out, ";{};5;{index}", first + 8),
        Some(Color::Rgb(red, green, blue)) => {
            write!(out, ";{};2;{red};{green};{blue}", first + 8)
        }
    };
}
