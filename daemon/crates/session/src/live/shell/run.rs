//! One command in a shell, from the typed line to its output and status.

use std::path::Path;

use super::marks::{CommandRefusal, MarkScanner};
use super::progress::{CommandOutcome, CommandProgress, EditorProgress, Quiet, ShellAction};
use super::prompt::ShellPrompt;
use super::wrap::{LineError, Nonce, Printer, TypedAs, typed_line};

#[derive(Debug)]
pub(crate) struct CommandStart<'a> {
    pub nonce: Nonce,
    pub printer: Printer,
    pub way: TypedAs<'a>,
    pub prompt: ShellPrompt,
    /// A second terminal for the command's output.
    pub isolate: Option<&'a Path>,
    pub command: &'a [u8],
    /// The line is typed again if the shell shows nothing of it; not for a tape, which plays what it contains.
    pub may_retype: bool,
    /// A prompt with a mark ends the output before it.
    pub is_marked: bool,
    /// Another worker typed it, or was killed just before.
    pub is_resumed: bool,
}

/// A command that was typed into a shell. Detects the command's end from the terminal's output.
#[derive(Debug)]
pub(crate) struct ShellRun {
    typed: Vec<u8>,
    scanner: MarkScanner,
    isolated_scanner: Option<MarkScanner>,
    next_offset: Option<u64>,
    isolated_offset: u64,
    progress: CommandProgress,
}

impl ShellRun {
    pub(crate) fn new(start: CommandStart<'_>) -> Result<Self, LineError> {
        let typed = typed_line(&start.nonce, start.printer, start.way, start.isolate)?;
        let editor = match start.way {
            TypedAs::Editor(path) => Some(EditorProgress {
                command: start.command.to_vec(),
                retype: if start.may_retype && start.is_marked {
                    Some(typed_line(
                        &start.nonce,
                        start.printer,
                        TypedAs::File(path),
                        None,
                    )?)
                } else {
                    None
                },
                is_marked: start.is_marked,
                reports: matches!(start.printer, Printer::BuiltinPrintf | Printer::Zsh),
                has_taken: false,
                continues: None,
            }),
            _ => None,
        };
        let untyped = start.is_resumed.then(|| typed.clone());
        let isolated_scanner = start.isolate.map(|_| MarkScanner::new(start.nonce.clone()));
        Ok(Self {
            typed,
            scanner: MarkScanner::new(start.nonce.clone()),
            isolated_offset: 0,
            next_offset: None,
            progress: CommandProgress::new(
                start.nonce,
                start.printer,
                start.prompt,
                isolated_scanner.is_some(),
                editor,
                untyped,
            ),
            isolated_scanner,
        })
    }

    pub(crate) fn typed(&self) -> &[u8] {
        &self.typed
    }

    /// Processes session output after the typed line; `offset` is the stream offset of its first byte. A gap between
    /// two calls marks the output as truncated.
    pub(crate) fn on_output(&mut self, raw: &[u8], offset: u64) {
        let Self {
            scanner, progress, ..
        } = self;
        if self.next_offset.is_some_and(|expected| expected != offset) {
            scanner.release(&mut |piece| progress.take(piece));
            progress.output.truncated = true;
        }
        self.next_offset = Some(offset + raw.len() as u64);
        progress.remember(raw, offset);
        scanner.feed(raw, offset, &mut |piece| progress.take(piece));
    }

    pub(crate) fn on_isolated_output(&mut self, raw: &[u8]) {
        let Self {
            isolated_scanner,
            progress,
            isolated_offset,
            ..
        } = self;
        if let Some(scanner) = isolated_scanner {
            scanner.feed(raw, *isolated_offset, &mut |piece| {
                progress.take_isolated(piece)
            });
            *isolated_offset += raw.len() as u64;
        }
    }

    pub(crate) fn on_quiet(&mut self, facts: Quiet) -> ShellAction {
        self.progress.on_quiet(facts)
    }

    /// Returns why the shell's line editor did not take the command, if so.
    pub(crate) fn refusal(&self) -> Option<CommandRefusal> {
        self.progress.refusal()
    }

    /// Returns the command's result, once it has ended. `onlcr` says that its terminal had OPOST and ONLCR set before
    /// and after the command.
    pub(crate) fn outcome(&self, onlcr: bool) -> Option<CommandOutcome> {
        let exit_code = self.progress.status()?;
        Some(self.progress.outcome(exit_code, onlcr))
    }

