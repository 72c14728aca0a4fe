//! `session_send`.

use super::call::{Call, Mistake, Tool, ToolOutput};
use crate::output::{DEFAULT_BYTES, between, report, tidy};
use crate::wait::{DEFAULT_S, Until, Wait, Waited};
use ccd_protocol::session::{ExpectResult, SessionSend, SessionSendParams};
use ccd_protocol::{ErrorCode, ErrorObject};
use serde::Deserialize;
use std::time::Instant;

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct Send {
    /// Id or name.
    session: String,
    /// Text to type; give text or keys.
    text: Option<String>,
    /// Press Enter after the text; default true.
    enter: Option<bool>,
    /// Keys to press instead, named as in tmux: C-c, Up, F5, Escape, M-x.
    keys: Option<Vec<String>>,
    /// Keep the text out of the history and of tapes. Prefer to let a person type secrets, which keeps them out of this conversation
    /// too.
    #[serde(default)]
    secret: bool,
    /// What to wait for: input (the program waits for input; default), silence (no output for a second), exit, or none.
    until: Option<Until>,
    /// Instead of until: wait until output after the input matches this regular expression; ^ and $ match
    /// at lines. The echo of the input is
    /// searched too.
    pattern: Option<String>,
    /// Maximum wait in seconds, 0 to 600; default 30.
    timeout_s: Option<f64>,
}

impl Tool for Send {
    const NAME: &'static str = "session_send";
    const TITLE: &'static str = "Type into a session";
    const DESCRIPTION: &'static str = "Types text or presses keys in a session, waits in the same call, and returns the output since \
        then. Do not sleep and read: wait in this call.";
    const READS: bool = false;
    const WAIT_S: Option<f64> = Some(DEFAULT_S);

    async fn run(self, call: &Call<'_>) -> Result<ToolOutput, Mistake> {
        let wait = Wait::new(self.until, Until::Input, self.pattern, self.timeout_s)?;
        let text = self
            .text
            .filter(|text| !text.is_empty() || self.keys.is_none());
        if text.is_some() == self.keys.is_some() {
            return Err(Mistake("give either text or keys".to_owned()));
        }
        let session = call.session(&self.session).await?;
        let params = SessionSendParams {
            session: session.clone(),
            newline: text.is_some() && self.enter.unwrap_or(true),
            text,
            keys: self.keys,
            secret: self.secret,
            expect: wait.of_send(),
            ..SessionSendParams::default()
        };
        let began = Instant::now();
        let (offset, found) = match call.calls.call::<SessionSend>(&params).await {
            Ok(sent) => (sent.offset, sent.expect.map(Ok)),
            Err(error) => (written_at(&error)?, Some(Err(error))),
        };
        let matched = found.as_ref().and_then(|found| match found {
            Ok(found) if found.index == 0 => whole(found),
            _ => None,
        });
        let waited = match found {
            Some(found) => wait.searched(call.calls, &session, found, began).await?,
            None => wait.run(call.calls, &session, offset).await?,
        };
        answer(call, &waited, offset, matched).await
    }
}

/// Returns where the input was written, of a wait that was cut short after that.
fn written_at(error: &ErrorObject) -> Result<u64, ErrorObject> {
    let offset = error
        .data
        .as_ref()
        .and_then(|data| data.get("offset")?.as_u64());
    match (error.known(), offset) {
        (Some(ErrorCode::ExpectTimeout), Some(offset)) => Ok(offset),
        _ => Err(error.clone()),
    }
}

/// Returns the text up to the end of the match, if all of it is there and it is short.
fn whole(found: &ExpectResult) -> Option<String> {
    let len = found.before.len() + found.matched.len();
    let is_whole = found.before_omitted_bytes == 0 && len as u64 <= DEFAULT_BYTES;
    is_whole.then(|| tidy(&format!("{}{}", found.before, found.matched)))
}

async fn answer(
    call: &Call<'_>,
    waited: &Waited,
    offset: u64,
    matched: Option<String>,
) -> Result<ToolOutput, Mistake> {
    let end = waited.end();
    let text = match matched {
        Some(text) => text,
        None => {
            let id = &waited.session.session_id;
            between(call.calls, id, (offset, end), DEFAULT_BYTES).await?
        }
    };
    Ok(report(&text, waited, end).into())
}
