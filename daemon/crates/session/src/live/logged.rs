//! A session as the interaction log sees it.

use super::error::{SessionError, describe_end, reason_text};
use super::session::Session;
use crate::interaction::{About, Failure, HistoryEvent, InputForm, Subject, TypedText};
use crate::peer::Peer;
use ccd_protocol::Reportable;
use ccd_protocol::session::EndReason;
use std::sync::Arc;
use std::time::Instant;

impl Session {
    /// Passes input on to the named pipe, and adds it to the interaction log.
    pub(crate) fn note_send(self: &Arc<Self>, peer: &Peer, mut typed: TypedText) {
        typed.hidden |= self.facts.redacts_log && self.goes_on(&typed);
        let typed = Arc::new(typed);
        self.pipe.typed(&typed);
        // A client that passes its standard input on sends many pieces. Without an echo, all are hidden input.
        if !(typed.hidden && self.facts.transient && self.facts.plain) {
            self.note(Some(peer), HistoryEvent::Send(typed));
        }
    }

    /// Returns whether the input goes on with a secret of several lines; the next worker knows of it too.
    fn goes_on(&self, typed: &TypedText) -> bool {
        // Keys, even single letters, are not followed: most end the line, or edit it.
        if matches!(typed.form, InputForm::Keys(_)) {
            return false;
        }
        let is_part = typed.form == InputForm::Text && !typed.text.ends_with(['\r', '\n']);
        let before = self.hidden.typed_lines();
        let goes_on = self.hidden.goes_on(&typed.text, is_part);
        if self.hidden.typed_lines() != before {
            self.keep_hidden();
        }
        goes_on
    }

    /// Adds an event to the interaction log; for input, see [`Self::note_send`].
    pub fn note(self: &Arc<Self>, peer: Option<&Peer>, event: HistoryEvent) {
        if self.facts.is_logged() {
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
