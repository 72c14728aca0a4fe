//! Memory, processor time, threads and descriptors of all processes of a copy, and whether memory grows.

use super::draft::Draft;
use super::growth::Growth;
use super::help::ProgramHelp;
use super::judge::Verdict;
use super::sample::{finding, shown};
use super::tested_program::{Patience, TestedProgram};
use super::usage::{Usage, megabytes, one_decimal};
use crate::drive::{Running, Settled};
use crate::investigate::WORDS;
use ccd_protocol::investigate::FindingKind;
use ccd_session::session::SessionError;
use serde_json::json;
use std::time::Duration;
use tokio::time::Instant;

/// How long the processor time is measured, and how long a second time if it was too much.
const MEASURE: Duration = Duration::from_millis(400);
const MEASURE_AGAIN: Duration = Duration::from_secs(1);

/// How long a program that reads nothing is watched at most.
const WATCH: Duration = Duration::from_secs(2);
const WATCH_STEP: Duration = Duration::from_millis(20);

/// Inputs between two looks at the memory, and number of looks: for inputs that any program can take, and for commands
/// of the program.
const INPUTS_OF_LOOK: usize = 4;
const LOOKS: usize = 10;
const LOOKS_OF_COMMAND: usize = 5;

/// Number of looks at a program that seems to leak, in which it must go on to do so.
const LOOKS_TO_BE_SURE: usize = 10;

const MAX_COMMANDS: usize = 12;

/// A word that no program knows.
const NONSENSE: &[u8] = b"xyzzyq";

/// The largest values so far.
#[derive(Default)]
struct Peak {
    memory_bytes: u64,
    idle_percent: f64,
    busy_percent: f64,
    threads: u64,
    descriptors: u64,
    processes: usize,
    growth_bytes_per_input: u64,
}

impl Peak {
    fn take(&mut self, usage: &Usage) {
        self.memory_bytes = self.memory_bytes.max(usage.peak_bytes);
        self.threads = self.threads.max(usage.threads);
        self.descriptors = self.descriptors.max(usage.descriptors);
        self.processes = self.processes.max(usage.processes);
    }
}

/// Measures a copy while it is idle and while it is asked, and repeats inputs.
pub(super) async fn run(
    tested: &TestedProgram<'_>,
    draft: &Draft,
    help: &ProgramHelp,
) -> Result<(), SessionError> {
    let mut peak = Peak::default();
    tested.note_skipped(draft);
    if tested.can_be_asked() {
        asked(tested, draft, help, &mut peak).await?;
    } else {
        draft.begin(1);
        watched(tested, &mut peak).await?;
    }
    note(draft, &peak);
    judge(tested, draft, &peak);
    draft.finish();
    Ok(())
}

/// Measures a program that reads nothing, until it ends.
async fn watched(tested: &TestedProgram<'_>, peak: &mut Peak) -> Result<(), SessionError> {
    let mut running = tested.driver.start(None).await?;
    let began = Instant::now();
    let stays = !matches!(tested.first.settled, Settled::Ended(_));
    while began.elapsed() < WATCH && !running.session().is_dead() {
        peak.take(&Usage::of(&running.processes().await));
        if stays && began.elapsed() > MEASURE {
            break;
        }
        tokio::time::sleep(WATCH_STEP).await;
    }
    if stays && !running.session().is_dead() {
        peak.idle_percent = idle(tested, &mut running, peak).await;
    }
    tested.driver.release(running);
    Ok(())
}

async fn asked(
    tested: &TestedProgram<'_>,
    draft: &Draft,
    help: &ProgramHelp,
    peak: &mut Peak,
) -> Result<(), SessionError> {
    let mut inputs: Vec<(Vec<u8>, usize)> = vec![(Vec::new(), LOOKS), (NONSENSE.to_vec(), LOOKS)];
    inputs.extend(help.word.map(|word| (word.into(), LOOKS)));
    let commands = help.commands.iter().map(|command| &*command.name);
    let harmless = commands.filter(|name| {
        let is_refused = tested.is_refused(name.as_bytes());
        !is_refused && !WORDS.contains(name) && Some(*name) != help.word
    });
    inputs.extend(
        harmless
            .take(MAX_COMMANDS)
            .map(|name| (name.as_bytes().to_vec(), LOOKS_OF_COMMAND)),
    );
    draft.begin(1 + inputs.len());
    let Some(mut running) = tested.copy().await? else {
        return Ok(());
    };
    peak.idle_percent = idle(tested, &mut running, peak).await;
    draft.step();
    tested.driver.release(running);
    for (input, looks) in inputs {
        // The other inputs would show the same.
        if repeat(tested, draft, &input, looks, peak).await? {
            break;
        }
        draft.step();
    }
    Ok(())
}

