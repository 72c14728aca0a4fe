//! The program that runs, and its comparison with the tape.

use ccd_protocol::tape::TapeExit;
use ccd_session::{OneShot, SessionError};
use ccd_tape::format::{Chunk, Exchange, Tape};
use ccd_tape::tools::Comparison;

const MAX_OUTPUT_BYTES: usize = 16 << 20;

pub(super) struct LiveProgram {
    pub(super) shot: OneShot,
    pub(super) comparison: Comparison,
    upto: u64,
    /// Output since the input.
    answer_len: usize,
}

impl LiveProgram {
    pub(super) fn new(shot: OneShot, tape: &Tape, secrets: &[String]) -> Self {
        Self {
            shot,
            comparison: Comparison::new(tape, secrets),
            upto: 0,
            answer_len: 0,
        }
    }

    pub(super) fn start(&mut self, index: usize, exchange: &Exchange) {
        self.answer_len = 0;
        self.comparison.start(index, exchange);
    }

    pub(super) async fn read(&mut self) -> Result<(), SessionError> {
        let session = &self.shot.session;
        if !session.reads_lines() {
            self.comparison.note_editor();
        }
        let room = MAX_OUTPUT_BYTES.saturating_sub(self.answer_len);
        if room == 0 {
            self.upto = session.output.end();
            return Ok(());
        }
        let printed = self.shot.output(self.upto, room).await?;
        let parts = session.parts(self.upto, &printed).await;
        self.upto += printed.len() as u64;
        self.answer_len += printed.len();
        self.comparison
            .print(parts.into_iter().map(|(stream, data)| Chunk {
                stream,
                data,
                ..Chunk::default()
            }));
        Ok(())
    }

    /// Waits until so much was printed since the start, or the program has ended.
    pub(super) async fn printed(&self, len: u64) {
        let session = &self.shot.session;
        loop {
            let changed = session.output.changed();
            if session.output.end() >= len || session.is_dead() {
                return;
            }
            changed.await;
        }
    }

    pub(super) fn has_answered(&self) -> bool {
        self.answer_len > 0
    }

    pub(super) fn exit(&self) -> Option<TapeExit> {
        self.shot.session.state().exit.map(|exit| TapeExit {
            code: exit.code,
            signal: exit.signal,
        })
    }
}
