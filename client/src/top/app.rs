//! The state of `top`, and the effect of keys.

use super::agents::{AgentsAction, AgentsPage};
use super::feed::{Ask, Report, Wanted};
use super::pager::Pager;
use crate::fields::Fields as _;
use crate::fullscreen::{Key, moved};
use crate::render::command_line;
use ccd_base::clock;
use serde_json::Value;
use std::cmp::Reverse;
use std::time::{Duration, SystemTime};

/// Signals to choose from; others can be typed.
pub(super) const SIGNALS: [&str; 6] = ["INT", "TERM", "HUP", "KILL", "STOP", "CONT"];

const MAX_TYPED: usize = 64;

const HELP: &str = "\
up, down, k, j     select a session
PgUp, PgDn, g, G   move by pages, to the first, to the last
a, Enter           attach this terminal to the session
r                  show its last 1000 lines of output
p                  preview its screen below the list
t                  coding agents: look, answer with 1-9, attach
s                  send a signal to its program
c                  close it
/                  show only sessions with this text; Esc shows all
o                  change the sort order
e                  include ended sessions
Ctrl-L             redraw the screen
Ctrl-Z             suspend, and return to the shell
q, Esc, Ctrl-C     quit

WAITS says whether the program waits for input: yes,
hidden (echo is off, as for a password), no, ? (unknown).
IDLE is the time since the last input or output.
ATTACHED lists attached clients, read-only ones in brackets.
BY is the client that started the session, if not ccctl.";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TopAction {
    Quit,
    Suspend,
    Redraw,
    Attach(String),
    Ask(Ask),
    Follow(Wanted),
}

#[derive(Debug)]
pub(super) enum Mode {
    List,
    Filter,
    Signal {
        choice: usize,
        typed: String,
    },
    /// The user is asked whether to close the session.
    Close,
    /// A text is shown: output of a session, or help.
    Read {
        pager: Pager,
        session: Option<String>,
    },
}

#[derive(Debug, Default)]
pub(super) struct Preview {
    pub(super) session: String,
    pub(super) lines: Vec<String>,
}

#[derive(Debug)]
pub(super) struct App {
    /// The sessions in the order shown, without those that the filter excludes.
    pub(super) shown: Vec<Value>,
    pub(super) mode: Mode,
    pub(super) filter: String,
    pub(super) sort: &'static str,
    pub(super) interval: Duration,
    pub(super) preview: Option<Preview>,
    /// The page of agents, if that is shown.
    pub(super) agents: Option<AgentsPage>,
    pub(super) message: Option<Result<String, String>>,
    pub(super) gone: Option<String>,
    /// The first row of the list that is shown.
    pub(super) first: usize,
    all: bool,
    listed: Vec<Value>,
    selected: Option<String>,
    pub(super) size: (usize, usize),
}

impl App {
    pub(super) fn new(sort: &'static str, all: bool, interval: Duration) -> Self {
        Self {
            shown: Vec::new(),
            mode: Mode::List,
            filter: String::new(),
            sort,
            interval,
            preview: None,
            agents: None,
            message: None,
            gone: None,
            first: 0,
            all,
            listed: Vec::new(),
            selected: None,
            size: (24, 80),
        }
    }

    pub(super) fn place(&self) -> Option<usize> {
        let selected = self.selected.as_ref()?;
        self.shown
            .iter()
            .position(|session| id(session) == *selected)
    }

    pub(super) fn selected(&self) -> Option<&Value> {
        self.place().map(|place| &self.shown[place])
    }

    /// The numbers of live sessions, and of those that wait for input.
    pub(super) fn counts(&self) -> (usize, usize) {
        let live = self.listed.iter().filter(|session| is_live(session));
        let waiting = live.clone().filter(|session| waits(session)).count();
        (live.count(), waiting)
    }