    /// Returns the command's result if the session has ended, with `status` if that is the shell's; all its output must have been processed.
    pub(crate) fn on_session_end(&mut self, status: Option<i32>, onlcr: bool) -> CommandOutcome {
        let Self {
            scanner,
            isolated_scanner,
            progress,
            ..
        } = self;
        scanner.release(&mut |piece| progress.take(piece));
        if let Some(scanner) = isolated_scanner {
            scanner.release(&mut |piece| progress.take_isolated(piece));
        }
        CommandOutcome {
            session_ended: true,
            ..progress.outcome(status, onlcr)
        }
    }

    /// Returns the output so far and whether it is truncated, for a run that timed out.
    pub(crate) fn output_so_far(&self, onlcr: bool) -> (Vec<u8>, bool) {
        self.progress.output_so_far(onlcr)
    }
}

#[cfg(test)]
mod tests {
    use super::super::progress::ShellGone;
    use super::*;
    use std::time::Duration;

    const AT_PROMPT: Quiet = Quiet {
        quiet: Duration::from_millis(30),
        shell_is_foreground: true,
        shell_waits: true,
        line_editing: true,
        shell_is_gone: ShellGone::No,
    };

    fn quiet_for(millis: u64) -> Quiet {
        Quiet {
            quiet: Duration::from_millis(millis),
            ..AT_PROMPT
        }
    }

    fn assert_outcome(run: &ShellRun, output: &[u8], exit_code: i32) -> CommandOutcome {
        let outcome = run.outcome(true).unwrap();
        let found = (outcome.output.as_slice(), outcome.exit_code);
        assert_eq!(found, (output, Some(exit_code)));
        outcome
    }

    fn run(isolate: Option<&Path>) -> ShellRun {
        let prompt = ShellPrompt::at_end_of(b"me$ ", true);
        let (nonce, way) = (Nonce::fixed("n1"), TypedAs::Inline(b"x"));
        ShellRun::new(CommandStart {
            nonce,
            printer: Printer::Printf,
            way,
            prompt,
            isolate,
            command: b"x",
            may_retype: false,
            is_marked: false,
            is_resumed: false,
        })
        .unwrap()
    }

    fn fed(chunks: &[&[u8]]) -> ShellRun {
        let mut run = run(None);
        feed(&mut run, chunks);
        run
    }

    fn feed(run: &mut ShellRun, chunks: &[&[u8]]) {
        for chunk in chunks {
            run.on_output(chunk, run.next_offset.unwrap_or(100));
        }
    }

    #[test]
    fn the_output_is_what_stands_between_the_marks() {
        let run = fed(&[b"echo \x1b]133;C;n", b"1\x07a\r\nb\x1b]133;D;7;n1\x07me$ "]);
        let expected = CommandOutcome {
            output: b"a\nb".to_vec(),
            exit_code: Some(7),
            start: 116,
            end: 120,
            truncated: false,
            rest: None,
            session_ended: false,
            is_incomplete: false,
            is_replaced: false,
        };
        assert_eq!(run.outcome(true), Some(expected));
    }

    #[test]
    fn an_interrupted_command_is_rescued_without_the_prompt() {
        let mut run = fed(&[b"\x1b]133;C;n1\x07out^C\r\nme$ "]);
        let ShellAction::Type(line) = run.on_quiet(AT_PROMPT) else {
            panic!("{run:?}")
        };
        assert_eq!(run.outcome(true), None);
        let rescued = b"\r\n\x1b]133;D;130;n1;rescue\x07";
        feed(&mut run, &[&line, rescued, b"me$ "]);
        assert_eq!(run.on_quiet(AT_PROMPT), ShellAction::Done);
        let outcome = assert_outcome(&run, b"out^C\n", 130);
        assert_eq!((outcome.start, outcome.end), (111, 118));
    }

    #[test]
    fn a_line_that_the_shell_drops_is_no_success() {
        let mut run = fed(&[b"(reverse-i-search) printf\r\nme$ "]);
        assert!(matches!(run.on_quiet(AT_PROMPT), ShellAction::Type(_)));
        feed(&mut run, &[b"\r\n\x1b]133;D;0;n1;rescue\x07me$ "]);
        assert_eq!(run.refusal(), Some(CommandRefusal::NotStarted));
        assert_eq!(run.outcome(true), None);
    }

