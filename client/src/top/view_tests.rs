//! What is drawn in terminals of all sizes.

use super::super::app::tests::app;
use super::*;
use crate::fullscreen::Key;
use crate::render::Style;

fn drawn(app: &mut App, rows: usize, columns: usize) -> Vec<String> {
    app.size = (rows, columns);
    let lines = draw(app);
    let style = Style::TERMINAL;
    let shown = |line: &Line| crate::writer::visible(&line.painted(style));
    lines.iter().map(shown).collect()
}

#[test]
fn every_size_has_exactly_its_rows() {
    let mut app = app();
    app.key(Key::Char('p'));
    for rows in 0..40 {
        for columns in [0, 1, 5, 20, 80, 300] {
            let lines = drawn(&mut app, rows, columns);
            assert_eq!(lines.len(), rows.max(1), "{rows}x{columns}");
        }
    }
    app.key(Key::Char('?'));
    for rows in 0..40 {
        assert_eq!(drawn(&mut app, rows, 20).len(), rows.max(1), "{rows}");
    }
}

#[test]
fn the_selection_is_in_sight_on_the_smallest_terminal() {
    let mut app = app();
    for (key, selected) in [(Key::End, "\x1b[7mdb"), (Key::Home, "\x1b[7mweb")] {
        app.key(key);
        let lines = drawn(&mut app, 5, 20);
        let is_in_sight = lines.iter().any(|line| line.contains(selected));
        assert!(is_in_sight, "{lines:?}");
    }
    assert!(drawn(&mut app, 5, 20)[0].contains("1-2 of 3 shown"));
}
