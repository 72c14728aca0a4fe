//! Which words and keys end the program, and what it leaves.

use super::draft::Draft;
use super::judge::fault_of;
use super::sample::{finding, shown};
use super::tested_program::{Patience, TestedProgram};
use crate::drive::{Exit, Running, SessionResult, Settled, Terminal};
use crate::investigate::{KEYS, WORDS, ends_by_key, is_cut_short};
use ccd_protocol::investigate::FindingKind;
use serde_json::{Value, json};
use std::time::Duration;

/// How long processes of the program may go on after it.
const AFTER: Duration = Duration::from_millis(300);

const LOOK: Duration = Duration::from_millis(30);

/// Signals that the terminal sends for a key.
const INTERRUPT: i32 = 2;

struct Left {
    processes: usize,
    is_restored: bool,
}

/// Tries all words and keys, each in a fresh copy.
pub(super) async fn run(tested: &TestedProgram<'_>, draft: &Draft) -> SessionResult<()> {
    draft.begin(WORDS.len() + KEYS.len());
    if tested.first.is_hidden() {
        tested.note_skipped(draft);
    }
    if let Settled::Ended(exit) = tested.first.settled {
        draft.set("ends_by_itself", true);
        draft.set("exit_status", exit.status());
        if let Some(fault) = fault_of(exit) {
            draft.fail(format!("it {}", fault.in_words()));
        }
        draft.finish();
        return Ok(());
    }
    let mut ways: Vec<Value> = Vec::new();
    let mut clean = Vec::new();
    let ends_by_key = takes_words(tested) && ends_by_key(tested.driver).await?;
    let tried = |way: &&'static str| !(ends_by_key && is_cut_short(way));
    for way in KEYS.into_iter().chain(WORDS).filter(tried) {
        let is_key = KEYS.contains(&way);
        if (is_key || takes_words(tested))
            && let Some((exit, left)) = end_by(tested, way, is_key).await?
        {
            ways.push(json!({
                "command": way, "exit_status": exit.status(),
                "terminal_restored": left.is_restored, "processes_left": left.processes,
            }));
            note_left(draft, way, &left);
            // What never reads can only be interrupted.
            let by_interrupt = !tested.first.waits() && exit.signal == Some(INTERRUPT);
            if (exit.code == Some(0) || by_interrupt) && left.is_restored && left.processes == 0 {
                clean.push(way);
            }
            if let Some(fault) = fault_of(exit) {
                let way = way.as_bytes();
                draft.find(fault.finding(Some(way), &format!("after {}", shown(way))));
            }
        }
        draft.step();
    }
    if clean.is_empty() {
        draft.fail(if ways.is_empty() {
            "no word and no key ends it"
        } else {
            "nothing ends it with exit status 0 and leaves nothing behind"
        });
    }
    draft.set("working_exits", json!(clean));
    draft.set("exits", ways);
    draft.finish();
    Ok(())
}

/// Returns whether words are typed: only where they are read. What ends a program is harmless on a full screen too.
fn takes_words(tested: &TestedProgram<'_>) -> bool {
    (tested.first.waits() || tested.first.is_full_screen) && !tested.first.is_hidden()
}

/// Starts a copy. One that never waits for input is given a moment.
async fn started(tested: &TestedProgram<'_>) -> SessionResult<Running> {
    if let Some(running) = tested.copy().await? {
        return Ok(running);
    }
    let mut running = tested.driver.start(None).await?;
    running.first(Duration::from_millis(100)).await?;
    Ok(running)
}

/// Returns how the program ended by a word or a key, and what it left; none if it did not end.
async fn end_by(
    tested: &TestedProgram<'_>,
    way: &str,
    is_key: bool,
) -> SessionResult<Option<(Exit, Left)>> {
    let mut running = started(tested).await?;
    let terminal = running.terminal();
    running.set_limit(Duration::from_secs(1));
    let reply = if is_key {
        running.press(way).await?
    } else {
        let lines = [way.as_bytes()];
        tested.ask(&mut running, &lines, Patience::Suspect).await?.0
    };
    let mut ended = None;
    if let Some(exit) = reply.exit() {
        let left = Left {
            processes: processes_after(&running).await,
            is_restored: terminal.as_ref().is_none_or(Terminal::is_restored),
        };
        ended = Some((exit, left));
    }
    tested.driver.release(running);
    Ok(ended)
}

/// Returns how many processes of the program go on after it.
async fn processes_after(running: &Running) -> usize {
    let mut waited = Duration::ZERO;
    loop {
        let processes = running.processes().await.len();
        if processes == 0 || waited >= AFTER {
            return processes;
        }
        tokio::time::sleep(LOOK).await;
        waited += LOOK;
    }
}

fn note_left(draft: &Draft, way: &str, left: &Left) {
    let input = Some(way.as_bytes());
    let way = shown(way.as_bytes());
    if left.processes > 0 {
        let message = format!("it left {} running processes after {way}", left.processes);
        draft.find(finding(FindingKind::ProcessLeft, input, message));
    }
    if !left.is_restored {
        let message = format!("it left the terminal in another mode after {way}");
        draft.find(finding(FindingKind::TerminalChanged, input, message));
    }
}
