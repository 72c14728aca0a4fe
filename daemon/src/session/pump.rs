//! Brings output from the rings to everybody who waits for it.

use super::live::Session;
use super::registry::Sessions;
use crate::holder::Wakes;
use crate::screen::{Event, EventKind, Query, answer, needs_cursor};
use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use tokio::io::Interest;

/// Queries of a program that may wait for their answer; more are dropped, a person would not wait either.
const MAX_ANSWERS: usize = 64;

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
            self.answer_event(session, event);
        }
        if session.output.exit().is_some() {
            session.ending.notify_one();
        }
    }

    fn answer_event(self: &Arc<Self>, session: &Arc<Session>, event: Event) {
        let EventKind::Query(query) = event.kind else {
            return;
        };
        // The session's handles count the answers on their way: each holds one.
        if Arc::strong_count(session) > MAX_ANSWERS + 64 {
            return;
        }
        let session = Arc::clone(session);
        self.tracker.spawn(async move {
            if let Some(bytes) = compose(&session, &query, event.end).await {
                let _ = session.input.write(&bytes, || 0).await;
            }
        });
    }
}

/// The answer to a query that ends at the offset `upto`.
async fn compose(session: &Session, query: &Query, upto: u64) -> Option<Vec<u8>> {
    let size = {
        let state = session.state();
        (state.rows, state.cols)
    };
    let mut cursor = None;
    if needs_cursor(query) {
        let look = session.screen.look(&session.output, upto, |screen| {
            let cursor = screen.cursor();
            (cursor.row, cursor.col)
        });
        cursor = Some(look.await.ok()?.0);
    }
    answer(query, cursor, size)
}
