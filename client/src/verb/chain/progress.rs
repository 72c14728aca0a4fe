//! A progress line on the terminal.

use crate::context::write_error;
use crate::terminal::output_columns;
use crate::writer::clear_line;
use crate::{Context, render};
use serde_json::Value;
use std::io::{self, IsTerminal as _};

/// The progress line, until something else is printed.
#[derive(Debug)]
pub(in crate::verb) struct Progress {
    is_wanted: bool,
    is_shown: bool,
}

impl Progress {
    /// Shows nothing unless standard output and standard error are terminals.
    pub(super) fn new(context: &Context) -> Self {
        Self {
            is_wanted: context.style.is_terminal
                && io::stderr().is_terminal()
                && !context.global.json,
            is_shown: false,
        }
    }

    /// Shows nothing unless standard error is a terminal.
    pub(in crate::verb) fn on_stderr() -> Self {
        Self {
            is_wanted: io::stderr().is_terminal(),
            is_shown: false,
        }
    }

    /// Shows how far a job is, while it runs.
    pub(in crate::verb) fn show(&mut self, job: &Value) {
        self.clear();
        let text = render::text("job progress", job);
        if self.is_wanted && !text.is_empty() {
            let columns = output_columns().unwrap_or(80).saturating_sub(1);
            write_error(&render::cut(&text, columns), false);
            self.is_shown = true;
        }
    }

    /// Clears the line, so that other output can follow.
    pub(in crate::verb) fn clear(&mut self) {
        if std::mem::take(&mut self.is_shown) {
            write_error(&clear_line(), false);
        }
    }
}
