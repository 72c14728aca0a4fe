//! A session as the interaction log sees it.

use super::error::{describe_end, reason_text};
use super::live::Session;
use crate::interaction::{Event, Subject};
use crate::output::Output;
use crate::peer::Peer;
use ccd_protocol::SessionId;
use ccd_protocol::session::EndReason;
use ccd_text::hidden::HiddenTexts;
use encoding_rs::Encoding;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

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
    fn id(&self) -> &SessionId {
        &self.facts.id
    }

    fn program(&self) -> &str {
        &self.facts.program
    }

    fn args(&self) -> &[String] {
        &self.facts.args
    }

    fn encoding(&self) -> &'static Encoding {
        self.facts.encoding
    }

    fn output(&self) -> &Output {
        &self.output
    }

    fn hidden(&self) -> &HiddenTexts {
        &self.hidden
    }

    fn recorded_upto(&self) -> &AtomicU64 {
        &self.recorded_upto
    }

    fn redacts_log(&self) -> bool {
        self.facts.redacts_log
    }
}
