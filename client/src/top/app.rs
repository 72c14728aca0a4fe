//! What `top` shows, and what keys do.

use super::feed::{Ask, Report};
use super::pager::Pager;
use crate::args::Sort;
use crate::clock;
use crate::fullscreen::Key;
use crate::render::{command_line, printable};
use ccd_protocol::session::{InputVerdict, Session, SessionState};
use std::cmp::Reverse;
use std::time::{Duration, SystemTime};

/// Signals to choose from; any other one can be typed.
pub(super) const SIGNALS: [&str; 6] = ["INT", "TERM", "HUP", "KILL", "STOP", "CONT"];

/// The longest filter or name of a signal.
const MAX_TYPED: usize = 64;

/// What is to be done about a key, beside showing something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Todo {
    Quit,
    Suspend,
    /// Draw everything again.
    Redraw,
    Attach(String),
    Ask(Ask),
    /// The list is to hold something else.
    Follow {
        all: bool,
        preview: Option<String>,
    },
}

/// What keys mean at the moment.
#[derive(Debug)]
pub(super) enum Mode {
    List,
    Filter,
    /// A signal is chosen, or typed.
    Signal {
        choice: usize,
        typed: String,
    },
    /// Whether to close is asked.
    Close,
    /// A text is read, of a session or about the keys.
    Read {
        pager: Pager,
        session: Option<String>,
    },
}

/// The screen of the selected session.
#[derive(Debug)]
pub(super) struct Preview {
    pub(super) session: String,
    pub(super) lines: Vec<String>,
}

/// All that is shown.
#[derive(Debug)]
pub(super) struct App {
    /// In the order shown; what the filter leaves out is not in it.
    pub(super) shown: Vec<Session>,
    pub(super) mode: Mode,
    pub(super) filter: String,
    pub(super) sort: Sort,
    pub(super) interval: Duration,
    pub(super) preview: Option<Preview>,
    pub(super) message: Option<Result<String, String>>,
    /// Why no daemon answers.
    pub(super) gone: Option<String>,
    /// First row of the list that is shown.
    pub(super) first: usize,
    all: bool,
    listed: Vec<Session>,
    selected: Option<String>,
    rows: usize,
    columns: usize,
}

impl App {
    pub(super) fn new(sort: Sort, all: bool, interval: Duration) -> Self {
        Self {
            shown: Vec::new(),
            mode: Mode::List,
            filter: String::new(),
            sort,
            interval,
            preview: None,
            message: None,
            gone: None,
            first: 0,
            all,
            listed: Vec::new(),
            selected: None,
            rows: 24,
            columns: 80,
        }
    }

    /// Rows and columns from now on.
    pub(super) fn resize(&mut self, (rows, columns): (usize, usize)) {
        (self.rows, self.columns) = (rows, columns);
    }

