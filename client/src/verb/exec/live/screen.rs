//! The terminal: lines that stay, above a status line that is drawn again every second.

use crate::context;
use crate::render::{Style, text_line};
use crate::writer::clear_line;
use parking_lot::{Condvar, Mutex};
use serde_json::{Value, json};
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

const REDRAW: Duration = Duration::from_secs(1);

/// The terminal of a run, shared by the threads that write to it.
#[derive(Debug, Clone)]
pub(in crate::verb::exec) struct Screen(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    state: Mutex<TerminalState>,
    ended: Condvar,
}

#[derive(Debug)]
struct TerminalState {
    is_wanted: bool,
    is_drawn: bool,
    is_cancelled: bool,
    start: Instant,
    progress: Value,
    style: Style,
}

impl Screen {
    pub(super) fn start(is_wanted: bool) -> Self {
        let screen = Self(Arc::new(Shared {
            state: Mutex::new(TerminalState {
                is_wanted,
                is_drawn: false,
                is_cancelled: false,
                start: Instant::now(),
                progress: json!({"phase": "queued"}),
                style: Style::of_stderr(),
            }),
            ended: Condvar::new(),
        }));
        if is_wanted {
            let ticking = screen.clone();
            // Without the thread, the line is drawn when something changes.
            let _ = std::thread::Builder::new()
                .name("status".to_owned())
                .spawn(move || ticking.tick());
        }
        screen
    }

    pub(super) fn progress(&self, progress: &Value) {
        let mut state = self.0.state.lock();
        if progress.is_object() {
            state.progress = progress.clone();
        }
        state.draw();
    }

    /// Writes something above the status line.
    pub(in crate::verb::exec) fn above<T>(&self, write: impl FnOnce() -> T) -> T {
        let mut state = self.0.state.lock();
        state.clear();
        let written = write();
        state.draw();
        written
    }

    /// Writes a line to standard error, above the status line.
    pub(in crate::verb::exec) fn say(&self, text: &str) {
        self.above(|| context::say(text));
    }

    pub(in crate::verb::exec) fn cancelling(&self) {
        self.0.state.lock().is_cancelled = true;
    }

    /// Removes the status line for good.
    pub(in crate::verb::exec) fn end(&self) {
        let mut state = self.0.state.lock();
        state.clear();
        state.is_wanted = false;
        self.0.ended.notify_all();
    }

    fn tick(&self) {
        let mut state = self.0.state.lock();
        while state.is_wanted {
            state.draw();
            self.0.ended.wait_for(&mut state, REDRAW);
        }
    }
}

impl TerminalState {
    fn draw(&mut self) {
        if !self.is_wanted || !is_in_foreground() {
            return;
        }
        let columns = super::columns().saturating_sub(1);
        self.progress["elapsed"] = self.start.elapsed().as_secs().into();
        self.progress["is_cancelled"] = self.is_cancelled.into();
        let line = text_line("exec status", &self.progress, self.style);
        let text = line.cut(columns).painted(self.style);
        context::write_error(&(clear_line() + &text), false);
        self.is_drawn = true;
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.is_drawn) {
            context::write_error(&clear_line(), false);
        }
    }
}

/// False if this process was put in the background, where the line of the terminal is another program's.
fn is_in_foreground() -> bool {
    let foreground = rustix::termios::tcgetpgrp(io::stderr());
    foreground.is_ok_and(|foreground| foreground == rustix::process::getpgrp())
}
