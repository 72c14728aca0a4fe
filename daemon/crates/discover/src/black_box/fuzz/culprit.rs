//! The one input that did it, made short, and its tape.

use super::super::judge::{Fault, Verdict};
use super::super::sample::shown;
use super::super::tested_program::{Patience, TestedProgram};
use super::chunk::Suspect;
use super::replay::breaks;
use super::words::first_word;
use crate::drive::{Exit, SessionResult, recorded_in};
use crate::fuzz::Shrinker;
use ccd_protocol::investigate::{Finding, FindingKind};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Maximum number of lines before the last one that are looked through.
const MAX_LINES: usize = 250;

/// The part of the remaining time that making one input short may take: 10 s of the usual two minutes.
const SHARE: f64 = 1.0 / 12.0;

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
) -> SessionResult<Option<Culprit>> {
    let fault = suspect.fault;
    let now = Instant::now();
    let share = tested.ends_at.saturating_duration_since(now).mul_f64(SHARE);
    let search = Search {
        tested,
        fault,
        until: now + share,
    };
    let Some((last, before)) = suspect.lines.split_last() else {
        return Ok(None);
    };
    let alone = vec![last.clone()];
    let lines = if search.breaks(&alone).await? {
        search.shorten_alone(alone).await?
    } else if fault.kind == FindingKind::BrokenOutput {
        return Ok(None); // a line editor may still hold a part of an earlier input
    } else if before.is_empty()
        || before.len() > MAX_LINES
        || !search.breaks(&suspect.lines).await?
    {
        return Ok(None);
    } else {
        search.shorten_all(suspect.lines.clone()).await?
    };
    Ok(Some(Culprit {
        fault,
        lines,
        is_minimal: search.has_time(),
    }))
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

    async fn breaks(&self, lines: &[Vec<u8>]) -> SessionResult<bool> {
        let lines: Vec<&[u8]> = lines.iter().map(|line| &**line).collect();
        breaks(self.tested, &lines, self.fault).await
    }

    /// Shortens a line that breaks the program alone.
    async fn shorten_alone(&self, mut lines: Vec<Vec<u8>>) -> SessionResult<Vec<Vec<u8>>> {
        // Most often, the command alone does it.
        let word = first_word(&lines[0]).to_vec();
        if !word.is_empty() && word.len() < lines[0].len() {
            let only_word = vec![word];
            if self.breaks(&only_word).await? {
                lines = only_word;
            }
        }
        self.shorten_line(lines, 0).await
    }

    /// Drops lines and shortens the others, as a shorter line may make another one superfluous.
    async fn shorten_all(&self, mut lines: Vec<Vec<u8>>) -> SessionResult<Vec<Vec<u8>>> {
        loop {
            let mut shortened = self.drop_lines(lines.clone()).await?;
            for at in 0..shortened.len() {
                shortened = self.shorten_line(shortened, at).await?;
            }
            if shortened == lines || !self.has_time() {
                return Ok(shortened);
            }
            lines = shortened;
        }
    }

    /// Returns the lines without those before the last one that do not matter.
    async fn drop_lines(&self, mut lines: Vec<Vec<u8>>) -> SessionResult<Vec<Vec<u8>>> {
        let last = lines.split_off(lines.len().saturating_sub(1));
        let mut shrinker = Shrinker::new(lines);
        while let Some(before) = shrinker.candidate().filter(|_| self.has_time()) {
            shrinker.report(self.breaks(&[&before[..], &last].concat()).await?);
        }
        Ok([shrinker.best(), &last].concat())
    }

    /// Shortens one of several lines until no byte can be removed from it.
    async fn shorten_line(
        &self,
        mut lines: Vec<Vec<u8>>,
        at: usize,
    ) -> SessionResult<Vec<Vec<u8>>> {
        let mut shrinker = Shrinker::new(lines[at].clone());
        while let Some(line) = shrinker.candidate().filter(|_| self.has_time()) {
            lines[at] = line;
            shrinker.report(self.breaks(&lines).await?);
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
) -> SessionResult<Option<Finding>> {
    let root = folder_of_tape(tested);
    let tape = root.as_deref();
    let tape = tape.map(|root| recorded_in(root, Some("finding")));
    let mut running = tested.driver.start(tape).await?;
    let terminal = running.terminal();
    let first = running.first(tested.driver.limits.start).await?;
    let (mut verdict, mut exit) = (Verdict::Fine, None);
    if first.waits() {
        for line in &culprit.lines {
            let asked = tested.ask(&mut running, &[line], Patience::Confirm).await?;
            exit = asked.0.exit();
            verdict = asked.1;
            if verdict != Verdict::Fine {
                break;
            }
        }
    }
    if matches!(verdict, Verdict::Ended(_)) && terminal.is_some_and(|it| !it.is_restored()) {
        verdict = Verdict::Broke(Fault::new(FindingKind::TerminalChanged));
    }
    if verdict != Verdict::Broke(culprit.fault) {
        tested.driver.release(running);
        return Ok(None);
    }
    let id = running.end_with_tape().await;
    let tape = root.zip(id);
    let tape = tape.map(|(root, id)| root.join(format!("{id}.json5")));
    let input = culprit.input();
    let when = format!("after {}", shown(&input));
    Ok(Some(Finding {
        exit_status: exit.map(Exit::status),
        tape: tape.map(|path| path.to_string_lossy().into_owned()),
        ..culprit.fault.finding(Some(&input), &when)
    }))
}
