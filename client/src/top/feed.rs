//! Threads that query the daemon, each on its own connection.

use crate::call::{Connection, DaemonAddress, close, fetch_within};
use crate::fields::Fields as _;
use crate::fullscreen::{Reporter, Waker};
use crate::{Failure, render};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// Most requests that wait while another one is carried out.
const MAX_ASKS: usize = 8;

const LONGEST_CALL: Duration = Duration::from_secs(5);

/// How much output the key `r` shows.
const READ_LINES: u64 = 1_000;
const READ_BYTES: u64 = 256 << 10;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ask {
    Read(String),
    Signal {
        session: String,
        signal: String,
    },
    Close(String),
    Answer {
        agent: String,
        question: String,
        answer: String,
    },
}

#[derive(Debug)]
pub(super) enum Report {
    Sessions(Vec<Value>),
    Gone(String),
    Back,
    Screen { session: String, lines: Vec<String> },
    Agents(Vec<Value>),
    Agent(Value),
    Text { session: String, text: String },
    Told(Result<String, String>),
}

/// What the list is to contain.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    /// Agents instead of sessions.
    pub(super) agents: bool,
    pub(super) all: bool,
    /// The session or the agent that is shown in more detail.
    pub(super) preview: Option<String>,
}

#[derive(Debug, Default)]
struct ListRequest {
    wanted: Wanted,
    is_paused: bool,
}

/// The handle of the threads, which end when it is dropped.
#[derive(Debug)]
pub(super) struct Feed {
    reports: Receiver<Report>,
    asks: SyncSender<Ask>,
    nudge: SyncSender<()>,
    wanted: Arc<Mutex<ListRequest>>,
}

pub(super) fn params(all: bool) -> Value {
    json!({"all": all, "waiting": true})
}

impl Feed {
    pub(super) fn start(
        place: DaemonAddress,
        interval: Duration,
        all: bool,
        waker: Waker,
    ) -> io::Result<Self> {
        let (reporter, reports) = Reporter::new(waker);
        let (asks, asked) = sync_channel(MAX_ASKS);
        let (nudge, nudged) = sync_channel(1);
        let wanted = Arc::new(Mutex::new(ListRequest {
            wanted: Wanted {
                all,
                ..Wanted::default()
            },
            is_paused: false,
        }));
        let lister = Lister {
            place: place.clone(),
            wanted: Arc::clone(&wanted),
            reporter: reporter.clone(),
            connection: None,
            is_gone: false,
        };
        let thread = |name: &str| std::thread::Builder::new().name(name.to_owned());
        thread("list").spawn(move || lister.run(&nudged, interval))?;
        let soon = nudge.clone();
        thread("asks").spawn(move || {
            while let Ok(ask) = asked.recv() {
                if !reporter.report(carry_out(ask, &place)) {
                    return;
                }
                // Show the effect at once.
                let _ = soon.try_send(());
            }
        })?;
        Ok(Self {
            reports,
            asks,
            nudge,
            wanted,
        })
    }

    pub(super) fn report(&self) -> Option<Report> {
        self.reports.try_recv().ok()
    }

    /// Queues a request; false if too many wait.
    pub(super) fn ask(&self, ask: Ask) -> bool {
        self.asks.try_send(ask).is_ok()
    }

    /// Requests the list at once.
    pub(super) fn look(&self) {
        let _ = self.nudge.try_send(());
    }

    /// Sets what the list is to contain, and requests it at once.
    pub(super) fn follow(&self, wanted: Wanted) {
        self.wanted.lock().wanted = wanted;
        self.look();
    }

    pub(super) fn pause(&self, is_paused: bool) {
        self.wanted.lock().is_paused = is_paused;
    }
}

struct Lister {
    place: DaemonAddress,
    wanted: Arc<Mutex<ListRequest>>,
    reporter: Reporter<Report>,
    connection: Option<Connection>,
    is_gone: bool,
}

