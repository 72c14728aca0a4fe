//! One command in a shell, from the typed line to its output and status.

use std::path::Path;
use std::time::Duration;

use super::marks::{Mark, MarkScanner, Piece};
use super::output::{Output, Place};
use super::prompt::{Likeness, Prompt, TAIL_MAX_LEN, len_without_prompt};
use super::wrap::{LineError, Nonce, Way, rescue_line, typed_line};

/// Quiet after which a shell that shows its very prompt is taken to be there.
const SAME_PROMPT_QUIET: Duration = Duration::from_millis(30);
/// The same for a prompt that only looks alike, and before a rescue line is typed again.
const ALIKE_PROMPT_QUIET: Duration = Duration::from_millis(300);
/// Longest time between two looks at a command that prints nothing.
const LOOK_MAX_WAIT: Duration = Duration::from_millis(250);
const RESCUES_MAX: usize = 3;
/// Looks at the terminal until the prompt after a rescue is taken as it is.
const PROMPT_LOOKS_MAX: u32 = 20;

/// What a run needs to begin.
#[derive(Debug)]
pub(crate) struct Start<'a> {
    pub(crate) nonce: Nonce,
    pub(crate) way: Way<'a>,
    /// The prompt that the command is typed at.
    pub(crate) prompt: Prompt,
    /// A second terminal for the command's output.
    pub(crate) isolate: Option<&'a Path>,
}

/// What is known of the session while its output pauses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quiet {
    /// Time since the last output, on the second terminal too.
    pub(crate) quiet: Duration,
    /// The terminal's foreground process group is the session's own shell.
    pub(crate) shell_is_foreground: bool,
    /// The shell is blocked reading or polling the terminal.
    pub(crate) shell_waits: bool,
    /// The terminal is not in canonical mode.
    pub(crate) line_editing: bool,
}

/// What to do next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Ask again when this much more time has passed without output.
    Wait(Duration),
    /// Type these bytes.
    Type(Vec<u8>),
    /// The outcome is there.
    Done,
}

/// What a command did.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Exactly what it wrote, control sequences included, at most 16 MiB.
    pub(crate) output: Vec<u8>,
    /// Its status as `$?` shows it, or the session's when that has ended.
    pub(crate) exit_code: i32,
    /// Stream offsets of the output in the session; of the marks around it when it was isolated.
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) truncated: bool,
    pub(crate) session_ended: bool,
}

/// A command that was typed into a shell: fed with the terminal's output, it knows when the
/// command has ended.
#[derive(Debug)]
pub(crate) struct ShellRun {
    typed: Vec<u8>,
    scanner: MarkScanner,
    isolated_scanner: Option<MarkScanner>,
    next_offset: Option<u64>,
    isolated_offset: u64,
    progress: Progress,
}

impl ShellRun {
    /// Returns a run whose line is still to be typed.
    ///
    /// # Errors
    ///
    /// [`LineError`] when the command or a path cannot be typed.
    pub(crate) fn new(start: Start<'_>) -> Result<Self, LineError> {
        let typed = typed_line(&start.nonce, start.way, start.isolate)?;
        let isolated_scanner = start.isolate.map(|_| MarkScanner::new(start.nonce.clone()));
        Ok(Self {
            typed,
            scanner: MarkScanner::new(start.nonce.clone()),
            isolated_offset: 0,
            next_offset: None,
            progress: Progress::new(start.nonce, start.prompt, isolated_scanner.is_some()),
            isolated_scanner,
        })
    }

    /// Returns the bytes to type first.
    pub(crate) fn typed(&self) -> &[u8] {
        &self.typed
    }

    /// Takes the session's output that came after the line was typed; `offset` is the stream
    /// offset of its first byte. A hole between two calls makes the output truncated.
    pub(crate) fn on_output(&mut self, raw: &[u8], offset: u64) {
        let Self { scanner, progress, .. } = self;
        if self.next_offset.is_some_and(|expected| expected != offset) {
            scanner.release(&mut |piece| progress.take(piece));
            progress.output.note_loss();
        }
        self.next_offset = Some(offset + raw.len() as u64);
        progress.remember(raw, offset);
        scanner.feed(raw, offset, &mut |piece| progress.take(piece));
    }

