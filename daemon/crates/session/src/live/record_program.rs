//! Makes a program configuration from the history of a session.

use super::error::SessionError;
use super::session::Session;
use crate::interaction::{InteractionRow, SEND_CHARS, interactions, shown_fact, shown_output};
use crate::program::{MAX_SAMPLE_LINE_CHARS, MAX_SAMPLE_LINES, command_template, from_rows};
use ccd_protocol::program::ProgramConfig;
use ccd_text::redact::{redact, redact_typed};

/// Rows of history that are read, newest first.
const MAX_ROWS: i64 = 100_000;

/// Bytes of output from which sample lines are taken.
const SAMPLE_BYTES: usize = 256 << 10;

impl Session {
    /// Returns the configuration that repeats what was done in a session, live or ended, and warnings about it.
    pub async fn recorded_program(&self) -> Result<(ProgramConfig, Vec<String>), SessionError> {
        if self.facts.transient {
            return Err(SessionError::InvalidArgument(format!(
                "the session {} is transient: its history does not have all of its inputs",
                self.id()
            )));
        }
        // Writes out the events before this call, so that they are included.
        self.services.recorder.flush(self.id()).await;
        let id = self.id().as_str();
        let mut rows = interactions(&self.services.store, id, MAX_ROWS, i64::MAX).await?;
        if !self.facts.redacts_log {
            rows.iter_mut().for_each(redact_row);
        }
        let recorded = from_rows(&rows, SEND_CHARS);
        let words: Vec<String> = std::iter::once(&self.facts.program)
            .chain(&self.facts.args)
            .cloned()
            .collect();
        let config = ProgramConfig {
            name: String::new(),
            command_template: command_template(&words, |word| shown_fact(self, word)),
            typical_timeout: Some(self.facts.timeout.as_secs_f64()).filter(|s| *s > 0.0),
            expect_sequences: recorded.steps,
            sample_output: sample(self, recorded.hidden_at).await,
            notes: Some(notes(self)),
            ..ProgramConfig::default()
        };
        Ok((config, recorded.warnings))
    }
}

/// Redacts a row: a program configuration contains no secrets, even if the log may keep them.
fn redact_row(row: &mut InteractionRow) {
    let texts = [
        &mut row.input_text,
        &mut row.output_text,
        &mut row.pattern_matched,
    ];
    for text in texts.into_iter().flatten() {
        *text = redact(text).text.into_owned();
    }
    if let Some(typed) = &mut row.input_text {
        *typed = redact_typed(typed).into_owned();
    }
}

/// Returns the first lines of output, up to the first hidden input: the program may print hidden input later, and
/// `Session::hidden` does not remember all of it.
async fn sample(session: &Session, hidden_at: Option<u64>) -> Vec<String> {
    let end = hidden_at.unwrap_or(u64::MAX).min(session.output.end());
    let len = usize::try_from(end).unwrap_or(usize::MAX).min(SAMPLE_BYTES);
    let text = shown_output(session, 0, len).await;
    let text = redact(&text).text;
    text.lines()
        .take(MAX_SAMPLE_LINES)
        .map(|line| {
            line.trim_matches('\r')
                .chars()
                .take(MAX_SAMPLE_LINE_CHARS)
                .collect()
        })
        .collect()
}

fn notes(session: &Session) -> String {
    let name = session.name();
    let name = name.map_or_else(String::new, |name| format!(" ({name})"));
    let started = &session.facts.created_at;
    format!(
        "Saved from session {}{name}, started {started}",
        session.id()
    )
}
