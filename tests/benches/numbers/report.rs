//! The table of figures, as Markdown.

use crate::samples::{Ratio, Samples};
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

impl Line {
    /// Returns a line about times whose median has a goal in milliseconds.
    pub(crate) fn within_ms(what: &str, samples: &Samples, goal_ms: f64) -> Self {
        Self {
            what: format!("{what} (p50 / p95)"),
            ccd: samples.p50_p95_ms(),
            goal: format!("≤ {goal_ms} ms"),
            met: Some(samples.median() <= goal_ms * 1000.0),
            ..Self::default()
        }
    }
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
            let Line {
                what,
                bare,
                peers,
                ccd,
                goal,
                ratio,
                ..
            } = line;
            for cell in [what, bare, peers, ccd, goal, ratio] {
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
}
