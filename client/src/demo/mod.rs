//! `ccctl demo`: shows what ccd does by running what a user would type, on a daemon of its own.

mod home;
mod steps;

use crate::context::Context;
use crate::exit_code::Exit;
use crate::failure::Failure;
use home::Home;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use steps::{Step, steps};

/// Goes through all steps, stops the daemon and removes its folder, also after a failure or `^C`.
///
/// # Errors
///
/// [`Failure::Failed`] names the step that went wrong.
pub(crate) fn demo(context: &mut Context) -> Result<Exit, Failure> {
    let is_stopped = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&is_stopped)).map_err(|source| {
            Failure::Io {
                what: "signals".to_owned(),
                source,
            }
        })?;
    }
    let home = Home::create()?;
    context.write_line("This starts a daemon of its own in a folder that goes away at the end.")?;
    let shown = steps().iter().try_for_each(|step| {
        if is_stopped.load(Ordering::Acquire) {
            return Err(Failure::Failed("demo: stopped".to_owned()));
        }
        show(step, &home, context)
    });
    let stopped = home.stop();
    shown.and(stopped)?;
    context.write_line("\nRecording and replay come with tapes.")?;
    context.write_line("Everything worked; the daemon and its folder are gone.")?;
    Ok(Exit::Done)
}

fn show(step: &Step, home: &Home, context: &mut Context) -> Result<(), Failure> {
    context.write_line(&format!("\n# {}", step.about))?;
    context.write_line(&format!("$ ccctl {}", typed(&step.words)))?;
    let output = home.ccctl(&step.words)?;
    context.write_bytes(&output.stdout)?;
    context.write_bytes(&output.stderr)?;
    let status = output.status.code();
    if step.status != 0 {
        context.write_line(&format!("(exit status {})", status.unwrap_or(-1)))?;
    }
    let text = String::from_utf8_lossy(&output.stdout);
    if status != Some(step.status) || !text.contains(step.shows) {
        return Err(Failure::Failed(format!(
            "demo: this should have printed {:?} and ended with {}",
            step.shows, step.status
        )));
    }
    Ok(())
}

/// Words as they would be typed in a shell.
fn typed(words: &[String]) -> String {
    words
        .iter()
        .map(|word| {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,".contains(c);
            if !word.is_empty() && word.chars().all(is_plain) {
                word.clone()
            } else {
                format!("'{}'", word.replace('\'', r"'\''"))
            }
        })
        .collect::<Vec<_>>()
        .join(" ")
}
