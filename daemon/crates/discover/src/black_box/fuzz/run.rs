//! Rounds of inputs, then what broke in each.

use super::super::draft::Draft;
use super::super::help::ProgramHelp;
use super::super::judge::Fault;
use super::super::tested_program::{END_OF_INPUT, TestedProgram};
use super::chunk::{self, Numbered, Suspect};
use super::culprit::{Culprit, confirm, culprit};
use super::words::{Source, first_word};
use ccd_protocol::investigate::Finding;
use ccd_session::session::SessionError;
use futures_util::{StreamExt as _, stream};
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

#[derive(Default)]
struct Progress {
    culprits: Vec<Culprit>,
    findings: Vec<Finding>,
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
) -> Result<(), SessionError> {
    draft.set("seed", tested.options.seed);
    if let Some(why) = why_not(tested) {
        draft.begin(1);
        draft.set("skipped", why);
        draft.finish();
        return Ok(());
    }
    let source = Source::new(tested, help);
    draft.begin(source.len);
    let began = Instant::now();
    let until = until(tested);
    let mut progress = Progress::default();
    let (mut next, mut unsent) = (0, 0);
    while next < source.len && progress.findings.len() < MAX_FINDINGS && Instant::now() < until {
        let end = if next < source.alone_len() {
            source.alone_len()
        } else {
            (next + ROUND).min(source.len)
        };
        let left = round(tested, draft, &source, next..end, &mut progress).await?;
        next = end;
        unsent += left;
        draft.set(
            "copies",
            tested.copies.load(std::sync::atomic::Ordering::Relaxed),
        );
        note(draft, &progress, next - unsent, began);
    }
    let sent = next - unsent;
    if sent < source.len && progress.findings.len() < MAX_FINDINGS {
        let seconds = began.elapsed().as_secs_f64().round();
        let of = source.len;
        draft.set("complete", false);
        draft.set(
            "note",
            format!("{sent} of {of} inputs within {seconds} s (testing.timeout)"),
        );
        if sent == 0 {
            let limit = tested.options.timeout.as_secs_f64();
            draft.fail(format!("the time limit of {limit} s was reached"));
        }
    }
    draft.finish();
    Ok(())
}

/// Returns when the last input is sent: some time is kept for what has broken until then.
fn until(tested: &TestedProgram<'_>) -> Instant {
    let kept = tested.options.timeout.mul_f64(KEPT_TIME);
    tested.ends_at.checked_sub(kept).unwrap_or(tested.ends_at)
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

/// Sends the inputs of one round, then finds out what broke. Only then is it known which inputs of the next rounds need
/// not be sent, so the result does not depend on which copy was faster. Returns how many there was no time to send.
async fn round(
    tested: &TestedProgram<'_>,
    draft: &Draft,
    source: &Source,
    numbers: std::ops::Range<usize>,
    progress: &mut Progress,
) -> Result<usize, SessionError> {
    let is_alone = numbers.end <= source.alone_len();
    let mut inputs: Vec<Numbered> = Vec::new();
    for number in numbers {
        let input = source.input(number);
        let known = |culprit: &Culprit| {
            let word = culprit.input();
            culprit.lines.len() == 1 && !word.is_empty() && first_word(&input) == word
        };
        if progress.culprits.iter().any(known) {
            progress.known += 1;
            draft.step();
        } else if tested.is_refused(&input) {
            progress.refused += 1;
            draft.step();
        } else {
            inputs.push((number, input));
        }
    }
    let len = if is_alone { 1 } else { CHUNK };
    let chunks: Vec<_> = inputs
        .chunks(len)
        .map(|inputs| chunk::run(tested, draft, inputs.to_vec(), until(tested)))
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
    suspects.sort_by_key(|suspect| suspect.number);
    settle(tested, draft, suspects, progress).await?;
    Ok(unsent)
}

/// Finds the culprit of each suspect that no other explains.
async fn settle(
    tested: &TestedProgram<'_>,
    draft: &Draft,
    mut suspects: Vec<Suspect>,
    progress: &mut Progress,
) -> Result<(), SessionError> {
    while !suspects.is_empty() {
        let (new, later) = sort_out(suspects, progress);
        let searches: Vec<_> = new.iter().map(|suspect| search(tested, suspect)).collect();
        let mut found = stream::iter(searches).buffered(AT_A_TIME);
        while let Some(found) = found.next().await {
            match found? {
                Some((culprit, finding)) => add(draft, progress, culprit, finding),
                None => progress.unconfirmed += 1,
            }
        }
        suspects = later;
    }
    Ok(())
}

/// Returns the suspects that are searched now, and those that are looked at afterwards. The others are explained.
fn sort_out(suspects: Vec<Suspect>, progress: &mut Progress) -> (Vec<Suspect>, Vec<Suspect>) {
    let (mut new, mut later): (Vec<Suspect>, Vec<Suspect>) = Default::default();
    for suspect in suspects {
        let last = |suspect: &Suspect| suspect.lines.last().cloned().unwrap_or_default();
        let is_like = |other: &Suspect| {
            other.fault == suspect.fault && first_word(&last(other)) == first_word(&last(&suspect))
        };
        let mut known = progress.culprits.iter();
        if known.any(|culprit| culprit.explains(suspect.fault, &suspect.lines)) {
            progress.duplicates += 1;
        } else if !new.iter().any(is_like) {
            new.push(suspect);
        } else if last(&suspect) == END_OF_INPUT {
            // Every end of the input looks the same, but the inputs before it may differ.
            later.push(suspect);
        } else {
            progress.duplicates += 1;
        }
    }
    (new, later)
}

/// Adds a finding, unless it is known.
fn add(draft: &Draft, progress: &mut Progress, culprit: Culprit, finding: Finding) {
    let input = culprit.input();
    let is_known = progress.culprits.iter().any(|known| {
        known.fault == culprit.fault
            && (sorted(known.input()) == sorted(input.clone())
                || known.explains(culprit.fault, &culprit.lines))
    });
    if is_known {
        progress.duplicates += 1;
        return;
    }
    progress.not_minimal += u64::from(!culprit.is_minimal);
    progress.culprits.push(culprit);
    progress.findings.push(finding.clone());
    draft.find(finding);
}

/// Makes a line short that breaks the program, and records it on a tape; none if it does not break again.
pub(in crate::black_box) async fn shortened(
    tested: &TestedProgram<'_>,
    fault: Fault,
    line: &[u8],
) -> Result<Option<Finding>, SessionError> {
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
) -> Result<Option<(Culprit, Finding)>, SessionError> {
    let Some(culprit) = culprit(tested, suspect).await? else {
        return Ok(None);
    };
    let finding = confirm(tested, &culprit).await?;
    Ok(finding.map(|finding| (culprit, finding)))
}

fn note(draft: &Draft, progress: &Progress, inputs: usize, began: Instant) {
    let seconds = began.elapsed().as_secs_f64().max(0.001);
    draft.set("inputs", inputs as u64);
    draft.set("inputs_per_second", (inputs as f64 / seconds).round());
    draft.set("refused", progress.refused);
    draft.set("skipped_known", progress.known);
    draft.set("duplicates", progress.duplicates);
    draft.set("not_reproduced", progress.unconfirmed);
    if progress.not_minimal > 0 {
        draft.set("not_minimal", progress.not_minimal);
    }
}

/// Two inputs of the same bytes in another order break the program for the same reason.
fn sorted(mut input: Vec<u8>) -> Vec<u8> {
    input.sort_unstable();
    input
}
