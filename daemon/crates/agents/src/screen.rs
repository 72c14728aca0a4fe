//! What the screen of an agent shows: a question with choices, the mark of its work, or neither.

use crate::look::{Dialog, Shown};
use crate::programs::Marks;
use crate::words;
use ccd_protocol::agent::{AgentQuestion, Known, QuestionKind};
use regex::Regex;
use std::path::Path;
use std::sync::LazyLock;

/// Rows at the end of a screen in which a question can be.
const MAX_ROWS: usize = 60;

/// Rows of a question above its choices.
const MAX_QUESTION_ROWS: usize = 12;

/// Rows below its last choice.
const MAX_ROWS_BELOW: usize = 12;

/// A choice: perhaps a mark of the one that is selected, a number or letter, and a text.
static CHOICE: LazyLock<Regex> = LazyLock::new(|| {
    #[expect(clippy::unwrap_used, reason = "a constant")]
    Regex::new(r"^[\s│┃|]*(?<selected>[❯›>●▸➤▶])?\s*(?<key>\d{1,2})[.)]\s+(?<text>\S.*?)[\s│┃|]*$")
        .unwrap()
});

/// A question whose answers are letters, at the end of the output.
static YES_OR_NO: LazyLock<Regex> = LazyLock::new(|| {
    #[expect(clippy::unwrap_used, reason = "a constant")]
    Regex::new(r"(?i)(\[y/n\]|\(y/n\)|\(y\)es/\(n\)o)[^\n]{0,30}$").unwrap()
});

/// Returns what the rows of a screen show.
#[must_use]
pub fn read(rows: &[String], marks: &Marks) -> Shown {
    let rows: Vec<&str> = rows.iter().map(|row| row.trim_end()).collect();
    let end = rows
        .iter()
        .rposition(|row| !row.is_empty())
        .map_or(0, |at| at + 1);
    let rows = &rows[end.saturating_sub(MAX_ROWS)..end];
    let has = |mark: &Option<Regex>| {
        mark.as_ref()
            .map(|mark| rows.iter().any(|row| mark.is_match(row)))
    };
    if let Some(dialog) = dialog(rows).filter(|_| has(&marks.asks) != Some(false)) {
        return Shown::Dialog(dialog);
    }
    match has(&marks.works) {
        Some(true) => Shown::Work,
        Some(false) => Shown::Nothing,
        // A program without a mark: its screen says nothing about its work.
        None => Shown::Unknown,
    }
}

/// Finds the last block of numbered choices with one that is selected, or a question for yes or no in the last row.
fn dialog(rows: &[&str]) -> Option<Dialog> {
    numbered(rows).or_else(|| yes_or_no(rows))
}

fn numbered(rows: &[&str]) -> Option<Dialog> {
    let captures: Vec<_> = rows.iter().map(|row| CHOICE.captures(row)).collect();
    let number = |at: usize| captures[at].as_ref()?["key"].parse::<usize>().ok();
    // From the last "1." on, the numbers go up; texts of choices may take several rows.
    let first = (0..rows.len()).rev().find(|at| number(*at) == Some(1))?;
    let mut choices: Vec<(String, String)> = Vec::new();
    let (mut selected, mut last) = (None, first);
    for (at, choice) in captures.iter().enumerate().skip(first) {
        let Some(choice) = choice else { continue };
        if choice["key"].parse() == Ok(choices.len() + 1) {
            if choice.name("selected").is_some() {
                selected = Some(choices.len());
            }
            choices.push((choice["key"].to_owned(), words::line(&choice["text"])));
            last = at;
        }
    }
    if choices.len() < 2 || rows.len() - last > MAX_ROWS_BELOW {
        return None;
    }
    let selected = selected?;
    let above = &rows[..first];
    let top = box_start(rows, first);
    let start = above
        .iter()
        .rposition(|row| is_rule(row))
        .map_or(0, |at| at + 1);
    let question = question(&above[start.max(first.saturating_sub(MAX_QUESTION_ROWS))..]);
    Some(Dialog {
        // Without a box, what is above may be anything.
        text: if is_rule(rows[top]) {
            box_text(&rows[top..first])
        } else {
            question
        },
        choices,
        selected,
        letters: letters(&rows[top..]),
        asked: letters(&rows[top..first]),
    })
}

