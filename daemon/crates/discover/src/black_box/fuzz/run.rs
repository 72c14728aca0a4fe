//! Rounds of inputs, then what broke in each.

use super::super::draft::Draft;
use super::super::help::ProgramHelp;
use super::super::judge::Fault;
use super::super::tested_program::{END_OF_INPUT, TestedProgram};
use super::chunk::{self, Numbered, Suspect};
use super::culprit::{Culprit, confirm, culprit};
use super::words::{Source, first_word};
use crate::drive::SessionResult;
use ccd_protocol::investigate::Finding;
use futures_util::{StreamExt as _, stream};
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Copies that run at a time.
const AT_A_TIME: usize = 2;

/// Inputs of a round, and of one copy.
const ROUND: usize = 128;
const CHUNK: usize = 64;

/// The part of the time for all tests that is kept for making inputs short.
const KEPT_TIME: f64 = 0.25;

/// The run ends when this much was found: the program is broken, and more would be the same.
const MAX_FINDINGS: usize = 20;

struct Run<'a> {
    tested: &'a TestedProgram<'a>,
    draft: &'a Draft,
    source: Source,
    /// When the last input is sent.
    until: Instant,
    /// One for each finding.
    culprits: Vec<Culprit>,
    counts: Counts,
}

#[derive(Default)]
struct Counts {
    unsent: usize,
    duplicates: u64,
    refused: u64,
    known: u64,
    unconfirmed: u64,
    not_minimal: u64,
}

pub(in crate::black_box) async fn run(
    tested: &TestedProgram<'_>,
    draft: &Draft,
    help: &ProgramHelp,
) -> SessionResult<()> {
    draft.set("seed", tested.options.seed);
    if let Some(why) = why_not(tested) {
        draft.begin(1);
        draft.set("skipped", why);
        draft.finish();
        return Ok(());
    }
    // Some time is kept for what has broken until then.
    let kept = tested.options.timeout.mul_f64(KEPT_TIME);
    let mut run = Run {
        tested,
        draft,
        source: Source::new(tested, help),
        until: tested.ends_at.checked_sub(kept).unwrap_or(tested.ends_at),
        culprits: Vec::new(),
        counts: Counts::default(),
    };
    run.rounds().await?;
    draft.finish();
    Ok(())
}

