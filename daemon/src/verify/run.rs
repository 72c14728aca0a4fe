//! The job that runs a program against its tape.

use super::answer::{Answer, Expected, Verdict, idle_ms, wait_for_prompt};
use super::live::LiveProgram;
use crate::job::{JobHandle, Outcome};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ccd_protocol::Inherited;
use ccd_protocol::session::{EndReason, SessionCreateParams, SessionSendParams};
use ccd_protocol::tape::{TapeDrift, TapeExit, TapeVerdict};
use ccd_session::peer::Peer;
use ccd_session::{OneShot, SessionError, Sessions};
use ccd_tape::format::{Exchange, InputKind, Tape};
use ccd_tape::tools::{input_in_one_line, is_echoed, size, unified};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

/// Maximum number of differing exchanges that are reported; beyond it, the program is considered a different one.
const MAX_DRIFTS: usize = 100;

const MAX_DIFF_BYTES: usize = 16 << 10;

/// How much longer than on the tape an answer between pipes may take before more input follows.
const REST: Duration = Duration::from_secs(1);

pub(crate) struct Verify {
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) peer: Peer,
    pub(crate) tape_id: String,
    pub(crate) tape: Tape,
    /// The exchanges before the tape's first one.
    pub(crate) lead: Vec<Exchange>,
    /// Values for the tape's hidden inputs, the first one last.
    pub(crate) secrets: Vec<String>,
    /// `None`: the tape's.
    pub(crate) cwd: Option<String>,
    pub(crate) inherited: Inherited,
    pub(crate) limit: Duration,
}

impl Verify {
    /// Runs the program, types the tape's inputs, and compares the answers. If the job is cancelled, the program is
    /// ended.
    pub(crate) async fn run(mut self, handle: JobHandle) -> Outcome {
        let gone = CancellationToken::new();
        let peer = self.peer.until(gone.clone());
        // Ends the program when the work ends, whatever its result.
        let _ends_program = gone.drop_guard();
        self.peer = peer;
        let shot = tokio::select! {
            shot = self.start(&handle) => shot,
            () = handle.cancelled().cancelled() => return Outcome::cancelled(),
        };
        let shot = match shot {
            Ok(shot) => shot,
            Err(error) => return Outcome::failed(self.not_started(&error)),
        };
        let mut live = LiveProgram::new(shot, &self.tape, &self.secrets);
        let runtime = Handle::current();
        // Comparing a long answer takes seconds of processor time.
        let compare = move || {
            runtime.block_on(async {
                let compared = tokio::select! {
                    compared = self.compare(&mut live, &handle) => Some(compared),
                    () = handle.cancelled().cancelled() => None,
                };
                live.shot.end(EndReason::Closed).await;
                if let Err(error) = live.shot.collect().await {
                    tracing::warn!(%error, "could not clean up after a program that was compared with its tape");
                }
                compared
            })
        };
        match ccd_store::blocking(compare).await {
            Some(Ok(verdict)) => Outcome::done(verdict),
            Some(Err(error)) => Outcome::failed(error.to_string()),
            None => Outcome::cancelled(),
        }
    }

    async fn start(&self, handle: &JobHandle) -> Result<OneShot, SessionError> {
        let meta = &self.tape.meta;
        let (rows, cols) = size(&self.tape);
        let of_tape = Some(meta.cwd.clone()).filter(|cwd| cwd.starts_with('/'));
        let params = SessionCreateParams {
            program: Some(meta.program.clone()),
            args: meta.args.clone(),
            env: meta.env.clone(),
            cwd: self.cwd.clone().or(of_tape),
            inherited: self.inherited.clone(),
            rows: Some(rows.into()),
            cols: Some(cols.into()),
            // At the limit, the oldest output is dropped instead of ending the session.
            persist: Some(true),
            pipes: self.tape.meta.pty.is_none(),
            plain: self.tape.meta.plain || !is_echoed(&self.tape),
            ..SessionCreateParams::default()
        };
        loop {
            let started = OneShot::start(&self.sessions, &self.peer, params.clone()).await;
            if !matches!(started, Err(SessionError::MaxSessions { .. })) {
                handle.queued(false);
                return started;
            }
            handle.queued(true);
            let wait = self.sessions.services.settings().default_timeout;
            if tokio::time::timeout(wait, self.sessions.place())
                .await
                .is_err()
            {
                return started;
            }
        }
    }

