//! Which words and keys end a program.

use super::notebook::Notebook;
use super::run::Options;
use crate::drive::{Driver, Reply};
use crate::safety::refusal;
use ccd_session::session::SessionError;
use futures_util::{StreamExt as _, stream};
use std::time::Duration;

/// Words that end some program.
pub(crate) const WORDS: [&str; 11] = [
    "exit", "quit", "q", "bye", "logout", ":q", "\\q", ".exit", ".quit", "end", "stop",
];

/// Keys that end some program.
pub(crate) const KEYS: [&str; 2] = ["C-d", "C-c"];

/// How many copies run at a time.
const AT_A_TIME: usize = 3;

/// How long a program may take to end or to go on.
const LIMIT: Duration = Duration::from_secs(2);

/// Tries all of them in fresh copies.
pub(super) async fn ask(
    driver: &Driver,
    notebook: &Notebook,
    options: &Options,
) -> Result<(), SessionError> {
    let mut asked = Vec::new();
    for word in WORDS.into_iter().chain(KEYS) {
        if refusal(word).filter(|_| options.safe_mode).is_none() {
            asked.push(end_by(driver, notebook, word));
        }
    }
    let replies: Vec<_> = stream::iter(asked).buffered(AT_A_TIME).collect().await;
    for reply in replies {
        let (word, reply) = reply?;
        let exit = reply.and_then(|reply| reply.exit());
        if let Some(exit) = exit.filter(|exit| !exit.is_crash()) {
            notebook.exit_command(word, exit.status());
        }
    }
    Ok(())
}

async fn end_by(
    driver: &Driver,
    notebook: &Notebook,
    word: &'static str,
) -> Result<(&'static str, Option<Reply>), SessionError> {
    notebook.asking(word, "main");
    let mut running = driver.start(None).await?;
    let first = running.first(driver.limits.start).await?;
    if !first.waits() && !running.is_full_screen() {
        driver.release(running);
        return Ok((word, None));
    }
    running.set_limit(LIMIT);
    let reply = match KEYS.contains(&word) {
        true => running.press(word).await?,
        false => running.ask(word).await?,
    };
    driver.release(running);
    Ok((word, Some(reply)))
}
