//! Draws the menu.

use super::walk::Walk;
use crate::render::{Colour, Line, printable, scrolled};

const MAX_NAME_WIDTH: usize = 24;

pub(super) fn draw(walk: &mut Walk, (rows, columns): (usize, usize)) -> Vec<Line> {
    let mut lines = Vec::new();
    if rows >= 4 {
        let mut title = Line::of(walk.path(), Some(Colour::Heading));
        title.push(format!("   {}", walk.question()), None);
        lines.push(title);
    }
    if rows >= 8 {
        lines.push(Line::default());
    }
    let foot = foot(walk, rows);
    let room = rows.saturating_sub(lines.len() + foot.len());
    if walk.is_typing() {
        let line = Line::typed(" › ", &walk.typed, columns);
        lines.extend(Some(line).filter(|_| room > 0));
    } else {
        lines.extend(items(walk, room, columns));
    }
    lines.resize(rows.saturating_sub(foot.len()), Line::default());
    lines.extend(foot);
    lines
}

fn items(walk: &mut Walk, room: usize, columns: usize) -> Vec<Line> {
    walk.first = scrolled(walk.first, walk.selected, walk.items.len(), room);
    let widths = walk.items.iter().map(|item| item.value.chars().count());
    let width = widths.max().unwrap_or(0).min(MAX_NAME_WIDTH);
    let shown = walk.items.iter().enumerate().skip(walk.first).take(room);
    let line = |(index, item): (usize, &crate::names::Name)| {
        let number = match index {
            0..9 => format!(" {} ", index + 1),
            _ => "   ".to_owned(),
        };
        let mut line = Line::of(number, Some(Colour::Dim));
        line.push(format!("{:<width$}", printable(&item.value)), None);
        line.push(format!("  {}", printable(&item.about)), Some(Colour::Dim));
        line.in_list(index == walk.selected, columns)
    };
    shown.map(line).collect()
}

/// The command so far, and below it the keys or a mistake.
fn foot(walk: &Walk, rows: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    if rows >= 3 {
        let command = walk.command().unwrap_or_default();
        lines.push(Line::of(printable(&command), Some(Colour::Good)));
    }
    let keys = if walk.is_typing() {
        "Enter continue  Esc back  ^C quit"
    } else {
        "up, down, Enter choose  Esc back  q quit"
    };
    lines.push(match &walk.mistake {
        Some(mistake) => Line::of(printable(mistake), Some(Colour::Bad)),
        None => Line::of(keys, Some(Colour::Dim)),
    });
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fullscreen::Key;
    use crate::render::Style;

    fn drawn(walk: &mut Walk, size: (usize, usize)) -> Vec<String> {
        let lines = draw(walk, size);
        let plain = |line: Line| line.cut(size.1).painted(Style::default());
        lines.into_iter().map(plain).collect()
    }

    #[test]
    fn the_command_is_shown_before_it_is_run() {
        let mut walk = Walk::new(Vec::new());
        walk.key(Key::Enter);
        walk.key(Key::Char('3'));
        walk.key(Key::Char('a'));
        let lines = drawn(&mut walk, (10, 60));
        assert_eq!(lines[0], "ccctl › sessions › start   a name, or nothing");
        assert_eq!(lines[2], " › a ");
        assert_eq!(lines[8], "$ ccctl session create --name a -- <WORDS>");
    }

    #[test]
    fn every_size_has_exactly_its_rows_and_the_selection() {
        let mut walk = Walk::new(Vec::new());
        walk.key(Key::Enter);
        walk.key(Key::End);
        let last = walk.items.last().unwrap().value.clone();
        for rows in 1..40 {
            for columns in [1, 20, 300] {
                let lines = drawn(&mut walk, (rows, columns));
                assert_eq!(lines.len(), rows);
                let is_seen = lines.iter().any(|line| line.contains(&last));
                assert!(
                    is_seen || rows < 4 || columns < 20,
                    "{rows}x{columns}: {lines:?}"
                );
            }
        }
    }
}
