//! `ccctl conversation` without a command: conversations to choose from, with a preview of the selected one.
//! `pick` is the state and the effect of keys, without a terminal; `view` draws it; `feed` queries the daemon in separate
//! threads, so that keys work at once however long a conversation is.

mod command;
mod feed;
mod pick;
mod preview;
mod view;

use crate::args::Global;
use crate::fullscreen::{Events, Fullscreen, Key, LeftBy, View};
use crate::render::Line;
use crate::{Context, Exit, Failure, own, pager};
use feed::Feed;
use pick::{Pick, PickAction};
use std::io;
use std::ops::ControlFlow;

pub(crate) fn conversations(global: Global) -> Result<Exit, Failure> {
    let context = Context::new(global);
    // Errors of the daemon are reported on the normal screen, and it is started if that is allowed.
    let first = context.fetch("conversation.list", &feed::first_page())?;
    let place = context.place()?.without_start().without_questions();
    let (events, waker) = Events::listen().map_err(Failure::io("the terminal"))?;
    let mut picker = Picker {
        pick: Pick::default(),
        feed: Feed::start(place, waker).map_err(Failure::io("a thread"))?,
        context,
    };
    picker.feed.list_after(&first.value);
    picker.pick.listed(first.value);
    picker.ask();
    Fullscreen::enter(events, picker.context.style)
        .and_then(|screen| screen.show(&mut picker))
        .map_err(Failure::io("the terminal"))
}

struct Picker {
    pick: Pick,
    feed: Feed,
    context: Context,
}

impl View for Picker {
    fn lines(&mut self, size: (usize, usize)) -> Vec<Line> {
        view::draw(&mut self.pick, size)
    }

    fn key(&mut self, key: Key, screen: &mut Fullscreen) -> io::Result<ControlFlow<LeftBy>> {
        let done = match self.pick.key(key) {
            None => ControlFlow::Continue(()),
            Some(PickAction::Leave) => ControlFlow::Break(None),
            Some(PickAction::Suspend) => {
                screen.suspend()?;
                ControlFlow::Continue(())
            }
            Some(PickAction::Redraw) => {
                screen.redraw();
                ControlFlow::Continue(())
            }
            // Without a pager, as any other command.
            Some(PickAction::Show(words)) => self.carry_out(words, pager::is_used(), screen)?,
            Some(PickAction::Run(words)) => self.carry_out(words, false, screen)?,
        };
        self.ask();
        Ok(done)
    }

    fn news(&mut self) {
        while let Some(report) = self.feed.report() {
            self.pick.report(report);
        }
        self.ask();
    }
}

impl Picker {
    fn ask(&mut self) {
        if let Some(file) = self.pick.wanted_preview() {
            self.feed.preview(file);
        }
        if let Some(words) = self.pick.wanted_search() {
            self.feed.search(words);
        }
    }

    fn carry_out(
        &mut self,
        words: Vec<String>,
        is_paged: bool,
        screen: &mut Fullscreen,
    ) -> io::Result<ControlFlow<LeftBy>> {
        let mut all = own::options(&self.context.global);
        all.extend(words);
        command::carry_out(&all, is_paged, &mut self.context, screen)
    }
}