    pub(super) fn report(&mut self, report: Report) {
        match report {
            Report::Sessions(sessions) => {
                self.gone = None;
                self.listed(sessions);
            }
            Report::Agents(agents) => {
                self.gone = None;
                if let Some(page) = &mut self.agents {
                    page.listed(agents);
                }
            }
            Report::Agent(agent) => {
                if let Some(page) = &mut self.agents {
                    page.looked_at(agent);
                }
            }
            Report::Gone(why) => self.gone = Some(why),
            Report::Back => {
                self.gone = None;
                self.message = Some(Ok("the daemon was restarted".to_owned()));
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
            Report::Told(told) => self.inform(told),
        }
    }

    /// Shows a result or an error until the next key.
    pub(super) fn inform(&mut self, message: Result<String, String>) {
        self.message = Some(message);
    }

    /// Takes a new list; the selection stays on its session or, if that is missing, on its row.
    pub(super) fn listed(&mut self, sessions: Vec<Value>) {
        self.listed = sessions;
        self.arrange();
    }

    pub(super) fn key(&mut self, key: Key) -> Option<TopAction> {
        let had_message = self.message.take().is_some();
        match (&self.mode, key) {
            (_, Key::Control('z')) => return Some(TopAction::Suspend),
            (_, Key::Control('l')) => return Some(TopAction::Redraw),
            (Mode::List, Key::Control('c' | 'd')) => return Some(TopAction::Quit),
            (Mode::List, Key::Escape)
                if self.filter.is_empty() && !had_message && self.agents.is_none() =>
            {
                return Some(TopAction::Quit);
            }
            (_, Key::Control('c' | 'd')) => {
                self.mode = Mode::List;
                return None;
            }
            _ => {}
        }
        match &self.mode {
            Mode::List if self.agents.is_some() => self.agents_key(key),
            Mode::List => self.list_key(key),
            Mode::Filter => self.filter_key(key),
            Mode::Signal { .. } => self.signal_key(key),
            Mode::Close => self.close_key(key),
            Mode::Read { .. } => self.read_key(key),
        }
    }

    fn agents_key(&mut self, key: Key) -> Option<TopAction> {
        let page = self.agents.as_mut()?;
        let before = page.selected().map(str::to_owned);
        let action = match key {
            Key::Char('q') => return Some(TopAction::Quit),
            Key::Char('t') | Key::Escape => {
                self.agents = None;
                return Some(self.follow());
            }
            key => page.key(key, self.size.0),
        };
        match action {
            Some(Ok(AgentsAction::Attach(session))) => return Some(TopAction::Attach(session)),
            Some(Ok(AgentsAction::Ask(ask))) => return Some(TopAction::Ask(ask)),
            Some(Err(why)) => self.inform(Err(why)),
            None => {}
        }
        let page = self.agents.as_ref()?;
        (page.selected() != before.as_deref()).then(|| self.follow())
    }

    fn list_key(&mut self, key: Key) -> Option<TopAction> {
        let page = self.size.0.saturating_sub(4).max(1);
        let place = self.place().unwrap_or(0);
        if let Some(place) = moved(key.as_in_less(), place, self.shown.len(), page) {
            return self.select(place);
        }
        match key {
            Key::Char('q') => return Some(TopAction::Quit),
            Key::Escape => {
                self.filter.clear();
                self.arrange();
            }
            Key::Char('/') => self.mode = Mode::Filter,
            Key::Char('o') => {
                let at = SORTS
                    .iter()
                    .position(|sort| *sort == self.sort)
                    .unwrap_or(0);
                self.sort = SORTS[(at + 1) % SORTS.len()];
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
                    None => Some(Preview::default()),
                };
                return Some(self.follow());
            }
            Key::Char('t') => {
                self.agents = Some(AgentsPage::default());
                return Some(self.follow());
            }
            Key::Char('?' | 'h') => {
                let pager = Pager::new("keys".to_owned(), HELP, false);
                self.mode = Mode::Read {
                    pager,
                    session: None,
                };
            }
            key => return self.session_key(key),
        }
        None
    }

    fn session_key(&mut self, key: Key) -> Option<TopAction> {
        let (Key::Char('a' | 'c' | 'r' | 's') | Key::Enter) = key else {
            return None;
        };
        let Some(session) = self.selected() else {
            self.inform(Err("there is no session".to_owned()));
            return None;
        };
        let (id, has_ended) = (id(session).to_owned(), !is_live(session));
        match key {
            Key::Char('r') => return Some(TopAction::Ask(Ask::Read(id))),
            _ if has_ended => {
                self.inform(Err("the session has ended; r shows its output".to_owned()))
            }
            Key::Char('s') => {
                self.mode = Mode::Signal {
                    choice: 0,
                    typed: String::new(),
                };
            }
            Key::Char('c') => self.mode = Mode::Close,
            _ => return Some(TopAction::Attach(id)),
        }
        None
    }

    fn filter_key(&mut self, key: Key) -> Option<TopAction> {
        match key {
            Key::Enter | Key::Down | Key::Up => self.mode = Mode::List,
            Key::Escape => {
                self.filter.clear();
                self.mode = Mode::List;
            }
            key => drop(key.type_into(&mut self.filter, MAX_TYPED)),
        }
        self.arrange();
        None
    }

