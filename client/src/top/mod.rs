//! `ccctl top`: shows the sessions live.
//! `app` is the state and the effect of keys, without a terminal; `view` draws it; `feed` queries the daemon in
//! separate threads, so that keys work at once whatever the daemon does.

mod agents;
mod app;
mod feed;
mod pager;
mod stream;
mod view;

use crate::args::Given;
use crate::fields::Fields as _;
use crate::fullscreen::{Events, Fullscreen, Key, LeftBy, View};
use crate::render::Line;
use crate::terminal::can_draw;
use crate::{Context, Exit, Failure, own};
use app::{App, TopAction};
use feed::{Ask, Feed};
use std::io;
use std::ops::ControlFlow;
use std::time::Duration;

pub(crate) fn top(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    if args.has("once") || context.global.json {
        return stream::stream(args, context);
    }
    if !can_draw() {
        return Failure::usage(
            "top: input and output must be a terminal; ccctl ls prints the sessions once, ccctl top --json repeatedly",
        );
    }
    let (all, interval) = (args.has("all"), interval(args));
    // Errors of the daemon are reported on the normal screen, and it is started if that is allowed.
    let first = context.fetch("session.list", &feed::params(all))?;
    let place = context.place()?.without_start().without_questions();
    let (events, waker) = Events::listen().map_err(Failure::io("the terminal"))?;
    let feed = Feed::start(place, interval, all, waker);
    let feed = feed.map_err(Failure::io("a thread"))?;
    let mut app = App::new(app::named(args.text("sort")), all, interval);
    app.listed(first.value.list("sessions").to_vec());
    let mut top = Top {
        app,
        feed,
        global: own::options(&context.global),
    };
    Fullscreen::enter(events, context.style)
        .and_then(|screen| screen.show(&mut top))
        .map_err(Failure::io("the terminal"))
}

fn interval(args: &Given) -> Duration {
    Duration::from_secs_f64(args.seconds("interval").unwrap_or(1.0))
}

struct Top {
    app: App,
    feed: Feed,
    global: Vec<String>,
}

impl View for Top {
    fn lines(&mut self, size: (usize, usize)) -> Vec<Line> {
        self.app.size = size;
        view::draw(&mut self.app)
    }

    fn key(&mut self, key: Key, screen: &mut Fullscreen) -> io::Result<ControlFlow<LeftBy>> {
        match self.app.key(key) {
            None => {}
            Some(TopAction::Quit) => return Ok(ControlFlow::Break(None)),
            Some(TopAction::Redraw) => screen.redraw(),
            Some(TopAction::Suspend) => screen.suspend()?,
            Some(TopAction::Attach(session)) => self.attach(&session, screen)?,
            Some(TopAction::Ask(ask)) => self.ask(ask),
            Some(TopAction::Follow(wanted)) => self.feed.follow(wanted),
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
            let busy = "the daemon is still busy with earlier requests";
            self.app.inform(Err(busy.to_owned()));
        }
    }

    /// Attaches the terminal to a session until the user detaches or it ends.
    fn attach(&mut self, session: &str, screen: &mut Fullscreen) -> io::Result<()> {
        let mut words = self.global.clone();
        words.extend(["attach", session].map(str::to_owned));
        self.feed.pause(true);
        screen.pause();
        let ran = own::run(&words);
        screen.again()?;
        self.feed.pause(false);
        self.feed.look();
        let name = self.app.label_of(session);
        self.app.inform(match ran {
            Ok(status) if status.success() => Ok(format!("detached from {name}")),
            Ok(status) => Err(format!("ccctl attach {name}: {status}")),
            Err(error) => Err(format!("ccctl attach {name}: {error}")),
        });
        Ok(())
    }
}
