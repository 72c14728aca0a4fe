//! Replaying a tape into the terminal of a session.

use super::far_side::TerminalFarSide;
use super::proxied::LeftState;
use super::proxy::{ADOPTION, LOOK};
use super::session_tape::SessionTape;
use crate::live::error::SessionError;
use crate::live::session::Session;
use ccd_terminal::piped;
use std::sync::Arc;
use std::time::Instant;

impl Session {
    /// Starts the replay of a session's tape, if it has one.
    pub fn play(self: &Arc<Self>) -> Result<(), SessionError> {
        let tape = self.tape();
        let player = tape.as_ref().and_then(|tape| tape.player.as_ref());
        let (Some(player), Some(master)) = (player, self.input.master()) else {
            return Ok(());
        };
        let left = tape.as_ref().and_then(|tape| tape.take_left());
        let far_side =
            TerminalFarSide::open(master, left.is_none()).map_err(SessionError::Terminal)?;
        let (show, session) = (player.playback(), Arc::clone(self));
        self.services.tracker.spawn(async move {
            let played = async {
                let mut printed = 0;
                if let (Some(tape), Some(left)) = (&tape, left) {
                    printed = tape.go_on(&session, left).await;
                }
                let far_side = if session.facts.pipes {
                    far_side.marking(&session.output.dir().join(piped::MARKS), printed)?
                } else {
                    far_side
                };
                if let Some(tape) = &tape {
                    tape.ready.cancel();
                }
                show.run(far_side).await
            };
            tokio::select! {
                () = session.wait_dead() => {}
                played = played => if let Err(error) = played {
                    tracing::debug!(session = %session.id(), %error, "the terminal closed before the tape was played");
                },
            }
            if let Some(tape) = &tape {
                tape.ready.cancel();
            }
        });
        Ok(())
    }
}

impl SessionTape {
    pub(super) fn take_left(&self) -> Option<LeftState> {
        self.left.lock().clone()
    }

    /// Continues from what an earlier process left, once all output has arrived; returns the length of that output.
    pub(super) async fn go_on(&self, session: &Session, left: LeftState) -> u64 {
        let printed = settled(session).await;
        if let Some(player) = &self.player {
            player.go_on(printed).await;
        }
        if let Some(live) = left.live {
            self.resume_live(live, printed).await;
        }
        self.left.lock().take();
        printed
    }
}

/// Returns the end of the output, once no output is on its way from the terminal.
async fn settled(session: &Session) -> u64 {
    let deadline = Instant::now() + ADOPTION;
    let mut before = None;
    loop {
        let is_empty = session.input.has_no_output();
        let end = session.output.end();
        if (is_empty && before == Some(end)) || Instant::now() >= deadline {
            return end;
        }
        before = is_empty.then_some(end);
        tokio::time::sleep(LOOK).await;
    }
}