    fn not_started(&self, error: &SessionError) -> String {
        let cwd = &self.tape.meta.cwd;
        match self.cwd {
            None if !std::path::Path::new(cwd).is_dir() => {
                format!("{error}; the tape was recorded in {cwd:?}: give another cwd")
            }
            _ => error.to_string(),
        }
    }

    async fn compare(
        &mut self,
        live: &mut LiveProgram,
        handle: &JobHandle,
    ) -> Result<TapeVerdict, SessionError> {
        let lead = std::mem::take(&mut self.lead);
        let exchanges = std::mem::take(&mut self.tape.exchanges);
        if self.tape.meta.pty.is_none() {
            return self.compare_whole(live, &[lead, exchanges].concat()).await;
        }
        let steps: Vec<&Exchange> = lead.iter().chain(&exchanges).collect();
        let mut verdict = TapeVerdict {
            tape_id: self.tape_id.clone(),
            ..TapeVerdict::default()
        };
        if let Some(first) = steps.first().filter(|first| !first.input.bytes.is_empty())
            && let Some(other) = wait_for_prompt(live, first, self.limit).await?
        {
            note(&mut verdict, 0, first, other);
            return Ok(verdict);
        }
        for (step, exchange) in steps.iter().enumerate() {
            let index = step.checked_sub(lead.len());
            handle.progress(json!({"exchange": index, "of": exchanges.len()}));
            live.start(step, exchange);
            // If nothing is typed, the answer starts with the program.
            if (step > 0 || !exchange.input.bytes.is_empty())
                && let Err(drift) = self.type_input(&live.shot, exchange).await
            {
                if drift.what == "hidden" {
                    let rest = exchanges.len() - index.unwrap_or(0);
                    verdict.not_compared = rest as u64;
                }
                verdict.drifts.push(TapeDrift {
                    index: index.unwrap_or(0) as u64,
                    ..drift
                });
                break;
            }
            let expected = Expected::new(exchange, steps.get(step + 1).copied());
            let answer = expected.wait(live, self.limit).await?;
            let rest = &steps[step + 1..];
            if answer.verdict == Verdict::Exit && ends_alike(rest, answer.exit) {
                verdict.exchanges += 1 + rest.len() as u64;
                break;
            }
            verdict.exchanges += u64::from(index.is_some());
            if answer.verdict == Verdict::Same {
                live.comparison.accept();
                continue;
            }
            let since = live.comparison.reject();
            let index = since.saturating_sub(lead.len());
            if note(&mut verdict, index, steps[since], answer) {
                break;
            }
        }
        verdict.same = verdict.drifts.is_empty();
        Ok(verdict)
    }

    /// A program with pipes reads and prints independently of prompts, so it gets its input at the pace of the
    /// recording.
    async fn compare_whole(
        &mut self,
        live: &mut LiveProgram,
        exchanges: &[Exchange],
    ) -> Result<TapeVerdict, SessionError> {
        let mut verdict = TapeVerdict {
            tape_id: self.tape_id.clone(),
            ..TapeVerdict::default()
        };
        let mut whole = Exchange::default();
        for exchange in exchanges {
            whole.chunks.extend_from_slice(&exchange.chunks);
            whole.exit = exchange.exit;
            whole.annotations.clone_from(&exchange.annotations);
        }
        live.start(0, &whole);
        let mut recorded_len = 0;
        for exchange in exchanges {
            if !exchange.input.bytes.is_empty() {
                match self.type_input(&live.shot, exchange).await {
                    Ok(()) => {}
                    Err(drift) if drift.what == "hidden" => verdict.drifts.push(drift),
                    // The program exited before it read everything, as it may have done during the recording.
                    Err(_) => break,
                }
            }
            recorded_len += exchange.output_len();
            let (answer, pause) = times_of(exchange);
            let answer = (answer + REST).min(self.limit);
            // A program that prints less now does not print more later.
            let _ = tokio::time::timeout(answer, live.printed(recorded_len)).await;
            tokio::time::sleep(pause.min(self.limit)).await;
        }
        if verdict.drifts.is_empty() {
            let answer = Expected::new(&whole, None).wait(live, self.limit).await?;
            if answer.verdict != Verdict::Same {
                note(&mut verdict, 0, &whole, answer);
            }
            verdict.exchanges = exchanges.len() as u64;
        } else {
            verdict.not_compared = exchanges.len() as u64;
        }
        verdict.same = verdict.drifts.is_empty();
        Ok(verdict)
    }

