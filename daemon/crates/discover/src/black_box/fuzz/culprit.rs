//! The one input that did it, made short, and its tape.

use super::super::judge::{Fault, Verdict};
use super::super::sample::{finding, shown};
use super::super::tested_program::{Patience, TestedProgram};
use super::chunk::Suspect;
use super::replay::breaks;
use super::words::first_word;
use crate::drive::recorded_in;
use crate::fuzz::Shrinker;
use ccd_protocol::investigate::{Finding, FindingKind};
use ccd_session::session::SessionError;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Maximum number of lines before the last one that are looked through.
const MAX_LINES: usize = 250;

/// Longest time for making one input short, and the part of the remaining time that it may take at most.
const LIMIT: Duration = Duration::from_secs(10);
const SHARE: f64 = 0.25;

#[derive(Debug, Clone)]
pub(super) struct Culprit {
    pub(super) fault: Fault,
    /// One line, or several if only all of them together do it.
    pub(super) lines: Vec<Vec<u8>>,
    /// There was time enough to make it as short as it can be.
    pub(super) is_minimal: bool,
}

impl Culprit {
    /// Returns whether it explains that inputs broke a program in the same way: its last line the last of them, and its
    /// other lines some of those before, in order.
    pub(super) fn explains(&self, fault: Fault, inputs: &[Vec<u8>]) -> bool {
        let (Some((line, lines)), Some((input, inputs))) =
            (self.lines.split_last(), inputs.split_last())
        else {
            return false;
        };
        let mut inputs = inputs.iter();
        fault == self.fault
            && is_in(line, input)
            && lines
                .iter()
                .all(|line| inputs.any(|input| is_in(line, input)))
    }

    pub(super) fn input(&self) -> Vec<u8> {
        self.lines.join(&b'\n')
    }
}

/// Returns whether an input has a line in it, or starts with the same word.
fn is_in(line: &[u8], input: &[u8]) -> bool {
    let word = first_word(line);
    (!word.is_empty() && word == first_word(input))
        || (line.len() > 1 && input.windows(line.len()).any(|window| window == line))
}

/// Finds what breaks the program; none if it does not break again.
pub(super) async fn culprit(
    tested: &TestedProgram<'_>,
    suspect: &Suspect,
) -> Result<Option<Culprit>, SessionError> {
    let fault = suspect.fault;
    let now = Instant::now();
    let share = tested.ends_at.saturating_duration_since(now).mul_f64(SHARE);
    let search = Search {
        tested,
        fault,
        until: now + share.min(LIMIT),
    };
    let Some((last, before)) = suspect.lines.split_last() else {
        return Ok(None);
    };
    if search.breaks(std::slice::from_ref(last)).await? {
        let line = search.shorten_line(&[], last.clone()).await?;
        return Ok(Some(Culprit {
            fault,
            lines: vec![line],
            is_minimal: search.has_time(),
        }));
    }
    if fault.kind == FindingKind::BrokenOutput {
        return Ok(None); // a line editor may still hold a part of an earlier input
    }
    // Not alone: the lines before it matter.
    let start = before.len().saturating_sub(MAX_LINES);
    if start > 0 || before.is_empty() || !search.breaks(&suspect.lines).await? {
        return Ok(None);
    }
    let mut lines = suspect.lines.clone();
    loop {
        // A shorter line may make another one superfluous.
        let mut shortened = search.drop_lines(&lines).await?;
        for at in 0..shortened.len() {
            shortened = search.shorten_in(shortened, at).await?;
        }
        if shortened == lines || !search.has_time() {
            return Ok(Some(Culprit {
                fault,
                lines: shortened,
                is_minimal: search.has_time(),
            }));
        }
        lines = shortened;
    }
}

struct Search<'a, 'b> {
    tested: &'a TestedProgram<'b>,
    fault: Fault,
    until: Instant,
}

impl Search<'_, '_> {
    fn has_time(&self) -> bool {
        Instant::now() < self.until
    }

    async fn breaks(&self, lines: &[Vec<u8>]) -> Result<bool, SessionError> {
        let lines: Vec<&[u8]> = lines.iter().map(|line| &**line).collect();
        breaks(self.tested, &lines, self.fault, Patience::Suspect).await
    }

