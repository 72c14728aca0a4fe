//! A session's output as the daemon pushes it. It continues across the end of a connection, such as a handover.

use super::resume::Resume;
use crate::Failure;
use crate::call::{Connection, DaemonAddress, Losses, id_since, lost};
use crate::lifeline::Lifeline;
use crate::subscribe::Subscription;
use ccd_protocol::ErrorCode;
use ccd_protocol::session::{OutputEvent, OutputItem, SessionSubscribeParams};
use ccd_protocol::subscription::SESSION_SUBSCRIBE;
use serde_json::value::RawValue;
use std::time::Instant;

/// Items of one session's output, each byte once.
#[derive(Debug)]
pub(crate) struct Follow {
    place: DaemonAddress,
    params: SessionSubscribeParams,
    /// The parameters name the session by its id, whatever name the user gave.
    has_id: bool,
    start: Instant,
    /// `None` after the connection is lost.
    subscription: Option<Subscription>,
    resume: Resume,
    /// The connection that keeps the session alive, if this one does.
    lifeline: Option<Lifeline>,
    losses: Losses,
}

/// An item, and its JSON as received unless a part of the item was left out.
#[derive(Debug)]
pub(crate) struct FollowItem {
    pub(crate) item: OutputItem,
    pub(crate) json: Option<Box<RawValue>>,
}

impl Follow {
    /// Subscribes on `connection`, which is used for nothing else from now on; later connections are made to `place`.
    pub(crate) fn start(
        place: DaemonAddress,
        connection: Connection,
        params: SessionSubscribeParams,
        lifeline: Option<Lifeline>,
    ) -> Result<Self, Failure> {
        let mut follow = Self {
            place,
            resume: Resume::new(&params),
            // A session that lives as long as its connection was started on it.
            has_id: lifeline.is_some(),
            start: Instant::now(),
            subscription: None,
            params,
            lifeline,
            losses: Losses::since(Instant::now()),
        };
        match Subscription::start(connection, SESSION_SUBSCRIBE, &follow.params) {
            Err(Failure::Lost { .. }) => follow.reconnect()?,
            started => follow.subscription = Some(started?),
        }
        Ok(follow)
    }

    /// Waits for the next item; keep-alives are skipped.
    pub(crate) fn next(&mut self) -> Result<FollowItem, Failure> {
        loop {
            let subscription = match &mut self.subscription {
                Some(subscription) => subscription,
                None => return Err(lost(SESSION_SUBSCRIBE.name, true)),
            };
            let json = match subscription.next() {
                Err(Failure::Lost { .. }) => {
                    self.subscription = None;
                    self.reconnect()?;
                    continue;
                }
                json => json?,
            };
            let mut item: OutputItem = subscription.parse(&json)?;
            self.losses.forget();
            let was_cut = self.resume.take(&mut item.event)?;
            match (&item.event, was_cut) {
                (OutputEvent::KeepAlive { .. }, _) => {}
                (OutputEvent::Output { data_b64, text, .. }, true)
                    if data_b64.is_empty() && text.as_ref().is_none_or(String::is_empty) => {}
                (OutputEvent::Lagged { lagged }, true) if lagged.from >= lagged.to => {}
                (_, true) => return Ok(FollowItem { item, json: None }),
                (_, false) => {
                    let json = Some(json);
                    return Ok(FollowItem { item, json });
                }
            }
        }
    }

    /// Subscribes again, on a connection to the next worker.
    fn reconnect(&mut self) -> Result<(), Failure> {
        loop {
            if !self.losses.may_go_on() {
                return Err(lost(SESSION_SUBSCRIBE.name, true));
            }
            let Some(connection) = self.connect()? else {
                return Err(lost(SESSION_SUBSCRIBE.name, true));
            };
            match self.subscribe(connection) {
                Err(Failure::Lost { .. }) => {}
                // The session ended together with its daemon.
                Err(Failure::Refused { error, .. })
                    if error.known() == Some(ErrorCode::SessionNotFound) =>
                {
                    return Err(lost(SESSION_SUBSCRIBE.name, true));
                }
                subscribed => return subscribed,
            }
        }
    }

    fn subscribe(&mut self, mut connection: Connection) -> Result<(), Failure> {
        if !self.has_id {
            let name = &self.params.session;
            let id = id_since(&mut connection, SESSION_SUBSCRIBE.name, name, self.start)?;
            self.params.session = id.ok_or_else(|| gone(name))?;
            self.has_id = true;
        }
        self.params.since = Some(self.resume.from());
        let subscription = Subscription::start(connection, SESSION_SUBSCRIBE, &self.params)?;
        self.subscription = Some(subscription);
        self.resume.begin();
        Ok(())
    }

    /// The next connection; `None` if nobody listens, or the end was asked for.
    fn connect(&self) -> Result<Option<Connection>, Failure> {
        if self.lifeline.as_ref().is_some_and(Lifeline::is_cut) {
            return Ok(None);
        }
        // A newly started daemon would not know the session.
        let Some(stream) = self.place.try_connect()? else {
            return Ok(None);
        };
        let connection = Connection::over(stream);
        match &self.lifeline {
            Some(lifeline) if !lifeline.renew(connection.handle()?) => Ok(None),
            _ => Ok(Some(connection)),
        }
    }
}

/// The failure if another session has the name now.
fn gone(name: &str) -> Failure {
    Failure::NotFound(format!(
        "{}: the session {name:?} was removed, and another one has its name now",
        SESSION_SUBSCRIBE.name
    ))
}

#[cfg(test)]
#[path = "follow_tests.rs"]
mod tests;
