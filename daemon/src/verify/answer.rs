//! A program's answer to one input.

use ccd_protocol::Timeout;
use ccd_protocol::session::{SessionWaitParams, WaitFor};
use ccd_protocol::tape::TapeExit;
use ccd_session::session::{OneShot, SessionError};
use ccd_tape::format::{Chunk, Exchange};
use ccd_tape::key::{prompt_of, prompt_signature};
use ccd_tape::tools::{ended, normal_output};
use ccd_text::redact::redact;
use std::time::Duration;
use tokio::time::Instant;

/// Maximum output of one answer that is compared.
const MAX_OUTPUT_BYTES: usize = 16 << 20;

/// Output before an answer that is searched for the prompt.
const PROMPT_BYTES: u64 = 4096;

/// Output is examined once there has been none for this long.
const PAUSE: Duration = Duration::from_millis(10);

/// If a program is waiting for input and has printed nothing for this long, its answer is complete, even if it differs
/// from the tape.
const QUIET: Duration = Duration::from_millis(300);

/// The answer is complete once all of the recorded output has appeared and nothing more for this long.
const SETTLED: Duration = Duration::from_millis(50);

/// The expected answer.
pub(super) struct Expected {
    output: String,
    /// The expected last line; `None` if nothing is typed after it.
    prompt: Option<String>,
    exit: Option<TapeExit>,
    cols: Option<u16>,
}

/// The actual answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) verdict: Verdict,
    /// The output in the form in which it is compared.
    pub(super) expected: String,
    pub(super) output: String,
    /// The program has ended.
    pub(super) exit: Option<TapeExit>,
    /// The prompt of the next input has appeared.
    pub(super) is_prompted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Same,
    Output,
    Exit,
    Timeout,
}

impl Expected {
    pub(super) fn new(exchange: &Exchange, next: Option<&Exchange>, cols: Option<u16>) -> Self {
        Self {
            output: clean(&normal_output(exchange, cols)),
            prompt: next.map(|next| prompt_signature(&next.pre.prompt)),
            exit: exchange.exit,
            cols,
        }
    }

    /// Waits until the expected answer, or another one, is complete, or the timeout is reached.
    pub(super) async fn wait(
        &self,
        shot: &OneShot,
        from: u64,
        limit: Duration,
    ) -> Result<Answer, SessionError> {
        let deadline = Instant::now() + limit;
        let session = &shot.session;
        loop {
            let changed = session.output.changed();
            let is_dead = session.is_dead();
            let answer = self.now(shot, from).await?;
            if is_dead || self.is_whole(&answer) {
                return Ok(self.judged(answer, is_dead));
            }
            if Instant::now() >= deadline {
                return Ok(self.late(answer));
            }
            let is_ending = self.exit.is_some();
            let is_same = answer.verdict == Verdict::Same;
            // Without any output, it is unknown whether the input has been read.
            let is_answered = is_same && !self.output.trim().is_empty();
            let quiet = if is_same { SETTLED } else { QUIET };
            tokio::select! {
                () = changed => pause(shot, deadline).await,
                // A program that should exit waits for nothing.
                () = waits(shot, quiet), if !is_ending => {
                    return Ok(self.judged(self.now(shot, from).await?, false));
                }
                () = tokio::time::sleep(SETTLED), if is_answered && !is_ending => {
                    return Ok(self.judged(answer, false));
                }
                () = tokio::time::sleep_until(deadline) => {}
            }
        }
    }

    /// The answer so far.
    async fn now(&self, shot: &OneShot, from: u64) -> Result<Answer, SessionError> {
        // The prompt may be in a line that started earlier.
        let start = from.saturating_sub(PROMPT_BYTES);
        let mut printed = shot.output(start, MAX_OUTPUT_BYTES).await?;
        let prompt = prompt_signature(&prompt_of(&printed));
        let before = usize::try_from(from - start).unwrap_or(usize::MAX);
        printed.drain(..before.min(printed.len()));
        let parts = shot.session.parts(start.max(from), &printed).await;
        let chunks = parts.into_iter().map(|(stream, data)| Chunk {
            stream,
            data,
            ..Chunk::default()
        });
        let exchange = Exchange {
            chunks: chunks.collect(),
            ..Exchange::default()
        };
        let output = clean(&normal_output(&exchange, self.cols));
        let exit = shot.session.state().exit.map(|exit| TapeExit {
            code: exit.code,
            signal: exit.signal,
        });
        Ok(Answer {
            verdict: match output == self.output {
                true => Verdict::Same,
                false => Verdict::Output,
            },
            expected: self.output.clone(),
            is_prompted: self
                .prompt
                .as_ref()
                .is_some_and(|wanted| *wanted == prompt && !prompt.is_empty()),
            output,
            exit,
        })
    }

    /// Returns whether the answer is complete as expected.
    fn is_whole(&self, answer: &Answer) -> bool {
        let is_prompted = self.prompt.is_none() || answer.is_prompted;
        answer.verdict == Verdict::Same && self.exit.is_none() && is_prompted
    }

    /// The answer so far, at the timeout.
    fn late(&self, answer: Answer) -> Answer {
        let mut answer = self.judged(answer, false);
        if answer.verdict == Verdict::Output {
            answer.verdict = Verdict::Timeout;
        }
        answer
    }

    /// The complete answer.
    fn judged(&self, mut answer: Answer, is_dead: bool) -> Answer {
        let (wanted, found) = (
            self.exit.map(ended),
            answer.exit.filter(|_| is_dead).map(ended),
        );
        if answer.verdict == Verdict::Same && (wanted != found) {
            let words = |exit: Option<String>| exit.unwrap_or_else(|| "goes on".to_owned());
            answer.verdict = Verdict::Exit;
            answer.expected = words(wanted);
            answer.output = words(found);
        }
        answer
    }
}

/// Secrets that a program prints are kept out of the job.
fn clean(text: &str) -> String {
    redact(text).text.into_owned()
}

/// Waits until there is no output for a moment.
async fn pause(shot: &OneShot, deadline: Instant) {
    let mut end = shot.session.output.end();
    while Instant::now() < deadline {
        tokio::time::sleep(PAUSE).await;
        if shot.session.output.end() == end {
            return;
        }
        end = shot.session.output.end();
    }
}

/// Waits until the program waits for input and prints nothing for a while.
async fn waits(shot: &OneShot, quiet: Duration) {
    let params = SessionWaitParams {
        session: shot.session.id().to_string(),
        condition: WaitFor::Input,
        idle_ms: None,
        timeout_ms: Timeout::Forever,
    };
    // If it exits instead, the caller notices the end of the output.
    let _ = shot.session.wait(&params).await;
    tokio::time::sleep(quiet).await;
}