    /// Returns the lines without those that do not matter.
    async fn drop_lines(&self, lines: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, SessionError> {
        let Some((last, before)) = lines.split_last() else {
            return Ok(Vec::new());
        };
        let with = |indices: &[u8]| {
            let kept = indices
                .iter()
                .filter_map(|&index| before.get(usize::from(index)));
            let kept = kept.cloned().chain([last.clone()]);
            kept.collect::<Vec<_>>()
        };
        let indices = (0..before.len()).filter_map(|index| u8::try_from(index).ok());
        let mut shrinker = Shrinker::new(indices.collect());
        while let Some(indices) = shrinker.candidate() {
            if !self.has_time() {
                break;
            }
            let is_enough = self.breaks(&with(&indices)).await?;
            shrinker.report(is_enough);
        }
        Ok(with(shrinker.best()))
    }

    async fn shorten_line(
        &self,
        before: &[Vec<u8>],
        line: Vec<u8>,
    ) -> Result<Vec<u8>, SessionError> {
        let mut lines = before.to_vec();
        let at = lines.len();
        // Most often, the command alone does it.
        let word = first_word(&line).to_vec();
        let mut line = line;
        if !word.is_empty() && word.len() < line.len() {
            lines.push(word.clone());
            if self.breaks(&lines).await? {
                line = word;
            }
            lines.pop();
        }
        lines.push(line);
        lines = self.shorten_in(lines, at).await?;
        Ok(lines.swap_remove(at))
    }

    /// Shortens one of several lines until no byte can be removed from it.
    async fn shorten_in(
        &self,
        mut lines: Vec<Vec<u8>>,
        at: usize,
    ) -> Result<Vec<Vec<u8>>, SessionError> {
        let Some(line) = lines.get(at).cloned() else {
            return Ok(lines);
        };
        let mut shrinker = Shrinker::new(line);
        while let Some(candidate) = shrinker.candidate() {
            if !self.has_time() {
                break;
            }
            lines[at] = candidate;
            let is_enough = self.breaks(&lines).await?;
            shrinker.report(is_enough);
        }
        lines[at] = shrinker.best().to_vec();
        Ok(lines)
    }
}

/// Returns a directory for the tape of one finding. In one with other tapes, only what is on none of them would be
/// recorded, and the tape could not be played without them.
fn folder_of_tape(tested: &TestedProgram<'_>) -> Option<PathBuf> {
    let number = tested.copies.fetch_add(1, Ordering::Relaxed);
    let root = tested.options.tapes.as_deref()?;
    Some(root.join(number.to_string()))
}

/// Breaks the program once more, with a longer limit and on a tape; none if it does not break.
pub(super) async fn confirm(
    tested: &TestedProgram<'_>,
    culprit: &Culprit,
) -> Result<Option<Finding>, SessionError> {
    let root = folder_of_tape(tested);
    let tape = root
        .as_deref()
        .map(|root| recorded_in(root, Some("finding")));
    let mut running = tested.driver.start(tape).await?;
    let terminal = running.terminal();
    let first = running.first(tested.driver.limits.start).await?;
    let (mut verdict, mut exit) = (Verdict::Fine, None);
    if first.waits() {
        for line in &culprit.lines {
            let asked = tested.ask_surely(&mut running, line).await?;
            exit = asked.0.exit();
            verdict = asked.1;
            if verdict != Verdict::Fine {
                break;
            }
        }
    }
    if matches!(verdict, Verdict::Ended(_)) && terminal.is_some_and(|it| !it.is_restored()) {
        verdict = Verdict::Broke(Fault::of(FindingKind::TerminalChanged));
    }
    if verdict != Verdict::Broke(culprit.fault) {
        tested.driver.release(running);
        return Ok(None);
    }
    let tape = match root {
        Some(root) => {
            let id = running.end_with_tape().await;
            id.map(|id| root.join(format!("{id}.json5")))
        }
        None => {
            tested.driver.release(running);
            None
        }
    };
    let input = culprit.input();
    let message = format!("it {} after {}", culprit.fault.in_words(), shown(&input));
    let found = finding(culprit.fault.kind, Some(&input), message);
    Ok(Some(Finding {
        exit_status: exit.map(crate::drive::Exit::status),
        tape: tape.map(|path| path.to_string_lossy().into_owned()),
        ..culprit.fault.onto(found)
    }))
}
