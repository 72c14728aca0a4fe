//! `run.once`: runs a program from start to exit in one call.

use super::one_shot::OneShot;
use crate::durations::Deadline;
use crate::live::error::SessionError;
use crate::live::input::{InputError, LastLine, Stopped};
use crate::live::registry::Sessions;
use crate::live::session::Session;
use crate::live::start::INPUT_PATIENCE;
use crate::live::temporary_file::TemporaryFile;
use crate::live::wait::text_of;
use crate::peer::Peer;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ccd_protocol::run::{RunOnceParams, RunOnceReply};
use ccd_protocol::session::{EndReason, SessionCreateParams};
use ccd_terminal::ProcessSettings;
use ccd_text::canonical::{END_OF_INPUT, PIECE_LEN, type_byte};
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

const MAX_OUTPUT_BYTES: usize = 16 << 20;

/// How long after its deadline a session whose output is kept ends by itself.
const KEPT_PATIENCE: Duration = Duration::from_secs(10);

const SCRIPT_PREFIX: &str = "script-";

/// The part to return of an output that is too long for a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputPart {
    Start,
    End,
}

#[derive(Debug, Clone, Copy)]
pub struct Runner<'a> {
    pub peer: &'a Peer,
    /// The method that it was requested by, for the list of sessions.
    pub method: &'static str,
    pub part: OutputPart,
}

pub struct OnceResult {
    pub reply: RunOnceReply,
    /// Number of output bytes before those in the reply.
    pub before_bytes: u64,
    /// The session has ended; its record, its history and its hidden input are left, and its output if that is kept.
    pub session: Arc<Session>,
}

impl Sessions {
    /// Runs a program until it exits, the timeout is reached, or `cancel` is cancelled, which ends it like a timeout.
    /// Without a timeout in the request, the limit on the run time of sessions applies.
    /// The result contains the number of output bytes before those in the reply, and the session with its hidden input.
    /// If the call is dropped, the program is ended.
    /// A failure of the program itself is not an error.
    pub async fn once(
        self: &Arc<Self>,
        runner: Runner<'_>,
        params: &RunOnceParams,
        cancel: &CancellationToken,
    ) -> Result<OnceResult, SessionError> {
        let Runner { peer, method, part } = runner;
        if params.send.len() > params.expect.len() + 1 {
            return Err(SessionError::InvalidArgument(format!(
                "{} texts to send, but only {} patterns to wait for before them",
                params.send.len(),
                params.expect.len()
            )));
        }
        let started = Instant::now();
        let mut warnings = Vec::new();
        let limit = self.services.settings().max_session_runtime;
        let deadline = Deadline::start(params.timeout_ms, limit, &mut warnings)?;
        warnings.extend(ProcessSettings::allowed(&params.inherited).1);
        let stdin = stdin_of(params)?;
        let script = params
            .script
            .as_deref()
            .map(|text| script_file(&self.services.folders.runtime, text))
            .transpose()?;
        let create = create_params(params, script.as_ref(), part, deadline);
        let shot = OneShot::start_for(self, peer, create, Some(method)).await?;
        let mut missing = Vec::new();
        let mut timed_out = false;
        tokio::select! {
            biased;
            talked = shot.talk(peer, params, stdin, &mut missing) => if let Err(error) = talked {
                shot.end(EndReason::Closed).await;
                let _ = shot.collect().await;
                return Err(error);
            },
            () = tokio::time::sleep_until(deadline.instant()) => timed_out = true,
            () = cancel.cancelled() => {}
        }
        if !shot.session.is_dead() {
            let reason = if timed_out {
                EndReason::Runtime
            } else {
                EndReason::Closed
            };
            shot.end(reason).await;
        }
        let end = shot.session.output.end();
        let from = match part {
            OutputPart::Start => 0,
            OutputPart::End => end.saturating_sub(MAX_OUTPUT_BYTES as u64),
        };
        let output = shot.output(from, MAX_OUTPUT_BYTES).await?;
        let exit = shot.session.state().exit;
        let session = Arc::clone(&shot.session);
        shot.collect().await?;
        let mut text = String::from_utf8_lossy(&output).into_owned();
        if !session.facts.plain {
            text = text.replace("\r\n", "\n");
        }
        let lacks = |wanted: &&String| !text.contains(*wanted);
        missing.extend(params.contains.iter().filter(lacks).cloned());
        let reply = RunOnceReply {
            session_id: Some(session.id().to_string()),
            output_b64: std::str::from_utf8(&output)
                .is_err()
                .then(|| STANDARD.encode(&output)),
            output: text,
            truncated: end > MAX_OUTPUT_BYTES as u64,
            exit_code: exit.and_then(|exit| exit.code),
            signal: exit.and_then(|exit| exit.signal),
            duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            timed_out,
            missing,
            warnings,
        };
        Ok(OnceResult {
            reply,
            before_bytes: from,
            session,
        })
    }
}

impl OneShot {
    /// Waits for patterns and types as requested, then waits for the exit.
    async fn talk(
        &self,
        peer: &Peer,
        params: &RunOnceParams,
        stdin: Option<Vec<u8>>,
        missing: &mut Vec<String>,
    ) -> Result<(), SessionError> {
        let session = &self.session;
        let input = async {
            if let Some(stdin) = stdin {
                session.type_stdin(&stdin).await;
            }
        };
        let conversation = session.converse(peer, params, missing);
        let (_, conversed) = tokio::join!(input, conversation);
        if !conversed? {
            self.close(EndReason::Closed);
        } else if params.end_input {
            session.end_input(LastLine::Whole);
        }
        session.wait_dead().await;
        Ok(())
    }
}