    /// Takes output of the second terminal.
    pub(crate) fn on_isolated_output(&mut self, raw: &[u8]) {
        let Self { isolated_scanner, progress, isolated_offset, .. } = self;
        if let Some(scanner) = isolated_scanner {
            scanner.feed(raw, *isolated_offset, &mut |piece| progress.take_isolated(piece));
            *isolated_offset += raw.len() as u64;
        }
    }

    /// Returns what to do now that output pauses.
    pub(crate) fn on_quiet(&mut self, facts: Quiet) -> Action {
        self.progress.on_quiet(facts)
    }

    /// Returns whether [`Self::outcome`] has one.
    pub(crate) fn is_done(&self) -> bool {
        self.progress.exit_code().is_some()
    }

    /// Returns what the command did, once it has ended. `onlcr` says that the terminal it wrote to
    /// had OPOST and ONLCR set before and after it.
    pub(crate) fn outcome(&self, onlcr: bool) -> Option<Outcome> {
        let exit_code = self.progress.exit_code()?;
        Some(self.progress.outcome(exit_code, onlcr))
    }

    /// Returns what the command wrote when the session has ended with `status`, all its output
    /// being fed.
    pub(crate) fn on_session_end(&mut self, status: i32, onlcr: bool) -> Outcome {
        let Self { scanner, isolated_scanner, progress, .. } = self;
        scanner.release(&mut |piece| progress.take(piece));
        if let Some(scanner) = isolated_scanner {
            scanner.release(&mut |piece| progress.take_isolated(piece));
        }
        Outcome { session_ended: true, ..progress.outcome(status, onlcr) }
    }

    /// Returns the output so far and whether it is truncated, for a run that timed out.
    pub(crate) fn output_so_far(&self, onlcr: bool) -> (Vec<u8>, bool) {
        (self.progress.output.written(onlcr), self.progress.output.is_truncated())
    }
}

#[derive(Debug)]
enum Phase {
    /// The line was typed; what comes is its echo.
    Typed,
    Running,
    /// The shell told the status of a command it gave up; its new prompt follows.
    Rescued { status: i32, prompt: Vec<u8>, looks: u32 },
    Ended { status: i32 },
}

/// Where the output stood when a rescue line was typed.
#[derive(Debug)]
struct Rescue {
    place: Place,
    end: u64,
}

#[derive(Debug)]
struct Progress {
    nonce: Nonce,
    prompt: Prompt,
    phase: Phase,
    output: Output,
    /// The end of the session's output since the line was typed, or since the last rescue.
    tail: Vec<u8>,
    read_end: u64,
    start: u64,
    end: u64,
    rescues: Vec<Rescue>,
    is_isolated: bool,
    isolated_status: Option<i32>,
    /// The second terminal stayed quiet without its end mark.
    isolated_is_over: bool,
}

impl Progress {
    fn new(nonce: Nonce, prompt: Prompt, is_isolated: bool) -> Self {
        Self {
            nonce,
            prompt,
            phase: Phase::Typed,
            output: Output::default(),
            tail: Vec::new(),
            read_end: 0,
            start: 0,
            end: 0,
            rescues: Vec::new(),
            is_isolated,
            isolated_status: None,
            isolated_is_over: false,
        }
    }

    fn remember(&mut self, raw: &[u8], offset: u64) {
        self.read_end = offset + raw.len() as u64;
        self.tail.extend_from_slice(&raw[raw.len().saturating_sub(TAIL_MAX_LEN)..]);
        let surplus_len = self.tail.len().saturating_sub(TAIL_MAX_LEN);
        self.tail.drain(..surplus_len);
    }

    fn take(&mut self, piece: Piece<'_>) {
        match (piece, &mut self.phase) {
            (Piece::Bytes(bytes), Phase::Running) if !self.is_isolated => self.output.push(bytes),
            (Piece::Bytes(bytes), Phase::Rescued { prompt, .. }) => {
                let free_len = TAIL_MAX_LEN - prompt.len();
                prompt.extend_from_slice(&bytes[..bytes.len().min(free_len)]);
            }
            (Piece::Mark { mark: Mark::Start, end, .. }, Phase::Typed) => {
                (self.start, self.end) = (end, end);
                self.phase = Phase::Running;
            }
            (Piece::Mark { mark, start, .. }, Phase::Typed | Phase::Running) => match mark {
                Mark::Start => {}
                Mark::End { status } => self.end_at(start, Phase::Ended { status }),
                Mark::Rescued { status, attempt } => self.rescued(status, attempt),
            },
            _ => {}
        }
    }

