//! A session as the interaction log sees it.

use super::error::{describe_end, reason_text};
use super::live::Session;
use crate::interaction::{About, Event, Subject};
use crate::peer::Peer;
use ccd_protocol::session::EndReason;
use std::sync::Arc;

impl Session {
    /// Passes input on to the named pipe, and adds the event to the interaction log unless the session is transient.
    pub fn note(self: &Arc<Self>, peer: Option<&Peer>, event: Event) {
        if let Event::Send(typed) = &event {
            self.pipe.typed(typed);
        }
        if !self.facts.transient {
            let recorder = &self.services.recorder;
            recorder.note(Arc::clone(self) as Arc<dyn Subject>, peer, event);
        }
    }

    /// Adds the end of the session to the interaction log.
    pub(crate) fn note_end(self: &Arc<Self>) {
        let (reason, exit) = {
            let state = self.state();
            (state.end_reason, state.exit)
        };
        let text = format!(
            "ended: {}, {}",
            reason.map_or("unknown", reason_text),
            describe_end(exit, None)
        );
        let is_regular = matches!(reason, Some(EndReason::Exited | EndReason::Closed));
        self.note(None, Event::End { is_regular, text });
    }
}

impl Subject for Session {
    fn about(&self) -> About<'_> {
        About {
            id: &self.facts.id,
            program: &self.facts.program,
            args: &self.facts.args,
            encoding: self.facts.encoding,
            output: &self.output,
            hidden: &self.hidden,
            recorded_upto: &self.recorded_upto,
            redacts_log: self.facts.redacts_log,
        }
    }
}
