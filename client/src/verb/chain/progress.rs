//! A progress line on the terminal.

use crate::context::write_error;
use crate::terminal::output_columns;
use crate::writer::clear_line;
use crate::{Context, render};
use ccd_protocol::job::{Job, JobState};
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

    pub(super) fn show(&mut self, job: &Job) {
        self.show_text(text_of(job));
    }

    pub(in crate::verb) fn show_text(&mut self, text: Option<String>) {
        self.clear();
        if let Some(text) = text.filter(|_| self.is_wanted) {
            let columns = output_columns().unwrap_or(80).saturating_sub(1);
            let text = render::cut(&render::printable(&text), columns);
            write_error(&text, false);
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

fn text_of(job: &Job) -> Option<String> {
    if job.state != JobState::Running {
        return None;
    }
    let progress = job.progress.as_ref()?;
    let number = |key: &str| progress.get(key)?.as_u64();
    let of = number("of")?;
    if let Some(finished) = number("finished") {
        return (finished < of).then(|| format!("… {finished}/{of}"));
    }
    if let Some(exchange) = number("exchange") {
        return Some(format!("… exchange {} of {of}", exchange + 1));
    }
    let command = progress.get("command")?.as_str()?;
    Some(format!("… {}/{of} {command}", number("step")?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_runs_is_told() {
        let job = |progress: serde_json::Value| -> Job {
            let job = json!({"job": "j", "method": "m", "state": "running", "progress": progress, "created_at": "", "ended_at": null});
            serde_json::from_value(job).unwrap()
        };
        let step = job(json!({"step": 2, "of": 5, "command": "make"}));
        assert_eq!(text_of(&step).as_deref(), Some("… 2/5 make"));
        assert_eq!(
            text_of(&job(json!({"finished": 3, "of": 4}))).as_deref(),
            Some("… 3/4")
        );
        assert_eq!(text_of(&job(json!({"finished": 4, "of": 4}))), None);
        assert_eq!(text_of(&job(json!({"hits": 4}))), None);
        let verify = job(json!({"exchange": 3, "of": 9}));
        assert_eq!(text_of(&verify).as_deref(), Some("… exchange 4 of 9"));
        assert_eq!(text_of(&job(json!({"exchange": null, "of": 9}))), None);
    }
}
