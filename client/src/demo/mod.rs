//! `ccctl demo`: runs example commands on a temporary daemon of its own.

mod home;
mod steps;

pub(crate) use home::Home;

use crate::context::is_at_terminal;
use crate::{Context, Exit, Failure};
use ccd_base::shell;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use std::io::{self, IsTerminal as _};
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use steps::{RECORDED, REPLAYED, Step, steps};

/// How long the daemon may take to write input to the history.
const SETTLE_LIMIT: Duration = Duration::from_secs(3);

const SETTLE_PAUSE: Duration = Duration::from_millis(20);

/// How long a signal that another thread took may go unnoticed.
const SIGNAL_PAUSE: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 200_000_000,
};

/// Printed at the end.
const NEXT: &str = "Three commands to try next:
  ccctl new --name py -- python3 -q
  ccctl send py '6 * 7' --expect 42
  ccctl attach py";

/// Runs all steps, stops the daemon and removes its directory, even after a failure or `^C`. At a terminal, it stops after
/// each chapter until a person has read it, unless `is_fast`.
pub(crate) fn demo(is_fast: bool, context: &mut Context) -> Result<Exit, Failure> {
    if context.global.host.is_some() {
        return Failure::usage("demo: uses a daemon of its own on this host; leave out --host");
    }
    let is_stopped = Arc::new(AtomicBool::new(false));
    // A terminal that is closed ends the input; the commands that stop the daemon then must not end with it.
    // SAFETY: it only sets how this process and its children take a signal.
    unsafe { libc::signal(SIGHUP, libc::SIG_IGN) };
    for signal in [SIGINT, SIGTERM, SIGQUIT] {
        signal_hook::flag::register(signal, Arc::clone(&is_stopped))
            .map_err(Failure::io("signals"))?;
    }
    let home = Home::create()?;
    context.write_line(
        "The demo starts its own daemon in a temporary directory, and removes both at the end.",
    )?;
    let pauses = !is_fast && is_at_terminal() && io::stdout().is_terminal();
    let shown = show_all(pauses, &is_stopped, &home, context);
    let stopped = home.stop();
    let is_whole = shown.and_then(|is_whole| stopped.map(|()| is_whole))?;
    let worked = if is_whole {
        "Everything worked; the"
    } else {
        "The"
    };
    context.write_line(&format!(
        "{worked} daemon is stopped and its directory is removed."
    ))?;
    context.write_line(&format!("\n{NEXT}"))?;
    Ok(Exit::Done)
}

/// Runs all steps; false if a person ended them.
fn show_all(
    pauses: bool,
    is_stopped: &AtomicBool,
    home: &Home,
    context: &mut Context,
) -> Result<bool, Failure> {
    for step in steps() {
        let shown = show(&step, home, context);
        let is_left = shown.is_ok() && pauses && step.pause && !goes_on(is_stopped, context)?;
        if is_stopped.load(Ordering::Acquire) {
            return Failure::failed("demo: interrupted");
        }
        shown?;
        if is_left {
            return Ok(false);
        }
    }
    compare(home, context)?;
    Ok(true)
}

/// Waits for Enter; false after `q`, the end of input, or a signal.
fn goes_on(is_stopped: &AtomicBool, context: &mut Context) -> Result<bool, Failure> {
    context.write_bytes(b"\n(Enter continues, q and Enter ends the demo) ")?;
    let stdin = io::stdin();
    loop {
        if is_stopped.load(Ordering::Acquire) {
            return Ok(false);
        }
        let mut polled = [PollFd::new(&stdin, PollFlags::IN)];
        match poll(&mut polled, Some(&SIGNAL_PAUSE)) {
            Ok(1..) => break,
            Ok(0) | Err(Errno::INTR) => {}
            Err(error) => return Err(Failure::io("standard input")(error)),
        }
    }
    let mut line = String::new();
    stdin
        .read_line(&mut line)
        .map_err(Failure::io("standard input"))?;
    Ok(!line.is_empty() && !line.trim_start().starts_with('q'))
}

/// Checks that the replay printed the same as the recorded program.
fn compare(home: &Home, context: &mut Context) -> Result<(), Failure> {
    let printed = |name: &str| {
        let output = home.ccctl(&["session", "read", name, "--since", "0", "--raw"])?;
        Ok::<_, Failure>(output.stdout)
    };
    let (recorded, replayed) = (printed(RECORDED)?, printed(REPLAYED)?);
    if recorded.is_empty() || recorded != replayed {
        return Failure::failed("demo: the replay did not print the same as the recorded program");
    }
    let len = recorded.len();
    context.write_line(&format!(
        "\nThe replay and the recorded program printed the same {len} bytes."
    ))
}

fn show(step: &Step, home: &Home, context: &mut Context) -> Result<(), Failure> {
    context.write_line(&format!("\n# {}", step.about))?;
    context.write_line(&format!("$ ccctl {}", shell::line(&step.words)))?;
    let output = outcome(step, home)?;
    context.write_bytes(&output.stdout)?;
    context.write_bytes(&output.stderr)?;
    if step.status != 0 {
        let status = output.status.code().unwrap_or(-1);
        context.write_line(&format!("(exit status {status})"))?;
    }
    if step.is_satisfied(&output) {
        return Ok(());
    }
    Failure::failed(format!(
        "demo: the command should have printed {:?} and exited with {}",
        step.shows, step.status
    ))
}

/// Runs a step; one that changes nothing is repeated while the history is still being written.
fn outcome(step: &Step, home: &Home) -> Result<Output, Failure> {
    let deadline = Instant::now() + SETTLE_LIMIT;
    loop {
        let output = home.ccctl(&step.words)?;
        if step.is_satisfied(&output) || !step.only_looks || Instant::now() > deadline {
            return Ok(output);
        }
        std::thread::sleep(SETTLE_PAUSE);
    }
}
