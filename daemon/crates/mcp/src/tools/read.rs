//! `session_read`.

use super::call::{Call, Mistake, Tool, ToolOutput, end_of};
use crate::output::{DEFAULT_BYTES, MAX_BYTES, between, report};
use crate::wait::{DEFAULT_S, Until, Wait};
use serde::Deserialize;

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct Read {
    /// Id or name, even of an ended session.
    session: String,
    /// Byte offset to read from: the "next offset" of an earlier result. Default: return the end of the output.
    from: Option<u64>,
    /// What to wait for first: input (the program waits for input), silence (no output for a second), exit, or none
    /// (default).
    until: Option<Until>,
    /// Instead of until: wait until output at or after from (without from: new output) matches this regular expression; ^ and $ match
    /// at lines.
    pattern: Option<String>,
    /// Maximum wait in seconds, 0 to 600; default 30.
    timeout_s: Option<f64>,
    /// Maximum bytes to return, up to 65536; default 16384. Longer output is cut in the middle.
    max_bytes: Option<u64>,
}

impl Tool for Read {
    const NAME: &'static str = "session_read";
    const TITLE: &'static str = "Read the output of a session";
    const DESCRIPTION: &'static str = "Returns the output of a session from an offset on, without control sequences. It \
        can wait first. Reading does not consume output.";
    const READS: bool = true;
    const WAIT_S: Option<f64> = Some(DEFAULT_S);

    async fn run(self, call: &Call<'_>) -> Result<ToolOutput, Mistake> {
        let wait = Wait::new(self.until, Until::None, self.pattern, self.timeout_s)?;
        let session = call.session(&self.session).await?;
        let limit = self.max_bytes.unwrap_or(DEFAULT_BYTES).clamp(1, MAX_BYTES);
        let start = match self.from {
            Some(from) => from,
            None => end_of(call, &session).await?,
        };
        let mut waited = wait.run(call.calls, &session, start).await?;
        if self.max_bytes.is_some_and(|asked| asked > MAX_BYTES) {
            waited.why = add(
                &waited.why,
                &format!("max_bytes was reduced to {MAX_BYTES}"),
            );
        }
        let printed = waited.session.output.output_bytes;
        if start > printed {
            let text = format!("from is {start}, but the output has only {printed} bytes so far");
            return Err(Mistake(text));
        }
        let end = waited.end();
        let start = self.from.unwrap_or_else(|| end.saturating_sub(limit));
        let text = between(call.calls, &session, (start, end), limit).await?;
        let text = if self.from.is_none() && start > 0 {
            format!(
                "[… {start} bytes before this are not shown; from=0 starts at the beginning …]\n{text}"
            )
        } else {
            text
        };
        Ok(report(&text, &waited, end).into())
    }
}

fn add(text: &str, more: &str) -> String {
    if text.is_empty() {
        more.to_owned()
    } else {
        format!("{text}; {more}")
    }
}
