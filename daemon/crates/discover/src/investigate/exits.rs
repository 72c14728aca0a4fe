//! Which words and keys end a program.

use super::explore::finding;
use super::notebook::Notebook;
use super::run::Options;
use crate::drive::{Driver, Exit, Reply};
use crate::safety::refusal;
use ccd_session::session::SessionError;
use futures_util::{StreamExt as _, stream};
use std::time::Duration;

/// Words that end some program.
pub(crate) const WORDS: [&str; 11] = [
    "exit", "quit", "q", "bye", "logout", ":q", "\\q", ".exit", ".quit", "end", "stop",
];

/// Those that a shell has itself; at its prompt, the others are names of programs.
pub(super) const WORDS_OF_SHELLS: [&str; 2] = ["exit", "logout"];

/// Keys that end some program.
pub(crate) const KEYS: [&str; 2] = ["C-d", "C-c"];

/// The word that is also a key: a program that reads keys may end before the rest of a longer word is typed.
pub(crate) const KEY: &str = "q";

const AT_A_TIME: usize = 3;

/// How long a program may take to end or to go on.
const LIMIT: Duration = Duration::from_secs(2);

struct Tried {
    way: &'static str,
    /// None if no copy waited for input.
    reply: Option<Reply>,
    /// The program reads keys, and [`KEY`] alone ended it.
    by_key: bool,
}

pub(super) async fn ask(
    driver: &Driver,
    notebook: &Notebook,
    options: &Options,
    words: &[&'static str],
) -> Result<(), SessionError> {
    let mut asked = Vec::new();
    for word in words.iter().copied().chain(KEYS) {
        if refusal(word).filter(|_| options.safe_mode).is_none() {
            asked.push(end_by(driver, notebook, word));
        }
    }
    let replies: Vec<_> = stream::iter(asked).buffered(AT_A_TIME).collect().await;
    let mut exits = Vec::new();
    let mut ends_by_key = false;
    for tried in replies {
        let Tried { way, reply, by_key } = tried?;
        let Some(reply) = reply else { continue };
        let exit = reply.exit();
        if exit.is_some_and(Exit::is_crash)
            && let Some(finding) = finding(notebook, 0, way, &reply)
        {
            notebook.finding(finding);
        }
        ends_by_key |= by_key;
        exits.extend(exit.filter(|exit| !exit.is_crash()).map(|exit| (way, exit)));
    }
    if ends_by_key {
        exits.retain(|(way, _)| !is_cut_short(way));
    }
    if exits
        .iter()
        .any(|(_, exit)| exit.code.is_some_and(|code| code != 0))
    {
        // It may have ended for another reason, for example because there is no network.
        if let Some(by_itself) = ends_by_itself(driver).await? {
            notebook.note(format!(
                "it ends soon after its start, with the status {}, without any input",
                by_itself.status()
            ));
            exits.retain(|(_, exit)| *exit != by_itself);
        }
    }
    for (word, exit) in exits {
        notebook.exit_command(word, exit.status());
    }
    Ok(())
}

/// Returns how a copy ends to which nothing is typed.
async fn ends_by_itself(driver: &Driver) -> Result<Option<Exit>, SessionError> {
    let mut running = driver.start(None).await?;
    running.first(driver.limits.start).await?;
    let exit = running.ended_within(LIMIT).await;
    driver.release(running);
    Ok(exit)
}

/// Returns whether [`KEY`] is only a part of a word.
pub(crate) fn is_cut_short(word: &str) -> bool {
    word != KEY && word.contains(KEY)
}

async fn end_by(
    driver: &Driver,
    notebook: &Notebook,
    way: &'static str,
) -> Result<Tried, SessionError> {
    notebook.asking(way, "main");
    let mut running = driver.start(None).await?;
    let first = running.first(driver.limits.start).await?;
    if !first.waits() && !running.is_full_screen() {
        driver.release(running);
        return Ok(Tried {
            way,
            reply: None,
            by_key: false,
        });
    }
    running.set_limit(LIMIT);
    let (reply, by_key) = if KEYS.contains(&way) {
        (running.press(way).await?, false)
    } else if way == KEY {
        running.ask_key_first(way).await?
    } else {
        (running.ask(way).await?, false)
    };
    driver.release(running);
    Ok(Tried {
        way,
        reply: Some(reply),
        by_key,
    })
}