    #[test]
    fn a_second_rescue_line_cuts_where_the_first_was_typed() {
        let mut run = fed(&[b"\x1b]133;C;n1\x07out\r\nme$ "]);
        assert!(matches!(run.on_quiet(AT_PROMPT), ShellAction::Type(_)));
        feed(&mut run, &[b" printf\r\nme$ "]);
        let wait = ShellAction::Wait(Duration::from_millis(270));
        assert_eq!(run.on_quiet(AT_PROMPT), wait);
        assert!(matches!(run.on_quiet(quiet_for(300)), ShellAction::Type(_)));
        feed(&mut run, &[b" printf\r\n\x1b]133;D;0;n1;rescue\x07me$ "]);
        assert_eq!(run.on_quiet(AT_PROMPT), ShellAction::Done);
        assert_eq!(run.outcome(true).unwrap().output, b"out\n");
    }

    #[test]
    fn rescue_lines_are_limited() {
        let mut run = fed(&[b"me$ "]);
        let later = quiet_for(1000);
        for _ in 0..3 {
            assert!(matches!(run.on_quiet(later), ShellAction::Type(_)));
            feed(&mut run, &[b"me$ "]);
        }
        assert!(matches!(run.on_quiet(later), ShellAction::Wait(_)));
    }

    #[test]
    fn a_command_that_reads_is_left_alone() {
        let reading = quiet_for(9000);
        let mut run = fed(&[b"\x1b]133;C;n1\x07Name? "]);
        let wait = ShellAction::Wait(Duration::from_millis(250));
        assert_eq!(run.on_quiet(reading), wait);
        let mut run = fed(&[b"\x1b]133;C;n1\x07me$ "]);
        let (mut canonical, mut busy, mut child) = (reading, reading, reading);
        canonical.line_editing = false;
        busy.shell_waits = false;
        child.shell_is_foreground = false;
        for quiet in [canonical, busy, child] {
            assert!(
                matches!(run.on_quiet(quiet), ShellAction::Wait(_)),
                "{quiet:?}"
            );
        }
    }

    #[test]
    fn a_session_that_ends_keeps_the_output_so_far() {
        let mut run = fed(&[b"\x1b]133;C;n1\x07bye\r\n\x1b]133;D"]);
        assert_eq!(run.output_so_far(true), (b"bye\n".to_vec(), false));
        let outcome = run.on_session_end(Some(5), true);
        assert_eq!(outcome.output, b"bye\n\x1b]133;D");
        assert!(outcome.session_ended && outcome.exit_code == Some(5));
    }

    #[test]
    fn a_hole_in_the_output_is_told() {
        let mut run = fed(&[b"\x1b]133;C;n1\x07a"]);
        run.on_output(b"c\x1b]133;D;0;n1\x07", 500);
        let outcome = run.outcome(true).unwrap();
        assert!(outcome.truncated);
        assert_eq!(outcome.output, b"ac");
    }

    #[test]
    fn output_without_a_start_mark_is_not_told_as_nothing() {
        let run = fed(&[b"echo a\r\na\r\n\x1b]133;D;0;n1\x07"]);
        let outcome = run.outcome(true).unwrap();
        assert!(outcome.truncated && outcome.output.is_empty());
    }

    #[test]
    fn an_isolated_command_has_its_output_and_status_on_its_own_terminal() {
        let mut run = run(Some(Path::new("/dev/pts/9")));
        feed(&mut run, &[b"\x1b]133;C;n1\x07noise\x1b]133;D;0;n1\x07"]);
        assert_eq!(run.outcome(true), None);
        run.on_isolated_output(b"own\r\n\x1b]133;D;");
        run.on_isolated_output(b"3;n1\x07late");
        assert_outcome(&run, b"own\n", 3);
    }

    #[test]
    fn an_isolated_command_without_its_mark_ends_when_it_is_quiet() {
        let mut run = run(Some(Path::new("/dev/pts/9")));
        run.on_isolated_output(b"own");
        feed(&mut run, &[b"\x1b]133;C;n1\x07\x1b]133;D;1;n1\x07"]);
        let wait = ShellAction::Wait(Duration::from_millis(270));
        assert_eq!(run.on_quiet(AT_PROMPT), wait);
        assert_eq!(run.on_quiet(quiet_for(300)), ShellAction::Done);
        assert_outcome(&run, b"own", 1);
    }
}
