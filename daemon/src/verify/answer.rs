//! A program's answer to one input.

use super::live::LiveProgram;
use ccd_protocol::Timeout;
use ccd_protocol::session::{SessionWaitParams, WaitFor};
use ccd_protocol::tape::TapeExit;
use ccd_session::{OneShot, SessionError};
use ccd_tape::format::Exchange;
use ccd_tape::key::prompt_signature;
use ccd_tape::tools::{IDLE, OutputLikeness, SILENCE_MS, ended};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Output is examined once there has been none for this long.
const PAUSE: Duration = Duration::from_millis(10);

/// If a program is waiting for input and has printed nothing for this long, its answer is complete, even if it differs
/// from the tape.
const QUIET: Duration = Duration::from_millis(SILENCE_MS);

/// The answer is complete once all of the recorded output has appeared and nothing more for this long.
const SETTLED: Duration = Duration::from_millis(50);

/// If the tape has only the start of an answer, the program is not waited for any longer than this.
const LONGEST_REST: Duration = Duration::from_secs(1);

pub(super) struct Expected {
    /// The expected last line; `None` if nothing is typed after it.
    prompt: Option<String>,
    exit: Option<TapeExit>,
    /// The input does not end a line: what looks like a prompt is the line.
    is_keys: bool,
    /// The next input was typed, or the recording ended, immediately after the output on the tape.
    is_hasty: bool,
}

#[derive(Debug)]
pub(super) struct Answer {
    pub(super) verdict: Verdict,
    /// What is compared: of the tape, and of the program.
    pub(super) expected: String,
    pub(super) output: String,
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

#[derive(Debug, Clone, Copy)]
struct Progress {
    likeness: OutputLikeness,
    /// It is the same, and so is the position of the cursor.
    is_same: bool,
    is_prompted: bool,
}

impl Expected {
    pub(super) fn new(exchange: &Exchange, next: Option<&Exchange>) -> Self {
        let idle_ms = idle_ms(exchange);
        Self {
            prompt: next.map(|next| prompt_signature(&next.pre.prompt)),
            exit: exchange.exit,
            is_keys: matches!(exchange.input.bytes.last(), Some(last) if !b"\r\n".contains(last)),
            // A tape that does not say may be written by hand, but then its last answer is complete.
            is_hasty: idle_ms.map_or(next.is_some(), |idle_ms| idle_ms < SILENCE_MS),
        }
    }

    /// Waits until the expected answer, or another one, is complete, or the timeout is reached.
    pub(super) async fn wait(
        &self,
        live: &mut LiveProgram,
        limit: Duration,
    ) -> Result<Answer, SessionError> {
        let deadline = Instant::now() + limit;
        let session = Arc::clone(&live.shot.session);
        loop {
            let changed = session.output.changed();
            let is_dead = session.is_dead();
            live.read().await?;
            let progress = self.progress(live);
            if is_dead || self.is_whole(progress) {
                return Ok(self.judged(live, is_dead));
            }
            if Instant::now() >= deadline {
                return Ok(self.late(live));
            }
            let is_ending = self.exit.is_some();
            let is_same = progress.is_same;
            // Without any output, it is unknown whether the input has been read.
            let is_answered = is_same && live.has_answered();
            let is_last = self.prompt.is_none();
            let (quiet, patience) = match progress.likeness {
                OutputLikeness::Same if is_answered => (SETTLED, Some(SETTLED)),
                OutputLikeness::Same if is_same => (SETTLED, is_last.then_some(QUIET)),
                OutputLikeness::Same => (QUIET, None),
                OutputLikeness::Start => (SETTLED, Some(LONGEST_REST)),
                OutputLikeness::Differs => (QUIET, None),
            };
            let patience = patience.filter(|_| !is_ending);
            tokio::select! {
                () = changed => pause(&live.shot, deadline).await,
                // A program that should exit waits for nothing.
                () = waits(&live.shot, quiet), if !is_ending => {
                    live.read().await?;
                    return Ok(self.judged(live, false));
                }
                () = tokio::time::sleep(patience.unwrap_or_default()), if patience.is_some() => {
                    return Ok(self.judged(live, false));
                }
                () = tokio::time::sleep_until(deadline) => {}
            }
        }
    }

