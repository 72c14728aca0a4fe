//! Delivers output from the rings to everything that waits for it.

use crate::interaction::HistoryEvent;
use crate::live::end::CLOSE_GRACE;
use crate::live::registry::Sessions;
use crate::live::screen::Queries;
use crate::live::session::Session;
use crate::output::Taken;
use ccd_protocol::session::EndReason;
use ccd_terminal::holder::NewsReceiver;
use std::collections::VecDeque;
use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use tokio::io::Interest;

/// Bytes of output of one session that are taken before others get their turn.
const TURN_BYTES: usize = 16 << 10;

/// The same for a flooding session: no other session waits for it, and each turn wakes its readers.
const FLOOD_TURN_BYTES: usize = 64 << 10;

/// What the history says about the end of a session with the reason `ring_lost`.
pub(in crate::live) const LOST_RING: &str = "another program has truncated or overwritten the file with the session's latest output, so the session ends";

impl Session {
    /// Takes the output in a session's ring, at most `max_bytes`, and reacts to it.
    pub(crate) fn take_output(self: &Arc<Self>, max_bytes: usize) -> Taken {
        self.note_flushes();
        let tape = self.tape();
        let mut asked = Vec::new();
        let taken = self.output.take_from_ring(max_bytes, |bytes, offset| {
            let changed_modes = self.scan(bytes, offset, &mut asked);
            if let Some(recording) = tape.as_ref().and_then(|tape| tape.recording()) {
                recording.printed(bytes, offset);
            }
            // Must be done here, because another thread may take the output that follows.
            Queries::ask(self, asked);
            changed_modes.and_then(|modes| postcard::to_stdvec(&modes).ok())
        });
        if taken.has_lost_ring {
            self.end_without_ring();
        }
        if taken.bytes > 0 {
            self.touch();
            self.services.logger.call(self, taken.log);
        }
        if self.output.exit().is_some() {
            self.ending.notify_one();
        }
        taken
    }

    fn end_without_ring(self: &Arc<Self>) {
        tracing::error!(session = %self.id(), trouble = LOST_RING, "a ring is lost");
        self.note(None, HistoryEvent::Trouble(LOST_RING.into()));
        self.order_close(EndReason::RingLost, CLOSE_GRACE);
    }
}

impl Sessions {
    /// Serves sessions that do not flood, until the holder has ended. Sleeps while no session has new output.
    /// New output is served first. Sessions with more than one turn's output take turns after it, so that the output of
    /// another session waits for at most one turn.
    pub async fn pump(self: Arc<Self>, wakes: NewsReceiver) -> io::Result<()> {
        let own = Arc::new(wakes.as_fd().try_clone_to_owned()?);
        let wake = ccd_terminal::readiness::watch(own, Interest::READABLE)?;
        let mut behind = VecDeque::new();
        loop {
            wakes.drain(|slot| {
                if !behind.contains(&slot) && self.take_turn(slot, TURN_BYTES) {
                    behind.push_back(slot);
                }
                if let Some(session) = self.at_slot(slot) {
                    session.read_if_lent();
                }
            });
            if let Some(slot) = behind.pop_front() {
                if self.take_turn(slot, TURN_BYTES) {
                    behind.push_back(slot);
                }
            } else if wakes.is_closed() {
                return Ok(());
            } else if wakes.try_sleep() {
                wake.readable().await?.clear_ready();
                continue;
            }
            // Tasks that this output woke run before the next output is taken.
            tokio::task::yield_now().await;
        }
    }

    /// Serves flooding sessions in turns, until the holder has ended. Runs on its own low-priority thread, so that the
    /// thread that serves the other sessions has slept when they need it.
    pub fn pump_floods(self: &Arc<Self>, wakes: &NewsReceiver) -> io::Result<()> {
        ccd_terminal::nice::give_way();
        let mut flooding = VecDeque::new();
        loop {
            wakes.drain(|slot| {
                if !flooding.contains(&slot) {
                    flooding.push_back(slot);
                }
            });
            if let Some(slot) = flooding.pop_front() {
                if self.take_turn(slot, FLOOD_TURN_BYTES) {
                    flooding.push_back(slot);
                }
            } else if wakes.is_closed() {
                return Ok(());
            } else if wakes.try_sleep() {
                wakes.wait()?;
            }
        }
    }

    /// Takes one turn's output of the session in a slot; returns whether there is more.
    fn take_turn(self: &Arc<Self>, slot: usize, max_bytes: usize) -> bool {
        self.at_slot(slot)
            .is_some_and(|session| session.take_output(max_bytes).is_part)
    }
}
