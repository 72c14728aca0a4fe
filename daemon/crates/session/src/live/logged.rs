//! A session as the interaction log sees it.

use super::error::{SessionError, describe_end, reason_text};
use super::session::Session;
use crate::interaction::{About, Failure, HistoryEvent, Subject};
use crate::peer::Peer;
use ccd_protocol::Reportable;
use ccd_protocol::session::EndReason;
use std::sync::Arc;
use std::time::Instant;

impl Session {
    /// Passes input on to the named pipe, and adds the event to the interaction log.
    pub fn note(self: &Arc<Self>, peer: Option<&Peer>, mut event: HistoryEvent) {
        let mut is_logged = self.facts.is_logged();
        if let HistoryEvent::Send(typed) = &mut event {
            if self.facts.redacts_log
                && self.hidden.goes_on(&typed.text)
                && let Some(typed) = Arc::get_mut(typed)
            {
                typed.hidden = true;
            }
            self.pipe.typed(typed);
            // A client that passes its standard input on sends many pieces. Without an echo, all are hidden input.
            is_logged &= !(typed.hidden && self.facts.transient && self.facts.plain);
        }
        if is_logged {
            let recorder = &self.services.recorder;
            recorder.note(Arc::clone(self) as Arc<dyn Subject>, peer, event);
        }
    }

    /// Adds a call that failed to the interaction log. `began` is when it began; `pattern` is what it waited for, and
    /// `command` what it ran.
    pub(crate) fn note_failure(
        self: &Arc<Self>,
        peer: &Peer,
        error: &SessionError,
        began: Instant,
        pattern: Option<String>,
        command: Option<&str>,
    ) {
        let failure = Failure {
            kind: error.code().kind(),
            text: error.to_string(),
            waited: began.elapsed(),
            pattern,
            command: command.map(str::to_owned),
        };
        self.note(Some(peer), HistoryEvent::Failure(failure));
    }

    pub(crate) fn note_end(self: &Arc<Self>) {
        let (reason, exit) = {
            let state = self.state();
            (state.end_reason, state.exit)
        };
        let text = format!(
            "ended: {}, {}",
            reason.map_or("unknown".to_owned(), reason_text),
            describe_end(exit, None)
        );
        let is_regular = matches!(reason, Some(EndReason::Exited | EndReason::Closed));
        let exit_code = exit.and_then(|exit| exit.code);
        let end = HistoryEvent::End {
            is_regular,
            text,
            exit_code,
        };
        self.note(None, end);
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
