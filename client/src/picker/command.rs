//! Commands that are run from a screen: on the normal screen, below their command line.

use crate::fullscreen::{Event, Events, Fullscreen, Key, LeftBy};
use crate::render::Colour;
use crate::terminal::RawMode;
use crate::{Context, own};
use ccd_base::shell;
use std::io;
use std::ops::ControlFlow;

/// Runs a command as the user would. If it is `paged`, the user leaves the pager for the list; otherwise this waits until the user
/// wants to go back.
pub(super) fn carry_out(
    words: &[String],
    is_paged: bool,
    context: &mut Context,
    screen: &mut Fullscreen,
) -> io::Result<ControlFlow<LeftBy>> {
    screen.pause();
    let ran = if is_paged {
        own::run_paged(words)
    } else {
        let line = format!("$ ccctl {}", shell::line(words));
        let told = context.write_line(&context.style.paint(Colour::Heading, &line));
        told.map_err(|failure| io::Error::other(failure.to_string()))?;
        own::run(words)
    };
    // Interrupts were meant for the command.
    screen.events.forget_interrupts();
    let how = match ran {
        Ok(status) if status.success() && is_paged => {
            screen.again()?;
            return Ok(ControlFlow::Continue(()));
        }
        Ok(status) if status.success() => "done".to_owned(),
        // What went wrong is on the normal screen.
        Ok(status) => status.to_string(),
        Err(error) => format!("the command could not be started: {error}"),
    };
    let hint = format!("({how}; Enter: list, q: quit) ");
    screen.write(&context.style.paint(Colour::Dim, &hint))?;
    let goes_on = wait(&mut screen.events)?;
    screen.write("\n")?;
    if goes_on.is_continue() {
        screen.again()?;
    }
    Ok(goes_on)
}

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
