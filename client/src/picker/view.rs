//! Draws the list, and the preview beside or below it.

use super::pick::{Mode, Pick};
use super::preview::Preview;
use crate::fields::Fields as _;
use crate::render::{
    self, Colour, Line, Style, cut, printable, readable, scrolled, text, text_line,
};
use ccd_base::shell;
use serde_json::{Value, json};

/// From this width on, the preview is beside the list.
const WIDE: usize = 120;

/// With fewer lines for both, there is no preview.
const MIN_ROWS: usize = 14;

const PROMPT_LINES: usize = 6;

const TURN_LINES: usize = 4;

pub(super) fn draw(pick: &mut Pick, (rows, columns): (usize, usize)) -> Vec<Line> {
    let foot = foot(pick, rows, columns);
    let mut lines = head(pick, rows, columns);
    let room = rows.saturating_sub(lines.len() + foot.len());
    lines.extend(body(pick, room, columns));
    lines.resize(rows.saturating_sub(foot.len()), Line::default());
    lines.extend(foot);
    lines
}

fn body(pick: &mut Pick, room: usize, columns: usize) -> Vec<Line> {
    if columns >= WIDE {
        let half = columns / 2;
        let list = items(pick, room, half);
        let mut preview = preview(pick, room, columns - half - 3).into_iter();
        let mut list = list.into_iter();
        return (0..room)
            .map(|_| {
                let mut line = list.next().unwrap_or_default().fitted(half);
                line.push(" │ ", Some(Colour::Dim));
                line.append(preview.next().unwrap_or_default());
                line
            })
            .collect();
    }
    if room < MIN_ROWS {
        return items(pick, room, columns);
    }
    let upper = room * 2 / 5;
    let mut lines = items(pick, upper, columns);
    lines.resize(upper, Line::default());
    lines.push(Line::of("─".repeat(columns), Some(Colour::Dim)));
    lines.extend(preview(pick, room - upper - 1, columns));
    lines
}

fn head(pick: &Pick, rows: usize, columns: usize) -> Vec<Line> {
    let (name, total) = match pick.mode {
        Mode::Names => ("filter", pick.total),
        Mode::Texts => ("search", pick.found.number("total")),
    };
    let count = json!({
        "shown": pick.len(), "total": total, "is_partial": (pick.all.len() as u64) < total,
        "is_searching": pick.is_searching, "is_empty": pick.typed.trim().is_empty(),
    });
    let count = text(&format!("picked {name}"), &count);
    let mut lines = Vec::new();
    if rows >= 8 {
        let mut title = Line::of("ccctl conversation", Some(Colour::Heading));
        title.push(format!("   {count}"), Some(Colour::Dim));
        lines.push(title.cut(columns));
    }
    if rows >= 3 {
        lines.push(Line::typed(&format!("{name} › "), &pick.typed, columns));
    }
    lines
}

fn items(pick: &mut Pick, room: usize, columns: usize) -> Vec<Line> {
    pick.page = room;
    pick.first = scrolled(pick.first, pick.selected, pick.len(), room);
    let end = pick.len().min(pick.first + room);
    let line = |index: usize| {
        let line = match pick.mode {
            Mode::Names => shown("picked conversation", &pick.all[pick.matching[index]]),
            Mode::Texts => {
                let mut hit = pick.found.list("hits")[index].clone();
                let known = pick.conversation_of(&hit);
                hit["project"] = known.map_or("", |one| one.text("project")).into();
                shown("picked hit", &hit)
            }
        };
        line.in_list(index == pick.selected, columns)
    };
    (pick.first..end).map(line).collect()
}

fn shown(template: &str, record: &Value) -> Line {
    text_line(template, record, Style::default())
}

fn preview(pick: &Pick, room: usize, columns: usize) -> Vec<Line> {
    let Some(one) = pick.conversation() else {
        return Vec::new();
    };
    let about = ["title", "place", "times", "spent"];
    let about = about.map(|part| shown(&format!("picked {part}"), one).cut(columns));
    let mut lines = about.to_vec();
    if let (Mode::Texts, Some(hit)) = (pick.mode, pick.selected()) {
        lines.push(Line::default());
        let text = wrapped(hit.text("snippet"), columns, PROMPT_LINES);
        let line = |text| Line::of(text, Some(Colour::Notice));
        lines.extend(text.into_iter().map(line));
    }
    match pick.preview() {
        None => lines.push(Line::of("reading …", Some(Colour::Dim))),
        Some(Err(why)) => lines.push(Line::of(printable(why), Some(Colour::Bad)).cut(columns)),
        Some(Ok(preview)) => {
            let left = room.saturating_sub(lines.len());
            lines.extend(said(preview, left, columns));
        }
    }
    lines.truncate(room);
    lines
}

/// Returns the first prompt, and as many of the last turns as there is room for.
fn said(preview: &Preview, room: usize, columns: usize) -> Vec<Line> {
    let text = |text: &str, most| {
        let lines = wrapped(text, columns, most);
        lines.into_iter().map(|text| Line::of(text, None))
    };
    let mut lines = Vec::new();
    if !preview.prompt.is_empty() {
        lines.push(Line::default());
        lines.push(Line::of("first prompt", Some(Colour::Dim)));
        lines.extend(text(&preview.prompt, PROMPT_LINES));
    }
    let mut turns: Vec<Line> = Vec::new();
    let (mut is_named, mut speaks) = (true, "");
    for (index, (role, said)) in preview.last.iter().enumerate().rev() {
        let mut turn: Vec<Line> = text(said, TURN_LINES).collect();
        // Two lines are kept for who speaks, if an earlier turn of the same side has no room.
        if lines.len() + turn.len() + turns.len() + 2 > room {
            break;
        }
        is_named = index == 0 || preview.last[index - 1].0 != *role;
        speaks = role;
        if is_named {
            turn.splice(0..0, [Line::default(), speaker(role)]);
        }
        turns.splice(0..0, turn);
    }
    if !is_named {
        turns.splice(0..0, [Line::default(), speaker(speaks)]);
    }
    lines.extend(turns);
    lines
}

