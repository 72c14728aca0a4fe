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
use crate::fullscreen::{Canvas, Event, Events, Fullscreen, can_draw};
use crate::own;
use crate::render::Style;
use app::{App, Todo};
use feed::{Ask, Feed};
use rustix::process::{Signal, kill_current_process_group};
use std::io;
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
            "top needs a terminal; ccctl session list prints the sessions once, and top --json whenever they change"
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
    let screen = Fullscreen::enter().map_err(terminal)?;
    let mut top = Top {
        app,
        feed,
        events,
        screen,
        canvas: Canvas::default(),
        style: context.style,
        global: own::options(&context.global),
    };
    let left = top.run();
    drop(top);
    match left {
        Ok(None) => Ok(Exit::Done),
        Ok(Some(signal)) => Ok(Exit::of_program(None, Some(signal))),
        Err(error) => Err(terminal(error)),
    }
}

struct Top {
    app: App,
    feed: Feed,
    events: Events,
    screen: Fullscreen,
    canvas: Canvas,
    style: Style,
    /// Options for what is run meanwhile.
    global: Vec<String>,
}

impl Top {
    /// Returns the signal that asked for the end, if one did.
    fn run(&mut self) -> io::Result<Option<i32>> {
        self.canvas.reset(self.screen.size());
        loop {
            self.app.resize(self.canvas.size());
            let lines = view::draw(&mut self.app, SystemTime::now());
            self.screen.write(&self.canvas.draw(&lines, self.style))?;
            match self.events.next()? {
                Event::Keys(keys) => {
                    for key in keys {
                        if let Some(todo) = self.app.key(key)
                            && self.does_end(todo)?
                        {
                            return Ok(None);
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
                Event::News => {
                    while let Some(report) = self.feed.report() {
                        self.app.report(report);
                    }
                }
            }
        }
    }

    /// Does what a key asked for; true when that was to leave.
    fn does_end(&mut self, todo: Todo) -> io::Result<bool> {
        match todo {
            Todo::Quit => return Ok(true),
            Todo::Redraw => self.canvas.reset(self.screen.size()),
            Todo::Suspend => {
                self.screen.pause();
                // Where no shell would let it go on, the kernel does not stop it either.
                let _ = kill_current_process_group(Signal::TSTP);
                self.screen.again()?;
                self.canvas.reset(self.screen.size());
            }
            Todo::Attach(session) => self.attach(&session)?,
            Todo::Ask(ask) => {
                if !self.feed.ask(ask) {
                    self.app.told(Err(
                        "the daemon is busy with what was asked before".to_owned()
                    ));
                }
            }
            Todo::Follow { all, preview } => self.feed.follow(all, preview),
        }
        Ok(false)
    }

    /// The terminal is the session's until it is left or ends.
    fn attach(&mut self, session: &str) -> io::Result<()> {
        let mut words = self.global.clone();
        words.extend(["session", "attach", session].map(str::to_owned));
        self.feed.pause(true);
        self.screen.pause();
        let ran = own::run(&words);
        self.screen.again()?;
        self.feed.pause(false);
        self.feed.ask(Ask::List);
        self.canvas.reset(self.screen.size());
        let name = self.app.label_of(session);
        self.app.told(match ran {
            Ok(status) if status.success() => Ok(format!("back from {name}")),
            Ok(status) => Err(format!("ccctl session attach {name}: {status}")),
            Err(error) => Err(format!("ccctl session attach {name}: {error}")),
        });
        Ok(())
    }
}
