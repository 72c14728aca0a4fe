//! `ccctl session attach`: the user's terminal becomes a session's.

mod link;
mod screen;
mod threads;

pub(crate) use screen::{Below, UserScreen};

use crate::args::{AttachArgs, Size};
use crate::call::Connection;
use crate::connect::{ConnectError, Place};
use crate::context::Context;
use crate::detach_keys::{DetachKeys, Watch};
use crate::exit_code::Exit;
use crate::failure::Failure;
use crate::lifeline::Lifeline;
use crate::output::decode;
use crate::render;
use crate::tape;
use crate::terminal::{can_draw, terminal_size};
use ccd_protocol::session::{
    Ended, OutputEvent, OutputItem, Session, SessionAttachParams, SessionGet, SessionParams,
    SessionScreen, SessionScreenParams,
};
use ccd_protocol::subscription::SESSION_ATTACH;
use ccd_protocol::{ErrorCode, ErrorObject};
use link::{Link, Stop};
use serde::Deserialize;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use threads::Screen;

/// Name under which the daemon's history shows what is typed here.
const CLIENT_NAME: &str = "ccctl attach";

const VERB: &str = "session.attach";

/// Of a terminal that does not tell.
const UNKNOWN_SIZE: Size = Size { rows: 24, cols: 80 };

/// Rows and columns that a session may have; a larger terminal is used as far.
const MAX_SIZE: i64 = 1000;

/// On leaving, the daemon is asked for the rows that are in use, and not waited for longer.
const PATIENCE: Duration = Duration::from_millis(200);

/// So many connections in a row may end soon.
const MAX_SHORT_LOSSES: u32 = 5;

/// A connection that lived so long was not what ended the daemon.
const SETTLED: Duration = Duration::from_secs(1);

/// Gives the terminal to a session until the user detaches or the session ends.
///
/// # Errors
///
/// Those of the calls; the terminal is as it was then.
pub(crate) fn attach(args: &AttachArgs, context: &mut Context) -> Result<Exit, Failure> {
    let params = SessionAttachParams {
        session: args.session.clone(),
        read_only: args.read_only,
        ..SessionAttachParams::default()
    };
    attach_to(params, &args.leaving.detach_keys, context)
}

/// Gives the terminal to a session that was just created, also if it has ended by now.
///
/// # Errors
///
/// As [`attach`].
pub(crate) fn attach_created(
    session: &str,
    keys: &DetachKeys,
    context: &mut Context,
) -> Result<Exit, Failure> {
    let params = SessionAttachParams {
        session: session.to_owned(),
        ended: true,
        ..SessionAttachParams::default()
    };
    attach_to(params, keys, context)
}

/// How a program of one's own was left.
#[derive(Debug)]
pub(crate) enum Way {
    Ended(Ended),
    /// By the user, or by this signal. The program goes on.
    Left(Option<i32>),
    /// Nothing more could be typed. The program goes on.
    Refused(Box<ErrorObject>),
}

/// Gives the terminal to a session that is nobody else's, until its program ends or the user leaves; `title` is what the
/// terminal is called as long as the program says nothing.
///
/// # Errors
///
/// As [`attach`].
pub(crate) fn attach_own(
    session: &Session,
    title: &str,
    keys: &DetachKeys,
    place: &Place,
    context: &Context,
) -> Result<Way, Failure> {
    let params = SessionAttachParams {
        ended: true,
        ..SessionAttachParams::default()
    };
    let mut connection = Connection::over(place.connect()?).named(CLIENT_NAME);
    let mut viewer = Viewer::new(params, session, place.clone(), &connection, true)?;
    viewer.attach(&mut connection)?;
    let left = viewer.watch(connection, title.to_owned(), keys);
    for trouble in viewer.link.troubles() {
        context.note(&format!("not typed: {trouble}"));
    }
    if let Some(error) = viewer.link.refusal() {
        return Ok(Way::Refused(Box::new(error)));
    }
    Ok(match left? {
        Left::Ended(ended) => Way::Ended(ended),
        Left::Stopped(Stop::Signal(signal)) => Way::Left(Some(signal)),
        Left::Stopped(Stop::Detached | Stop::Refused | Stop::NoInput | Stop::Panic) => {
            Way::Left(None)
        }
    })
}

