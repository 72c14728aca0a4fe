//! A report of what a person did in a session, from its history and its output.

use super::error::DiscoverError;
use super::investigate::new_report;
use super::reports::{KeepNothing, add};
use crate::daemon::Daemon;
use crate::failure::Failure;
use ccd_discover::drive::{Exit, Reply};
use ccd_discover::investigate::{Learned, Notebook, learn as report_of};
use ccd_protocol::investigate::{InvestigateLearnParams, InvestigationReport};
use ccd_session::interaction::{InteractionRow, interactions};
use ccd_session::{Session, SessionError};
use ccd_text::expect::clean_lossy;
use ccd_text::hidden::{HIDDEN, asks_for_secret};
use std::sync::Arc;

/// Maximum number of rows of the history that are read, and of output after one input.
const MAX_ROWS: i64 = 10_000;
const MAX_ANSWER_BYTES: u64 = 1 << 20;

pub(crate) async fn learn(
    daemon: &Arc<Daemon>,
    params: &InvestigateLearnParams,
) -> Result<InvestigationReport, Failure> {
    let session = daemon.sessions.find(&params.session).await?;
    daemon.services.recorder.flush(session.id()).await;
    let id = session.id().to_string();
    let rows = interactions(&daemon.services.store, &id, MAX_ROWS, i64::MAX).await;
    let rows = rows.map_err(SessionError::from)?;
    let sent = rows.into_iter().filter(|row| row.action == "SEND");
    let input = |row: InteractionRow| Some((row.start_offset?.try_into().ok()?, row.input_text?));
    let typed: Vec<(u64, String)> = sent.filter_map(input).collect();
    if typed.is_empty() {
        return Err(DiscoverError::NothingLearned(id).into());
    }
    let steps = steps(&session, &typed).await?;
    let exit = session.state().exit.map(|exit| Exit {
        code: exit.code,
        signal: exit.signal,
    });
    let report = new_report(&session.facts.program, &session.facts.args, false);
    let library = daemon.services.library.fresh().await;
    let notebook = Notebook::new(report, library, Box::new(KeepNothing));
    let report = report_of(&notebook, &steps, exit);
    add(&daemon.investigations, report.clone()).await?;
    Ok(report)
}

/// Cuts the output at the inputs.
async fn steps(session: &Session, typed: &[(u64, String)]) -> Result<Vec<Learned>, SessionError> {
    let first = typed.first().map_or(0, |(offset, _)| *offset);
    let start = output(session, 0, first).await?;
    let mut prompt = Reply::recorded("", start).prompt;
    let mut steps = Vec::new();
    for (at, (offset, input)) in typed.iter().enumerate() {
        let next = typed
            .get(at + 1)
            .map_or(session.output.end(), |(offset, _)| *offset);
        let output = output(session, *offset, next).await?;
        let echoed = is_unsure(input, prompt.as_deref()).then(|| echo_of(&output));
        let input = echoed.flatten().unwrap_or_else(|| first_line(input));
        let reply = Reply::recorded(&input, output);
        let before = std::mem::replace(&mut prompt, reply.prompt.clone());
        steps.push(Learned {
            input,
            prompt: before,
            reply,
        });
    }
    Ok(steps)
}

/// Returns whether an input that counts as hidden may have been shown: of a command that turns the echo off at once, as
/// one that asks for a password does, nobody knows.
fn is_unsure(input: &str, prompt: Option<&str>) -> bool {
    input == HIDDEN && !prompt.is_some_and(asks_for_secret)
}

/// Returns what the terminal showed of an input before the output that follows it.
fn echo_of(output: &[u8]) -> Option<String> {
    let line = first_line(&clean_lossy(output, encoding_rs::UTF_8));
    (!line.is_empty()).then_some(line)
}

fn first_line(text: &str) -> String {
    let line = text.split(['\r', '\n']).next().unwrap_or_default();
    line.trim().to_owned()
}

async fn output(session: &Session, from: u64, upto: u64) -> Result<Vec<u8>, SessionError> {
    let len = upto.saturating_sub(from).min(MAX_ANSWER_BYTES);
    let len = usize::try_from(len).unwrap_or(0);
    session.bytes(from, len).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_that_counts_as_hidden_is_taken_from_its_echo_but_not_at_a_prompt_for_secrets() {
        assert!(is_unsure(HIDDEN, Some("main>")) && is_unsure(HIDDEN, None));
        assert!(!is_unsure(HIDDEN, Some("Password:")) && !is_unsure("login", Some("main>")));
        assert_eq!(echo_of(b"login\r\nPassword: ").as_deref(), Some("login"));
        assert_eq!(echo_of(b"\r\nmain> "), None);
    }
}
