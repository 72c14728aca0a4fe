//! Signals, size, end.

use super::task::CLOSE_GRACE;
use crate::durations::millis;
use crate::peer::Peer;
use crate::session::attach::Size;
use crate::session::error::SessionError;
use crate::session::live::{CloseOrder, Session};
use crate::session::registry::Sessions;
use crate::session::start::size;
use ccd_protocol::session::{
    EndReason, SessionCleanupParams, SessionCleanupReply, SessionCloseParams, SessionCloseReply,
    SessionResizeParams, SessionSignalParams,
};
use rustix::process::{Pid, Signal, kill_process_group};
use rustix::termios::{Winsize, tcgetpgrp, tcsetwinsize};
use std::sync::Arc;
use std::time::Duration;

/// Names of signals, without SIG.
const SIGNALS: &[(&str, Signal)] = &[
    ("HUP", Signal::HUP),
    ("INT", Signal::INT),
    ("QUIT", Signal::QUIT),
    ("KILL", Signal::KILL),
    ("USR1", Signal::USR1),
    ("USR2", Signal::USR2),
    ("PIPE", Signal::PIPE),
    ("ALRM", Signal::ALARM),
    ("TERM", Signal::TERM),
    ("CHLD", Signal::CHILD),
    ("CONT", Signal::CONT),
    ("STOP", Signal::STOP),
    ("TSTP", Signal::TSTP),
    ("TTIN", Signal::TTIN),
    ("TTOU", Signal::TTOU),
    ("WINCH", Signal::WINCH),
    ("ABRT", Signal::ABORT),
    ("SEGV", Signal::SEGV),
];

impl Sessions {
    /// Sends a signal to the foreground process group of the terminal.
    ///
    /// # Errors
    ///
    /// The signal is unknown, or the session has ended.
    pub(crate) fn signal(&self, params: &SessionSignalParams) -> Result<(), SessionError> {
        let session = self.find(&params.session)?;
        let signal = signal_named(&params.signal)?;
        session.require_alive()?;
        let session = session.acting();
        let foreground = session
            .input
            .master()
            .and_then(|master| tcgetpgrp(&*master).ok());
        let group = foreground.or_else(|| Pid::from_raw(session.facts.pid));
        match group.map(|group| kill_process_group(group, signal)) {
            Some(Ok(())) => Ok(()),
            Some(Err(error)) => Err(SessionError::Terminal(error.into())),
            None => session.require_alive(),
        }
    }

    /// Gives the terminal another size; the program gets SIGWINCH. Of a viewer that only looks, just the viewer's.
    ///
    /// # Errors
    ///
    /// The size is outside the limits, or the session has ended.
    pub(crate) fn resize(
        &self,
        peer: &Peer,
        params: &SessionResizeParams,
    ) -> Result<(), SessionError> {
        let limits = self.config().limits.clone();
        let rows = size("rows", Some(params.rows), 0, limits.rows)?;
        let cols = size("cols", Some(params.cols), 0, limits.cols)?;
        let session = self.find(&params.session)?;
        session.require_alive()?;
        if self.resize_viewer(&session, peer, (rows, cols)) {
            return Ok(());
        }
        set_size(&session, (rows, cols))?;
        self.keep_size(&session);
        Ok(())
    }

    /// Keeps a new size for the next process, and for who looks at the screen after the session's end.
    pub(crate) fn keep_size(&self, session: &Session) {
        self.keep(session);
        if session.facts.transient || !session.screen.must_write_sizes() {
            return;
        }
        let session = self.all.get(session.id()).map(|listed| Arc::clone(&listed));
        if let Some(session) = session {
            self.tracker.spawn(async move {
                session.screen.write_sizes(session.output.dir()).await;
            });
        }
    }

    /// Ends a session; an ended one answers with its status.
    ///
    /// # Errors
    ///
    /// The session is unknown, or the grace period is negative.
    pub(crate) async fn close(
        &self,
        params: &SessionCloseParams,
    ) -> Result<SessionCloseReply, SessionError> {
        let session = self.find(&params.session)?;
        let mut warnings = Vec::new();
        let grace = match params.grace_ms {
            Some(grace) => millis(grace, "grace_ms", &mut warnings)?,
            None => CLOSE_GRACE,
        };
        let mut killed = Vec::new();
        if session.is_dead() {
            killed = self.kill_leftovers(std::slice::from_ref(&session)).await;
        } else {
            order(&session, EndReason::Closed, grace);
            self.keep(&session);
            session.wait_dead().await;
        }
        let state = session.state().clone();
        killed.extend(state.killed);
        Ok(SessionCloseReply {
            exitstatus: state.exit.and_then(|exit| exit.code),
            signal: state.exit.and_then(|exit| exit.signal),
            forced: !killed.is_empty(),
            killed,
            warnings,
        })
    }