impl Session {
    /// Types all of the input, then its end. It is not an error if the program does not read its input or has exited.
    async fn type_stdin(self: &Arc<Self>, stdin: &[u8]) {
        let mut rest = stdin;
        self.note_write(stdin);
        while let Err(error) = self.write(rest, false).await {
            let InputError::Partial(Stopped::Full, written_bytes) = error else {
                return;
            };
            let written = usize::try_from(written_bytes).unwrap_or(usize::MAX);
            rest = rest.get(written..).unwrap_or_default();
        }
        self.end_input(LastLine::after(stdin));
    }

    /// Returns false if a pattern did not match: then the rest is not typed.
    async fn converse(
        self: &Arc<Self>,
        peer: &Peer,
        params: &RunOnceParams,
        missing: &mut Vec<String>,
    ) -> Result<bool, SessionError> {
        for (index, pattern) in params.expect.iter().enumerate() {
            let patterns = std::slice::from_ref(pattern);
            let search = self
                .search(patterns, false, ccd_protocol::Timeout::Forever)
                .await?;
            let from = self.output.cursor();
            match self.search_from(peer, search, from).await {
                Ok(_) => {}
                Err(SessionError::ProcessEnded(_) | SessionError::ExpectTimeout(_)) => {
                    missing.push(text_of(pattern));
                    return Ok(false);
                }
                Err(error) => return Err(error),
            }
            match params.send.get(index) {
                Some(text) if self.facts.plain => type_line(self, text).await,
                Some(text) => self.type_unseen(text).await,
                None => {}
            }
        }
        for text in params.send.iter().skip(params.expect.len()) {
            type_line(self, text).await;
        }
        Ok(true)
    }

    /// Types a line without an echo, once the program waits for it. If the program had switched the echo off, the line
    /// is hidden input and is remembered as such.
    pub(super) async fn type_unseen(self: &Arc<Self>, line: &str) {
        // Many programs switch the echo off only after their prompt.
        let _ = self.await_input(Deadline::after(INPUT_PATIENCE)).await;
        if self.input.switch_echo(false).hides_input() {
            self.hidden.remember(line);
        }
        type_line(self, line).await;
    }
}

fn script_file(folder: &Path, text: &str) -> Result<TemporaryFile, SessionError> {
    let name = format!("{SCRIPT_PREFIX}{:016x}", rand::random::<u64>());
    TemporaryFile::create(folder.join(name), text.as_bytes()).map_err(SessionError::Files)
}

/// Returns true for the name of a script file, which a killed daemon may leave.
pub(crate) fn is_script(name: &OsStr) -> bool {
    name.as_encoded_bytes()
        .starts_with(SCRIPT_PREFIX.as_bytes())
}

async fn type_line(session: &Session, text: &str) {
    let mut line = text.as_bytes().to_vec();
    line.push(b'\r');
    let _ = session.write(&line, true).await;
}

fn create_params(
    params: &RunOnceParams,
    script: Option<&TemporaryFile>,
    part: OutputPart,
    deadline: Deadline,
) -> SessionCreateParams {
    let now = tokio::time::Instant::now();
    let left = deadline.instant().saturating_duration_since(now);
    let (program, mut args) = match script {
        Some(script) => {
            let interpreter = params.with.as_deref().unwrap_or("sh");
            (interpreter, vec![script.0.to_string_lossy().into_owned()])
        }
        None if params.shell => {
            let words = ["-c", &params.program, "sh"];
            ("sh", words.map(str::to_owned).into())
        }
        None => (&*params.program, Vec::new()),
    };
    args.extend(params.args.iter().cloned());
    SessionCreateParams {
        program: Some(program.to_owned()),
        args,
        cwd: params.cwd.clone(),
        env: params.env.clone(),
        inherited: params.inherited.clone(),
        // The program does not outlive this call, unless its output is kept and the worker crashes.
        transient: !params.keep_output,
        // For the next worker, if this one does not get that far.
        max_session_runtime_s: (params.keep_output).then(|| (left + KEPT_PATIENCE).as_secs_f64()),
        // A persistent session that reaches its limit drops its oldest output instead of ending.
        persist: Some(part == OutputPart::End),
        // A program hides input by switching off the echo; this is visible only if the echo is on before.
        plain: part == OutputPart::Start || params.expect.is_empty() || params.send.is_empty(),
        ..SessionCreateParams::default()
    }
}

/// Returns what is typed at once, before the end of the input; `None` if patterns to wait for keep the input open.
fn stdin_of(params: &RunOnceParams) -> Result<Option<Vec<u8>>, SessionError> {
    let converses = !params.expect.is_empty() || !params.send.is_empty();
    let Some(data) = &params.stdin_b64 else {
        return Ok((!converses).then(Vec::new));
    };
    let bytes = STANDARD.decode(data).map_err(|error| {
        SessionError::InvalidArgument(format!("stdin_b64 is not base64: {error}"))
    })?;
    Ok(Some(typed_input(&bytes)))
}

/// Returns what to type so that a program reads exactly `bytes` in canonical mode, also without a last newline.
fn typed_input(bytes: &[u8]) -> Vec<u8> {
    let mut typed = Vec::with_capacity(bytes.len() + 2);
    let mut piece_len = 0;
    for &byte in bytes {
        // Within a line, this key only hands over the text so far.
        if piece_len == PIECE_LEN {
            typed.push(END_OF_INPUT);
            piece_len = 0;
        }
        type_byte(&mut typed, byte);
        piece_len = if byte == b'\n' { 0 } else { piece_len + 1 };
    }
    if piece_len > 0 {
        typed.push(END_OF_INPUT);
    }
    typed
}
