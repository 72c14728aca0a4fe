//! Viewers: people who have attached their terminals to a session.

use super::typed_line::{TakenInput, TypedLine};
use crate::interaction::TypedText;
use crate::live::error::SessionError;
use crate::live::registry::Sessions;
use crate::live::session::Session;
use crate::live::start::checked_size;
use crate::peer::Peer;
use ccd_protocol::SessionId;
use ccd_protocol::session::{Attachment, SessionAttachParams, SessionPanParams};
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

const MAX_VIEWERS: usize = 64;

pub type Size = (u16, u16);

#[derive(Debug, Default)]
pub struct Viewers {
    list: Mutex<Vec<Viewer>>,
    /// Notified when the size of the session or of a viewer changes.
    resized: watch::Sender<()>,
}

#[derive(Debug)]
struct Viewer {
    peer: Peer,
    read_only: bool,
    since: String,
    size: Size,
    /// First row and column of the screen that the terminal shows.
    corner: Size,
    /// The viewer has chosen the corner; otherwise it follows the cursor.
    is_panned: bool,
    /// The session in whose terminal the viewer runs.
    inside: Option<SessionId>,
    line: TypedLine,
    last_typed: Option<Instant>,
}

/// A viewer of a session, until it is dropped.
pub struct Attached {
    pub session: Arc<Session>,
    connection: u64,
    pub resized: watch::Receiver<()>,
}

impl Viewers {
    /// Returns true if a person may be using the session.
    pub fn any(&self) -> bool {
        !self.list.lock().is_empty()
    }

    pub fn has(&self, peer: &Peer) -> bool {
        self.with_viewer(peer.connection, |_| ()).is_some()
    }

    pub fn records(&self) -> Vec<Attachment> {
        let list = self.list.lock();
        let record = |viewer: &Viewer| Attachment {
            client: viewer.peer.name().to_string(),
            pid: viewer.peer.pid,
            read_only: viewer.read_only,
            since: viewer.since.clone(),
        };
        list.iter().map(record).collect()
    }

    /// Announces that the size of the session or of a viewer has changed.
    pub(crate) fn announce_size(&self) {
        self.resized.send_replace(());
    }

    /// Uses the viewer of a connection; `None` if the connection is not attached.
    fn with_viewer<T>(&self, connection: u64, work: impl FnOnce(&mut Viewer) -> T) -> Option<T> {
        let mut list = self.list.lock();
        let mut viewers = list.iter_mut();
        viewers
            .find(|viewer| viewer.peer.connection == connection)
            .map(work)
    }

    /// Adds input of a viewer; returns the completed lines, or `None` if the peer is not a viewer.
    pub fn typed(
        &self,
        peer: &Peer,
        bytes: &[u8],
        taken: impl FnOnce() -> TakenInput,
    ) -> Option<Vec<TypedText>> {
        self.with_viewer(peer.connection, |viewer| {
            viewer.last_typed = Some(Instant::now());
            viewer.line.add(bytes, taken())
        })
    }

    /// Returns whether somebody has typed into one of the terminals within this time.
    pub fn has_typed_within(&self, time: Duration) -> bool {
        let list = self.list.lock();
        let mut typed = list.iter().filter_map(|viewer| viewer.last_typed);
        typed.any(|at| at.elapsed() < time)
    }

    fn add(&self, session: &Session, viewer: Viewer) -> Result<(), SessionError> {
        let mut list = self.list.lock();
        let connection = viewer.peer.connection;
        if list.iter().any(|other| other.peer.connection == connection) {
            return Err(SessionError::InvalidArgument(format!(
                "this connection is already attached to the session {}",
                session.id()
            )));
        }
        if list.len() >= MAX_VIEWERS {
            return Err(SessionError::TooManyViewers { max: MAX_VIEWERS });
        }
        list.push(viewer);
        Ok(())
    }
}

impl Session {
    /// Called before a client types: the session takes the size of that viewer's terminal.
    pub(crate) fn follow_viewer(self: &Arc<Self>, peer: &Peer) -> Result<(), SessionError> {
        let viewer = |viewer: &mut Viewer| (viewer.read_only, viewer.size);
        match self.viewers.with_viewer(peer.connection, viewer) {
            None => Ok(()),
            Some((true, _)) => Err(SessionError::ReadOnly(self.id().clone())),
            Some((false, size)) => {
                self.fit(size);
                Ok(())
            }
        }
    }

    /// Sets a new size of a viewer's terminal; true if nothing else is to be done, because the viewer is read-only.
    pub(crate) fn resize_viewer(&self, peer: &Peer, size: Size) -> bool {
        let resized = self.viewers.with_viewer(peer.connection, |viewer| {
            viewer.size = size;
            viewer.is_panned = false;
            viewer.read_only
        });
        if resized.is_some() {
            self.viewers.announce_size();
        }
        resized.unwrap_or(false)
    }

    pub fn pan(&self, peer: &Peer, params: &SessionPanParams) -> Result<(), SessionError> {
        let (rows, cols) = self.size();
        let panned = self.viewers.with_viewer(peer.connection, |viewer| {
            viewer.corner = (
                moved(viewer.corner.0, params.rows, rows, viewer.size.0),
                moved(viewer.corner.1, params.cols, cols, viewer.size.1),
            );
            viewer.is_panned = true;
        });
        if panned.is_none() {
            return Err(SessionError::InvalidArgument(format!(
                "this connection is not attached to the session {}",
                self.id()
            )));
        }
        self.viewers.announce_size();
        Ok(())
    }

