//! The same inputs again in a fresh copy.

use super::super::judge::{Fault, Verdict};
use super::super::tested_program::{Patience, TestedProgram};
use crate::drive::{Running, SessionResult, Terminal};
use ccd_protocol::investigate::FindingKind;

/// Lines that are typed at once, if the program reads lines.
pub(super) const WINDOW: usize = 16;

pub(super) struct Copy<'a> {
    tested: &'a TestedProgram<'a>,
    running: Running,
    terminal: Option<Terminal>,
    /// Each byte above ASCII that was typed, once.
    typed: Vec<u8>,
}

impl<'a> Copy<'a> {
    /// Starts a copy; none if it does not wait for input.
    pub(super) async fn start(tested: &'a TestedProgram<'a>) -> SessionResult<Option<Self>> {
        let running = tested.copy().await?;
        Ok(running.map(|running| Self {
            tested,
            terminal: running.terminal(),
            typed: Vec::new(),
            running,
        }))
    }

    /// Types lines, and judges the answer; the terminal too, if the program has ended.
    pub(super) async fn ask(&mut self, lines: &[&[u8]]) -> SessionResult<Verdict> {
        let (tested, running) = (self.tested, &mut self.running);
        let asked = tested.ask_after(running, &self.typed, lines, Patience::Suspect);
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
            Verdict::Broke(Fault::new(FindingKind::TerminalChanged))
        })
    }

    pub(super) fn release(self) {
        self.tested.driver.release(self.running);
    }
}

/// Returns whether lines break a fresh copy in this way at the last of them. What safe mode refuses is not sent: a part
/// of a harmless line may be a dangerous one.
pub(super) async fn breaks(
    tested: &TestedProgram<'_>,
    lines: &[&[u8]],
    fault: Fault,
) -> SessionResult<bool> {
    if lines.iter().any(|line| tested.is_refused(line)) {
        return Ok(false);
    }
    let Some(mut copy) = Copy::start(tested).await? else {
        return Ok(false);
    };
    let mut breaks = false;
    for (index, line) in lines.iter().enumerate() {
        // What is slow before the last line is not to be found now.
        let verdict = copy.ask(&[line]).await?;
        breaks = index + 1 == lines.len() && verdict == Verdict::Broke(fault);
        if verdict != Verdict::Fine {
            break;
        }
    }
    copy.release();
    Ok(breaks)
}