fn speaker(role: &str) -> Line {
    let colour = match role {
        "user" => Colour::Heading,
        _ => Colour::Good,
    };
    Line::of(role, Some(colour))
}

/// Splits a text into at most `most` lines; the last one is marked if there are more.
fn wrapped(text: &str, columns: usize, most: usize) -> Vec<String> {
    let text = readable(text);
    let lines = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .flat_map(|line| render::wrapped_at_spaces(line, columns));
    let mut lines: Vec<String> = lines.take(most + 1).collect();
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            *last = cut(&format!("{last} …"), columns);
        }
    }
    lines
}

/// The command of Enter, and below it the keys or a mistake.
fn foot(pick: &Pick, rows: usize, columns: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    if rows >= 6 {
        let command = pick.command().unwrap_or_default();
        let command = if command.is_empty() {
            String::new()
        } else {
            format!("$ ccctl {}", shell::line(&command))
        };
        lines.push(Line::of(printable(&command), Some(Colour::Good)).cut(columns));
    }
    let tab = match pick.mode {
        Mode::Names => "Tab search content",
        Mode::Texts => "Tab filter titles",
    };
    let escape = if pick.typed.is_empty() {
        "quit"
    } else {
        "clear"
    };
    let keys = format!("Enter show  ^O open in browser  {tab}  Esc {escape}");
    lines.push(match &pick.mistake {
        Some(mistake) => Line::of(printable(mistake), Some(Colour::Bad)),
        None => Line::of(keys, Some(Colour::Dim)),
    });
    lines
}

#[cfg(test)]
mod tests {
    use super::super::feed::Report;
    use super::super::pick::tests::pick;
    use super::*;
    use crate::fullscreen::Key;
    use crate::render::Style;

    fn drawn(pick: &mut Pick, size: (usize, usize)) -> Vec<String> {
        let lines = draw(pick, size);
        let plain = |line: Line| line.painted(Style::default());
        lines.into_iter().map(plain).collect()
    }

    fn previewed() -> Pick {
        let mut pick = pick(&["Sort a list", "Fix the\u{1b}[2J parser"]);
        pick.report(Report::Preview {
            file: "/f/1".to_owned(),
            preview: Ok(Preview {
                prompt: "Please fix it".to_owned(),
                last: vec![
                    ("user".to_owned(), "now\tplease".to_owned()),
                    ("assistant".to_owned(), "word ".repeat(200)),
                ],
            }),
        });
        pick.key(Key::Down);
        pick
    }

    #[test]
    fn the_preview_is_below_the_list_or_beside_it() {
        let lines = drawn(&mut previewed(), (36, 80));
        assert!(lines[0].starts_with("ccctl conversation   2 of 2"));
        let title = lines[3].trim_end();
        assert!(title.ends_with("shop            Fix the parser"), "{title}");
        for line in [
            "0 turns, 2 failed calls, 0 tokens, $0.50",
            "Please fix it",
            "now    please",
        ] {
            assert!(lines.iter().any(|one| one == line), "{lines:#?}");
        }
        assert_eq!(lines[34], "$ ccctl conversation show 00000001-0000");
        let lines = drawn(&mut previewed(), (30, 160));
        assert!(lines[2].contains(" │ Fix the"), "{lines:#?}");
    }

    #[test]
    fn who_speaks_is_said_once_for_turns_in_a_row() {
        let turns: Vec<(String, String)> = (0..40)
            .map(|number| ("assistant".to_owned(), format!("turn {number}")))
            .collect();
        for room in 0..50 {
            let preview = Preview {
                prompt: String::new(),
                last: turns.clone(),
            };
            let lines = said(&preview, room, 20);
            let lines: Vec<String> = lines
                .into_iter()
                .map(|line| line.painted(Style::default()))
                .collect();
            assert_eq!(lines.len(), if room < 3 { 0 } else { room.min(42) });
            if room >= 3 {
                assert_eq!(lines[1], "assistant");
                assert_eq!(lines.last().unwrap(), "turn 39");
            }
        }
    }

    #[test]
    fn every_size_has_exactly_its_rows_and_columns_and_the_selection() {
        let titles: Vec<String> = (0..60).map(|number| format!("title {number}")).collect();
        let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
        for rows in 1..50 {
            for columns in [1, 20, 80, 119, 120, 300] {
                let mut pick = pick(&titles);
                pick.key(Key::End);
                let lines = draw(&mut pick, (rows, columns));
                assert_eq!(lines.len(), rows);
                let lines = drawn(&mut pick, (rows, columns));
                let is_seen = lines.iter().any(|line| line.contains("title 59"));
                assert!(
                    is_seen || rows < 3 || columns < 80,
                    "{rows}x{columns}: {lines:#?}"
                );
            }
        }
        let mut previewed = previewed();
        for columns in [40, 80, 130] {
            for line in draw(&mut previewed, (40, columns)).iter().take(38) {
                assert!(line.width() <= columns, "{columns} {line:?}");
            }
        }
    }
}