    /// Collects ended sessions, after closing live ones as asked.
    ///
    /// # Errors
    ///
    /// The age is negative, or the database refuses.
    pub(crate) async fn cleanup(
        &self,
        params: &SessionCleanupParams,
    ) -> Result<SessionCleanupReply, SessionError> {
        let mut warnings = Vec::new();
        let age = params
            .max_age_s
            .map(|age| crate::durations::seconds(age, "max_age_s", &mut warnings))
            .transpose()?;
        let too_old = |session: &Session| {
            let is_used = session.facts.persist || session.viewers.any();
            age.is_some_and(|age| !is_used && session.idle() >= age)
        };
        let mut closing = Vec::new();
        for session in self.list() {
            if !session.is_dead() && (params.force || too_old(&session)) {
                order(&session, EndReason::Closed, CLOSE_GRACE);
                self.keep(&session);
                closing.push(session);
            }
        }
        for session in closing {
            session.wait_dead().await;
        }
        let mut ended = self.list();
        ended.retain(|session| session.is_dead() && !session.facts.transient);
        self.kill_leftovers(&ended).await;
        for session in &ended {
            self.forget(session).await?;
        }
        Ok(SessionCleanupReply {
            removed: ended.len() as u64,
            warnings,
        })
    }

    /// Ends every session, and what ended ones have left, for the end of the daemon: nobody could find that later.
    pub(crate) async fn close_all(&self, grace: Duration) {
        let mut sessions = self.list();
        sessions.retain(|session| session.facts.is_of_this_holder);
        let (ended, closing): (Vec<_>, Vec<_>) =
            sessions.into_iter().partition(|session| session.is_dead());
        for session in &closing {
            order(session, EndReason::Shutdown, grace);
        }
        if !ended.is_empty() {
            self.kill_leftovers(&ended).await;
        }
        for session in closing {
            session.wait_dead().await;
        }
    }
}

/// Gives a session's terminal another size.
///
/// # Errors
///
/// It has ended.
pub(crate) fn set_size(session: &Session, (rows, cols): Size) -> Result<(), SessionError> {
    let Some(master) = session.input.master() else {
        return session.require_alive();
    };
    let offset = session.output.end();
    let size = Winsize {
        ws_row: rows,
        ws_col: cols,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&*master, size).map_err(|error| SessionError::Terminal(error.into()))?;
    if !std::ptr::eq(session.acting(), session) {
        set_size(session.acting(), (rows, cols))?;
    }
    session.screen.resize(offset, rows, cols);
    let mut state = session.state();
    (state.rows, state.cols) = (rows, cols);
    drop(state);
    session.viewers.announce_size();
    Ok(())
}

fn order(session: &Session, reason: EndReason, grace: Duration) {
    session.order_close(CloseOrder { reason, grace });
}

fn signal_named(text: &str) -> Result<Signal, SessionError> {
    let upper = text.to_ascii_uppercase();
    let name = upper.strip_prefix("SIG").unwrap_or(&upper);
    let by_name = SIGNALS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|known| known.1);
    let by_number = || Signal::from_named_raw(text.parse().ok()?);
    by_name.or_else(by_number).ok_or_else(|| {
        let names: Vec<&str> = SIGNALS.iter().map(|known| known.0).collect();
        SessionError::InvalidArgument(format!(
            "{text:?} is no signal that can be sent: give a number from 1 to 31 or one of {}",
            names.join(" ")
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_have_names_and_numbers() {
        for text in ["int", "SIGINT", "INT", "2"] {
            assert_eq!(signal_named(text).unwrap(), Signal::INT, "{text}");
        }
        for text in ["", "SIG", "0", "-9", "99", "BREAK"] {
            assert!(signal_named(text).is_err(), "{text}");
        }
    }
}
