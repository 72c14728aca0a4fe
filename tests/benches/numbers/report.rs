//! The table of figures, as Markdown and as JSON.

use crate::samples::Ratio;
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
    /// The time that ccd takes, as a multiple of each peer's.
    pub(crate) against: Vec<(&'static str, Ratio)>,
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
        text.push_str(
            "\n| what | peer | time that ccd takes, of the peer's | ccd is |\n|---|---|---|---|\n",
        );
        for line in &self.lines {
            for (peer, ratio) in &line.against {
                let verdict = ratio.verdict();
                let _ = writeln!(text, "| {} | {peer} | {ratio} | {verdict} |", line.what);
            }
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
                    "against": line.against.iter().map(against).collect::<Vec<_>>(),
                })
            })
            .collect();
        json!({"rows": rows, "notes": self.notes}).to_string() + "\n"
    }
}

fn against((peer, ratio): &(&'static str, Ratio)) -> Value {
    json!({
        "peer": peer,
        "ratio": ratio.of_all,
        "low": ratio.low,
        "high": ratio.high,
        "ccd_is": ratio.verdict(),
    })
}
