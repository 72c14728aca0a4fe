//! What all tests share: copies of the program, what is known of it, what must not be sent.

use super::draft::Draft;
use super::judge::{Verdict, judge};
use super::options::Options;
use super::refused::is_unsafe;
use super::startup::First;
use super::usage::Usage;
use crate::drive::{Driver, ProgramRun, Reply, Running, SessionResult, Settled};
use crate::help::HelpCommand;
use crate::safety::refusal;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long a program may take before it is suspected of hanging or flooding.
const SHORT: Duration = Duration::from_millis(500);

/// How long it may take, without using the processor, before it hangs.
const LONG: Duration = Duration::from_secs(2);

/// How long a program is looked at that did not answer, and the processor time that shows that it works.
const GLANCE: Duration = Duration::from_millis(100);
const BUSY_PERCENT: f64 = 20.0;

/// A program that prints this much, and goes on, floods the terminal.
const FLOOD_BYTES: u64 = 1 << 20;

/// Stands for the end of the input in the place of a line: the key C-d. No line has this byte.
pub(super) const END_OF_INPUT: &[u8] = b"\x04";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    /// Enough for nearly all answers; a program that takes longer is only suspected.
    Suspect,
    /// Enough to be sure.
    Confirm,
}

pub(super) struct TestedProgram<'a> {
    pub(super) driver: &'a Driver,
    pub(super) options: &'a Options,
    /// What the first copy did at its start.
    pub(super) first: First,
    pub(super) copies: AtomicU64,
    /// When the time for all tests is over.
    pub(super) ends_at: Instant,
    /// The commands of the program's help, once it was asked for.
    pub(super) commands: OnceLock<Vec<HelpCommand>>,
}

impl TestedProgram<'_> {
    /// Returns whether words are typed: the program waits for input, and nothing speaks against it.
    pub(super) fn can_be_asked(&self) -> bool {
        self.first.waits() && self.why_not_asked().is_none()
    }

    /// Returns why nothing is typed although the program waits for input.
    pub(super) fn why_not_asked(&self) -> Option<&'static str> {
        if self.first.is_hidden() {
            return Some("it waits for hidden input, such as a password: no words are typed there");
        }
        // The keys of an editor or a pager may run any program.
        (self.first.is_full_screen && self.options.safe_mode)
            .then_some("it draws on the whole screen, and safe mode types no words there")
    }

    pub(super) fn note_skipped(&self, draft: &Draft) {
        if let Some(why) = self.why_not_asked() {
            draft.set("skipped", why);
        }
    }

    /// Starts a copy and waits until it wants input; none if it does not.
    pub(super) async fn copy(&self) -> SessionResult<Option<Running>> {
        if !self.first.waits() {
            return Ok(None);
        }
        self.copies.fetch_add(1, Ordering::Relaxed);
        let (running, first) = self.driver.start_and_wait().await?;
        if first.waits() {
            return Ok(Some(running));
        }
        self.driver.release(running);
        Ok(None)
    }

    /// Runs the program with one more argument until it ends; none if safe mode forbids that.
    pub(super) async fn run(
        &self,
        argument: &str,
        limit: Duration,
    ) -> SessionResult<Option<ProgramRun>> {
        let target = &self.driver.target;
        let args = target.args_and(argument);
        if self.options.safe_mode && refusal(&target.command_line(&args)).is_some() {
            return Ok(None);
        }
        Ok(Some(self.driver.run(&args, limit).await?))
    }

    pub(super) async fn ask(
        &self,
        running: &mut Running,
        lines: &[&[u8]],
        patience: Patience,
    ) -> SessionResult<(Reply, Verdict)> {
        self.ask_after(running, &[], lines, patience).await
    }

    /// Does the same for a copy to which other bytes were typed earlier, which it may print now.
    pub(super) async fn ask_after(
        &self,
        running: &mut Running,
        earlier: &[u8],
        lines: &[&[u8]],
        patience: Patience,
    ) -> SessionResult<(Reply, Verdict)> {
        let (limit, longer) = match patience {
            Patience::Suspect => (SHORT, LONG),
            Patience::Confirm => (LONG, self.driver.limits.step),
        };
        running.set_limit(limit);
        let mut reply = match lines {
            [END_OF_INPUT] => running.press("C-d").await?,
            _ => running.ask_lines(lines).await?,
        };
        if is_working(running, &reply).await {
            let next = running.go_on(longer).await?;
            (reply.settled, reply.prompt) = (next.settled, next.prompt);
        }
        let verdict = judge(&reply, lines.iter().copied().chain([earlier]));
        Ok((reply, verdict))
    }

    /// Returns whether an input must not be sent: in safe mode none may be whose commands are not known yet.
    pub(super) fn is_refused(&self, input: &[u8]) -> bool {
        let commands = self.commands.get();
        self.options.safe_mode && commands.is_none_or(|commands| is_unsafe(input, commands))
    }
}

/// Returns whether a program that did not answer in time uses the processor, or has not printed enough for a flood.
async fn is_working(running: &Running, reply: &Reply) -> bool {
    match reply.settled {
        Settled::Floods => reply.printed_bytes < FLOOD_BYTES,
        Settled::Hangs => Usage::shows_work(running, GLANCE, BUSY_PERCENT).await,
        Settled::Waits { .. } | Settled::Ended(_) => false,
    }
}
