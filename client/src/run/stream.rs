//! `ccctl run` as a pipe: output as it comes, input as it is typed.

use super::collect::{Collected, Contains};
use super::input::Forward;
use super::request;
use super::signals::{Relay, Stopped};
use crate::args::RunArgs;
use crate::call::Connection;
use crate::connect::Place;
use crate::context::Context;
use crate::exit_code::Exit;
use crate::failure::Failure;
use crate::lifeline::Lifeline;
use crate::output::{Output, Piece};
use crate::secrets;
use crate::terminal::RawMode;
use ccd_protocol::session::{EndReason, Ended, Session, SessionCreate, SessionCreateParams};
use std::io::{self, IsTerminal as _};
use std::time::Instant;

/// So often a start is asked for that nobody reads.
const MAX_TRIES: u32 = 5;

/// Runs a program until it ends; it never outlives this process.
///
/// # Errors
///
/// Those of the calls.
pub(crate) fn run(args: &RunArgs, context: &mut Context) -> Result<Exit, Failure> {
    let place = context.place()?;
    let is_interactive =
        io::stdin().is_terminal() && io::stdout().is_terminal() && !context.global.json;
    let start = Instant::now();
    let mut params = request::session(args, !is_interactive)?;
    let (connection, session) =
        secrets::with_secrets(&mut params, |params| create(&place, params))?;
    context.warn(&session.warnings);
    // From here on a new daemon would be of no use: it has no such session.
    let place = Place {
        may_start: false,
        ..place
    };
    let lifeline = Lifeline::new(connection.handle()?);
    let relay = Relay {
        place: place.clone(),
        session: session.session_id.clone(),
        follows_size: args.size.is_none(),
        lifeline: lifeline.clone(),
    };
    let stopped = relay.start().map_err(|source| system("signals", source))?;
    let raw_mode = is_interactive
        .then(RawMode::enter)
        .transpose()
        .map_err(|source| system("the terminal", source))?;
    forward_input(&place, &session.session_id, is_interactive)?;
    // The program's end is told on the connection that its life hangs on; after a hand-over the next one that
    // subscribes takes its place.
    let output = Output::start(
        place,
        connection,
        &session.session_id,
        0,
        true,
        Some(lifeline),
    );
    let mut output = match output {
        Ok(output) => output,
        Err(failure) => return why_stopped(&stopped, failure),
    };
    let mut run = Run {
        contains: Contains::new(&args.contains),
        collected: context.global.json.then(Collected::default),
    };
    let ended = run.until_end(&mut output, context);
    drop(raw_mode);
    match ended {
        Ok(ended) => run.finish(&ended, start, context),
        Err(failure) => why_stopped(&stopped, failure),
    }
}

/// Starts the program, whose life hangs on the connection. A request that was not read is made again.
fn create(place: &Place, params: &SessionCreateParams) -> Result<(Connection, Session), Failure> {
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

/// What is done with output.
struct Run {
    contains: Contains,
    collected: Option<Collected>,
}

impl Run {
    fn until_end(&mut self, output: &mut Output, context: &mut Context) -> Result<Ended, Failure> {
        loop {
            match output.next()? {
                Piece::Output(bytes) => self.take(&bytes, context)?,
                Piece::Missing(len) => {
                    context.note(&format!("run: {len} bytes of output are lost"));
                }
                Piece::Ended(ended) => return Ok(ended),
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
            None => context.write_bytes(bytes),
        }
    }

    fn finish(self, ended: &Ended, start: Instant, context: &mut Context) -> Result<Exit, Failure> {
        let missing = self.contains.missing();
        if let Some(collected) = self.collected {
            let reply = collected.reply(ended, start.elapsed(), missing);
            context.write_json(&reply)?;
        }
        if ended.end_reason == Some(EndReason::Runtime) {
            context.note("run: timed out, and nothing was left running");
            return Ok(Exit::TimedOut);
        }
        let exit = Exit::of_program(ended.exitstatus, ended.signal);
        Ok(request::exit_of_missing(missing, context).unwrap_or(exit))
    }
}

/// Reads standard input in a thread that ends with the process.
fn forward_input(place: &Place, session: &str, is_interactive: bool) -> Result<(), Failure> {
    let forward = Forward {
        place: place.clone(),
        connection: Connection::over(place.connect()?),
        session: session.to_owned(),
        has_warned: false,
    };
    std::thread::Builder::new()
        .name("input".to_owned())
        .spawn(move || {
            let input = io::stdin().lock();
            if is_interactive {
                forward.keys(input);
            } else {
                forward.bytes(input);
            }
        })
        .map(|_| ())
        .map_err(|source| system("the input thread", source))
}

/// The connection was shut down on purpose when a signal asked for the end.
fn why_stopped(stopped: &Stopped, failure: Failure) -> Result<Exit, Failure> {
    match stopped.by() {
        Some(signal) => Ok(Exit::of_program(None, Some(signal))),
        None => Err(failure),
    }
}

fn system(what: &str, source: io::Error) -> Failure {
    Failure::Io {
        what: what.to_owned(),
        source,
    }
}