    fn signal_key(&mut self, key: Key) -> Option<TopAction> {
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
                let signal = if name.is_empty() {
                    SIGNALS[*choice].to_owned()
                } else {
                    name.to_uppercase()
                };
                self.mode = Mode::List;
                let session = id(self.selected()?).to_owned();
                return Some(TopAction::Ask(Ask::Signal { session, signal }));
            }
            key => drop(key.type_into(name, MAX_TYPED)),
        }
        None
    }

    fn close_key(&mut self, key: Key) -> Option<TopAction> {
        self.mode = Mode::List;
        match key {
            Key::Char('y' | 'Y') => {
                let id = id(self.selected()?).to_owned();
                self.inform(Ok(format!("closing {}", self.label_of(&id))));
                Some(TopAction::Ask(Ask::Close(id)))
            }
            _ => None,
        }
    }

    fn read_key(&mut self, key: Key) -> Option<TopAction> {
        let rows = self.size.0.saturating_sub(2).max(1);
        let Mode::Read { pager, session } = &mut self.mode else {
            return None;
        };
        match (key, session) {
            (Key::Char('r'), Some(session)) => Some(TopAction::Ask(Ask::Read(session.clone()))),
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

    fn select(&mut self, place: usize) -> Option<TopAction> {
        let id = Some(id(self.shown.get(place)?).to_owned());
        if id == self.selected {
            return None;
        }
        self.selected = id;
        self.preview.is_some().then(|| self.follow())
    }

    fn follow(&self) -> TopAction {
        let session = self.selected().map(|session| id(session).to_owned());
        let preview = match &self.agents {
            Some(page) => page.selected().map(str::to_owned),
            None => self.preview.as_ref().and(session),
        };
        TopAction::Follow(Wanted {
            agents: self.agents.is_some(),
            all: self.all,
            preview,
        })
    }

    fn arrange(&mut self) {
        let place = self.place().unwrap_or(0);
        let filter = self.filter.to_lowercase();
        let mut shown = self.listed.clone();
        shown.retain(|session| (self.all || is_live(session)) && is_meant(session, &filter));
        sort(&mut shown, self.sort);
        self.shown = shown;
        if self.place().is_none() {
            let place = place.min(self.shown.len().saturating_sub(1));
            self.selected = self.shown.get(place).map(|session| id(session).to_owned());
        }
    }

    /// The name of a session that is listed, or its id.
    pub(super) fn label_of(&self, id: &str) -> String {
        let session = self.listed.iter().find(|session| self::id(session) == id);
        session.map_or(id, label).to_owned()
    }
}

/// The name of a session, or its id.
pub(super) fn label(session: &Value) -> &str {
    session["name"].as_str().unwrap_or_else(|| id(session))
}

fn id(session: &Value) -> &str {
    session.text("session_id")
}

/// The orders of the list, which `commands.txt` explains.
const SORTS: [&str; 5] = ["started", "waits", "idle", "output", "name"];

/// The order of this name.
pub(super) fn named(sort: &str) -> &'static str {
    SORTS
        .into_iter()
        .find(|one| *one == sort)
        .unwrap_or_default()
}

/// Puts live sessions before ended ones, each in the order of `sort`.
pub(super) fn sort(sessions: &mut [Value], sort: &str) {
    let now = SystemTime::now();
    let idle = |session: &Value| {
        let at = clock::parse(session.text("last_activity"));
        at.and_then(|at| now.duration_since(at).ok())
            .unwrap_or_default()
    };
    match sort {
        "waits" => sessions.sort_by_key(|session| !waits(session)),
        "idle" => sessions.sort_by_key(idle),
        "output" => sessions.sort_by_key(|session| Reverse(session.number("output.output_bytes"))),
        "name" => sessions.sort_by(|a, b| label(a).cmp(label(b))),
        _ => {}
    }
    sessions.sort_by_key(|session| !is_live(session));
}

fn is_live(session: &Value) -> bool {
    session.text("state") != "dead"
}

fn waits(session: &Value) -> bool {
    ["blocked", "accepts"].contains(&session.text("waiting_for_input.verdict"))
}

fn is_meant(session: &Value, filter: &str) -> bool {
    let texts = [id(session), label(session), &command_line(session)];
    filter.is_empty()
        || texts
            .iter()
            .any(|text| text.to_lowercase().contains(filter))
}

#[cfg(test)]
#[path = "app_tests.rs"]
pub(super) mod tests;
