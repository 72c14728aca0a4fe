//! What a program answers to one input.

use crate::redact::redact;
use crate::session::{OneShot, SessionError};
use crate::tape::format::{Chunk, Exchange};
use crate::tape::key::{prompt_of, prompt_signature};
use crate::tape::tools::{ended, normal_output};
use ccd_protocol::Timeout;
use ccd_protocol::session::{SessionWaitParams, WaitFor};
use ccd_protocol::tape::TapeExit;
use std::time::Duration;
use tokio::time::Instant;

/// Output of one answer that is compared.
const MAX_OUTPUT_BYTES: usize = 16 << 20;

/// Output before an answer that is looked at for the prompt.
const PROMPT_BYTES: u64 = 4096;

/// Output is looked at when nothing has come for so long.
const PAUSE: Duration = Duration::from_millis(10);

/// A program that waits for input, and has printed nothing for so long, has said all, though the tape has something else.
const QUIET: Duration = Duration::from_millis(300);

/// All that the tape has came, and then nothing for so long: what comes later would be in no answer of the tape.
const SETTLED: Duration = Duration::from_millis(50);

/// What an answer is to be.
pub(super) struct Expected {
    output: String,
    /// What is to stand in the last line then; `None` where nothing is typed after it.
    prompt: Option<String>,
    exit: Option<TapeExit>,
    cols: Option<u16>,
}

/// What it was.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) verdict: Verdict,
    /// As it is compared.
    pub(super) expected: String,
    pub(super) output: String,
    /// The program has ended.
    pub(super) exit: Option<TapeExit>,
    /// What the next input was typed at is there.
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

    /// Waits until the answer is there, or another one, or the time is over.
    ///
    /// # Errors
    ///
    /// The session's log cannot be read.
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
            tokio::pin!(changed);
            changed.as_mut().enable();
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
            // Without a word of it nobody knows whether the input has been read.
            let is_answered = is_same && !self.output.trim().is_empty();
            let quiet = if is_same { SETTLED } else { QUIET };
            tokio::select! {
                () = changed => pause(shot, deadline).await,
                // What is to end waits for nothing.
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
        // The prompt may stand in a line that was begun before.
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

    /// Nothing more is to come.
    fn is_whole(&self, answer: &Answer) -> bool {
        let is_prompted = self.prompt.is_none() || answer.is_prompted;
        answer.verdict == Verdict::Same && self.exit.is_none() && is_prompted
    }

    /// The answer that there is when the time is over.
    fn late(&self, answer: Answer) -> Answer {
        let mut answer = self.judged(answer, false);
        if answer.verdict == Verdict::Output {
            answer.verdict = Verdict::Timeout;
        }
        answer
    }

    /// The answer with all that is known at its end.
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

/// No secret that a program prints gets into a job.
fn clean(text: &str) -> String {
    redact(text).text.into_owned()
}

/// Waits until nothing comes for a moment.
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
    // Should it end instead, the output's change is seen by whoever waits for this.
    let _ = shot.session.wait(&params).await;
    tokio::time::sleep(quiet).await;
}