    pub(super) fn size(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    /// Place of the selected session among those shown.
    pub(super) fn place(&self) -> Option<usize> {
        let selected = self.selected.as_ref()?;
        self.shown
            .iter()
            .position(|session| session.session_id == *selected)
    }

    pub(super) fn selected(&self) -> Option<&Session> {
        self.place().map(|place| &self.shown[place])
    }

    /// Sessions that live, and those of them that wait for input.
    pub(super) fn counts(&self) -> (usize, usize) {
        let live = self.listed.iter().filter(|session| is_live(session));
        let waiting = live.clone().filter(|session| waits(session)).count();
        (live.count(), waiting)
    }

    /// Takes what another thread has to say.
    pub(super) fn report(&mut self, report: Report) {
        match report {
            Report::Sessions(sessions) => {
                self.gone = None;
                self.listed(sessions);
            }
            Report::Gone(why) => self.gone = Some(why),
            Report::Back => {
                self.gone = None;
                self.message = Some(Ok(
                    "the daemon was restarted: another process answers now".to_owned()
                ));
            }
            Report::Screen { session, lines } => {
                if let Some(preview) = &mut self.preview {
                    *preview = Preview { session, lines };
                }
            }
            Report::Text { session, text } => {
                let title = self.label_of(&session);
                let pager = Pager::new(title, &text, true);
                let session = Some(session);
                self.mode = Mode::Read { pager, session };
            }
            Report::Told(told) => self.told(told),
        }
    }

    /// Shows how something went, until the next key.
    pub(super) fn told(&mut self, told: Result<String, String>) {
        self.message = Some(told);
    }

    /// Takes a new list; the selection stays on its session, or else on its row.
    pub(super) fn listed(&mut self, sessions: Vec<Session>) {
        self.listed = sessions;
        self.arrange();
    }

    /// Acts on a key.
    pub(super) fn key(&mut self, key: Key) -> Option<Todo> {
        let had_message = self.message.take().is_some();
        match (&self.mode, key) {
            (_, Key::Control('z')) => return Some(Todo::Suspend),
            (_, Key::Control('l')) => return Some(Todo::Redraw),
            (Mode::List, Key::Control('c' | 'd')) => return Some(Todo::Quit),
            (Mode::List, Key::Escape) if self.filter.is_empty() && !had_message => {
                return Some(Todo::Quit);
            }
            (_, Key::Control('c' | 'd')) => {
                self.mode = Mode::List;
                return None;
            }
            _ => {}
        }
        match &self.mode {
            Mode::List => self.list_key(key),
            Mode::Filter => self.filter_key(key),
            Mode::Signal { .. } => self.signal_key(key),
            Mode::Close => self.close_key(key),
            Mode::Read { .. } => self.read_key(key),
        }
    }

    fn list_key(&mut self, key: Key) -> Option<Todo> {
        let page = self.rows.saturating_sub(4).max(1);
        let place = self.place().unwrap_or(0);
        match key {
            Key::Up | Key::Char('k') => return self.select(place.saturating_sub(1)),
            Key::Down | Key::Char('j') => return self.select(place + 1),
            Key::PageUp => return self.select(place.saturating_sub(page)),
            Key::PageDown => return self.select(place + page),
            Key::Home | Key::Char('g') => return self.select(0),
            Key::End | Key::Char('G') => return self.select(usize::MAX),
            Key::Char('q') => return Some(Todo::Quit),
            Key::Escape => {
                self.filter.clear();
                self.arrange();
            }
            Key::Char('/') => self.mode = Mode::Filter,
            Key::Char('o') => {
                self.sort = self.sort.next();
                self.arrange();
            }
            Key::Char('e') => {
                self.all = !self.all;
                self.arrange();
                return Some(self.follow());
            }
            Key::Char('p') => {
                self.preview = match self.preview.take() {
                    Some(_) => None,
                    None => Some(Preview {
                        session: String::new(),
                        lines: Vec::new(),
                    }),
                };
                return Some(self.follow());
            }
            Key::Char('?' | 'h') => {
                let pager = Pager::new("keys".to_owned(), super::view::HELP, false);
                self.mode = Mode::Read {
                    pager,
                    session: None,
                };
            }
            key => return self.session_key(key),
        }
        None
    }

    /// Keys that do something with the selected session.
    fn session_key(&mut self, key: Key) -> Option<Todo> {
        let (Key::Char('a' | 'c' | 'r' | 's') | Key::Enter) = key else {
            return None;
        };
        let Some(session) = self.selected() else {
            self.told(Err("there is no session to choose".to_owned()));
            return None;
        };
        let (id, has_ended) = (session.session_id.clone(), !is_live(session));
        match key {
            Key::Char('r') => return Some(Todo::Ask(Ask::Read(id))),
            _ if has_ended => self.told(Err("it has ended; r reads its output".to_owned())),
            Key::Char('s') => {
                self.mode = Mode::Signal {
                    choice: 0,
                    typed: String::new(),
                };
            }
            Key::Char('c') => self.mode = Mode::Close,
            _ => return Some(Todo::Attach(id)),
        }
        None
    }

    fn filter_key(&mut self, key: Key) -> Option<Todo> {
        match key {
            Key::Enter | Key::Down | Key::Up => self.mode = Mode::List,
            Key::Escape => {
                self.filter.clear();
                self.mode = Mode::List;
            }
            key => typed(&mut self.filter, key),
        }
        self.arrange();
        None
    }

    fn signal_key(&mut self, key: Key) -> Option<Todo> {
        let Mode::Signal {
            choice,
            typed: name,
        } = &mut self.mode
        else {
            return None;
        };
        match key {
            Key::Escape => self.mode = Mode::List,
            Key::Left | Key::Up => *choice = choice.checked_sub(1).unwrap_or(SIGNALS.len() - 1),
            Key::Right | Key::Down | Key::Tab => *choice = (*choice + 1) % SIGNALS.len(),
            Key::Enter => {
                let signal = match name.is_empty() {
                    true => SIGNALS[*choice].to_owned(),
                    false => name.to_uppercase(),
                };
                self.mode = Mode::List;
                let session = self.selected()?.session_id.clone();
                return Some(Todo::Ask(Ask::Signal { session, signal }));
            }
            key => typed(name, key),
        }
        None
    }

    fn close_key(&mut self, key: Key) -> Option<Todo> {
        self.mode = Mode::List;
        match key {
            Key::Char('y' | 'Y') => {
                let id = self.selected()?.session_id.clone();
                self.told(Ok(format!("closing {}", self.label_of(&id))));
                Some(Todo::Ask(Ask::Close(id)))
            }
            _ => None,
        }
    }

    fn read_key(&mut self, key: Key) -> Option<Todo> {
        let rows = self.rows.saturating_sub(2).max(1);
        let Mode::Read { pager, session } = &mut self.mode else {
            return None;
        };
        match (key, session) {
            (Key::Char('r'), Some(session)) => Some(Todo::Ask(Ask::Read(session.clone()))),
            (Key::Char('q') | Key::Escape | Key::Left, _) => {
                self.mode = Mode::List;
                None
            }
            (key, _) => {
                pager.key(key, rows);
                None
            }
        }
    }

    /// Selects a row, the last one where there are fewer.
    fn select(&mut self, place: usize) -> Option<Todo> {
        let place = place.min(self.shown.len().checked_sub(1)?);
        let id = Some(self.shown[place].session_id.clone());
        if id == self.selected {
            return None;
        }
        self.selected = id;
        self.preview.is_some().then(|| self.follow())
    }

    fn follow(&self) -> Todo {
        let session = self.selected().map(|session| session.session_id.clone());
        Todo::Follow {
            all: self.all,
            preview: self.preview.as_ref().and(session),
        }
    }

    /// Filters and sorts what was listed.
    fn arrange(&mut self) {
        let place = self.place().unwrap_or(0);
        let filter = self.filter.to_lowercase();
        let mut shown = self.listed.clone();
        shown.retain(|session| (self.all || is_live(session)) && is_meant(session, &filter));
        sort(&mut shown, self.sort);
        self.shown = shown;
        if self.place().is_none() {
            let place = place.min(self.shown.len().saturating_sub(1));
            self.selected = self
                .shown
                .get(place)
                .map(|session| session.session_id.clone());
        }
    }

    /// The name of a session that is listed, or its id.
    pub(super) fn label_of(&self, id: &str) -> String {
        let session = self.listed.iter().find(|session| session.session_id == id);
        session.map_or(id, label).to_owned()
    }
}

/// The name of a session, or its id.
pub(super) fn label(session: &Session) -> &str {
    session.name.as_deref().unwrap_or(&session.session_id)
}

/// Puts live sessions before ended ones, and among them first what `sort` says.
pub(super) fn sort(sessions: &mut [Session], sort: Sort) {
    let now = SystemTime::now();
    let idle = |session: &Session| {
        let at = clock::parse(&session.last_activity);
        at.and_then(|at| now.duration_since(at).ok())
            .unwrap_or_default()
    };
    match sort {
        Sort::Started => {}
        Sort::Waits => sessions.sort_by_key(|session| !waits(session)),
        Sort::Idle => sessions.sort_by_key(idle),
        Sort::Output => sessions.sort_by_key(|session| Reverse(session.output.output_bytes)),
        Sort::Name => sessions.sort_by(|a, b| label(a).cmp(label(b))),
    }
    sessions.sort_by_key(|session| !is_live(session));
}

fn is_live(session: &Session) -> bool {
    session.state != SessionState::Dead
}

fn waits(session: &Session) -> bool {
    let waiting = session.waiting_for_input.as_ref();
    waiting.is_some_and(|waiting| {
        matches!(
            waiting.verdict,
            InputVerdict::Blocked | InputVerdict::Accepts
        )
    })
}

fn is_meant(session: &Session, filter: &str) -> bool {
    let texts = [&session.session_id, label(session), &command_line(session)];
    filter.is_empty()
        || texts
            .iter()
            .any(|text| text.to_lowercase().contains(filter))
}

fn typed(text: &mut String, key: Key) {
    match key {
        Key::Char(c) if text.chars().count() < MAX_TYPED => {
            text.push_str(&printable(&c.to_string()))
        }
        Key::Backspace => drop(text.pop()),
        Key::Control('u') => text.clear(),
        _ => {}
    }
}

#[cfg(test)]
#[path = "app_tests.rs"]
pub(super) mod tests;
