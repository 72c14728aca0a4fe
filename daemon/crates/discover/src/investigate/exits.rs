//! Which words and keys end a program.

use super::finding::finding;
use super::investigation::Investigation;
use crate::drive::{Driver, Exit, Reply, SessionResult};
use crate::safety::refusal;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
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
const KEY: &str = "q";

const AT_A_TIME: usize = 3;

/// How long a program may take to end or to go on.
const LIMIT: Duration = Duration::from_secs(2);

pub(super) async fn ask(
    investigation: &Investigation,
    words: &[&'static str],
) -> SessionResult<()> {
    let notebook = &investigation.notebook;
    let ways = words.iter().copied().chain(KEYS);
    let ways = ways.filter(|way| !(investigation.options.safe_mode && refusal(way).is_some()));
    let asked: Vec<_> = ways.map(|way| end_by(investigation, way)).collect();
    let asked = stream::iter(asked).buffered(AT_A_TIME);
    let replies: Vec<Option<_>> = asked.try_collect().await?;
    let mut exits = Vec::new();
    for (way, reply) in replies.into_iter().flatten() {
        let exit = reply.exit();
        if exit.is_some_and(Exit::is_crash)
            && let Some(finding) = finding(notebook, 0, way, &reply)
        {
            notebook.finding(finding);
        }
        exits.extend(exit.filter(|exit| !exit.is_crash()).map(|exit| (way, exit)));
    }
    let by_word = exits.iter().any(|(way, _)| *way == KEY);
    if by_word && ends_by_key(&investigation.driver).await? {
        exits.retain(|(way, _)| !is_cut_short(way));
    }
    let failed = |(_, exit): &(_, Exit)| exit.code.is_some_and(|code| code != 0);
    // It may have ended for another reason, for example because there is no network.
    if exits.iter().any(failed)
        && let Some(by_itself) = ends_by_itself(&investigation.driver).await?
    {
        notebook.note(format!(
            "it ends soon after its start, with the status {}, without any input",
            by_itself.status()
        ));
        exits.retain(|(_, exit)| *exit != by_itself);
    }
    for (word, exit) in exits {
        notebook.exit_command(word, exit.status());
    }
    Ok(())
}

/// Returns how a copy ends to which nothing is typed.
async fn ends_by_itself(driver: &Driver) -> SessionResult<Option<Exit>> {
    let (running, _) = driver.start_and_wait().await?;
    let exit = running.ended_within(LIMIT).await;
    driver.release(running);
    Ok(exit)
}

/// Returns whether the program reads keys, and [`KEY`] without Enter ends it.
pub(crate) async fn ends_by_key(driver: &Driver) -> SessionResult<bool> {
    let (mut running, _) = driver.start_and_wait().await?;
    running.set_limit(LIMIT);
    let terminal = running.terminal();
    let reads_keys = terminal.is_some_and(|terminal| !terminal.is_canonical());
    let ends = reads_keys && running.press(KEY).await?.exit().is_some();
    driver.release(running);
    Ok(ends)
}

/// Returns whether [`KEY`] is only a part of a word.
pub(crate) fn is_cut_short(word: &str) -> bool {
    word != KEY && word.contains(KEY)
}

/// Returns the answer of a fresh copy to a word or a key; none if the copy does not wait for input.
async fn end_by(
    investigation: &Investigation,
    way: &'static str,
) -> SessionResult<Option<(&'static str, Reply)>> {
    investigation.notebook.asking(way, "main");
    let (mut running, first) = investigation.driver.start_and_wait().await?;
    let mut answer = None;
    if first.waits() || running.is_full_screen() {
        running.set_limit(LIMIT);
        answer = Some(if KEYS.contains(&way) {
            running.press(way).await?
        } else {
            running.ask(way).await?
        });
    }
    investigation.driver.release(running);
    Ok(answer.map(|reply| (way, reply)))
}