/// The paragraph above the choices.
fn question(rows: &[&str]) -> String {
    let text = |row: &&str| {
        row.trim_matches(|c: char| c.is_whitespace() || "│┃|".contains(c))
            .to_owned()
    };
    let rows: Vec<String> = rows.iter().map(text).collect();
    let end = rows
        .iter()
        .rposition(|row| !row.is_empty())
        .map_or(0, |at| at + 1);
    let start = rows[..end]
        .iter()
        .rposition(String::is_empty)
        .map_or(0, |at| at + 1);
    words::text(&rows[start..end].join("\n"))
}

/// All that a box says above its choices.
fn box_text(rows: &[&str]) -> String {
    let said = rows
        .iter()
        .map(|row| row.trim())
        .filter(|row| !row.is_empty() && !is_rule(row));
    words::text(&said.collect::<Vec<_>>().join("\n"))
}

/// Where the box with the choices starts: some rules above, but not further than a question can be.
fn box_start(rows: &[&str], choices: usize) -> usize {
    const MAX_BOX_ROWS: usize = 40;
    let from = choices.saturating_sub(MAX_BOX_ROWS);
    let top = (from..choices).find(|at| is_rule(rows[*at]));
    top.unwrap_or(choices.saturating_sub(MAX_QUESTION_ROWS))
}

fn yes_or_no(rows: &[&str]) -> Option<Dialog> {
    let last = rows.last()?;
    let found = YES_OR_NO.is_match(last);
    found.then(|| Dialog {
        text: words::text(last),
        choices: [("y", "Yes"), ("n", "No")]
            .map(|(key, text)| (key.into(), text.into()))
            .into(),
        selected: 0,
        letters: letters(&rows[rows.len() - 1..]),
        asked: letters(&rows[rows.len() - 1..]),
    })
}

fn is_rule(row: &str) -> bool {
    const LINES: &str = "─━═▔╌╍┄┅╭╮╰╯┌┐└┘┏┓┗┛-";
    let row = row.trim();
    row.chars().count() >= 8 && row.chars().all(|c| LINES.contains(c))
}

fn letters(rows: &[&str]) -> String {
    rows.iter()
        .flat_map(|row| row.chars())
        .filter(|c| c.is_alphanumeric())
        .collect()
}

/// Tools whose use a dialog may show by the name of the file alone.
const FILE_TOOLS: [&str; 5] = ["Write", "Edit", "MultiEdit", "NotebookEdit", "Read"];

impl Dialog {
    /// Returns whether this shows `text`: its first letters are in it, however they are wrapped.
    #[must_use]
    pub fn shows(&self, text: &str) -> bool {
        /// More are not compared: a screen shortens long questions.
        const COMPARED: usize = 150;
        let wanted: String = text
            .chars()
            .filter(|c| c.is_alphanumeric())
            .take(COMPARED)
            .collect();
        !wanted.is_empty() && self.letters.contains(&wanted)
    }

    /// Returns whether this is a question that is known in that way.
    #[must_use]
    pub fn is_of(&self, question: &AgentQuestion, known: Known) -> bool {
        let text = &question.text;
        match question.kind {
            _ if known == Known::Guess => self.text == *text,
            QuestionKind::Permission => {
                let (tool, about) = text.split_once(": ").unwrap_or(("", text));
                let file = Path::new(about).file_name().and_then(|name| name.to_str());
                let is_file = FILE_TOOLS.contains(&tool);
                self.shows(about) || (is_file && file.is_some_and(|name| self.shows(name)))
            }
            QuestionKind::Plan => self.letters.to_lowercase().contains("plan"),
            QuestionKind::Question | QuestionKind::Elicitation => self.shows(text),
        }
    }
}

#[cfg(test)]
#[path = "screen_tests.rs"]
mod tests;
