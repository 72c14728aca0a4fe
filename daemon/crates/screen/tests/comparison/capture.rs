//! What `tmux capture-pane -e` prints, as cells.

use super::grid::{self, Cell};
use super::terminals::halves;
use ccd_protocol::session::Color;
use std::str::Chars;
use std::vec::IntoIter;

/// Line drawing characters, from 0x60 on, as tmux stores them (DEC special graphics).
const GRAPHICS: &str = "◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·";

/// The style of the characters that follow.
#[derive(Default)]
struct Pen {
    cell: Cell,
    graphics: bool,
}

/// Returns the cells of each line; all are `None` in a line that is not as long as the screen is wide.
pub(super) fn rows(lines: &[&str], cols: usize) -> Vec<Vec<Option<Cell>>> {
    let mut pen = Pen::default();
    lines.iter().map(|line| row(line, cols, &mut pen)).collect()
}

fn row(line: &str, cols: usize, pen: &mut Pen) -> Vec<Option<Cell>> {
    let mut cells: Vec<Option<Cell>> = Vec::new();
    let mut text = String::new();
    let mut chars = line.chars();
    loop {
        let next = chars.next();
        if !matches!(next, Some(' '..)) {
            let columns = halves(&text).into_iter();
            cells.extend(columns.map(|text| {
                Some(Cell {
                    text,
                    ..pen.cell.clone()
                })
            }));
            text.clear();
        }
        match next {
            None => break,
            Some('\x1b') => pen.sequence(&mut chars),
            Some('\x0e') => pen.graphics = true,
            Some('\x0f') => pen.graphics = false,
            Some(character) => text.push(pen.drawn(character)),
        }
    }
    // tmux prints nothing for what is left of half a wide character: where the cells after it are cannot be said.
    if cells.len() == cols {
        cells
    } else {
        vec![None; cols]
    }
}

impl Pen {
    fn drawn(&self, character: char) -> char {
        let place = (character as usize)
            .checked_sub(0x60)
            .filter(|_| self.graphics);
        let drawn = place.and_then(|place| GRAPHICS.chars().nth(place));
        drawn.unwrap_or(character)
    }

    /// Applies a sequence; only SGR and links are there.
    fn sequence(&mut self, chars: &mut Chars<'_>) {
        if chars.next() == Some(']') {
            // A link, which tmux reports from 3.4 on.
            while chars.next().is_some_and(|character| character != '\\') {}
            return;
        }
        let body: String = chars.take_while(|character| *character != 'm').collect();
        let parts: Vec<u8> = body
            .split([';', ':'])
            .map(|part| part.parse().unwrap_or(0))
            .collect();
        let has_style = body.contains("4:");
        let mut parts = parts.into_iter();
        while let Some(number) = parts.next() {
            match number {
                4 if has_style => self.underline(parts.next().unwrap()),
                _ => self.attribute(number, &mut parts),
            }
        }
    }

    fn attribute(&mut self, number: u8, rest: &mut IntoIter<u8>) {
        let flag = |number| {
            let flags = [
                grid::BOLD,
                grid::DIM,
                grid::ITALIC,
                grid::UNDERLINE,
                grid::BLINK,
                grid::BLINK,
                grid::INVERSE,
                grid::HIDDEN,
                grid::STRIKETHROUGH,
            ];
            flags[usize::from(number) - 1]
        };
        let cell = &mut self.cell;
        match number {
            0 => *cell = Cell::default(),
            4 => self.underline(1),
            1..=9 => cell.flags |= flag(number),
            30..=37 => cell.fg = Some(Color::Indexed(number - 30)),
            38 => cell.fg = color(rest),
            39 => cell.fg = None,
            40..=47 => cell.bg = Some(Color::Indexed(number - 40)),
            48 => cell.bg = color(rest),
            49 => cell.bg = None,
            53 => (), // overlined: no one else reports it
            58 => cell.underline_color = color(rest),
            59 => cell.underline_color = None,
            90..=97 => cell.fg = Some(Color::Indexed(number - 82)),
            100..=107 => cell.bg = Some(Color::Indexed(number - 92)),
            _ => panic!("tmux uses SGR {number}"),
        }
    }

    fn underline(&mut self, style: u8) {
        self.cell.flags |= grid::UNDERLINE;
        self.cell.underline = style;
    }
}

fn color(rest: &mut IntoIter<u8>) -> Option<Color> {
    let mut next = || rest.next().unwrap();
    match next() {
        5 => Some(Color::Indexed(next())),
        2 => Some(Color::Rgb(next(), next(), next())),
        kind => panic!("tmux uses colours of kind {kind}"),
    }
}
