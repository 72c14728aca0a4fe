//! `ccctl` without arguments: a menu that shows the command of each action.
//!
//! `entries` is the content and `walk` the navigation, without a terminal. This file draws the menu, and runs commands
//! as the user would.

mod coach;
mod entries;
mod exec;
mod lists;
mod tapes;
mod view;
mod walk;

use crate::args::Global;
use crate::fullscreen::{Event, Events, Fullscreen, Key, LeftBy, View};
use crate::render::{self, Colour, Line, shell_line};
use crate::terminal::RawMode;
use crate::{Context, Exit, Failure, own};
use entries::Source;
use std::io;
use std::ops::ControlFlow;
use walk::{MenuAction, MenuItem, Walk};

/// Shows the menu until the user leaves it.
///
/// # Errors
///
/// Errors of the terminal.
pub(crate) fn menu(global: Global) -> Result<Exit, Failure> {
    let (events, _waker) = Events::listen().map_err(Failure::io("the terminal"))?;
    let mut menu = Menu {
        walk: Walk::new(own::options(&global)),
        context: Context::new(global),
    };
    Fullscreen::enter(events, menu.context.style)
        .and_then(|screen| screen.show(&mut menu))
        .map_err(Failure::io("the terminal"))
}

struct Menu {
    walk: Walk,
    context: Context,
}

impl View for Menu {
    fn lines(&mut self, size: (usize, usize)) -> Vec<Line> {
        view::draw(&mut self.walk, size)
    }

    fn key(&mut self, key: Key, screen: &mut Fullscreen) -> io::Result<ControlFlow<LeftBy>> {
        match self.walk.key(key) {
            None => {}
            Some(MenuAction::Leave) => return Ok(ControlFlow::Break(None)),
            Some(MenuAction::Suspend) => screen.suspend()?,
            Some(MenuAction::List(source)) => match self.list(source) {
                Ok(items) => self.walk.listed(items),
                Err(failure) => {
                    self.walk.listed(Vec::new());
                    self.walk.mistake = Some(failure.to_string());
                }
            },
            Some(MenuAction::Run(words)) => return self.carry_out(&words, screen),
        }
        Ok(ControlFlow::Continue(()))
    }
}

impl Menu {
    fn list(&self, source: Source) -> Result<Vec<MenuItem>, Failure> {
        let place = self.context.place()?.without_start().without_questions();
        lists::list(source, &place)
    }

    /// Runs a command as the user would: on the normal screen, below its command line.
    fn carry_out(
        &mut self,
        words: &[String],
        screen: &mut Fullscreen,
    ) -> io::Result<ControlFlow<LeftBy>> {
        screen.pause();
        let style = self.context.style;
        let line = format!("$ ccctl {}", shell_line(words));
        let line = style.paint(Colour::Heading, &render::printable(&line));
        let told = self.context.write_line(&line);
        told.map_err(|failure| io::Error::other(failure.to_string()))?;
        let how = match own::run(words) {
            Ok(status) if status.success() => "done".to_owned(),
            Ok(status) => status.to_string(),
            Err(error) => format!("the command could not be started: {error}"),
        };
        // Interrupts were meant for the command.
        screen.events.forget_interrupts();
        let hint = format!("({how}; Enter: menu, q: quit) ");
        screen.write(&style.paint(Colour::Dim, &hint))?;
        let goes_on = wait(&mut screen.events)?;
        screen.write("\n")?;
        if goes_on.is_continue() {
            screen.again()?;
            self.walk.done();
        }
        Ok(goes_on)
    }
}

/// Waits for a key below the output of a command.
fn wait(events: &mut Events) -> io::Result<ControlFlow<LeftBy>> {
    let _raw = RawMode::enter()?;
    loop {
        match events.next()? {
            Event::Keys(keys) => {
                for key in keys {
                    match key {
                        Key::Enter | Key::Char(' ') => return Ok(ControlFlow::Continue(())),
                        Key::Char('q') | Key::Escape | Key::Control('c' | 'd') => {
                            return Ok(ControlFlow::Break(None));
                        }
                        _ => {}
                    }
                }
            }
            Event::Stopped(signal) => return Ok(ControlFlow::Break(Some(signal))),
            Event::HungUp => return Ok(ControlFlow::Break(None)),
            Event::Redraw { .. } | Event::News => {}
        }
    }
}
