//! The same inputs again in a fresh copy.

use super::super::judge::{Fault, Verdict};
use super::super::tested_program::{Patience, TestedProgram};
use crate::drive::{Running, Terminal};
use ccd_protocol::investigate::FindingKind;
use ccd_session::session::SessionError;

/// Lines that are typed at once, if the program reads lines.
pub(super) const WINDOW: usize = 16;

pub(super) struct Copy {
    pub(super) running: Running,
    terminal: Option<Terminal>,
    /// Each byte above ASCII that was typed, once.
    typed: Vec<u8>,
}

impl Copy {
    /// Starts a copy; none if it does not wait for input.
    pub(super) async fn start(tested: &TestedProgram<'_>) -> Result<Option<Self>, SessionError> {
        let running = tested.copy().await?;
        Ok(running.map(|running| Self {
            terminal: running.terminal(),
            typed: Vec::new(),
            running,
        }))
    }

    /// Types lines, and judges the answer; the terminal too, if the program has ended.
    pub(super) async fn ask(
        &mut self,
        tested: &TestedProgram<'_>,
        lines: &[&[u8]],
        patience: Patience,
    ) -> Result<Verdict, SessionError> {
        let running = &mut self.running;
        let asked = tested.ask_after(running, &self.typed, lines, patience);
        let (_, verdict) = asked.await?;
        let bytes = lines.iter().flat_map(|line| line.iter().copied());
        self.typed.extend(bytes.filter(|byte| !byte.is_ascii()));
        self.typed.sort_unstable();
        self.typed.dedup();
        if !matches!(verdict, Verdict::Ended(_)) {
            return Ok(verdict);
        }
        let is_restored = self.terminal.as_ref().is_none_or(Terminal::is_restored);
        Ok(if is_restored {
            verdict
        } else {
            Verdict::Broke(Fault::of(FindingKind::TerminalChanged))
        })
    }
}

/// Types lines one after the other in a fresh copy. Returns the verdict on the last, or on the first that the program
/// does not survive, with its index; none if the copy does not start as it should.
pub(super) async fn replay(
    tested: &TestedProgram<'_>,
    lines: &[&[u8]],
    patience: Patience,
) -> Result<Option<(usize, Verdict)>, SessionError> {
    let Some(mut copy) = Copy::start(tested).await? else {
        return Ok(None);
    };
    let mut last = (0, Verdict::Fine);
    for (index, line) in lines.iter().enumerate() {
        // What is slow before the last line is not to be found now.
        let verdict = copy.ask(tested, &[line], patience).await?;
        let is_fine = verdict == Verdict::Fine;
        last = (index, verdict);
        if !is_fine {
            break;
        }
    }
    tested.driver.release(copy.running);
    Ok(Some(last))
}

/// Returns whether lines break a fresh copy in this way at the last of them. What safe mode refuses is not sent: a part
/// of a harmless line may be a dangerous one.
pub(super) async fn breaks(
    tested: &TestedProgram<'_>,
    lines: &[&[u8]],
    fault: Fault,
    patience: Patience,
) -> Result<bool, SessionError> {
    if lines.iter().any(|line| tested.is_refused(line)) {
        return Ok(false);
    }
    let replayed = replay(tested, lines, patience).await?;
    Ok(replayed.is_some_and(|(index, verdict)| {
        index + 1 == lines.len() && verdict == Verdict::Broke(fault)
    }))
}