/// Returns the processor time of a copy that nobody asks.
async fn idle(tested: &TestedProgram<'_>, running: &mut Running, peak: &mut Peak) -> f64 {
    let limit = tested.options.bounds.cpu_percent as f64;
    let mut percent = 0.0;
    for wait in [MEASURE, MEASURE_AGAIN] {
        let before = Usage::of(&running.processes().await);
        let began = Instant::now();
        tokio::time::sleep(wait).await;
        let after = Usage::of(&running.processes().await);
        percent = after.percent_since(&before, began.elapsed());
        peak.take(&after);
        if percent <= limit {
            break;
        }
    }
    percent
}

/// Types an input again and again in a fresh copy, and looks at the memory; returns whether it grows.
async fn repeat(
    tested: &TestedProgram<'_>,
    draft: &Draft,
    input: &[u8],
    looks: usize,
    peak: &mut Peak,
) -> Result<bool, SessionError> {
    let Some(mut running) = tested.copy().await? else {
        return Ok(false);
    };
    let mut leaks = false;
    let first = Usage::of(&running.processes().await);
    let began = Instant::now();
    let (mut own, mut reserved) = (vec![first.own_bytes], vec![first.reserved_bytes]);
    let mut last = first;
    let mut growth = Growth::default();
    'looks: for look in 0..looks + LOOKS_TO_BE_SURE {
        if look == looks {
            growth = of_both(&own, &reserved);
            if !growth.is_leak {
                break;
            }
        }
        for _ in 0..INPUTS_OF_LOOK {
            let (_, verdict) = tested
                .ask(&mut running, &[input], Patience::Suspect)
                .await?;
            if verdict != Verdict::Fine {
                break 'looks;
            }
        }
        last = Usage::of(&running.processes().await);
        own.push(last.own_bytes);
        reserved.push(last.reserved_bytes);
        peak.take(&last);
    }
    if own.len() > looks {
        let busy = last.percent_since(&first, began.elapsed());
        peak.busy_percent = peak.busy_percent.max(busy);
        if growth.is_leak {
            growth = of_both(&own[looks..], &reserved[looks..]);
        }
        let bytes = growth.bytes;
        peak.growth_bytes_per_input = peak.growth_bytes_per_input.max(bytes);
        leaks = growth.is_leak;
        if leaks {
            let message = format!(
                "its memory grew by {} kB with each {}",
                bytes / 1000,
                if input.is_empty() {
                    "empty line".to_owned()
                } else {
                    format!("input {}", shown(input))
                }
            );
            draft.find(finding(FindingKind::Leak, Some(input), message));
        }
        spins(tested, draft, input, &mut running, peak).await;
    }
    tested.driver.release(running);
    Ok(leaks)
}

/// Judges memory that was used, and memory that was only asked for.
fn of_both(own: &[u64], reserved: &[u64]) -> Growth {
    let own = Growth::of(own, INPUTS_OF_LOOK);
    let reserved = Growth::of(reserved, INPUTS_OF_LOOK);
    if reserved.is_leak && !own.is_leak {
        reserved
    } else {
        own
    }
}

/// Notes a program that uses the processor after an input although it waits for the next.
async fn spins(
    tested: &TestedProgram<'_>,
    draft: &Draft,
    input: &[u8],
    running: &mut Running,
    peak: &mut Peak,
) {
    const GLANCE: Duration = Duration::from_millis(50);
    let limit = tested.options.bounds.cpu_percent as f64;
    let before = Usage::of(&running.processes().await);
    let began = Instant::now();
    tokio::time::sleep(GLANCE).await;
    let after = Usage::of(&running.processes().await);
    if after.percent_since(&before, began.elapsed()) < limit / 2.0 {
        return;
    }
    let percent = idle(tested, running, peak).await;
    if percent > limit && percent > peak.idle_percent {
        peak.idle_percent = percent;
        draft.set("busy_after", shown(input));
    }
}

fn note(draft: &Draft, peak: &Peak) {
    draft.set("memory_mb", megabytes(peak.memory_bytes));
    draft.set("cpu_percent", one_decimal(peak.idle_percent));
    draft.set("cpu_percent_asked", one_decimal(peak.busy_percent));
    draft.set("threads", peak.threads);
    draft.set("descriptors", peak.descriptors);
    draft.set("processes", json!(peak.processes));
    draft.set("growth_bytes_per_input", peak.growth_bytes_per_input);
}

fn judge(tested: &TestedProgram<'_>, draft: &Draft, peak: &Peak) {
    let bounds = &tested.options.bounds;
    if peak.memory_bytes > bounds.memory_mb.saturating_mul(1_000_000) {
        draft.fail(format!(
            "{} MB of memory at its peak: at most {} are allowed (testing.memory_mb)",
            megabytes(peak.memory_bytes),
            bounds.memory_mb
        ));
    }
    if peak.idle_percent > bounds.cpu_percent as f64 {
        draft.fail(format!(
            "{} % of a processor while nothing was asked: at most {} are allowed (testing.cpu_percent)",
            one_decimal(peak.idle_percent),
            bounds.cpu_percent
        ));
    }
}
