//! Answers to the queries that programs send to their terminal, in their order.

use crate::live::session::Session;
use ccd_screen::{AskedQuery, answer, needs_cursor};
use ccd_terminal::probe::LineModes;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::os::fd::AsFd;
use std::sync::Arc;

/// Queries that may wait; more are dropped, as by a terminal whose input is full.
const MAX_WAITING: usize = 256;

/// Queries of one session that are not answered yet.
#[derive(Debug, Default)]
pub(crate) struct Queries {
    queue: Mutex<QuestionQueue>,
    /// An earlier process has answered all queries that end at this offset or before.
    answered: u64,
}

#[derive(Debug, Default)]
struct QuestionQueue {
    waiting: VecDeque<AskedQuery>,
    answering: bool,
}

impl Session {
    /// Scans output that an earlier process has read, which ends at `end`, and answers the queries that it left open.
    pub(crate) fn resume_questions(self: &Arc<Self>, tail: &[u8], end: u64) {
        let mut asked = Vec::new();
        self.scan(tail, end - tail.len() as u64, &mut asked);
        Queries::ask(self, asked);
    }
}

impl Queries {
    /// Makes an empty queue, after an earlier process has answered up to an offset.
    pub(crate) fn answered(answered: u64) -> Self {
        Self {
            queue: Mutex::default(),
            answered,
        }
    }

    /// Adds queries; a task answers them, and ends when none is left.
    pub(crate) fn ask(session: &Arc<Session>, mut asked: Vec<AskedQuery>) {
        asked.retain(|asked| asked.end > session.queries.answered);
        if asked.is_empty() {
            return;
        }
        let mut queue = session.queries.queue.lock();
        let room = MAX_WAITING - queue.waiting.len();
        queue.waiting.extend(asked.into_iter().take(room));
        if !std::mem::replace(&mut queue.answering, true) {
            let tracker = &session.services.tracker;
            tracker.spawn(answer_all(Arc::clone(session)));
        }
    }

    fn next(&self) -> Option<AskedQuery> {
        let mut queue = self.queue.lock();
        let next = queue.waiting.pop_front();
        queue.answering = next.is_some();
        next
    }
}

async fn answer_all(session: Arc<Session>) {
    while let Some(asked) = session.queries.next() {
        if let Some(bytes) = compose(&session, &asked).await {
            // A program that does not read its terminal gets no answer.
            let _ = session.input.answer(&bytes).await;
            session.half_line.answered();
        }
        session.output.set_answered(asked.end);
    }
}

async fn compose(session: &Session, asked: &AskedQuery) -> Option<Vec<u8>> {
    let master = session.input.master()?;
    if session.facts.is_for_its_output() && LineModes::read(master.as_fd()).canonical {
        // This output is not drawn by a terminal: what looks like a query is data, and an answer would be input.
        return None;
    }
    let cursor = if needs_cursor(&asked.query) {
        Some(cursor_at(session, asked.end).await?)
    } else {
        None
    };
    answer(&asked.query, cursor, session.size())
}

/// Returns row and column of the cursor after the output up to `end`; `None` if nobody needs it any more.
async fn cursor_at(session: &Session, end: u64) -> Option<(u16, u16)> {
    loop {
        let look = session.screen.look(&session.output, end, |screen| {
            let cursor = screen.cursor();
            (cursor.row, cursor.col)
        });
        let looked = look.await.ok()?;
        if !looked.is_behind {
            return Some(looked.seen);
        }
        session.input.master()?;
    }
}
