//! `ccctl top`: the sessions as they change.
//!
//! `app` is what is shown and what keys do, without any terminal; `view` draws it; `feed` asks the daemon in threads of
//! its own, so that a key is answered at once whatever the daemon does.

mod app;
mod feed;
mod pager;
mod stream;
mod view;

use crate::args::TopArgs;
use crate::connect::Place;
use crate::context::Context;
use crate::exit_code::Exit;
use crate::failure::Failure;
use crate::fullscreen::{Events, Fullscreen, Key, Left, View};
use crate::own;
use crate::render::Line;
use crate::terminal::can_draw;
use app::{App, Todo};
use feed::{Ask, Feed};
use std::io;
use std::ops::ControlFlow;
use std::time::SystemTime;

/// Shows the sessions until the user leaves.
///
/// # Errors
///
/// [`Failure::Usage`] without a terminal; those of the first call, and of the terminal.
pub(crate) fn top(args: &TopArgs, context: &mut Context) -> Result<Exit, Failure> {
    if args.once || context.global.json {
        return stream::stream(args, context);
    }
    if !can_draw() {
        return Err(Failure::Usage(
            "top needs a terminal; ccctl session list prints the sessions once, top --json again and again"
                .to_owned(),
        ));
    }
    // What is wrong with the daemon is told on the usual screen, and it is started where that is allowed.
    let first = context.call::<ccd_protocol::session::SessionList>(&feed::params(args.all))?;
    let place = Place {
        may_start: false,
        ..context.place()?
    };
    let terminal = |source| Failure::Io {
        what: "the terminal".to_owned(),
        source,
    };
    let (events, waker) = Events::listen().map_err(terminal)?;
    let feed =
        Feed::start(place, args.interval, args.all, waker).map_err(|source| Failure::Io {
            what: "a thread".to_owned(),
            source,
        })?;
    let mut app = App::new(args.sort, args.all, args.interval);
    app.listed(first.value.sessions);
    let mut top = Top {
        app,
        feed,
        global: own::options(&context.global),
    };
    Fullscreen::enter(events, context.style)
        .and_then(|screen| screen.show(&mut top))
        .map_err(terminal)
}

struct Top {
    app: App,
    feed: Feed,
    /// Options for what is run meanwhile.
    global: Vec<String>,
}

impl View for Top {
    fn lines(&mut self, size: (usize, usize)) -> Vec<Line> {
        self.app.resize(size);
        view::draw(&mut self.app, SystemTime::now())
    }

    fn key(&mut self, key: Key, screen: &mut Fullscreen) -> io::Result<ControlFlow<Left>> {
        match self.app.key(key) {
            None => {}
            Some(Todo::Quit) => return Ok(ControlFlow::Break(None)),
            Some(Todo::Redraw) => screen.redraw(),
            Some(Todo::Suspend) => screen.suspend()?,
            Some(Todo::Attach(session)) => self.attach(&session, screen)?,
            Some(Todo::Ask(ask)) => self.ask(ask),
            Some(Todo::Follow { all, preview }) => self.feed.follow(all, preview),
        }
        Ok(ControlFlow::Continue(()))
    }

    fn news(&mut self) {
        while let Some(report) = self.feed.report() {
            self.app.report(report);
        }
    }
}

impl Top {
    fn ask(&mut self, ask: Ask) {
        if !self.feed.ask(ask) {
            let busy = "the daemon is busy with what was asked before";
            self.app.told(Err(busy.to_owned()));
        }
    }

    /// The terminal is the session's until it is left or ends.
    fn attach(&mut self, session: &str, screen: &mut Fullscreen) -> io::Result<()> {
        let mut words = self.global.clone();
        words.extend(["session", "attach", session].map(str::to_owned));
        self.feed.pause(true);
        screen.pause();
        let ran = own::run(&words);
        screen.again()?;
        self.feed.pause(false);
        self.feed.ask(Ask::List);
        let name = self.app.label_of(session);
        self.app.told(match ran {
            Ok(status) if status.success() => Ok(format!("back from {name}")),
            Ok(status) => Err(format!("ccctl session attach {name}: {status}")),
            Err(error) => Err(format!("ccctl session attach {name}: {error}")),
        });
        Ok(())
    }
}
