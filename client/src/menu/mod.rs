//! `ccctl` without arguments: a menu that shows the command for each thing it does.
//!
//! `entries` is what there is, `walk` the way through it, without any terminal; here it is drawn, and commands are run as
//! the user would run them.

mod entries;
mod lists;
mod view;
mod walk;

use crate::args::Global;
use crate::connect::Place;
use crate::context::Context;
use crate::exit_code::Exit;
use crate::failure::Failure;
use crate::fullscreen::{Canvas, Event, Events, Fullscreen, Key};
use crate::own;
use crate::render::{self, Colour, shell_line};
use crate::terminal::RawMode;
use entries::Source;
use rustix::process::{Signal, kill_current_process_group};
use std::io;
use walk::{Item, Todo, Walk};

/// Shows the menu until the user leaves it.
///
/// # Errors
///
/// Those of the terminal.
pub(crate) fn menu(global: Global) -> Result<Exit, Failure> {
    let terminal = |source| Failure::Io {
        what: "the terminal".to_owned(),
        source,
    };
    let (events, _waker) = Events::listen().map_err(terminal)?;
    let screen = Fullscreen::enter().map_err(terminal)?;
    let mut menu = Menu {
        walk: Walk::new(own::options(&global)),
        context: Context::new(global),
        events,
        screen,
        canvas: Canvas::default(),
    };
    let left = menu.run();
    drop(menu);
    match left {
        Ok(None) => Ok(Exit::Done),
        Ok(Some(signal)) => Ok(Exit::of_program(None, Some(signal))),
        Err(error) => Err(terminal(error)),
    }
}

struct Menu {
    walk: Walk,
    context: Context,
    events: Events,
    screen: Fullscreen,
    canvas: Canvas,
}

/// How the menu is left: by the user, or by a signal.
type Left = Option<i32>;

impl Menu {
    fn run(&mut self) -> io::Result<Left> {
        self.canvas.reset(self.screen.size());
        loop {
            let lines = view::draw(&mut self.walk, self.canvas.size());
            let style = self.context.style;
            self.screen.write(&self.canvas.draw(&lines, style))?;
            match self.events.next()? {
                Event::Keys(keys) => {
                    for key in keys {
                        if let Some(todo) = self.walk.key(key)
                            && let Some(left) = self.leaves(todo)?
                        {
                            return Ok(left);
                        }
                    }
                }
                Event::Redraw { was_stopped } => {
                    if was_stopped {
                        self.screen.again()?;
                    }
                    self.canvas.reset(self.screen.size());
                }
                Event::Stopped(signal) => return Ok(Some(signal)),
                Event::HungUp => return Ok(None),
                Event::News => {}
            }
        }
    }

    /// Does what a key asked for; says how the menu is left where it is.
    fn leaves(&mut self, todo: Todo) -> io::Result<Option<Left>> {
        match todo {
            Todo::Leave => return Ok(Some(None)),
            Todo::Suspend => {
                self.screen.pause();
                let _ = kill_current_process_group(Signal::TSTP);
                self.screen.again()?;
                self.canvas.reset(self.screen.size());
            }
            Todo::List(source) => match self.list(source) {
                Ok(items) => self.walk.listed(items),
                Err(failure) => {
                    self.walk.listed(Vec::new());
                    self.walk.mistake = Some(failure.to_string());
                }
            },
            Todo::Run(words) => {
                let left = self.carry_out(&words)?;
                if left.is_some() {
                    return Ok(left);
                }
                self.walk.done();
            }
        }
        Ok(None)
    }

    fn list(&self, source: Source) -> Result<Vec<Item>, Failure> {
        let place = Place {
            may_start: false,
            ..self.context.place()?
        };
        lists::list(source, &place)
    }

    /// Runs a command where the user would: on the usual screen, below the line that it takes.
    fn carry_out(&mut self, words: &[String]) -> io::Result<Option<Left>> {
        self.screen.pause();
        let style = self.context.style;
        let line = format!("$ ccctl {}", shell_line(words));
        let line = style.paint(Colour::Heading, &render::printable(&line));
        let told = self.context.write_line(&line);
        told.map_err(|failure| io::Error::other(failure.to_string()))?;
        let how = match own::run(words) {
            Ok(status) if status.success() => "done".to_owned(),
            Ok(status) => status.to_string(),
            Err(error) => format!("it could not be started: {error}"),
        };
        // Interrupts were for the command.
        self.events.forget_interrupts();
        let hint = format!("({how}; Enter: menu, q: leave) ");
        let hint = style.paint(Colour::Dim, &hint);
        self.screen.write(&hint)?;
        let left = self.wait()?;
        self.screen.write("\n")?;
        if left.is_none() {
            self.screen.again()?;
            self.canvas.reset(self.screen.size());
        }
        Ok(left)
    }

    /// Waits for a key below the output of a command.
    fn wait(&mut self) -> io::Result<Option<Left>> {
        let _raw = RawMode::enter()?;
        loop {
            match self.events.next()? {
                Event::Keys(keys) => {
                    for key in keys {
                        match key {
                            Key::Enter | Key::Char(' ') => return Ok(None),
                            Key::Char('q') | Key::Escape | Key::Control('c' | 'd') => {
                                return Ok(Some(None));
                            }
                            _ => {}
                        }
                    }
                }
                Event::Stopped(signal) => return Ok(Some(Some(signal))),
                Event::HungUp => return Ok(Some(None)),
                Event::Redraw { .. } | Event::News => {}
            }
        }
    }
}
