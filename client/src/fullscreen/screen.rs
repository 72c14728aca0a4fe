//! A screen that is drawn after each event, until it is left.

use super::{Canvas, Event, Events, Key, guard::Guard};
use crate::exit_code::Exit;
use crate::render::{Line, Style};
use rustix::process::{Signal, kill_current_process_group};
use std::io;
use std::ops::ControlFlow;

/// What is shown, and what keys do there.
pub(crate) trait View {
    /// Returns what the screen shows, for its rows and columns.
    fn lines(&mut self, size: (usize, usize)) -> Vec<Line>;

    /// Does what a key asks for.
    ///
    /// # Errors
    ///
    /// Those of the terminal.
    fn key(&mut self, key: Key, screen: &mut Fullscreen) -> io::Result<ControlFlow<Left>>;

    /// Takes what another thread has.
    fn news(&mut self) {}
}

/// How a screen is left: by the user, or by a signal.
pub(crate) type Left = Option<i32>;

/// The whole terminal; dropping it gives it back.
#[derive(Debug)]
pub(crate) struct Fullscreen {
    terminal: Guard,
    pub(crate) events: Events,
    canvas: Canvas,
    style: Style,
}

impl Fullscreen {
    /// Takes the terminal.
    ///
    /// # Errors
    ///
    /// Those of the terminal.
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

    /// Shows `view` until it is left, and gives the terminal back.
    ///
    /// # Errors
    ///
    /// Those of the terminal.
    pub(crate) fn show(mut self, view: &mut impl View) -> io::Result<Exit> {
        let left = self.left(view)?;
        Ok(left.map_or(Exit::Done, |signal| Exit::of_program(None, Some(signal))))
    }

    fn left(&mut self, view: &mut impl View) -> io::Result<Left> {
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

    /// Forgets what is shown, so that all of it is drawn next, in the size that the terminal has now.
    pub(crate) fn redraw(&mut self) {
        self.canvas.reset(self.terminal.size());
    }

    /// Gives the terminal back for a while.
    pub(crate) fn pause(&self) {
        self.terminal.pause();
    }

    /// Takes the terminal once more, after [`Fullscreen::pause`] or after somebody else had it.
    ///
    /// # Errors
    ///
    /// Those of the terminal.
    pub(crate) fn again(&mut self) -> io::Result<()> {
        self.terminal.take()?;
        self.redraw();
        Ok(())
    }

    /// Stops as `^Z` stops a program, until the user's shell lets it go on.
    ///
    /// # Errors
    ///
    /// Those of the terminal.
    pub(crate) fn suspend(&mut self) -> io::Result<()> {
        self.pause();
        // Where no shell would let it go on, the kernel does not stop it either.
        let _ = kill_current_process_group(Signal::TSTP);
        self.again()
    }

    /// Writes to the terminal, the other screen or the usual one.
    ///
    /// # Errors
    ///
    /// Those of the terminal.
    pub(crate) fn write(&self, text: &str) -> io::Result<()> {
        self.terminal.write(text)
    }
}
