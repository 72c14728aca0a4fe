//! What a person sees of a run at a terminal: a line for each call of a tool, the model's text, and a status line.
//! `reader` makes events of Claude Code's lines; `screen` writes.

mod reader;
mod screen;

use crate::context::say;
use crate::fields::Fields as _;
use crate::render::{self, Printer, Style};
use crate::terminal::terminal_size;
use crate::{Context, Failure};
use ccd_protocol::exec::OutputFormat;
use reader::Reader;
use serde_json::Value;
use std::io::{self, IsTerminal as _};

pub(super) use screen::Screen;

/// Assumed if the terminal reports no size.
const COLUMNS: usize = 80;

/// The view of a run. Without a terminal it shows nothing.
pub(super) struct Live {
    screen: Screen,
    reader: Reader,
    style: Style,
    /// True if standard output or standard error is a terminal.
    is_shown: bool,
    /// False if the events themselves are printed to the terminal.
    shows_events: bool,
    prints_text: bool,
    printed: String,
}

impl Live {
    /// Starts to show a run whose result is printed in this format.
    pub(super) fn start(format: OutputFormat) -> Self {
        let is_output = io::stdout().is_terminal();
        let style = Style::of_stderr();
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
        let shows_events = !(is_output && format == OutputFormat::StreamJson);
        Self {
            screen: Screen::start(style.is_terminal && !is_dumb && shows_events),
            reader: Reader::default(),
            style,
            is_shown: is_output || style.is_terminal,
            shows_events,
            prints_text: is_output && format == OutputFormat::Text,
            printed: String::new(),
        }
    }

    /// The terminal, for other threads too.
    pub(super) fn screen(&self) -> &Screen {
        &self.screen
    }

    /// True if there is a person to show the run to.
    pub(super) fn is_shown(&self) -> bool {
        self.is_shown
    }

    pub(super) fn progress(&self, job: &Value) {
        self.screen.progress(job.at("progress"));
    }

    pub(super) fn line(&mut self, line: &str, context: &mut Context) -> Result<(), Failure> {
        if !self.is_shown || !self.shows_events {
            return Ok(());
        }
        for seen in self.reader.read(line) {
            if self.prints_text && seen.text("kind") == "text" && !seen.has("nested") {
                let shown = render::readable(seen.text("why"));
                self.screen.above(|| context.write_line(shown.trim_end()))?;
                seen.text("why").clone_into(&mut self.printed);
            } else {
                let line = render::text_line("exec event", &seen, self.style);
                self.screen.say(&line.cut(columns()).painted(self.style));
            }
        }
        Ok(())
    }

    /// Prints the answer, unless it was printed as it arrived.
    pub(super) fn print_answer(&self, answer: &str, context: &mut Context) -> Result<(), Failure> {
        let printed = self.printed.trim_end();
        let is_printed = !printed.is_empty() && answer.trim_end().ends_with(printed);
        if answer.is_empty() || (self.prints_text && is_printed) {
            Ok(())
        } else if self.prints_text {
            context.write_line(render::readable(answer).trim_end())
        } else if answer.ends_with('\n') {
            context.write_bytes(answer.as_bytes())
        } else {
            context.write_line(answer)
        }
    }

    /// Shows what the run did, and why it did not succeed.
    pub(super) fn summary(&self, page: &Value) {
        if !self.is_shown {
            return;
        }
        let mut text = Vec::new();
        let mut out = Printer::new(&mut text, self.style, Some(columns()));
        if out.reply("exec summary", page).is_ok() {
            let gap = if self.printed.is_empty() { "" } else { "\n" };
            let text = String::from_utf8_lossy(&text);
            say(&format!("{gap}{}", text.trim_end()));
        }
    }
}

fn columns() -> usize {
    let size = terminal_size().and_then(|size| usize::try_from(size.cols).ok());
    size.unwrap_or(COLUMNS)
}