    fn take_isolated(&mut self, piece: Piece<'_>) {
        match piece {
            Piece::Bytes(bytes) if self.isolated_status.is_none() => self.output.push(bytes),
            Piece::Mark { mark: Mark::End { status }, .. } => self.isolated_status = Some(status),
            _ => {}
        }
    }

    fn end_at(&mut self, end: u64, phase: Phase) {
        if matches!(self.phase, Phase::Typed) {
            self.start = end;
        }
        self.end = end;
        self.phase = phase;
    }

    fn rescued(&mut self, status: i32, attempt: usize) {
        let Some(&Rescue { place, end }) = attempt.checked_sub(1).and_then(|at| self.rescues.get(at))
        else {
            return; // no such line was typed
        };
        if !self.is_isolated {
            self.output.cut(place);
        }
        self.end_at(end, Phase::Rescued { status, prompt: Vec::new(), looks: 0 });
    }

    fn on_quiet(&mut self, facts: Quiet) -> Action {
        match &mut self.phase {
            Phase::Typed | Phase::Running => self.rescue(facts),
            Phase::Rescued { looks, .. } => {
                *looks += 1;
                if facts.quiet >= SAME_PROMPT_QUIET || *looks > PROMPT_LOOKS_MAX {
                    self.finish_rescue();
                    return Action::Done;
                }
                Action::Wait(SAME_PROMPT_QUIET - facts.quiet)
            }
            Phase::Ended { .. } => {
                self.isolated_is_over |= facts.quiet >= SAME_PROMPT_QUIET;
                match self.exit_code() {
                    Some(_) => Action::Done,
                    None => Action::Wait(SAME_PROMPT_QUIET.saturating_sub(facts.quiet)),
                }
            }
        }
    }

    /// Types a rescue line when the shell is at its prompt although no end mark came: it dropped
    /// the rest of the typed line, as shells do at `^C` and some at a syntax error.
    fn rescue(&mut self, facts: Quiet) -> Action {
        let look_again = facts.quiet.clamp(SAME_PROMPT_QUIET, LOOK_MAX_WAIT);
        let may_be_prompt = facts.shell_is_foreground
            && facts.shell_waits
            && facts.line_editing == self.prompt.line_editing();
        let likeness = self.prompt.likeness(&self.tail);
        let needed = match likeness {
            Likeness::Same if self.rescues.is_empty() => SAME_PROMPT_QUIET,
            Likeness::Same | Likeness::Alike => ALIKE_PROMPT_QUIET,
            Likeness::Different => return Action::Wait(look_again),
        };
        if !may_be_prompt || self.rescues.len() == RESCUES_MAX {
            return Action::Wait(look_again);
        }
        if facts.quiet < needed {
            return Action::Wait(needed - facts.quiet);
        }
        self.rescues.push(Rescue { place: self.output.place(), end: self.read_end });
        self.tail.clear();
        Action::Type(rescue_line(&self.nonce, self.rescues.len()))
    }

    fn finish_rescue(&mut self) {
        let Phase::Rescued { status, prompt, .. } = &self.phase else {
            return;
        };
        let status = *status;
        let whole_len = self.output.bytes().len();
        if !self.is_isolated && !self.output.is_truncated() {
            let len = len_without_prompt(self.output.bytes(), prompt);
            self.output.cut(Place::untruncated(len));
            self.end -= (whole_len - len) as u64;
        }
        self.isolated_is_over = true;
        self.phase = Phase::Ended { status };
    }

    /// Returns the status once both terminals have nothing more to say.
    fn exit_code(&self) -> Option<i32> {
        let Phase::Ended { status } = self.phase else {
            return None;
        };
        match self.isolated_status {
            Some(isolated_status) => Some(isolated_status),
            None => (!self.is_isolated || self.isolated_is_over).then_some(status),
        }
    }

    fn outcome(&self, exit_code: i32, onlcr: bool) -> Outcome {
        Outcome {
            output: self.output.written(onlcr),
            exit_code,
            start: self.start,
            end: self.end,
            truncated: self.output.is_truncated(),
            session_ended: false,
        }
    }
}