    fn progress(&self, live: &LiveProgram) -> Progress {
        let prompt = live.comparison.prompt();
        let is_prompted = !prompt.is_empty() && self.prompt.as_ref() == Some(&prompt);
        // What ends with the recorded prompt is complete, unless it is the prompt after an earlier answer.
        let is_complete = is_prompted && !self.is_keys && !live.comparison.is_behind();
        let may_be_cut = self.is_hasty && !is_complete && self.exit.is_none();
        let likeness = live.comparison.likeness(may_be_cut);
        Progress {
            likeness,
            is_same: likeness == OutputLikeness::Same && live.comparison.is_at_same_place(),
            is_prompted,
        }
    }

    fn is_whole(&self, progress: Progress) -> bool {
        let is_alike = match self.prompt {
            Some(_) => progress.is_same && progress.is_prompted,
            None => progress.likeness != OutputLikeness::Differs && self.is_hasty,
        };
        is_alike && self.exit.is_none()
    }

    fn late(&self, live: &LiveProgram) -> Answer {
        let mut answer = self.judged(live, false);
        if answer.verdict == Verdict::Output {
            answer.verdict = Verdict::Timeout;
        }
        answer
    }

    fn judged(&self, live: &LiveProgram, is_dead: bool) -> Answer {
        let progress = self.progress(live);
        let exit = live.exit();
        let (expected, output) = live.comparison.texts();
        let mut answer = Answer {
            verdict: match progress.likeness {
                OutputLikeness::Same | OutputLikeness::Start => Verdict::Same,
                OutputLikeness::Differs => Verdict::Output,
            },
            expected,
            output,
            exit,
            is_prompted: progress.is_prompted,
        };
        let (wanted, found) = (self.exit.map(ended), exit.filter(|_| is_dead).map(ended));
        if answer.verdict == Verdict::Same && (wanted != found) {
            let words = |exit: Option<String>| exit.unwrap_or_else(|| "goes on".to_owned());
            answer.verdict = Verdict::Exit;
            answer.expected = words(wanted);
            answer.output = words(found);
        }
        answer
    }
}

/// Waits for the prompt at which the first input of the tape was typed, if the tape does not contain the program's
/// start. Returns a different answer if another prompt appears, or none.
pub(super) async fn wait_for_prompt(
    live: &mut LiveProgram,
    first: &Exchange,
    limit: Duration,
) -> Result<Option<Answer>, SessionError> {
    let wanted = prompt_signature(&first.pre.prompt);
    if wanted.is_empty() && !first.pre.keys {
        // It may have been typed before the program printed anything.
        return Ok(None);
    }
    live.comparison.start_before();
    let deadline = Instant::now() + limit;
    let session = Arc::clone(&live.shot.session);
    let (is_prompted, verdict) = loop {
        let changed = session.output.changed();
        let is_dead = session.is_dead();
        live.read().await?;
        let is_prompted = wanted.is_empty() || live.comparison.prompt() == wanted;
        let is_ready = is_prompted && first.pre.keys != session.reads_lines();
        if is_dead {
            break (false, Verdict::Output);
        }
        if Instant::now() >= deadline {
            break (is_prompted, Verdict::Timeout);
        }
        let quiet = if is_ready { SETTLED } else { QUIET };
        tokio::select! {
            () = changed => pause(&live.shot, deadline).await,
            () = waits(&live.shot, quiet) => break (is_prompted, Verdict::Output),
            () = tokio::time::sleep(SETTLED), if is_ready && !wanted.is_empty() => {
                break (true, Verdict::Output);
            }
            () = tokio::time::sleep_until(deadline) => {}
        }
    };
    let answer = Answer {
        verdict,
        expected: wanted,
        output: live.comparison.prompt(),
        exit: live.exit(),
        is_prompted: false,
    };
    Ok((!is_prompted).then_some(answer))
}

/// Returns how long after the output the next input was typed, or the recording ended, if the tape says so.
pub(super) fn idle_ms(exchange: &Exchange) -> Option<u64> {
    exchange.annotations.get(IDLE)?.as_u64()
}

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
        since: None,
        timeout_ms: Timeout::Forever,
    };
    // If it exits instead, the caller notices the end of the output.
    let _ = shot.session.wait(&params).await;
    tokio::time::sleep(quiet).await;
}
