//! `ccctl run` as a stream: prints output and types input as they arrive.

use super::collect::{Collected, Contains};
use super::grace;
use super::input::Forward;
use super::pace::InputPace;
use super::request;
use super::signals::{Relay, Stopped};
use crate::call::{Connection, DaemonAddress};
use crate::lifeline::Lifeline;
use crate::output::{Output, OutputChunk, OutputForm};
use crate::tape::{self, LastMiss, Misses, Summary};
use crate::terminal::RawMode;
use crate::writer::raw_stderr;
use crate::{Context, Exit, Failure, secrets};
use ccd_protocol::ErrorObject;
use ccd_protocol::run::RunOnceReply;
use ccd_protocol::session::{EndReason, Ended, Session, SessionCreate, SessionCreateParams};
use serde::Serialize;
use serde_json::Value;
use std::io::{self, Write as _};
use std::time::Instant;

/// How often the start is requested, if no worker reads the request.
const MAX_TRIES: u32 = 5;

#[derive(Debug)]
pub(crate) struct Start {
    /// If neither `plain` nor `pipes` is set, input and output are terminals.
    pub(crate) params: SessionCreateParams,
    /// True if the size follows the terminal, because none was given.
    pub(crate) follows_size: bool,
    pub(crate) contains: Vec<String>,
    pub(crate) verb: &'static str,
}

/// Runs a program until it exits; it never outlives this process.
pub(crate) fn start(start: Start, context: &mut Context) -> Result<Exit, Failure> {
    let place = context.place()?;
    let began = Instant::now();
    let mut params = start.params;
    let is_interactive = !(params.plain || params.pipes);
    let content = if params.pipes {
        OutputForm::Exact
    } else {
        OutputForm::Raw
    };
    let (connection, session) =
        secrets::with_secrets(&mut params, |params| create(&place, params))?;
    context.warn(&session.warnings);
    // From here on, a new daemon would be useless: it does not have the session.
    let place = place.without_start();
    let lifeline = Lifeline::new(connection.handle()?);
    let relay = Relay {
        place: place.clone(),
        session: session.session_id.clone(),
        follows_size: start.follows_size,
        lifeline: lifeline.clone(),
    };
    let stopped = relay.start().map_err(Failure::io("signals"))?;
    let raw_mode = is_interactive
        .then(RawMode::enter)
        .transpose()
        .map_err(Failure::io("the terminal"))?;
    let misses = Misses::default();
    let pace = InputPace::of(params.tape.as_ref());
    let forward = forward_to(&session, &place, &params, &misses)?;
    forward_input(forward, is_interactive, pace)?;
    // The connection that keeps the program alive also reports its end; after a handover, the next subscription
    // replaces it.
    let output = Output::start(
        place.clone(),
        connection,
        &session.session_id,
        0,
        content,
        Some(lifeline),
    );
    let mut output = match output {
        Ok(output) => output,
        Err(failure) => return why_stopped(&stopped, failure),
    };
    let mut run = Run {
        contains: Contains::new(&start.contains),
        collected: context.global.json.then(Collected::default),
        verb: start.verb,
        misses,
        place,
        session: session.session_id,
        summary: Summary::of(params.tape.as_ref()),
    };
    let ended = run.until_end(&mut output, context);
    drop(raw_mode);
    match ended {
        Ok(ended) => run.finish(&ended, began, context),
        Err(failure) => {
            if run.summary != Summary::None {
                grace::close(&run.place, &run.session);
            }
            why_stopped(&stopped, failure)
        }
    }
}

fn forward_to(
    session: &Session,
    place: &DaemonAddress,
    params: &SessionCreateParams,
    misses: &Misses,
) -> Result<Forward, Failure> {
    Ok(Forward {
        connection: Connection::over(place.connect()?),
        place: place.clone(),
        session: session.session_id.clone(),
        has_warned: false,
        is_piped: params.pipes,
        is_taped: params.tape.is_some(),
        misses: misses.clone(),
    })
}

/// Starts the program, which lives as long as the connection. A request that was not read is repeated.
pub(crate) fn create(
    place: &DaemonAddress,
    params: &SessionCreateParams,
) -> Result<(Connection, Session), Failure> {
    let mut tries = 0;
    loop {
        tries += 1;
        let mut connection = Connection::over(place.connect()?);
        match connection.call::<SessionCreate>(params) {
            Err(Failure::Lost {
                was_read: false, ..
            }) if tries < MAX_TRIES => {}
            created => return Ok((connection, created?.value)),
        }
    }
}

