//! The phases of one run, and the rescue of a command that the shell aborted.

use std::time::Duration;

use super::echo::{fish_preamble_len, output_after_echo};
use super::marks::{CommandPiece, CommandRefusal, Mark};
use super::output::{CommandOutput, OutputLength};
use super::prompt::{
    PromptMatch, ShellPrompt, edits_a_line, len_before_editor, len_without_prompt,
};
use super::prompt_line::TAIL_MAX_LEN;
use super::wrap::{Nonce, Printer, REPORT_KEY, rescue_line};

/// Silence after which a shell that shows exactly its prompt counts as being at the prompt.
const SAME_PROMPT_QUIET: Duration = Duration::from_millis(30);
/// The same for a prompt that is only similar, and before another rescue line is typed.
const ALIKE_PROMPT_QUIET: Duration = Duration::from_millis(300);
/// Silence after which a line editor that has not taken the command does not know the key. Sooner, fish on a busy machine would
/// get the command twice.
const UNTAKEN_QUIET: Duration = Duration::from_secs(2);
/// Silence after which a second terminal without an end mark counts as finished.
const ISOLATED_QUIET: Duration = Duration::from_millis(300);
/// Longest time between two checks of a command that prints nothing.
const LOOK_MAX_WAIT: Duration = Duration::from_millis(250);
const RESCUES_MAX: usize = 3;
/// The key that cancels a command, `^C`.
const INTERRUPT: u8 = 0x03;
/// Checks after a rescue until the prompt is accepted as it is.
const PROMPT_LOOKS_MAX: u32 = 20;

/// The state of the session while its output pauses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quiet {
    /// Time since the last output of either terminal.
    pub quiet: Duration,
    pub shell_is_foreground: bool,
    /// The shell is blocked reading or polling the terminal.
    pub shell_waits: bool,
    /// The terminal is not in canonical mode.
    pub line_editing: bool,
    /// The shell that got the command is not there any more.
    pub shell_is_gone: ShellGone,
}