    async fn type_input(&mut self, shot: &OneShot, exchange: &Exchange) -> Result<(), TapeDrift> {
        let drift = |what: &str, diff: String| TapeDrift {
            index: 0,
            input: input_in_one_line(&exchange.input),
            what: what.to_owned(),
            diff,
        };
        let mut bytes = exchange.input.bytes.clone();
        if exchange.pre.hidden {
            let Some(secret) = self.secrets.pop() else {
                let told = "the tape does not contain the hidden input that is typed here; give it with --secrets-from FILE (`secrets` in requests)";
                return Err(drift("hidden", told.to_owned()));
            };
            bytes = (secret + "\r").into_bytes();
        } else if self.tape.meta.pty.is_none() {
            if exchange.input.kind == InputKind::Line {
                // With pipes, no Enter key ends it.
                bytes.pop();
                bytes.push(b'\n');
            }
            bytes = shot.session.input.keys_of(&bytes).into_owned();
            bytes.extend_from_slice(shot.session.input.hand_over_after(&bytes));
        }
        let params = SessionSendParams {
            session: shot.session.id().to_string(),
            data_b64: Some(STANDARD.encode(&bytes)),
            secret: exchange.pre.hidden,
            ..SessionSendParams::default()
        };
        match shot.session.send(&self.peer, params).await {
            Ok(_) => Ok(()),
            Err(error) => Err(drift("exit", error.to_string())),
        }
    }
}

/// True if the rest of the tape contains only the same end: `exit`, and then end-of-file to a program that has already
/// exited.
fn ends_alike(rest: &[&Exchange], exit: Option<TapeExit>) -> bool {
    let is_silent =
        |exchange: &&Exchange| exchange.chunks.iter().all(|chunk| chunk.data.is_empty());
    let last = rest.last().and_then(|last| last.exit);
    exit.is_some() && last == exit && rest.iter().all(is_silent)
}

/// Returns the time from an input to the end of the answer, and from there to the next input.
fn times_of(exchange: &Exchange) -> (Duration, Duration) {
    let delays = exchange.chunks.iter().map(|chunk| chunk.delay_ms);
    let delay_ms = delays.fold(0, u64::saturating_add);
    let times = [delay_ms, idle_ms(exchange).unwrap_or(0)];
    times.map(Duration::from_millis).into()
}

/// Records an exchange that differs; true if the run cannot continue.
fn note(verdict: &mut TapeVerdict, index: usize, exchange: &Exchange, answer: Answer) -> bool {
    let what = match answer.verdict {
        Verdict::Same | Verdict::Output => "output",
        Verdict::Exit => "exit",
        Verdict::Timeout => "timeout",
    };
    let expected = answer.expected + "\n";
    let output = answer.output + "\n";
    let mut diff = unified(("tape", &expected), ("now", &output)).unwrap_or_default();
    if diff.len() > MAX_DIFF_BYTES {
        diff.truncate(diff.floor_char_boundary(MAX_DIFF_BYTES));
        diff.push_str("\n…\n");
    }
    verdict.drifts.push(TapeDrift {
        index: index as u64,
        input: input_in_one_line(&exchange.input),
        what: what.to_owned(),
        diff,
    });
    !answer.is_prompted || verdict.drifts.len() >= MAX_DRIFTS
}
