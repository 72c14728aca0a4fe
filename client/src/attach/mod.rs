//! `ccctl attach`: attaches the user's terminal to a session.

mod link;
mod screen;
mod threads;

pub(crate) use screen::{Below, UserScreen};

use crate::args::{Given, Size};
use crate::call::{ConnectError, Connection, DaemonAddress, Losses};
use crate::detach_keys::{Watch, in_words};
use crate::fields::Fields as _;
use crate::lifeline::Lifeline;
use crate::output::decode;
use crate::terminal::{can_draw, terminal_size};
use crate::{Context, Exit, Failure, render, tape};
use ccd_protocol::session::{
    Ended, OutputEvent, OutputItem, Session, SessionAttachParams, SessionGet, SessionGetParams,
    SessionScreen, SessionScreenParams,
};
use ccd_protocol::subscription::SESSION_ATTACH;
use ccd_protocol::{ErrorCode, ErrorObject};
use link::{Link, Stop};
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::{Duration, Instant};
use threads::Screen;

/// Client name for input typed here, as the history shows it.
const CLIENT_NAME: &str = "ccctl attach";

const VERB: &str = "session.attach";

/// Size of a terminal that does not report one.
const UNKNOWN_SIZE: Size = Size { rows: 24, cols: 80 };

/// Most rows and columns of a session; of a larger terminal only this part is used.
const MAX_SIZE: i64 = 1000;

/// How long detaching waits for the daemon to report which rows are in use.
const PATIENCE: Duration = Duration::from_millis(200);

/// Attaches the terminal to a session until the user detaches or the session ends.
/// After an error, the terminal is restored.
pub(crate) fn attach(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let params = SessionAttachParams {
        session: args.text("session").to_owned(),
        read_only: args.has("read_only"),
        ..SessionAttachParams::default()
    };
    attach_to(params, &args.detach_keys(), context)
}

/// How the user left a program that nobody else can attach to.
#[derive(Debug)]
pub(crate) enum Way {
    Ended(Ended),
    /// The user detached, or this signal arrived. The program keeps running.
    Left(Option<i32>),
    /// The session took no more input. The program keeps running.
    Refused(Box<ErrorObject>),
}

/// Attaches the terminal to a session that nobody else uses, until its program exits or the user detaches; `title` is
/// the terminal's title until the program sets one.
pub(crate) fn attach_own(
    session: &Session,
    title: &str,
    keys: &[String],
    place: &DaemonAddress,
    context: &Context,
) -> Result<Way, Failure> {
    let params = SessionAttachParams {
        ended: true,
        ..SessionAttachParams::default()
    };
    let mut connection = Connection::over(place.connect()?).named(CLIENT_NAME);
    let mut viewer = Viewer::new(params, session, place.clone(), &connection, true)?;
    viewer.attach(&mut connection)?;
    let left = viewer.watch(connection, title.to_owned(), keys, context);
    if let Some(error) = viewer.link.refusal() {
        return Ok(Way::Refused(Box::new(error)));
    }
    Ok(match left? {
        Detachment::Ended(ended) => Way::Ended(ended),
        Detachment::Stopped(Stop::Signal(signal)) => Way::Left(Some(signal)),
        Detachment::Stopped(Stop::Detached | Stop::Refused | Stop::NoInput | Stop::Panic) => {
            Way::Left(None)
        }
    })
}

pub(crate) fn require_terminal() -> Result<(), Failure> {
    if can_draw() {
        Ok(())
    } else {
        Failure::usage(
            "session.attach: input and output must be a terminal that can be drawn on (TERM); without one, use ccctl logs -f and ccctl send",
        )
    }
}

/// Attaches the terminal to the session of these parameters.
pub(crate) fn attach_to(
    params: SessionAttachParams,
    keys: &[String],
    context: &mut Context,
) -> Result<Exit, Failure> {
    require_terminal()?;
    let place = context.place()?;
    let mut connection = Connection::over(place.connect()?).named(CLIENT_NAME);
    let get = SessionGetParams::of(&params.session);
    let session = connection
        .call::<SessionGet>(&get)
        .map_err(|failure| failure.of_verb(VERB))?
        .value;
    let name = session.name.clone().unwrap_or(session.session_id.clone());
    let mut viewer = Viewer::new(params, &session, place, &connection, false)?;
    // The daemon refuses this before the terminal is changed.
    viewer.attach(&mut connection)?;
    // From here on, the end of the session is shown, not refused.
    viewer.params.ended = true;
    context.remark(&format!("attached to {name}, {}", way_out(keys)));
    // The note above scrolls out of sight at once; a program may replace the title.
    let title = format!("{name}, {}", way_out(keys));
    let left = viewer.watch(connection, title, keys, context);
    report_end(left?, &session.session_id, &name, context)
}

