//! `ccctl` without arguments: a menu that shows the command of each action.
//! `entries` is the content and `walk` the navigation, without a terminal. This file draws the menu, and `command`
//! runs commands as the user would.

mod command;
mod entries;
mod view;
mod walk;

use crate::args::Global;
use crate::fullscreen::{Events, Fullscreen, Key, LeftBy, View};
use crate::names::Names;
use crate::render::Line;
use crate::{Context, Exit, Failure, own};
pub(crate) use command::{carry_out, wait_for_key};
use std::io;
use std::ops::ControlFlow;
use walk::{MenuAction, Walk};

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
            Some(MenuAction::List(kind)) => match self.names().and_then(|names| names.list(kind)) {
                Ok(items) => self.walk.listed(items),
                Err(failure) => {
                    self.walk.listed(Vec::new());
                    self.walk.mistake = Some(failure.to_string());
                }
            },
            Some(MenuAction::Run(words)) => {
                let done = carry_out(&words, "menu", &mut self.context, screen)?;
                if done.is_continue() {
                    self.walk.done();
                }
                return Ok(done);
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

impl Menu {
    fn names(&self) -> Result<Names, Failure> {
        self.context.place().map(Names::new)
    }
}
