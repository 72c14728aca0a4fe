//! `ccctl tape play`: plays back a tape in this terminal.

use super::cast::{CastChunk, PlaybackPace, pieces};
use super::convert::exported;
use crate::args::Given;
use crate::attach::{Below, UserScreen};
use crate::fields::Fields as _;
use crate::fullscreen::{Event, Events, Key};
use crate::terminal::can_draw;
use crate::{Context, Exit, Failure};
use ccd_protocol::tape::TapeFormat;
use rustix::termios::{QueueSelector, tcflush};
use serde_json::json;
use std::io;
use std::time::{Duration, Instant};

/// Shows a tape's output at its pace; without a terminal, prints all of it at once.
pub(super) fn play(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let is_watched = can_draw();
    let format = if is_watched || context.global.json {
        TapeFormat::AsciicastV2
    } else {
        TapeFormat::Output
    };
    let params = json!({"root": args.at("root"), "tape": args.at("tape"), "format": format});
    let answer = exported(params, context).map_err(|failure| failure.of_verb("tape.play"))?;
    let reply = &answer.value;
    if context.global.json || !is_watched {
        return context.print_output(&answer, true);
    }
    let limit = args.seconds("idle_limit").map(Duration::try_from_secs_f64);
    let pace = PlaybackPace {
        speed: args.seconds("speed").unwrap_or(1.0),
        longest: limit.and_then(Result::ok),
    };
    let pieces = pieces(reply.text("text"), pace);
    watch(reply.text("tape_id"), &pieces).map_err(Failure::io("the terminal"))
}

fn watch(tape: &str, pieces: &[CastChunk]) -> io::Result<Exit> {
    let (mut events, _waker) = Events::listen()?;
    let mut screen = UserScreen::enter(tape.to_owned())?;
    let mut player = Player::new(pieces);
    let exit = player.run(&mut events, &mut screen);
    if !player.ends_line {
        screen.show(b"\r\n")?;
    }
    screen.leave(Below::Here);
    // Replies of the terminal to queries on the tape are not meant for the shell.
    let _ = tcflush(io::stdin(), QueueSelector::IFlush);
    exit
}

#[derive(Debug, PartialEq, Eq)]
enum Next {
    Steps(usize),
    Leave,
}

#[derive(Debug)]
struct Player<'a> {
    rest: &'a [CastChunk],
    is_paused: bool,
    /// When the last chunk was due; a pause moves it.
    since: Instant,
    /// True if the output so far ends with a newline.
    ends_line: bool,
}

impl<'a> Player<'a> {
    fn new(pieces: &'a [CastChunk]) -> Self {
        Self {
            rest: pieces,
            is_paused: false,
            since: Instant::now(),
            ends_line: true,
        }
    }

    fn run(&mut self, events: &mut Events, screen: &mut UserScreen) -> io::Result<Exit> {
        while let Some(next) = self.rest.first() {
            let due = self.since + next.after;
            let steps = match events.next_until((!self.is_paused).then_some(due))? {
                None => {
                    self.since = due;
                    1
                }
                Some(Event::Keys(keys)) => match self.take(&keys, Instant::now()) {
                    Next::Leave => return Ok(Exit::Done),
                    Next::Steps(count) => count,
                },
                Some(Event::Stopped(signal)) => return Ok(Exit::of_program(None, Some(signal))),
                Some(Event::HungUp) => return Ok(Exit::Done),
                Some(Event::Redraw { was_stopped: true }) => {
                    screen.enter_again()?;
                    0
                }
                Some(Event::Redraw { .. } | Event::News) => 0,
            };
            let (now, rest) = self.rest.split_at(steps.min(self.rest.len()));
            for piece in now {
                screen.show(piece.text.as_bytes())?;
                self.ends_line = piece.text.ends_with('\n');
            }
            self.rest = rest;
        }
        Ok(Exit::Done)
    }

    fn take(&mut self, keys: &[Key], now: Instant) -> Next {
        let mut steps = 0;
        for key in keys {
            match key {
                Key::Char(' ') => {
                    self.is_paused = !self.is_paused;
                    self.since = now;
                }
                Key::Char('.') => {
                    self.is_paused = true;
                    steps += 1;
                }
                Key::Char('q') | Key::Control('c' | 'd') => return Next::Leave,
                _ => {}
            }
        }
        Next::Steps(steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_pause_step_and_leave() {
        let mut player = Player::new(&[]);
        let now = Instant::now();
        assert_eq!(player.take(&[Key::Char(' ')], now), Next::Steps(0));
        assert!(player.is_paused);
        assert_eq!(player.take(&[Key::Char('.'); 2], now), Next::Steps(2));
        assert!(player.is_paused);
        assert_eq!(
            player.take(&[Key::Char(' '), Key::Char('x')], now),
            Next::Steps(0)
        );
        assert!(!player.is_paused);
        assert_eq!(player.take(&[Key::Control('c')], now), Next::Leave);
        assert_eq!(player.take(&[Key::Char('q')], now), Next::Leave);
    }
}
