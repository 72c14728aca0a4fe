//! Brings output from the rings to everybody who waits for it.

use super::live::Session;
use super::queries::Queries;
use super::registry::Sessions;
use crate::holder::Wakes;
use crate::screen::EventKind;
use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use tokio::io::Interest;

impl Sessions {
    /// Runs until the daemon ends. Sleeps while no session has news.
    pub(crate) async fn pump(self: Arc<Self>, wakes: Wakes) -> io::Result<()> {
        let bell = crate::readiness::watch(
            Arc::new(wakes.as_fd().try_clone_to_owned()?),
            Interest::READABLE,
        )?;
        loop {
            wakes.drain(|slot| {
                if let Some(session) = self.at_slot(slot) {
                    self.take_output(&session);
                }
            });
            if wakes.try_sleep() {
                bell.readable().await?.clear_ready();
            } else {
                // Floods must not keep the calls of others from running.
                tokio::task::yield_now().await;
            }
        }
    }

    /// Takes what a session's ring has and sees to what the output asks for.
    pub(super) fn take_output(self: &Arc<Self>, session: &Arc<Session>) {
        let mut events = Vec::new();
        let any = session.output.take_from_ring(|bytes, offset| {
            session.scanner().feed(bytes, offset, &mut events);
        });
        if any {
            session.touch();
        }
        for event in events {
            if let EventKind::Query(query) = event.kind {
                Queries::ask(session, query, event.end, &self.tracker);
            }
        }
        if session.output.exit().is_some() {
            session.ending.notify_one();
        }
    }
}
