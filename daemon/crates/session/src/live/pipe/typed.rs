//! Input on its way to the pipe.

use crate::interaction::{JUDGEMENT, TypedText, shown_input};
use crate::live::Session;
use crate::live::session::unix_ms;
use ccd_text::hidden::HIDDEN;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

/// Inputs that wait for the pipe; more are dropped, which is reported.
const MAX_WAITING: usize = 256;

/// How long output waits for the input that was typed before it: most terminals echo it at once, and then both are in
/// order.
const HOLD: Duration = Duration::from_millis(20);

/// Inputs that are not written yet, oldest first.
#[derive(Debug, Default)]
pub(super) struct InputQueue {
    waiting: Mutex<VecDeque<TypedAt>>,
    dropped: AtomicU64,
    news: Notify,
}

#[derive(Debug, Clone)]
struct TypedAt {
    typed: Arc<TypedText>,
    at: Instant,
    unix_ms: u64,
}

#[derive(Debug)]
pub(super) enum NextInput {
    Nothing,
    /// It was typed at a later offset.
    Later(u64),
    /// The text that others may see; the input has left the queue.
    Shown {
        text: String,
        unix_ms: u64,
    },
    /// The terminal has not echoed it. Output waits for it until `hold`; it is decided at `decided` at the latest.
    Undecided {
        hold: Option<Instant>,
        decided: Instant,
    },
}

impl InputQueue {
    pub(super) fn push(&self, typed: &Arc<TypedText>) {
        let mut waiting = self.waiting.lock();
        if waiting.len() >= MAX_WAITING {
            self.dropped.fetch_add(1, Ordering::Relaxed);
            return;
        }
        waiting.push_back(TypedAt {
            typed: Arc::clone(typed),
            at: Instant::now(),
            unix_ms: unix_ms(),
        });
        drop(waiting);
        self.news.notify_waiters();
    }

    /// Returns how many inputs were dropped so far.
    pub(super) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Returns a future that is ready once something is typed after this call.
    pub(super) fn news(&self) -> Notified<'_> {
        self.news.notified()
    }

    /// Checks the oldest input after the output before `at` was written; `is_last` if nothing more will be echoed.
    pub(super) async fn next(&self, session: &Session, at: u64, is_last: bool) -> NextInput {
        let Some(first) = self.waiting.lock().front().cloned() else {
            return NextInput::Nothing;
        };
        if first.typed.offset > at && !is_last {
            return NextInput::Later(first.typed.offset);
        }
        let decided = first.at + JUDGEMENT;
        let is_late = is_last || Instant::now() >= decided;
        let text = match shown_input(session, &first.typed).await {
            None if is_late => HIDDEN.to_owned(),
            None => {
                let hold = Some(first.at + HOLD).filter(|hold| *hold > Instant::now());
                return NextInput::Undecided { hold, decided };
            }
            Some(text) => text,
        };
        self.waiting.lock().pop_front();
        NextInput::Shown {
            text: printable(&text),
            unix_ms: first.unix_ms,
        }
    }
}

/// Replaces control characters by key names, except those that end a line.
fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => shown.push(c),
            '\u{1}'..='\u{1a}' => {
                shown.push_str(&format!("<C-{}>", char::from(c as u8 | 0x60)));
            }
            '\u{1b}' => shown.push_str("<Escape>"),
            '\u{7f}' => shown.push_str("<BSpace>"),
            c if c.is_control() => shown.push('\u{fffd}'),
            c => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_their_names() {
        assert_eq!(
            printable("a\u{3}\u{1b}[A\u{7f}é\u{85}\tb\n"),
            "a<C-c><Escape>[A<BSpace>é\u{fffd}\tb\n"
        );
    }

    #[test]
    fn more_than_the_limit_is_counted() {
        let queue = InputQueue::default();
        let typed = Arc::new(TypedText {
            text: "x".into(),
            offset: 0,
            hidden: false,
            echo: None,
            form: crate::interaction::InputForm::Line,
        });
        (0..MAX_WAITING + 3).for_each(|_| queue.push(&typed));
        assert_eq!(
            (queue.waiting.lock().len(), queue.dropped()),
            (MAX_WAITING, 3)
        );
    }
}