    /// Adds input to the interaction log; if it is hidden, its text is kept out of all rows.
    pub(crate) fn note_typed(self: &Arc<Self>, peer: &Peer, typed: TypedText) {
        if typed.hidden {
            self.remember_hidden(&typed.text);
        }
        self.note_send(peer, typed);
    }

    /// Sets a session's size to that of a viewer's terminal. A session that has just ended keeps its own size.
    fn fit(self: &Arc<Self>, size: Size) {
        if self.size() != size && self.set_size(size).is_ok() {
            self.keep_size();
        }
    }
}

impl Sessions {
    /// Makes the connection of `peer` a viewer, until the result is dropped.
    /// The session takes the size of the viewer's terminal unless the viewer is read-only.
    /// An error also if it has [`MAX_VIEWERS`] viewers, the connection is one of them, or the viewer would see itself.
    pub async fn attach(
        self: &Arc<Self>,
        peer: &Peer,
        params: &SessionAttachParams,
    ) -> Result<Attached, SessionError> {
        let settings = self.services.settings();
        let size = checked_size(Some(params.rows), Some(params.cols), &settings)?;
        let session = self.find(&params.session).await?;
        if !params.ended {
            session.require_alive()?;
        }
        let inside = self.surroundings(peer, params);
        if let Some(inside) = &inside
            && self.shows(inside, &session)
        {
            return Err(SessionError::InsideItself(session.id().clone()));
        }
        let viewer = Viewer {
            peer: peer.clone(),
            read_only: params.read_only,
            since: ccd_base::clock::now(),
            size,
            corner: (0, 0),
            is_panned: false,
            inside: inside.map(|inside| inside.id().clone()),
            last_typed: None,
            line: TypedLine::default(),
        };
        session.viewers.add(&session, viewer)?;
        if !params.read_only {
            session.fit(size);
        }
        session.touch();
        Ok(Attached {
            connection: peer.connection,
            resized: session.viewers.resized.subscribe(),
            session,
        })
    }

    /// Returns the session in whose terminal a client runs.
    fn surroundings(&self, peer: &Peer, params: &SessionAttachParams) -> Option<Arc<Session>> {
        let told = params.inside.as_deref();
        if let Some(session) = told.and_then(|inside| self.find_listed(inside).ok()) {
            return Some(session);
        }
        let device = peer.pid.and_then(controlling_terminal)?;
        let mut sessions = self.list();
        sessions.retain(|session| session.is_alive() && session.facts.tty_device == device);
        sessions.pop()
    }

    /// Returns true if output of `target` would reach `target` itself when shown in `inside`.
    fn shows(&self, inside: &Session, target: &Session) -> bool {
        let mut seen = Vec::new();
        let mut reached = vec![inside.id().clone()];
        while let Some(id) = reached.pop() {
            if id == *target.id() {
                return true;
            }
            if seen.contains(&id) {
                continue;
            }
            if let Some(session) = self.all.get(&id) {
                let list = session.viewers.list.lock();
                reached.extend(list.iter().filter_map(|viewer| viewer.inside.clone()));
            }
            seen.push(id);
        }
        false
    }
}

impl Attached {
    pub fn size(&self) -> Size {
        let viewers = &self.session.viewers;
        let size = viewers.with_viewer(self.connection, |viewer| viewer.size);
        size.unwrap_or((1, 1))
    }

    /// Returns the first row and column that the viewer has chosen to see.
    pub fn panned_to(&self) -> Option<Size> {
        let viewers = &self.session.viewers;
        let panned = |viewer: &mut Viewer| viewer.is_panned.then_some(viewer.corner);
        viewers.with_viewer(self.connection, panned).flatten()
    }

    /// Notes the first row and column that the viewer sees now.
    pub fn sees_from(&self, corner: Size) {
        self.session.viewers.with_viewer(self.connection, |viewer| {
            if !viewer.is_panned {
                viewer.corner = corner;
            }
        });
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        let session = &self.session;
        let mut list = session.viewers.list.lock();
        let at = list
            .iter()
            .position(|viewer| viewer.peer.connection == self.connection);
        let viewer = at.map(|at| list.swap_remove(at));
        drop(list);
        if let Some(mut viewer) = viewer
            && let Some(typed) = viewer.line.take()
        {
            session.note_typed(&viewer.peer, typed);
        }
        // The idle timeout starts now.
        session.touch();
        session.ending.notify_one();
    }
}

/// Returns the first row or column after a move, so that a terminal of `shown` is filled as far as there are `all`.
fn moved(first: u16, by: i64, all: u16, shown: u16) -> u16 {
    let last = i64::from(all.saturating_sub(shown));
    let moved = i64::from(first).saturating_add(by).clamp(0, last);
    u16::try_from(moved).unwrap_or_default()
}

/// Returns the device number of a process's controlling terminal.
#[cfg(target_os = "linux")]
fn controlling_terminal(pid: i32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name may contain any character, so count from its end: state, parent, group, session, terminal.
    let number = stat.rsplit(')').next()?.split_whitespace().nth(4)?;
    // The kernel prints the number's 32 bits as a signed integer.
    let number = number.parse::<i32>().ok()? as u32;
    (number != 0).then_some(u64::from(number))
}

#[cfg(not(target_os = "linux"))]
fn controlling_terminal(_pid: i32) -> Option<u64> {
    None
}