struct Run {
    contains: Contains,
    collected: Option<Collected>,
    verb: &'static str,
    /// Inputs that are on no tape, and why the session took no more input.
    misses: Misses,
    place: DaemonAddress,
    session: String,
    summary: Summary,
}

impl Run {
    fn until_end(&mut self, output: &mut Output, context: &mut Context) -> Result<Ended, Failure> {
        loop {
            match output.next()? {
                OutputChunk::Output(bytes) => self.take(&bytes, context)?,
                OutputChunk::Error(bytes) => self.take_error(&bytes, context)?,
                OutputChunk::Missing(len) => {
                    context.note(&format!("{}: {len} bytes of output were lost", self.verb));
                }
                OutputChunk::Ended(ended) => return Ok(ended),
            }
        }
    }

    fn take(&mut self, bytes: &[u8], context: &mut Context) -> Result<(), Failure> {
        self.contains.look(bytes);
        match &mut self.collected {
            Some(collected) => {
                collected.keep(bytes);
                Ok(())
            }
            None => context.write_output(bytes, true),
        }
    }

    /// Takes standard error. With `--json` both streams are collected together; otherwise they are printed separately.
    fn take_error(&mut self, bytes: &[u8], context: &mut Context) -> Result<(), Failure> {
        if self.collected.is_some() {
            return self.take(bytes, context);
        }
        self.contains.look(bytes);
        // Errors are ignored, as for a program whose standard error is closed.
        let _ = raw_stderr().write_all(bytes);
        Ok(())
    }

    fn finish(self, ended: &Ended, began: Instant, context: &mut Context) -> Result<Exit, Failure> {
        let missing = self.contains.missing();
        let timed_out = ended.end_reason == Some(EndReason::Runtime);
        let mut exit = Exit::of_program(ended.exitstatus, ended.signal);
        if timed_out {
            exit = Exit::TimedOut;
            context.note(&format!("{}: timed out; the program was ended", self.verb));
        }
        let troubles = self.misses.take();
        let has_trouble = !troubles.is_empty();
        if has_trouble {
            exit = Exit::Failed;
        }
        let (refusals, misses): (Vec<_>, Vec<_>) = troubles.into_iter().partition(tape::is_final);
        let (exit, tape) = tape::print_summary(
            LastMiss::KnownBesides,
            self.summary,
            &self.place,
            &self.session,
            exit,
            context,
        );
        if let Some(collected) = self.collected {
            let mut reply = collected.reply(ended, began.elapsed(), missing);
            reply.session_id = Some(self.session.clone());
            context.write_json(&RunReport {
                reply,
                tape,
                misses: &misses,
            })?;
        } else {
            tape::print_blocks(&misses);
        }
        for error in refusals {
            context.report(&Failure::Refused {
                method: self.verb.to_owned(),
                error: Box::new(error),
            });
        }
        if timed_out || has_trouble {
            return Ok(exit);
        }
        Ok(request::exit_of_missing(missing, context).unwrap_or(exit))
    }
}

/// The document that `--json` prints at the end.
#[derive(Serialize)]
struct RunReport<'a> {
    #[serde(flatten)]
    reply: RunOnceReply,
    #[serde(skip_serializing_if = "Option::is_none")]
    tape: Option<Value>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    misses: &'a [ErrorObject],
}

/// Reads standard input in a thread that ends with the process.
fn forward_input(forward: Forward, is_interactive: bool, pace: InputPace) -> Result<(), Failure> {
    std::thread::Builder::new()
        .name("input".to_owned())
        .spawn(move || {
            let input = io::stdin().lock();
            if is_interactive {
                forward.keys(input);
            } else {
                forward.bytes(input, pace);
            }
        })
        .map(|_| ())
        .map_err(Failure::io("the input thread"))
}

/// The exit status if the connection was shut down because of a signal, otherwise the failure.
fn why_stopped(stopped: &Stopped, failure: Failure) -> Result<Exit, Failure> {
    match stopped.by() {
        Some(signal) => Ok(Exit::of_program(None, Some(signal))),
        None => Err(failure),
    }
}
