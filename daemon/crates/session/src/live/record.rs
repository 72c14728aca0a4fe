//! A session as clients see it.

use super::session::Session;
use super::survive::recorded_gaps;
use super::tape::PastTape;
use crate::interaction;
use ccd_protocol::session::{Session as Record, SessionOutput, WaitingForInput};
use ccd_protocol::tape::TapeUse;

impl Session {
    /// Returns the program and its arguments without hidden input; once only a record is left, without other secrets as
    /// well, as in the history. Those of a program that is there can be seen in the list of processes.
    fn shown_words(&self) -> Vec<String> {
        if self.is_past() {
            return interaction::shown_words(self);
        }
        let words = std::iter::once(&self.facts.program).chain(&self.facts.args);
        words
            .map(|word| self.hidden.mask(word, 0..word.len()))
            .collect()
    }

    /// Returns how the session uses, or used, tapes, and whether it is a replay.
    pub(super) fn past_or_present_tape(&self) -> Option<PastTape> {
        match self.tape() {
            Some(tape) => Some(tape.past()),
            None => self.past_tape.lock().clone(),
        }
    }

    pub(crate) fn tape_use(&self) -> Option<TapeUse> {
        self.past_or_present_tape().map(|tape| tape.uses)
    }

    pub fn record(&self, waiting_for_input: Option<WaitingForInput>) -> Record {
        let state = self.state().clone();
        let output = self.output.facts();
        let facts = &self.facts;
        let tape = self.past_or_present_tape();
        let is_replay = tape.as_ref().is_some_and(|tape| tape.is_replay);
        let (rows, cols) = state.size;
        let mut args = self.shown_words();
        let program = args.remove(0);
        Record {
            session_id: facts.id.to_string(),
            name: self.name().map(|name| name.to_string()),
            program,
            args,
            cwd: facts.cwd.clone(),
            timeout: facts.timeout.as_secs_f64(),
            created_at: facts.created_at.clone(),
            last_activity: ccd_base::clock::seconds_ago(self.idle().as_secs_f64()),
            persist: facts.persist,
            encoding: facts.encoding.name().to_ascii_lowercase(),
            pid: facts.pid,
            exitstatus: state.exit.and_then(|exit| exit.code),
            signal: state.exit.and_then(|exit| exit.signal),
            state: state.phase,
            end_reason: state.end_reason,
            ended_at: state.ended_at,
            rows,
            cols,
            output: SessionOutput {
                log_path: crate::output::log::current_path(self.output.dir())
                    .to_string_lossy()
                    .into_owned(),
                output_lines: output.lines,
                output_bytes: output.bytes,
                buffer_size: output.buffered_bytes,
                rotated_at: output.rotated_at,
                gaps: recorded_gaps(&output.gaps),
            },
            pipe: self.pipe.record(&facts.id),
            waiting_for_input,
            full_screen: self.is_alive() && self.modes().alternate_screen,
            attached: self.viewers.records(),
            config: facts.origin.as_ref().map(|origin| origin.name.to_string()),
            success: state.success,
            tape: tape.map(|tape| tape.uses),
            is_replay,
            session_timeout_s: facts.idle_limit.as_secs_f64(),
            max_session_runtime_s: facts.runtime_limit.as_secs_f64(),
            shell: facts.shell,
            transient: facts.transient,
            started_by: facts.started_by.clone(),
            start_error: facts.start_error.clone(),
            created_by: facts.created_by.clone(),
            reused: false,
            warnings: Vec::new(),
        }
    }
}
