//! The table of figures, as Markdown and as JSON.

use serde_json::{Value, json};
use std::fmt::Write;

/// One line of the table.
#[derive(Debug, Default)]
pub(crate) struct Line {
    pub(crate) what: String,
    pub(crate) bare: String,
    pub(crate) peers: String,
    pub(crate) ccd: String,
    pub(crate) goal: String,
    pub(crate) ratio: String,
    /// `None` if there is no goal.
    pub(crate) met: Option<bool>,
}

/// All lines, and the notes about them.
#[derive(Debug, Default)]
pub(crate) struct Report {
    lines: Vec<Line>,
    notes: Vec<String>,
}

impl Report {
    pub(crate) fn add(&mut self, line: Line) {
        self.lines.push(line);
    }

    pub(crate) fn note(&mut self, text: &str) {
        self.notes.push(text.to_owned());
    }

    /// Returns a Markdown table, and the notes below it.
    pub(crate) fn markdown(&self) -> String {
        let mut text = String::from("| what | bare limit | peers | ccd | goal | ratio | met? |\n");
        text.push_str("|---|---|---|---|---|---|---|\n");
        for line in &self.lines {
            let cells = [
                &line.what,
                &line.bare,
                &line.peers,
                &line.ccd,
                &line.goal,
                &line.ratio,
            ];
            for cell in cells {
                let cell = if cell.is_empty() { "—" } else { cell };
                let _ = write!(text, "| {cell} ");
            }
            let met = match line.met {
                Some(true) => "yes",
                Some(false) => "no",
                None => "—",
            };
            let _ = writeln!(text, "| {met} |");
        }
        for note in &self.notes {
            let _ = write!(text, "\n{note}\n");
        }
        text
    }

    /// Returns the same as one JSON document.
    pub(crate) fn json(&self) -> String {
        let rows: Vec<Value> = self
            .lines
            .iter()
            .map(|line| {
                json!({
                    "what": line.what,
                    "bare_limit": line.bare,
                    "peers": line.peers,
                    "ccd": line.ccd,
                    "goal": line.goal,
                    "ratio": line.ratio,
                    "met": line.met,
                })
            })
            .collect();
        json!({"rows": rows, "notes": self.notes}).to_string() + "\n"
    }
}
