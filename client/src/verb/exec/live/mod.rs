//! What a person sees of a run at a terminal: a line for each call of a tool, the model's text, and a status line.
//! `reader` makes events of Claude Code's lines, `status` the text of the status line; both are pure. `screen` writes.

mod reader;
mod screen;
mod status;

use crate::context::say;
use crate::render::{self, Colour, Line, Printer, Style};
use crate::terminal::terminal_size;
use crate::typed::typed;
use crate::{Context, Failure};
use ccd_protocol::exec::{ExecutionResult, OutputFormat};
use ccd_protocol::job::Job;
use reader::{Reader, Seen, What};
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

    pub(super) fn progress(&self, job: &Job) {
        let progress = job.progress.as_ref();
        if let Some(progress) = progress.and_then(|value| typed(value).ok()) {
            self.screen.progress(progress);
        }
    }

    pub(super) fn line(&mut self, line: &str, context: &mut Context) -> Result<(), Failure> {
        if !self.is_shown || !self.shows_events {
            return Ok(());
        }
        for seen in self.reader.read(line) {
            match seen {
                Seen {
                    what: What::Text(text),
                    is_nested: false,
                } if self.prints_text => {
                    let shown = render::readable(&text);
                    self.screen.above(|| context.write_line(shown.trim_end()))?;
                    self.printed = text;
                }
                seen => {
                    let line = event(&seen).cut(columns()).painted(self.style);
                    self.screen.say(&line);
                }
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

    pub(super) fn summary(&self, result: &ExecutionResult, failure: Option<&str>) {
        if !self.is_shown {
            return;
        }
        let mut text = Vec::new();
        let mut out = Printer::new(&mut text, self.style, Some(columns()));
        if render::run_summary(result, failure, &mut out).is_ok() {
            let gap = if self.printed.is_empty() { "" } else { "\n" };
            let text = String::from_utf8_lossy(&text);
            say(&format!("{gap}{}", text.trim_end()));
        }
    }
}

/// An event as a line; events of sub-agents are indented.
fn event(seen: &Seen) -> Line {
    let mut line = Line::of(if seen.is_nested { "    " } else { "" }, None);
    match &seen.what {
        What::Call { name, about } => {
            line.push("• ", Some(Colour::Dim));
            line.push(render::on_one_line(name), Some(Colour::Heading));
            line.push(format!(" {}", render::on_one_line(about)), None);
        }
        What::Text(text) => line.push(render::on_one_line(text), Some(Colour::Dim)),
        What::Denied { name, why } => {
            let text = render::on_one_line(&format!("{name}: {why}"));
            line.push(format!("  denied {text}"), Some(Colour::Notice));
        }
        What::Failed(why) => {
            let text = render::on_one_line(why);
            line.push(format!("  failed: {text}"), Some(Colour::Bad));
        }
        What::Retry(why) => line.push(render::on_one_line(why), Some(Colour::Notice)),
    }
    line
}

fn columns() -> usize {
    let size = terminal_size().and_then(|size| usize::try_from(size.cols).ok());
    size.unwrap_or(COLUMNS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(what: What, is_nested: bool) -> String {
        let line = event(&Seen { what, is_nested });
        line.cut(30).painted(Style::default())
    }

    #[test]
    fn an_event_is_one_line_without_control_characters() {
        let call = || What::Call {
            name: "Bash".into(),
            about: "make\n\x1b[2J  test && make install".into(),
        };
        assert_eq!(shown(call(), false), "• Bash make test && make inst…");
        assert_eq!(shown(call(), true), "    • Bash make test && make …");
        let denied = What::Denied {
            name: "Bash".into(),
            why: "no".into(),
        };
        assert_eq!(shown(denied, false), "  denied Bash: no");
    }
}
