//! What a terminal of ccd shows, in one line.

use ccd_protocol::image::ImageStyle;
use ccd_protocol::session::CursorShape;
use ccd_screen::{Modes, Scanner, Screen, answer, draw_svg};
use serde_json::Value;
use std::fmt::Write;

const ROWS: u16 = 5;
const COLS: u16 = 20;

/// Returns the rows, separated by `/`, the cursor, the cells with a style, the colour of text in the picture, the modes
/// that are not the usual ones, and the answers to queries.
pub(super) fn look(output: &str) -> String {
    let mut screen = Screen::new(ROWS, COLS);
    screen.feed(output.as_bytes());
    let (mut scanner, mut asked) = (Scanner::new(), Vec::new());
    scanner.feed(output.as_bytes(), 0, &mut asked);
    let snapshot = screen.snapshot();
    let lines = snapshot.lines(&(0..ROWS)).join("/");
    let cursor = screen.cursor();
    let mut look = format!(
        "{} @{},{}",
        lines.trim_end_matches('/'),
        cursor.row,
        cursor.col
    );
    for (row, runs) in snapshot.cells(&(0..ROWS)).iter().enumerate() {
        for run in runs {
            let style = changed(&serde_json::to_value(&run.style).unwrap(), &Value::Null);
            if !style.is_empty() {
                write!(look, " {row},{}+{}:{style}", run.col, run.width).unwrap();
            }
        }
    }
    let picture = draw_svg(&snapshot, &(0..ROWS), "", true, &ImageStyle::default()).unwrap();
    let text = picture
        .split_once("<text")
        .and_then(|(_, text)| text.split_once('>'));
    if let Some((_, color)) = text.and_then(|(text, _)| text.split_once("fill=\"")) {
        write!(look, " drawn in {}", &color[..7]).unwrap();
    }
    if (cursor.visible, cursor.blink, cursor.shape) != (true, false, CursorShape::Block) {
        write!(
            look,
            " visible={} blink={} {:?}",
            cursor.visible, cursor.blink, cursor.shape
        )
        .unwrap();
    }
    let modes = changed(
        &serde_json::to_value(scanner.modes()).unwrap(),
        &serde_json::to_value(Modes::default()).unwrap(),
    );
    if !modes.is_empty() {
        write!(look, " {modes}").unwrap();
    }
    if snapshot.alternate() {
        look.push_str(" alternate");
    }
    for asked in &asked {
        let cursor = Some((cursor.row, cursor.col));
        let answer = answer(&asked.query, cursor, screen.size()).unwrap();
        write!(look, " answered {}", answer.escape_ascii()).unwrap();
    }
    look
}

/// Returns the fields of an object that differ from those of another one.
fn changed(value: &Value, usual: &Value) -> String {
    let fields = value.as_object().unwrap().iter();
    let others = fields
        .filter(|(name, value)| usual.get(name) != Some(value) && !name.starts_with("cursor_"));
    let shown = others.map(|(name, value)| match value {
        Value::Bool(true) => name.clone(),
        other => format!("{name}={}", other.to_string().replace('"', "")),
    });
    let mut shown: Vec<String> = shown.collect();
    // serde_json keeps the order of fields only in some builds.
    shown.sort();
    shown.join(",")
}
