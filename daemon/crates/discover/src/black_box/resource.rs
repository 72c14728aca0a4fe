//! Memory, processor time, threads and descriptors of all processes of a copy, and whether memory grows.

use super::draft::Draft;
use super::growth::Growth;
use super::help::ProgramHelp;
use super::judge::Verdict;
use super::sample::{finding, shown};
use super::tested_program::{Patience, TestedProgram};
use super::usage::{Usage, megabytes, one_decimal};
use crate::drive::{Running, SessionResult, Settled};
use crate::investigate::WORDS;
use ccd_protocol::investigate::FindingKind;
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
) -> SessionResult<()> {
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
async fn watched(tested: &TestedProgram<'_>, peak: &mut Peak) -> SessionResult<()> {
    let running = tested.driver.start(None).await?;
    let began = Instant::now();
    let stays = !matches!(tested.first.settled, Settled::Ended(_));
    while began.elapsed() < WATCH && !running.session().is_dead() {
        peak.take(&Usage::of(&running).await);
        if stays && began.elapsed() > MEASURE {
            break;
        }
        tokio::time::sleep(WATCH_STEP).await;
    }
    if stays && !running.session().is_dead() {
        peak.idle_percent = idle(tested, &running, peak).await;
    }
    tested.driver.release(running);
    Ok(())
}

async fn asked(
    tested: &TestedProgram<'_>,
    draft: &Draft,
    help: &ProgramHelp,
    peak: &mut Peak,
) -> SessionResult<()> {
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
    let Some(running) = tested.copy().await? else {
        return Ok(());
    };
    peak.idle_percent = idle(tested, &running, peak).await;
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
async fn idle(tested: &TestedProgram<'_>, running: &Running, peak: &mut Peak) -> f64 {
    let mut percent = 0.0;
    for wait in [MEASURE, MEASURE_AGAIN] {
        let usage;
        (usage, percent) = Usage::during(running, wait).await;
        peak.take(&usage);
        if percent <= tested.options.bounds.cpu_percent as f64 {
            break;
        }
    }
    percent
}

/// The memory of a copy after every [`INPUTS_OF_LOOK`] inputs: what was used, and what was only asked for.
#[derive(Default)]
struct Memory {
    own: Vec<u64>,
    reserved: Vec<u64>,
}

impl Memory {
    fn take(&mut self, usage: &Usage) {
        self.own.push(usage.own_bytes);
        self.reserved.push(usage.reserved_bytes);
    }

    /// Judges the samples from one on.
    fn growth_from(&self, start: usize) -> Growth {
        let own = Growth::of(&self.own[start..], INPUTS_OF_LOOK);
        let reserved = Growth::of(&self.reserved[start..], INPUTS_OF_LOOK);
        if reserved.is_leak && !own.is_leak {
            reserved
        } else {
            own
        }
    }
}

/// Types an input again and again in a fresh copy, and looks at the memory; returns whether it grows.
async fn repeat(
    tested: &TestedProgram<'_>,
    draft: &Draft,
    input: &[u8],
    looks: usize,
    peak: &mut Peak,
) -> SessionResult<bool> {
    let Some(mut running) = tested.copy().await? else {
        return Ok(false);
    };
    let first = Usage::of(&running).await;
    let (began, mut last) = (Instant::now(), first);
    let mut memory = Memory::default();
    memory.take(&first);
    let mut growth = Growth::default();
    'looks: for look in 0..looks + LOOKS_TO_BE_SURE {
        if look == looks {
            growth = memory.growth_from(0);
            if !growth.is_leak {
                break;
            }
        }
        for _ in 0..INPUTS_OF_LOOK {
            let asked = tested
                .ask(&mut running, &[input], Patience::Suspect)
                .await?;
            if asked.1 != Verdict::Fine {
                break 'looks;
            }
        }
        last = Usage::of(&running).await;
        memory.take(&last);
        peak.take(&last);
    }
    if memory.own.len() > looks {
        let busy = last.percent_since(&first, began.elapsed());
        peak.busy_percent = peak.busy_percent.max(busy);
        if growth.is_leak {
            growth = memory.growth_from(looks);
        }
        peak.growth_bytes_per_input = peak.growth_bytes_per_input.max(growth.bytes);
        spins(tested, draft, input, &running, peak).await;
    }
    tested.driver.release(running);
    if growth.is_leak {
        let what = match input {
            [] => "empty line".to_owned(),
            _ => format!("input {}", shown(input)),
        };
        let kilobytes = growth.bytes / 1000;
        let message = format!("its memory grew by {kilobytes} kB with each {what}");
        draft.find(finding(FindingKind::Leak, Some(input), message));
    }
    Ok(growth.is_leak)
}

/// Notes a program that uses the processor after an input although it waits for the next.
async fn spins(
    tested: &TestedProgram<'_>,
    draft: &Draft,
    input: &[u8],
    running: &Running,
    peak: &mut Peak,
) {
    const GLANCE: Duration = Duration::from_millis(50);
    let limit = tested.options.bounds.cpu_percent as f64;
    let (_, percent) = Usage::during(running, GLANCE).await;
    if percent < limit / 2.0 {
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
