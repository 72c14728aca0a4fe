//! A screen that is drawn after each event, until the user leaves it.

use super::{Canvas, Event, Events, Key, guard::Guard};
use crate::render::{Line, Style};
use crate::{Exit, writer};
use rustix::process::{Signal, kill_current_process_group};
use std::io::{self, Write as _};
use std::ops::ControlFlow;

/// The content of a screen, and the effect of keys.
pub(crate) trait View {
    /// Returns the lines of the screen, for its rows and columns.
    fn lines(&mut self, size: (usize, usize)) -> Vec<Line>;

    fn key(&mut self, key: Key, screen: &mut Fullscreen) -> io::Result<ControlFlow<LeftBy>>;

    fn news(&mut self) {}
}

/// How a screen was left: by the user (`None`), or by a signal.
pub(crate) type LeftBy = Option<i32>;

#[derive(Debug)]
pub(crate) struct Fullscreen {
    terminal: Guard,
    pub(crate) events: Events,
    canvas: Canvas,
    style: Style,
}

impl Fullscreen {
    pub(crate) fn enter(events: Events, style: Style) -> io::Result<Self> {
        let mut screen = Self {
            terminal: Guard::enter()?,
            events,
            canvas: Canvas::default(),
            style,
        };
        screen.redraw();
        Ok(screen)
    }

    /// Shows `view` until the user leaves it, and restores the terminal.
    pub(crate) fn show(mut self, view: &mut impl View) -> io::Result<Exit> {
        let left = self.left(view)?;
        Ok(left.map_or(Exit::Done, |signal| Exit::of_program(None, Some(signal))))
    }

    fn left(&mut self, view: &mut impl View) -> io::Result<LeftBy> {
        loop {
            let lines = view.lines(self.canvas.size());
            let text = self.canvas.draw(&lines, self.style);
            self.write(&text)?;
            match self.events.next()? {
                Event::Keys(keys) => {
                    for key in keys {
                        if let ControlFlow::Break(left) = view.key(key, self)? {
                            return Ok(left);
                        }
                    }
                }
                Event::Redraw { was_stopped: true } => self.again()?,
                Event::Redraw { was_stopped: false } => self.redraw(),
                Event::Stopped(signal) => return Ok(Some(signal)),
                Event::HungUp => return Ok(None),
                Event::News => view.news(),
            }
        }
    }

    /// Forgets what is shown, so that everything is drawn next, in the current size of the terminal.
    pub(crate) fn redraw(&mut self) {
        self.canvas.reset(self.terminal.size());
    }

    pub(crate) fn pause(&self) {
        self.terminal.pause();
    }

    /// Takes the terminal again, after [`Fullscreen::pause`] or after another program used it.
    pub(crate) fn again(&mut self) -> io::Result<()> {
        self.terminal.take()?;
        self.redraw();
        Ok(())
    }

    /// Stops as `^Z` stops a program, until the user's shell continues it.
    pub(crate) fn suspend(&mut self) -> io::Result<()> {
        self.pause();
        // If no shell could continue the process, the kernel does not stop it.
        let _ = kill_current_process_group(Signal::TSTP);
        self.again()
    }

    /// Writes to the terminal, on the alternate screen or the normal one.
    pub(crate) fn write(&self, text: &str) -> io::Result<()> {
        writer::raw_stdout().write_all(writer::visible(text).as_bytes())
    }
}