/// Makes sure that there is a terminal to give.
///
/// # Errors
///
/// [`Failure::Usage`], which says what there is instead.
pub(crate) fn require_terminal() -> Result<(), Failure> {
    match can_draw() {
        true => Ok(()),
        false => Err(Failure::Usage(
            "session.attach needs a terminal for input and output, and one that can be drawn on (TERM); \
             session tail -f follows the output without one, session send types"
                .to_owned(),
        )),
    }
}

fn attach_to(
    params: SessionAttachParams,
    keys: &DetachKeys,
    context: &mut Context,
) -> Result<Exit, Failure> {
    require_terminal()?;
    let place = context.place()?;
    let mut connection = Connection::over(place.connect()?).named(CLIENT_NAME);
    let get = SessionParams {
        session: params.session.clone(),
    };
    let session = connection
        .call::<SessionGet>(&get)
        .map_err(|failure| failure.of_verb(VERB))?
        .value;
    let name = session.name.clone().unwrap_or(session.session_id.clone());
    let mut viewer = Viewer::new(params, &session, place, &connection, false)?;
    // Refused before the terminal is touched.
    viewer.attach(&mut connection)?;
    // From here on the end of the session is shown, not refused.
    viewer.params.ended = true;
    if !context.global.json {
        context.note(&format!("attached to {name}, {}", way_out(keys)));
    }
    // What else was said of it goes out of sight at once; a program with a title takes its place.
    let title = format!("{name}, {}", way_out(keys));
    let left = viewer.watch(connection, title, keys);
    for trouble in viewer.link.troubles() {
        context.note(&format!("not typed: {trouble}"));
    }
    tell(left?, &session.session_id, &name, context)
}

/// How it ended.
enum Left {
    Stopped(Stop),
    Ended(Ended),
}

/// One user at one session.
struct Viewer {
    place: Place,
    params: SessionAttachParams,
    lifeline: Lifeline,
    link: Link,
    /// The last words of a notice about the keys that leave.
    way_out: Option<String>,
    /// A notice stands between the session's rows, which are lower down since.
    is_shifted: bool,
}

#[derive(Deserialize)]
struct Notification {
    result: OutputItem,
}

impl Viewer {
    fn new(
        params: SessionAttachParams,
        session: &Session,
        place: Place,
        connection: &Connection,
        is_own: bool,
    ) -> Result<Self, Failure> {
        let lifeline = Lifeline::new(connection.handle()?);
        Ok(Self {
            // A daemon that was started now would not know the session.
            place: Place {
                may_start: false,
                ..place
            },
            params: SessionAttachParams {
                session: session.session_id.clone(),
                inside: std::env::var("CCD_SESSION_ID")
                    .ok()
                    .filter(|id| !id.is_empty()),
                ..params
            },
            link: Link::new(&session.session_id, is_own, lifeline.clone()),
            lifeline,
            way_out: None,
            is_shifted: false,
        })
    }

    /// Attaches on `connection`, with the size that the terminal has now.
    fn attach(&mut self, connection: &mut Connection) -> Result<(), Failure> {
        let size = viewer_size();
        (self.params.rows, self.params.cols) = (size.rows, size.cols);
        connection
            .request(SESSION_ATTACH.name, &self.params)
            .map(drop)
    }