/// Returns why the program is given no random inputs; none if it is.
fn why_not(tested: &TestedProgram<'_>) -> Option<&'static str> {
    if !tested.first.waits() {
        return Some("it does not wait for input");
    }
    if let Some(why) = tested.why_not_asked() {
        return Some(why);
    }
    (tested.options.safe_mode && tested.driver.target.is_shell())
        .then_some("it is a shell, which runs what it is given: safe mode sends it nothing random")
}

impl Run<'_> {
    async fn rounds(&mut self) -> SessionResult<()> {
        let (len, alone_len) = (self.source.len, self.source.alone_len());
        self.draft.begin(len);
        let began = Instant::now();
        let mut next = 0;
        while next < len && self.culprits.len() < MAX_FINDINGS && Instant::now() < self.until {
            let end = if next < alone_len {
                alone_len
            } else {
                (next + ROUND).min(len)
            };
            self.round(next..end).await?;
            next = end;
            self.note(next - self.counts.unsent, began);
        }
        let sent = next - self.counts.unsent;
        if sent < len && self.culprits.len() < MAX_FINDINGS {
            let seconds = began.elapsed().as_secs_f64().round();
            let note = format!("{sent} of {len} inputs within {seconds} s (testing.timeout)");
            self.draft.set("complete", false);
            self.draft.set("note", note);
            if sent == 0 {
                let limit = self.tested.options.timeout.as_secs_f64();
                let why = format!("the time limit of {limit} s was reached");
                self.draft.fail(why);
            }
        }
        Ok(())
    }

    /// Sends the inputs of one round, then finds out what broke. Only then is it known which inputs of the next rounds
    /// need not be sent, so the result does not depend on which copy was faster.
    async fn round(&mut self, numbers: Range<usize>) -> SessionResult<()> {
        let is_alone = numbers.end <= self.source.alone_len();
        let mut inputs: Vec<Numbered> = Vec::new();
        for number in numbers {
            let input = self.source.input(number);
            let is_known = |culprit: &Culprit| {
                let word = culprit.input();
                culprit.lines.len() == 1 && !word.is_empty() && first_word(&input) == word
            };
            if self.culprits.iter().any(is_known) {
                self.counts.known += 1;
                self.draft.step();
            } else if self.tested.is_refused(&input) {
                self.counts.refused += 1;
                self.draft.step();
            } else {
                inputs.push((number, input));
            }
        }
        let len = if is_alone { 1 } else { CHUNK };
        let chunks: Vec<_> = inputs
            .chunks(len)
            .map(|inputs| chunk::run(self.tested, self.draft, inputs, self.until))
            .collect();
        let mut suspects: Vec<Suspect> = Vec::new();
        let mut unsent = 0;
        let mut running = stream::iter(chunks).buffered(AT_A_TIME);
        while let Some(found) = running.next().await {
            let (found, left) = found?;
            suspects.extend(found);
            unsent += left;
        }
        drop(running);
        self.counts.unsent += unsent;
        suspects.sort_by_key(|suspect| suspect.number);
        self.settle(suspects).await
    }

    /// Finds the culprit of each suspect that no other explains.
    async fn settle(&mut self, mut suspects: Vec<Suspect>) -> SessionResult<()> {
        while !suspects.is_empty() {
            let (new, later) = self.sort_out(suspects);
            let tested = self.tested;
            let searches: Vec<_> = new.iter().map(|suspect| search(tested, suspect)).collect();
            let mut found = stream::iter(searches).buffered(AT_A_TIME);
            while let Some(found) = found.next().await {
                match found? {
                    Some((culprit, finding)) => self.add(culprit, finding),
                    None => self.counts.unconfirmed += 1,
                }
            }
            suspects = later;
        }
        Ok(())
    }

    /// Returns the suspects that are searched now, and those that are looked at afterwards. The others are explained.
    fn sort_out(&mut self, suspects: Vec<Suspect>) -> (Vec<Suspect>, Vec<Suspect>) {
        let (mut new, mut later): (Vec<Suspect>, Vec<Suspect>) = Default::default();
        for suspect in suspects {
            let last = |suspect: &Suspect| suspect.lines.last().cloned().unwrap_or_default();
            let is_like = |other: &Suspect| {
                let (one, other_last) = (last(&suspect), last(other));
                other.fault == suspect.fault && first_word(&other_last) == first_word(&one)
            };
            let mut known = self.culprits.iter();
            if known.any(|culprit| culprit.explains(suspect.fault, &suspect.lines)) {
                self.counts.duplicates += 1;
            } else if !new.iter().any(is_like) {
                new.push(suspect);
            } else if last(&suspect) == END_OF_INPUT {
                // Every end of the input looks the same, but the inputs before it may differ.
                later.push(suspect);
            } else {
                self.counts.duplicates += 1;
            }
        }
        (new, later)
    }

    /// Adds a finding, unless it is known.
    fn add(&mut self, culprit: Culprit, finding: Finding) {
        let input = culprit.input();
        let is_known = self.culprits.iter().any(|known| {
            known.fault == culprit.fault
                && (sorted(known.input()) == sorted(input.clone())
                    || known.explains(culprit.fault, &culprit.lines))
        });
        if is_known {
            self.counts.duplicates += 1;
            return;
        }
        self.counts.not_minimal += u64::from(!culprit.is_minimal);
        self.culprits.push(culprit);
        self.draft.find(finding);
    }

    fn note(&self, inputs: usize, began: Instant) {
        let seconds = began.elapsed().as_secs_f64().max(0.001);
        let copies = self.tested.copies.load(Ordering::Relaxed);
        let draft = self.draft;
        draft.set("copies", copies);
        draft.set("inputs", inputs as u64);
        draft.set("inputs_per_second", (inputs as f64 / seconds).round());
        draft.set("refused", self.counts.refused);
        draft.set("skipped_known", self.counts.known);
        draft.set("duplicates", self.counts.duplicates);
        draft.set("not_reproduced", self.counts.unconfirmed);
        if self.counts.not_minimal > 0 {
            draft.set("not_minimal", self.counts.not_minimal);
        }
    }
}

/// Makes a line short that breaks the program, and records it on a tape; none if it does not break again.
pub(in crate::black_box) async fn shortened(
    tested: &TestedProgram<'_>,
    fault: Fault,
    line: &[u8],
) -> SessionResult<Option<Finding>> {
    let suspect = Suspect {
        number: 0,
        fault,
        lines: vec![line.to_vec()],
    };
    let found = search(tested, &suspect).await?;
    Ok(found.map(|(_, finding)| finding))
}

async fn search(
    tested: &TestedProgram<'_>,
    suspect: &Suspect,
) -> SessionResult<Option<(Culprit, Finding)>> {
    let Some(culprit) = culprit(tested, suspect).await? else {
        return Ok(None);
    };
    let finding = confirm(tested, &culprit).await?;
    Ok(finding.map(|finding| (culprit, finding)))
}

/// Two inputs of the same bytes in another order break the program for the same reason.
fn sorted(mut input: Vec<u8>) -> Vec<u8> {
    input.sort_unstable();
    input
}