impl Lister {
    fn run(mut self, nudged: &Receiver<()>, interval: Duration) {
        loop {
            if nudged.recv_timeout(interval) == Err(RecvTimeoutError::Disconnected) {
                return;
            }
            let wanted = {
                let request = self.wanted.lock();
                if request.is_paused {
                    continue;
                }
                request.wanted.clone()
            };
            let listed = self.list(&wanted);
            let first = || Some(listed.as_ref().ok()?.first()?.text("agent_id").to_owned());
            let first = if wanted.agents { first() } else { None };
            let is_heard = match listed {
                Ok(agents) if wanted.agents => self.reporter.report(Report::Agents(agents)),
                Ok(sessions) => self.reporter.report(Report::Sessions(sessions)),
                Err(failure @ Failure::Refused { .. }) => {
                    self.reporter.report(Report::Told(Err(failure.to_string())))
                }
                Err(failure) => {
                    self.is_gone = true;
                    self.reporter.report(Report::Gone(failure.to_string()))
                }
            };
            if !is_heard {
                return;
            }
            let Some(preview) = wanted.preview.or(first) else {
                continue;
            };
            let looked = if wanted.agents {
                let agent = self.fetch("agent.get", &json!({ "agent": preview }));
                agent.ok().map(Report::Agent)
            } else {
                let lines = self.screen(&preview);
                lines.map(|lines| Report::Screen {
                    session: preview,
                    lines,
                })
            };
            if looked.is_some_and(|report| !self.reporter.report(report)) {
                return;
            }
        }
    }

    fn list(&mut self, wanted: &Wanted) -> Result<Vec<Value>, Failure> {
        let had_connection = self.connection.is_some();
        let listed = match self.try_list(wanted) {
            // After a handover, another worker replies at once.
            Err(Failure::Lost { .. }) if had_connection => {
                self.is_gone = true;
                self.try_list(wanted)
            }
            listed => listed,
        }?;
        if std::mem::take(&mut self.is_gone) {
            self.reporter.report(Report::Back);
        }
        Ok(listed)
    }

    fn try_list(&mut self, wanted: &Wanted) -> Result<Vec<Value>, Failure> {
        let (method, params, list) = if wanted.agents {
            ("agent.list", json!({}), "agents")
        } else {
            ("session.list", params(wanted.all), "sessions")
        };
        Ok(self.fetch(method, &params)?.list(list).to_vec())
    }

    fn screen(&mut self, session: &str) -> Option<Vec<String>> {
        let params = json!({ "session": session });
        let reply = self.fetch("session.screen", &params).ok()?;
        let lines = reply.list("lines").iter().filter_map(Value::as_str);
        Some(lines.map(str::to_owned).collect())
    }

    fn fetch(&mut self, method: &str, params: &Value) -> Result<Value, Failure> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => {
                let stream = self.place.try_connect()?;
                let stream = stream.ok_or_else(|| self.place.no_daemon())?;
                Connection::limited(stream, LONGEST_CALL)?
            }
        };
        let reply = connection.fetch(method, params);
        // A failed connection may contain half a reply.
        if matches!(reply, Ok(_) | Err(Failure::Refused { .. })) {
            self.connection = Some(connection);
        }
        Ok(reply?.value)
    }
}

fn carry_out(ask: Ask, place: &DaemonAddress) -> Report {
    let told = match ask {
        Ask::Read(session) => match read(&session, place) {
            Ok(text) => return Report::Text { session, text },
            Err(failure) => Err(failure),
        },
        Ask::Signal { session, signal } => {
            let params = json!({"session": session, "signal": signal});
            fetch_within(place, "session.signal", &params, None).map(|_| format!("sent {signal}"))
        }
        Ask::Answer {
            agent,
            question,
            answer,
        } => {
            let params = json!({"agent": agent, "question": question, "answer": answer});
            let answered = fetch_within(place, "agent.answer", &params, None);
            answered.map(|agent| render::text("answered", &agent.value))
        }
        Ask::Close(session) => {
            close(place, &session).map(|reply| format!("closed: {}", render::end(&reply)))
        }
    };
    Report::Told(told.map_err(|failure| failure.to_string()))
}

fn read(session: &str, place: &DaemonAddress) -> Result<String, Failure> {
    let params = json!({"session": session, "lines": READ_LINES, "max_bytes": READ_BYTES});
    let reply = fetch_within(place, "session.read", &params, None)?.value;
    Ok(reply.text("text").to_owned())
}