    /// Shows the session until it is left.
    fn watch(
        &mut self,
        mut connection: Connection,
        title: String,
        keys: &DetachKeys,
    ) -> Result<Left, Failure> {
        let system = |source| Failure::Io {
            what: "the terminal".to_owned(),
            source,
        };
        let screen = UserScreen::enter(title).map_err(system)?;
        let screen: Screen = Arc::new(Mutex::new(screen));
        let _given_back = threads::GivenBack::whatever_happens(&screen);
        self.way_out = keys.in_words();
        let keys = Watch::new(keys);
        let read_only = self.params.read_only;
        let left = threads::heed_signals(self.link.clone(), Arc::clone(&screen))
            .and_then(|()| {
                threads::read_keys(self.link.clone(), Arc::clone(&screen), keys, read_only)
            })
            .map_err(system)
            .and_then(|_keys| self.follow(&mut connection, &screen));
        let below = match left {
            Ok(Left::Stopped(Stop::Detached | Stop::Refused) | Left::Ended(_)) => {
                self.rows_in_use()
            }
            _ => None,
        };
        threads::lock(&screen).leave(below.unwrap_or(Below::All));
        left
    }

    /// Which rows the terminal shows something in; `None` when that cannot be told at once.
    fn rows_in_use(&self) -> Option<Below> {
        let stream = self.place.try_connect().ok()??;
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        let mut connection = Connection::over(stream).named(CLIENT_NAME);
        let params = SessionScreenParams {
            session: self.params.session.clone(),
            ..SessionScreenParams::default()
        };
        let screen = connection.call::<SessionScreen>(&params).ok()?.value;
        let size = Size {
            rows: screen.rows.into(),
            cols: screen.cols.into(),
        };
        // Otherwise the terminal shows a part.
        (size == viewer_size()).then_some(())?;
        if screen.alternate {
            return Some(Below::Cursor);
        }
        let last = screen.lines.iter().rposition(|line| !line.is_empty());
        let rows = u16::try_from(last.map_or(0, |last| last + 1)).ok()?;
        Some(match self.is_shifted {
            // The same distance as in the session's picture.
            true => Below::Under(rows.saturating_sub(screen.cursor.row)),
            false => Below::Rows(rows),
        })
    }

    /// Shows what comes until the session is left, also past the end of a connection.
    fn follow(&mut self, connection: &mut Connection, screen: &Screen) -> Result<Left, Failure> {
        loop {
            let since = Instant::now();
            let size = Size {
                rows: self.params.rows,
                cols: self.params.cols,
            };
            self.link.open(connection.handle()?, size);
            // It may have changed meanwhile.
            self.link.resize(viewer_size());
            let was_read = match self.show(connection, screen) {
                Err(Failure::Lost { was_read, .. }) => was_read,
                left => return left,
            };
            if let Some(stop) = self.link.stopped() {
                return Ok(Left::Stopped(stop));
            }
            self.link.close(was_read);
            *connection = self.reconnect(since)?;
        }
    }

    /// Shows what comes until the connection or the session ends.
    fn show(&mut self, connection: &mut Connection, screen: &Screen) -> Result<Left, Failure> {
        loop {
            let message = connection.next(VERB)?;
            if let Some(id) = message.id {
                if !self.link.answered(id, message.error.as_ref()) {
                    let _ = threads::lock(screen).show(b"\x07");
                }
                if let Some(miss) = message.error.as_ref().filter(|error| is_miss(error)) {
                    let notice = told_of_miss(miss, self.way_out.as_deref());
                    let _ = threads::lock(screen).show(&notice);
                    self.is_shifted = true;
                }
                continue;
            }
            if message.method.as_deref() != Some(SESSION_ATTACH.notification) {
                continue;
            }
            let params = message
                .params
                .as_deref()
                .map_or("null", |params| params.get());
            let notification: Notification =
                serde_json::from_str(params).map_err(|error| crate::call::garbled(VERB, &error))?;
            let data = match notification.result.event {
                OutputEvent::Output { data_b64, .. } => data_b64,
                OutputEvent::Repaint { repaint } => {
                    self.is_shifted = false;
                    repaint.data_b64
                }
                OutputEvent::Ended { ended } => return Ok(Left::Ended(ended)),
                OutputEvent::Lagged { .. } | OutputEvent::KeepAlive { .. } => continue,
            };
            threads::lock(screen)
                .show(&decode(&data)?)
                .map_err(Failure::Output)?;
        }
    }