enum Detachment {
    Stopped(Stop),
    Ended(Ended),
}

struct Viewer {
    place: DaemonAddress,
    params: SessionAttachParams,
    lifeline: Lifeline,
    link: Link,
    /// The end of a notice: which keys detach.
    way_out: Option<String>,
    /// True if a notice was printed between the session's rows, so that later rows are further down.
    is_shifted: bool,
}

impl Viewer {
    fn new(
        params: SessionAttachParams,
        session: &Session,
        place: DaemonAddress,
        connection: &Connection,
        is_own: bool,
    ) -> Result<Self, Failure> {
        let lifeline = Lifeline::new(connection.handle()?);
        Ok(Self {
            params: SessionAttachParams {
                session: session.session_id.clone(),
                inside: std::env::var("CCD_SESSION_ID")
                    .ok()
                    .filter(|id| !id.is_empty() && place.host().is_none()),
                ..params
            },
            // A newly started daemon would not know the session, and the terminal is in use.
            place: place.without_start().without_questions(),
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

    fn watch(
        &mut self,
        mut connection: Connection,
        title: String,
        keys: &[String],
        context: &Context,
    ) -> Result<Detachment, Failure> {
        let screen = UserScreen::enter(title).map_err(Failure::io("the terminal"))?;
        let screen: Screen = Arc::new(Mutex::new(screen));
        let _given_back = threads::GivenBack::whatever_happens(&screen);
        self.way_out = in_words(keys);
        let keys = Watch::new(keys);
        let read_only = self.params.read_only;
        let left = threads::heed_signals(self.link.clone(), Arc::clone(&screen))
            .and_then(|()| {
                threads::read_keys(self.link.clone(), Arc::clone(&screen), keys, read_only)
            })
            .map_err(Failure::io("the terminal"))
            .and_then(|_keys| self.follow(&mut connection, &screen));
        let below = match left {
            Ok(Detachment::Stopped(Stop::Detached | Stop::Refused) | Detachment::Ended(_)) => {
                self.rows_in_use()
            }
            _ => None,
        };
        screen.lock().leave(below.unwrap_or(Below::All));
        for trouble in self.link.troubles() {
            context.note(&format!("not typed: {trouble}"));
        }
        left
    }

    /// The last row in use on the terminal; `None` if that is not known at once.
    fn rows_in_use(&self) -> Option<Below> {
        // Another connection to another host takes too long.
        self.place.host().is_none().then_some(())?;
        let stream = self.place.try_connect().ok()??;
        let connection = Connection::limited(stream, PATIENCE).ok()?;
        let mut connection = connection.named(CLIENT_NAME);
        let params = SessionScreenParams {
            session: self.params.session.clone(),
            ..SessionScreenParams::default()
        };
        let screen = connection.call::<SessionScreen>(&params).ok()?.value;
        let size = Size {
            rows: screen.rows.into(),
            cols: screen.cols.into(),
        };
        // Otherwise the terminal shows only a part.
        (size == viewer_size()).then_some(())?;
        if screen.alternate {
            return Some(Below::Cursor);
        }
        let last = screen.lines.iter().rposition(|line| !line.is_empty());
        let rows = u16::try_from(last.map_or(0, |last| last + 1)).ok()?;
        Some(if self.is_shifted {
            // The cursor's distance from the last row is the same as on the session's screen.
            Below::Under(rows.saturating_sub(screen.cursor.row))
        } else {
            Below::Rows(rows)
        })
    }

    /// Shows output until the viewer stops, across the end of a connection.
    fn follow(
        &mut self,
        connection: &mut Connection,
        screen: &Screen,
    ) -> Result<Detachment, Failure> {
        loop {
            let since = Instant::now();
            let size = Size {
                rows: self.params.rows,
                cols: self.params.cols,
            };
            self.link.open(connection.handle()?, size);
            // The size may have changed in the meantime.
            self.link.resize(viewer_size());
            let was_read = match self.show(connection, screen) {
                Err(Failure::Lost { was_read, .. }) => was_read,
                left => return left,
            };
            if let Some(stop) = self.link.stopped() {
                return Ok(Detachment::Stopped(stop));
            }
            self.link.close(was_read);
            *connection = self.reconnect(since)?;
        }
    }

    fn show(
        &mut self,
        connection: &mut Connection,
        screen: &Screen,
    ) -> Result<Detachment, Failure> {
        loop {
            let message = connection.next(VERB)?;
            if let Some(id) = message.id {
                if !self.link.answered(id, message.error.as_ref()) {
                    let _ = screen.lock().show(b"\x07");
                }
                let goes_on = self.link.stopped().is_none();
                let miss = message.error.as_ref().filter(|error| is_miss(error));
                if let Some(miss) = miss.filter(|_| goes_on) {
                    let notice = miss_notice(miss, self.way_out.as_deref());
                    let _ = screen.lock().show(&notice);
                    self.is_shifted = true;
                }
                continue;
            }
            if message.method.as_deref() != Some(SESSION_ATTACH.notification) {
                continue;
            }
            let item: OutputItem = message.item(VERB)?;
            let data = match item.event {
                OutputEvent::Output { data_b64, .. } => data_b64,
                OutputEvent::Repaint { repaint } => {
                    self.is_shifted = false;
                    self.link.drawn(Size {
                        rows: repaint.rows.into(),
                        cols: repaint.cols.into(),
                    });
                    repaint.data_b64
                }
                OutputEvent::Ended { ended } => return Ok(Detachment::Ended(ended)),
                OutputEvent::Lagged { .. } | OutputEvent::KeepAlive { .. } => continue,
            };
            screen
                .lock()
                .show(&decode(&data)?)
                .map_err(Failure::Output)?;
        }
    }

    /// Attaches through the next worker.
    fn reconnect(&mut self, since: Instant) -> Result<Connection, Failure> {
        let mut losses = Losses::since(since);
        loop {
            let may_go_on = losses.may_go_on();
            let session = &self.params.session;
            let found = self.place.try_connect().map_err(|error| match error {
                ConnectError::Ssh(why) | ConnectError::Refused(why) => ConnectError::Ssh(format!(
                    "the connection broke: {why}; the session {session} keeps running there"
                )),
                error => error,
            });
            let Some(stream) = found? else {
                return Err(ConnectError::Failed(format!(
                    "the daemon has ended, and the session {session} with it; ccctl read {session} still prints its output"
                ))
                .into());
            };
            if !may_go_on {
                return Err(Failure::Lost {
                    method: VERB.to_owned(),
                    was_read: true,
                });
            }
            let mut connection = Connection::over(stream).named(CLIENT_NAME);
            if !self.lifeline.renew(connection.handle()?) {
                // The user detached in the meantime: reading from this connection ends at once.
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

/// Text about a miss in the middle of a conversation, with the prompt again, so that the user can carry on.
fn miss_notice(miss: &ErrorObject, way_out: Option<&str>) -> Vec<u8> {
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

fn way_out(keys: &[String]) -> String {
    match keys {
        [] => "no keys detach".to_owned(),
        keys => format!("{} detaches", keys.join(" ")),
    }
}

/// The size of the user's terminal, limited to that of a session.
fn viewer_size() -> Size {
    let size = terminal_size().unwrap_or(UNKNOWN_SIZE);
    Size {
        rows: size.rows.min(MAX_SIZE),
        cols: size.cols.min(MAX_SIZE),
    }
}

fn report_end(
    left: Detachment,
    session: &str,
    name: &str,
    context: &mut Context,
) -> Result<Exit, Failure> {
    let exit = match &left {
        Detachment::Stopped(Stop::Signal(signal)) => Exit::of_program(None, Some(*signal)),
        Detachment::Stopped(Stop::Panic) => Exit::Internal,
        Detachment::Stopped(Stop::Refused) => Exit::Failed,
        Detachment::Stopped(Stop::Detached | Stop::NoInput) | Detachment::Ended(_) => Exit::Done,
    };
    if context.global.json {
        let ended = match &left {
            Detachment::Ended(ended) => Some(ended),
            Detachment::Stopped(_) => None,
        };
        let told =
            serde_json::json!({"session": session, "detached": ended.is_none(), "ended": ended});
        context.write_json(&told)?;
    } else {
        context.note(&match &left {
            Detachment::Stopped(_) => format!("detached from {name}, which keeps running"),
            Detachment::Ended(ended) => {
                let end = render::ended(ended);
                format!("{name} has ended: {end}")
            }
        });
    }
    Ok(exit)
}