/// What took the place of the shell that got a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShellGone {
    /// It is still there.
    No,
    /// A shell without ccd's start files (`exec bash --norc`).
    Replaced,
    /// Nothing.
    Ended,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ShellAction {
    /// Ask again when this much more time has passed without output.
    Wait(Duration),
    Type(Vec<u8>),
    Done,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CommandOutcome {
    /// Exactly the bytes that it wrote, including control sequences, at most 16 MiB.
    pub output: Vec<u8>,
    /// Its status as in `$?`, or the session's if that has ended; `None` if the shell has ended without a trace of it.
    pub exit_code: Option<i32>,
    /// Stream offsets of the output in the session; of the marks around it if the command was isolated.
    pub start: u64,
    pub end: u64,
    pub truncated: bool,
    /// Stream offset of the output that did not fit.
    pub rest: Option<u64>,
    pub session_ended: bool,
    /// The shell asked for the rest of the command, which was cancelled.
    pub is_incomplete: bool,
    /// Another shell has replaced the one that got the command.
    pub is_replaced: bool,
}

#[derive(Debug)]
enum CommandPhase {
    /// The line was typed; the output is its echo.
    Typed,
    Running,
    /// The shell reported the status of a command that it aborted; its new prompt follows.
    Rescued {
        status: i32,
        prompt: Vec<u8>,
        looks: u32,
    },
    /// With its status, or `None` if the shell has ended, too.
    Ended(Option<i32>),
    Refused(CommandRefusal),
}

/// How far the line editor of an integrated shell is with a command.
#[derive(Debug)]
pub(super) struct EditorProgress {
    pub(super) command: Vec<u8>,
    /// The line to type if the shell no longer knows the key.
    pub(super) retype: Option<Vec<u8>>,
    pub(super) has_taken: bool,
    /// The prompt has a mark: without one, what reads the line may be a question that knows no key.
    pub(super) is_marked: bool,
    /// It has a key that reports the status of a command whose end was not marked.
    pub(super) reports: bool,
    /// Set while the shell's last line is its prompt for the rest of an incomplete command: the output before it.
    pub(super) continues: Option<OutputLength>,
}

/// State of the output when the first rescue line was typed.
#[derive(Clone, Copy, Debug)]
struct Rescue {
    place: OutputLength,
    end: u64,
    typed_lines: usize,
}

#[derive(Debug)]
pub(super) struct CommandProgress {
    nonce: Nonce,
    printer: Printer,
    prompt: ShellPrompt,
    phase: CommandPhase,
    /// The start of the output before the start mark.
    echo: Vec<u8>,
    pub(super) output: CommandOutput,
    /// The last output of the session since the line was typed, or since the last rescue.
    tail: Vec<u8>,
    read_end: u64,
    start: u64,
    end: u64,
    rescue: Option<Rescue>,
    is_isolated: bool,
    isolated_status: Option<i32>,
    /// The second terminal was silent without its end mark.
    isolated_is_over: bool,
    editor: Option<EditorProgress>,
    /// The command was incomplete and was cancelled: the output before that.
    cancelled: Option<OutputLength>,
    /// Set for a command of another worker, which may not have typed it: the line to type.
    untyped: Option<Vec<u8>>,
    is_replaced: bool,
}

impl CommandProgress {
    /// Returns the progress of a line that has yet to be typed at `prompt`.
    pub(super) fn new(
        nonce: Nonce,
        printer: Printer,
        prompt: ShellPrompt,
        is_isolated: bool,
        editor: Option<EditorProgress>,
        untyped: Option<Vec<u8>>,
    ) -> Self {
        Self {
            nonce,
            printer,
            prompt,
            phase: CommandPhase::Typed,
            echo: Vec::new(),
            output: CommandOutput::default(),
            tail: Vec::new(),
            read_end: 0,
            start: 0,
            end: 0,
            rescue: None,
            is_isolated,
            isolated_status: None,
            isolated_is_over: false,
            editor,
            cancelled: None,
            untyped,
            is_replaced: false,
        }
    }

    /// Stores the end of the session's output, before it is split into pieces.
    pub(super) fn remember(&mut self, raw: &[u8], offset: u64) {
        self.read_end = offset + raw.len() as u64;
        self.tail
            .extend_from_slice(&raw[raw.len().saturating_sub(TAIL_MAX_LEN)..]);
        let surplus_len = self.tail.len().saturating_sub(TAIL_MAX_LEN);
        self.tail.drain(..surplus_len);
    }

    pub(super) fn take(&mut self, piece: CommandPiece<'_>) {
        match piece {
            CommandPiece::Bytes(bytes) => self.take_bytes(bytes),
            CommandPiece::Mark { mark, start, end } => self.take_mark(mark, start, end),
        }
    }

    fn take_bytes(&mut self, bytes: &[u8]) {
        if let Some(editor) = &mut self.editor
            && bytes.contains(&b'\n')
        {
            editor.continues = None;
        }
        match &mut self.phase {
            CommandPhase::Running if !self.is_isolated => self.output.push(bytes),
            CommandPhase::Typed => push_bounded(&mut self.echo, bytes),
            CommandPhase::Rescued { prompt, .. } => push_bounded(prompt, bytes),
            CommandPhase::Running | CommandPhase::Ended(_) | CommandPhase::Refused(_) => {}
        }
    }

    fn take_mark(&mut self, mark: Mark, start: u64, end: u64) {
        if !matches!(self.phase, CommandPhase::Typed | CommandPhase::Running) {
            return;
        }
        match mark {
            Mark::Start if matches!(self.phase, CommandPhase::Typed) => self.start_at(end),
            Mark::Start => {}
            Mark::End { status } => self.ended(start, status),
            Mark::Rescued { status } => self.rescued(status),
            Mark::Taken => {
                if let Some(editor) = &mut self.editor {
                    editor.has_taken = true;
                    self.echo.clear();
                }
            }
            Mark::Refused(refusal) => self.phase = CommandPhase::Refused(refusal),
            Mark::Continues => {
                if let Some(editor) = &mut self.editor {
                    editor.continues = Some(self.output.place());
                }
            }
        }
    }

    fn start_at(&mut self, end: u64) {
        (self.start, self.end) = (end, end);
        // The prompt before the mark is not the one after the command.
        let since_len = usize::try_from(self.read_end.saturating_sub(end)).unwrap_or(0);
        let before_len = self.tail.len().saturating_sub(since_len);
        self.tail.drain(..before_len);
        if self.editor.is_none() {
            self.prompt.learn(&self.echo);
        }
        self.phase = CommandPhase::Running;
    }

    fn ended(&mut self, end: u64, status: i32) {
        let has_started = matches!(self.phase, CommandPhase::Running);
        let output = self
            .editor
            .as_ref()
            .filter(|_| self.echo.len() < TAIL_MAX_LEN)
            .and_then(|editor| output_after_echo(&self.echo, &editor.command));
        match output {
            _ if has_started || self.is_isolated => {}
            _ if self.cancelled.is_some() => {}
            _ if self.has_taken() == Some(false) => {
                return self.phase = CommandPhase::Refused(CommandRefusal::NotStarted);
            }
            Some([]) => return self.end_at(end, CommandPhase::Ended(Some(0))),
            Some(output) => {
                self.output.push(output);
                self.end_at(end, CommandPhase::Ended(Some(status)));
                self.start = end - self.output.bytes.len() as u64;
                return;
            }
            // A key stopped the program that should print the start mark.
            None => self.output.truncated = true,
        }
        if let Some(place) = self.cancelled {
            self.output.cut(place);
        }
        self.end_at(end, CommandPhase::Ended(Some(status)));
    }

    /// Returns whether the line editor has taken the command; `None` if that is typed.
    fn has_taken(&self) -> Option<bool> {
        self.editor.as_ref().map(|editor| editor.has_taken)
    }

    pub(super) fn take_isolated(&mut self, piece: CommandPiece<'_>) {
        match piece {
            CommandPiece::Bytes(bytes) if self.isolated_status.is_none() => self.output.push(bytes),
            CommandPiece::Mark {
                mark: Mark::End { status },
                ..
            } => self.isolated_status = Some(status),
            _ => {}
        }
    }

    fn end_at(&mut self, end: u64, phase: CommandPhase) {
        if matches!(self.phase, CommandPhase::Typed) {
            self.start = end;
        }
        self.end = end;
        self.phase = phase;
    }

    fn rescued(&mut self, status: i32) {
        let Some(rescue) = self.rescue else {
            return; // no rescue line was typed
        };
        // The answer to the first line comes the way that the start mark would have come.
        if matches!(self.phase, CommandPhase::Typed)
            && self.has_taken() != Some(true)
            && rescue.typed_lines == 1
            && !self.output.truncated
        {
            self.phase = CommandPhase::Refused(CommandRefusal::NotStarted);
            return;
        }
        if !self.is_isolated {
            self.output.cut(rescue.place);
        }
        self.end_at(
            rescue.end,
            CommandPhase::Rescued {
                status,
                prompt: Vec::new(),
                looks: 0,
            },
        );
    }

    pub(super) fn on_quiet(&mut self, facts: Quiet) -> ShellAction {
        match &mut self.phase {
            CommandPhase::Typed | CommandPhase::Running => self
                .follow_loss(facts)
                .or_else(|| self.follow_editor(facts))
                .unwrap_or_else(|| self.rescue(facts)),
            CommandPhase::Rescued { looks, .. } => {
                *looks += 1;
                let left = SAME_PROMPT_QUIET.saturating_sub(facts.quiet);
                if (left.is_zero() && facts.shell_waits) || *looks > PROMPT_LOOKS_MAX {
                    self.finish_rescue();
                    return self.wait_for_isolated(facts.quiet);
                }
                // Silence alone is no prompt: on a busy machine, the shell may not have got to it.
                ShellAction::Wait(if left.is_zero() {
                    SAME_PROMPT_QUIET
                } else {
                    left
                })
            }
            CommandPhase::Ended(_) => self.wait_for_isolated(facts.quiet),
            CommandPhase::Refused(_) => ShellAction::Done,
        }
    }

    /// Returns what to do if the shell that got the command is gone.
    fn follow_loss(&mut self, facts: Quiet) -> Option<ShellAction> {
        let status = match facts.shell_is_gone {
            ShellGone::No => return None,
            ShellGone::Ended => None,
            // What a shell has as `$?` when it starts.
            ShellGone::Replaced if facts.shell_is_foreground && facts.shell_waits => Some(0),
            ShellGone::Replaced => return None,
        };
        if facts.quiet < ALIKE_PROMPT_QUIET {
            return Some(ShellAction::Wait(ALIKE_PROMPT_QUIET - facts.quiet));
        }
        let whole_len = self.output.bytes.len();
        let line_start = memchr::memrchr(b'\n', &self.output.bytes).map_or(0, |at| at + 1);
        self.is_replaced = status.is_some();
        let len = if self.is_replaced {
            line_start
        } else {
            // The prompt of the shell around it may follow a line without an end.
            line_start + len_before_editor(&self.output.bytes[line_start..])
        };
        self.output.bytes.truncate(len);
        let end = self.read_end - (whole_len - len) as u64;
        self.end_at(end, CommandPhase::Ended(status));
        Some(ShellAction::Done)
    }

    fn follow_editor(&mut self, facts: Quiet) -> Option<ShellAction> {
        let is_untouched = matches!(self.phase, CommandPhase::Typed);
        let editor = self.editor.as_mut()?;
        if !(facts.shell_is_foreground && facts.shell_waits) {
            return None;
        }
        if let Some(place) = editor.continues.take() {
            self.cancelled = Some(place);
            return Some(ShellAction::Type(vec![INTERRUPT]));
        }
        if editor.has_taken || !is_untouched {
            return None;
        }
        if facts.quiet < UNTAKEN_QUIET {
            return Some(ShellAction::Wait(UNTAKEN_QUIET - facts.quiet));
        }
        if !editor.is_marked && self.untyped.is_none() {
            self.phase = CommandPhase::Refused(CommandRefusal::Question);
            return Some(ShellAction::Done);
        }
        let retype = editor.retype.take()?;
        self.editor = None;
        Some(ShellAction::Type(retype))
    }

    fn wait_for_isolated(&mut self, quiet: Duration) -> ShellAction {
        self.isolated_is_over |= quiet >= ISOLATED_QUIET;
        match self.status() {
            Some(_) => ShellAction::Done,
            None => ShellAction::Wait(ISOLATED_QUIET.saturating_sub(quiet)),
        }
    }

    /// Types a rescue line if the shell is at its prompt but there was no end mark: the shell dropped the rest of the
    /// typed line, as all shells do at `^C` and some at a syntax error.
    fn rescue(&mut self, facts: Quiet) -> ShellAction {
        let look_again = ShellAction::Wait(facts.quiet.clamp(SAME_PROMPT_QUIET, LOOK_MAX_WAIT));
        let waits_as_at_prompt = facts.shell_is_foreground
            && facts.shell_waits
            && self.prompt.fits_mode(facts.line_editing);
        let typed_lines = self.rescue.map_or(0, |rescue| rescue.typed_lines);
        let reports =
            self.editor.as_ref().is_some_and(|editor| editor.reports) && edits_a_line(&self.tail);
        // The prompt of an integrated shell has a mark, unless the command took it away.
        let likeness = match self.prompt.likeness(&self.tail) {
            PromptMatch::Alike if self.editor.is_some() => PromptMatch::Different,
            likeness => likeness,
        };
        let needed = match likeness {
            PromptMatch::Same if typed_lines == 0 => SAME_PROMPT_QUIET,
            PromptMatch::Same | PromptMatch::Alike => ALIKE_PROMPT_QUIET,
            PromptMatch::Different if reports && facts.line_editing => ALIKE_PROMPT_QUIET,
            PromptMatch::Different => return look_again,
        };
        if !waits_as_at_prompt || typed_lines == RESCUES_MAX {
            return look_again;
        }
        if facts.quiet < needed {
            return ShellAction::Wait(needed - facts.quiet);
        }
        if let Some(line) = self.untyped.take()
            && matches!(self.phase, CommandPhase::Typed)
            && memchr::memmem::find(&self.echo, self.nonce.as_str().as_bytes()).is_none()
        {
            return ShellAction::Type(line);
        }
        let first = Rescue {
            place: self.output.place(),
            end: self.read_end,
            typed_lines,
        };
        match &mut self.rescue {
            // An answer comes at once or, while a command reads a line, not at all.
            rescue if reports => *rescue = Some(first),
            rescue => _ = rescue.get_or_insert(first),
        }
        if let Some(rescue) = &mut self.rescue {
            rescue.typed_lines = typed_lines + 1;
        }
        self.tail.clear();
        ShellAction::Type(if reports {
            REPORT_KEY.to_vec()
        } else {
            rescue_line(&self.nonce, self.printer, typed_lines + 1)
        })
    }

    fn finish_rescue(&mut self) {
        let CommandPhase::Rescued { status, prompt, .. } = &self.phase else {
            return;
        };
        let status = *status;
        let whole_len = self.output.bytes.len();
        if !self.is_isolated && !self.output.is_cut() {
            let len = len_without_prompt(&self.output.bytes, prompt);
            self.output.bytes.truncate(len);
            self.end -= (whole_len - len) as u64;
        }
        self.phase = CommandPhase::Ended(Some(status));
    }

    pub(super) fn refusal(&self) -> Option<CommandRefusal> {
        match self.phase {
            CommandPhase::Refused(refusal) => Some(refusal),
            _ => None,
        }
    }

    /// Returns the status once both terminals are finished.
    pub(super) fn status(&self) -> Option<Option<i32>> {
        let CommandPhase::Ended(status) = self.phase else {
            return None;
        };
        match self.isolated_status {
            Some(isolated_status) => Some(Some(isolated_status)),
            None => (!self.is_isolated || self.isolated_is_over).then_some(status),
        }
    }

    pub(super) fn outcome(&self, exit_code: Option<i32>, onlcr: bool) -> CommandOutcome {
        let preamble_len = self.preamble_len();
        CommandOutcome {
            output: self.output.written(preamble_len, onlcr),
            exit_code,
            start: (self.start + preamble_len as u64).min(self.end),
            end: self.end,
            truncated: self.output.is_cut(),
            rest: self
                .output
                .len_before_rest()
                .filter(|_| !self.is_isolated)
                .map(|len| self.start + len as u64),
            session_ended: false,
            is_incomplete: self.cancelled.is_some(),
            is_replaced: self.is_replaced,
        }
    }

    fn preamble_len(&self) -> usize {
        match self.printer {
            Printer::Fish if self.editor.is_some() => fish_preamble_len(&self.output.bytes),
            _ => 0,
        }
    }

    pub(super) fn output_so_far(&self, onlcr: bool) -> (Vec<u8>, bool) {
        let output = self.output.written(self.preamble_len(), onlcr);
        (output, self.output.is_cut())
    }
}

fn push_bounded(kept: &mut Vec<u8>, bytes: &[u8]) {
    let free_len = TAIL_MAX_LEN - kept.len();
    kept.extend_from_slice(&bytes[..bytes.len().min(free_len)]);
}