    /// Attaches to the process that goes on with the session.
    fn reconnect(&mut self, mut since: Instant) -> Result<Connection, Failure> {
        let mut short_losses = 0;
        loop {
            short_losses = match since.elapsed() < SETTLED {
                true => short_losses + 1,
                false => 0,
            };
            since = Instant::now();
            let Some(stream) = self.place.try_connect()? else {
                let session = self.params.session.clone();
                return Err(ConnectError::Gone { session }.into());
            };
            if short_losses > MAX_SHORT_LOSSES {
                return Err(Failure::Lost {
                    method: VERB.to_owned(),
                    was_read: true,
                });
            }
            let mut connection = Connection::over(stream).named(CLIENT_NAME);
            if !self.lifeline.renew(connection.handle()?) {
                // Left meanwhile: what is read from it now ends at once.
                self.lifeline.cut();
            }
            match self.attach(&mut connection) {
                Err(Failure::Lost { .. }) if self.link.stopped().is_none() => {}
                Err(Failure::Lost { .. }) => return Ok(connection),
                attached => return attached.map(|()| connection),
            }
        }
    }
}

fn is_miss(error: &ErrorObject) -> bool {
    error.known() == Some(ErrorCode::TapeMiss)
}

/// A miss in the middle of a conversation: what it is, and the prompt again, behind which the user goes on.
fn told_of_miss(miss: &ErrorObject, way_out: Option<&str>) -> Vec<u8> {
    let prompt = miss
        .data
        .as_ref()
        .and_then(|data| data.get("prompt")?.as_str());
    let mut block = tape::block(miss);
    block.extend(way_out.map(|keys| tape::line("leave", keys)));
    let block = block.join("\r\n");
    let prompt = render::printable(prompt.unwrap_or_default());
    format!("\r\n\x1b[2m{block}\x1b[m\r\n{prompt}").into_bytes()
}

fn way_out(keys: &DetachKeys) -> String {
    match keys.to_string() {
        none if none.is_empty() => "only its end leaves it".to_owned(),
        keys => format!("{keys} leaves it"),
    }
}

/// The size of the user's terminal, as far as a session can have it.
fn viewer_size() -> Size {
    let size = terminal_size().unwrap_or(UNKNOWN_SIZE);
    Size {
        rows: size.rows.min(MAX_SIZE),
        cols: size.cols.min(MAX_SIZE),
    }
}

/// Says how it ended, behind what was shown.
fn tell(left: Left, session: &str, name: &str, context: &mut Context) -> Result<Exit, Failure> {
    let exit = match &left {
        Left::Stopped(Stop::Signal(signal)) => Exit::of_program(None, Some(*signal)),
        Left::Stopped(Stop::Panic) => Exit::Internal,
        Left::Stopped(Stop::Refused) => Exit::Failed,
        Left::Stopped(Stop::Detached | Stop::NoInput) | Left::Ended(_) => Exit::Done,
    };
    if context.global.json {
        let ended = match &left {
            Left::Ended(ended) => Some(ended),
            Left::Stopped(_) => None,
        };
        let told =
            serde_json::json!({"session": session, "detached": ended.is_none(), "ended": ended});
        context.write_json(&told)?;
    } else {
        context.note(&match &left {
            Left::Stopped(_) => format!("detached from {name}, which goes on"),
            Left::Ended(ended) => {
                let end = render::end(ended.exitstatus, ended.signal, ended.end_reason);
                format!("{name} has ended: {end}")
            }
        });
    }
    Ok(exit)
}
