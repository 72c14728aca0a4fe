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

struct Measurement<'a> {
    tested: &'a TestedProgram<'a>,
    draft: &'a Draft,
    peak: Peak,
}

/// Measures a copy while it is idle and while it is asked, and repeats inputs.
pub(super) async fn run(
    tested: &TestedProgram<'_>,
    draft: &Draft,
    help: &ProgramHelp,
) -> SessionResult<()> {
    let mut measurement = Measurement {
        tested,
        draft,
        peak: Peak::default(),
    };
    tested.note_skipped(draft);
    if tested.can_be_asked() {
        measurement.ask(help).await?;
    } else {
        draft.begin(1);
        measurement.watch().await?;
    }
    measurement.note();
    measurement.judge();
    draft.finish();
    Ok(())
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
        let own = Growth::in_samples(&self.own[start..], INPUTS_OF_LOOK);
        let reserved = Growth::in_samples(&self.reserved[start..], INPUTS_OF_LOOK);
        if reserved.is_leak && !own.is_leak {
            reserved
        } else {
            own
        }
    }
}

impl Measurement<'_> {
    /// Measures a program that reads nothing, until it ends.
    async fn watch(&mut self) -> SessionResult<()> {
        let running = self.tested.driver.start(None).await?;
        let began = Instant::now();
        let stays = !matches!(self.tested.first.settled, Settled::Ended(_));
        while began.elapsed() < WATCH && !running.session().is_dead() {
            self.peak.take(&Usage::measure(&running).await);
            if stays && began.elapsed() > MEASURE {
                break;
            }
            tokio::time::sleep(WATCH_STEP).await;
        }
        if stays && !running.session().is_dead() {
            self.peak.idle_percent = self.idle(&running).await;
        }
        self.tested.driver.release(running);
        Ok(())
    }

    async fn ask(&mut self, help: &ProgramHelp) -> SessionResult<()> {
        let tested = self.tested;
        let mut inputs: Vec<(&[u8], usize)> = vec![(b"", LOOKS), (NONSENSE, LOOKS)];
        inputs.extend(help.word.map(|word| (word.as_bytes(), LOOKS)));
        let commands = help.commands.iter().map(|command| &*command.name);
        let harmless = commands.filter(|name| {
            let is_refused = tested.is_refused(name.as_bytes());
            !is_refused && !WORDS.contains(name) && Some(*name) != help.word
        });
        let harmless = harmless.take(MAX_COMMANDS);
        inputs.extend(harmless.map(|name| (name.as_bytes(), LOOKS_OF_COMMAND)));
        self.draft.begin(1 + inputs.len());
        let Some(running) = tested.copy().await? else {
            return Ok(());
        };
        self.peak.idle_percent = self.idle(&running).await;
        self.draft.step();
        tested.driver.release(running);
        for (input, looks) in inputs {
            // The other inputs would show the same.
            if self.repeat(input, looks).await? {
                break;
            }
            self.draft.step();
        }
        Ok(())
    }

    /// Returns the processor time of a copy that nobody asks.
    async fn idle(&mut self, running: &Running) -> f64 {
        let mut percent = 0.0;
        for wait in [MEASURE, MEASURE_AGAIN] {
            let (usage, measured) = Usage::during(running, wait).await;
            percent = measured;
            self.peak.take(&usage);
            if percent <= self.tested.options.bounds.cpu_percent as f64 {
                break;
            }
        }
        percent
    }

    /// Types an input again and again in a fresh copy, and looks at the memory; returns whether it grows.
    async fn repeat(&mut self, input: &[u8], looks: usize) -> SessionResult<bool> {
        let Some(mut running) = self.tested.copy().await? else {
            return Ok(false);
        };
        let lines = [input];
        let first = Usage::measure(&running).await;
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
                let asked = self.tested.ask(&mut running, &lines, Patience::Suspect);
                if asked.await?.1 != Verdict::Fine {
                    break 'looks;
                }
            }
            last = Usage::measure(&running).await;
            memory.take(&last);
            self.peak.take(&last);
        }
        if memory.own.len() > looks {
            let peak = &mut self.peak;
            let busy = last.percent_since(&first, began.elapsed());
            peak.busy_percent = peak.busy_percent.max(busy);
            if growth.is_leak {
                growth = memory.growth_from(looks);
            }
            peak.growth_bytes_per_input = peak.growth_bytes_per_input.max(growth.bytes);
            self.note_spinning(input, &running).await;
        }
        self.tested.driver.release(running);
        if growth.is_leak {
            let what = match input {
                [] => "empty line".to_owned(),
                _ => format!("input {}", shown(input)),
            };
            let kilobytes = growth.bytes / 1000;
            let message = format!("its memory grew by {kilobytes} kB with each {what}");
            let leak = finding(FindingKind::Leak, Some(input), message);
            self.draft.find(leak);
        }
        Ok(growth.is_leak)
    }

    /// Notes a program that uses the processor after an input although it waits for the next.
    async fn note_spinning(&mut self, input: &[u8], running: &Running) {
        const GLANCE: Duration = Duration::from_millis(50);
        let limit = self.tested.options.bounds.cpu_percent as f64;
        let (_, percent) = Usage::during(running, GLANCE).await;
        if percent < limit / 2.0 {
            return;
        }
        let percent = self.idle(running).await;
        if percent > limit && percent > self.peak.idle_percent {
            self.peak.idle_percent = percent;
            self.draft.set("busy_after", shown(input));
        }
    }

    fn note(&self) {
        let (draft, peak) = (self.draft, &self.peak);
        draft.set("memory_mb", megabytes(peak.memory_bytes));
        draft.set("cpu_percent", one_decimal(peak.idle_percent));
        draft.set("cpu_percent_asked", one_decimal(peak.busy_percent));
        draft.set("threads", peak.threads);
        draft.set("descriptors", peak.descriptors);
        draft.set("processes", json!(peak.processes));
        draft.set("growth_bytes_per_input", peak.growth_bytes_per_input);
    }

    fn judge(&self) {
        let (bounds, peak) = (&self.tested.options.bounds, &self.peak);
        if peak.memory_bytes > bounds.memory_mb.saturating_mul(1_000_000) {
            self.draft.fail(format!(
                "{} MB of memory at its peak: at most {} are allowed (testing.memory_mb)",
                megabytes(peak.memory_bytes),
                bounds.memory_mb
            ));
        }
        if peak.idle_percent > bounds.cpu_percent as f64 {
            self.draft.fail(format!(
                "{} % of a processor while nothing was asked: at most {} are allowed (testing.cpu_percent)",
                one_decimal(peak.idle_percent),
                bounds.cpu_percent
            ));
        }
    }
}
