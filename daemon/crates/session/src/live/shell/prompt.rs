//! Judges from output whether a shell is at its prompt again.
//! The system call in which a shell is blocked does not distinguish a prompt from a `read` in a script. The last line of
//! the output does: it is compared with the last line from before the command was typed.

use super::prompt_line::{TAIL_MAX_LEN, ends_with_mark, last_line, last_line_screen};

const ESC: u8 = 0x1b;
/// How line editors switch bracketed paste on (`h`) and off (`l`).
const PASTE_PREFIX: &[u8] = b"\x1b[?2004";
/// How they switch it on before their prompt.
const PASTE_ON: &[u8] = b"\x1b[?2004h";
/// How the terminal shows the keys that interrupt; some shells continue on the same line.
const INTERRUPTS: [&[u8]; 2] = [b"^C", b"^\\"];
/// Visible characters at the end of a prompt that must agree if the rest has changed.
const ALIKE_LEN: usize = 2;
const MARK_START: &[u8] = b"\x1b]133;";
const TAKING_PROMPT_END: &[u8] = b"B;ccd\x07";

/// How similar the end of the output is to the prompt, the least similar first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PromptMatch {
    Different,
    /// It ends as the prompt does; a directory, a status or a time in it may have changed.
    Alike,
    /// It is the prompt, or has a prompt's mark.
    Same,
}

/// Returns whether the shell is at a prompt whose line editor takes commands: of all marks in `tail`, the one after such a
/// prompt is the last.
pub(crate) fn takes_commands(tail: &[u8]) -> bool {
    last_mark(tail).is_some_and(|mark| mark.starts_with(TAKING_PROMPT_END))
}

/// Returns whether an integrated shell has reported the end of a command, but not shown its prompt yet. A shell that
/// marks no prompts never shows one.
pub(crate) fn is_before_prompt(tail: &[u8]) -> bool {
    last_mark(tail).is_some_and(|mark| mark.starts_with(b"D"))
        && memchr::memmem::find(tail, b"\x1b]133;B").is_some()
}

/// Returns whether the shell is at a prompt with a mark.
pub(crate) fn is_at_mark(tail: &[u8]) -> bool {
    last_mark(tail).is_some_and(|mark| mark.starts_with(b"B"))
}

/// Returns whether a line editor is at work: it has switched bracketed paste on and not off. A single key is read without.
pub(crate) fn edits_a_line(tail: &[u8]) -> bool {
    memchr::memmem::rfind(tail, PASTE_PREFIX)
        .is_some_and(|at| tail.get(at + PASTE_PREFIX.len()) == Some(&b'h'))
}

/// Returns whether something stands after the last mark of a prompt: what was typed there, or a question about it.
pub(crate) fn has_text_at_mark(tail: &[u8]) -> bool {
    let Some(at) = memchr::memmem::rfind(tail, b"\x1b]133;B") else {
        return false;
    };
    let typed = &tail[at..];
    typed.contains(&b'\n') || !last_line(typed).is_empty()
}

/// Returns whether the shell prompts for the rest of a command.
pub(crate) fn asks_for_rest(tail: &[u8]) -> bool {
    last_mark(tail).is_some_and(|mark| mark.starts_with(b"A;k=s\x07"))
}

/// Returns the last mark. One that refuses a command does not count: the shell is still at the same prompt.
fn last_mark(mut tail: &[u8]) -> Option<&[u8]> {
    loop {
        let at = memchr::memmem::rfind(tail, MARK_START)?;
        let mark = &tail[at + MARK_START.len()..];
        let end = memchr::memchr(0x07, mark).unwrap_or(mark.len());
        let is_refusal = [&b";typed"[..], b";asks"]
            .iter()
            .any(|reason| mark[..end].ends_with(reason));
        if !(mark.starts_with(b"T;") && is_refusal) {
            return Some(mark);
        }
        tail = &tail[..at];
    }
}

/// How the echo of a typed command starts (see [`Printer`](super::wrap::Printer)), and a part of it that no prompt contains.
const ECHOED_STARTS: [&[u8]; 5] = [
    br" \builtin print",
    br" \command print",
    b" builtin print",
    b" command print",
    b" print",
];
const ECHOED_MARK: &[u8] = b"]133;C;";

#[derive(Clone, Debug)]
pub(crate) struct ShellPrompt {
    line: Vec<u8>,
    /// The line that the echo showed before or after the typed one.
    late_line: Vec<u8>,
    line_editing: bool,
}

impl ShellPrompt {
    /// Returns the prompt at the end of `tail`, the last raw output before the command is typed (up to [`TAIL_MAX_LEN`]
    /// bytes are used). `line_editing` is true if the terminal was not in canonical mode then.
    pub(crate) fn at_end_of(tail: &[u8], line_editing: bool) -> Self {
        let tail = &tail[tail.len().saturating_sub(TAIL_MAX_LEN)..];
        Self {
            line: last_line(tail),
            late_line: Vec::new(),
            line_editing,
        }
    }

    /// Looks for the prompt in `echo`, which came between the typed line and its start mark.
    /// A terminal's output is passed on by a worker of the kernel, so when the shell waits for a line, its prompt may not
    /// have arrived yet. The last line was then empty, or the end of earlier output.
    pub(crate) fn learn(&mut self, echo: &[u8]) {
        let mut screen = last_line_screen();
        let (mut shown, mut line) = (Vec::new(), Vec::new());
        for part in echo.split_inclusive(|byte| Some(byte) == ECHOED_MARK.last()) {
            screen.feed(part);
            line = screen.before_cursor().into_bytes();
            let starts = ECHOED_STARTS.map(|start| memchr::memmem::find(&line, start));
            if line.ends_with(ECHOED_MARK)
                && let Some(at) = starts.into_iter().flatten().min()
            {
                shown = line[..at].to_vec();
            }
        }
        // The kernel's echo goes before a prompt that was not there yet.
        if line.is_empty() {
            line = shown;
        }
        if line != self.line {
            self.late_line = line;
        }
    }

    /// Returns whether nothing stands on the last line.
    pub(crate) fn is_empty(&self) -> bool {
        self.line.is_empty()
    }

    /// Returns whether the terminal's mode is the one at this prompt; before a late prompt it may have been another.
    pub(crate) fn fits_mode(&self, line_editing: bool) -> bool {
        self.line_editing == line_editing || !self.late_line.is_empty()
    }

    /// Returns how similar the last line of `tail` is to this prompt.
    pub(crate) fn likeness(&self, tail: &[u8]) -> PromptMatch {
        if ends_with_mark(tail) {
            return PromptMatch::Same;
        }
        let last = last_line(tail);
        let mut lines = [&self.line, &self.late_line]
            .into_iter()
            .filter(|line| !line.is_empty())
            .peekable();
        if lines.peek().is_none() {
            // An empty prompt proves nothing, but a line editor at work is a hint.
            let hint = self.line_editing && last.is_empty() && !tail.is_empty();
            return if hint {
                PromptMatch::Alike
            } else {
                PromptMatch::Different
            };
        }
        lines.fold(PromptMatch::Different, |best, line| {
            best.max(likeness_of(line, &last))
        })
    }
}

fn likeness_of(prompt: &[u8], line: &[u8]) -> PromptMatch {
    let after = |key: &&[u8]| line.strip_prefix(*key) == Some(prompt);
    if line == prompt || INTERRUPTS.iter().any(after) {
        return PromptMatch::Same;
    }
    let end = |line: &[u8]| {
        line.len()
            .checked_sub(ALIKE_LEN)
            .map(|at| masked(&line[at..]))
    };
    match (end(prompt), end(line)) {
        (Some(before), Some(now)) if before == now => PromptMatch::Alike,
        _ => PromptMatch::Different,
    }
}

/// Returns the length of the part of a line before a line editor or a marked prompt begins in it.
pub(super) fn len_before_editor(line: &[u8]) -> usize {
    let starts = [PASTE_ON, MARK_START].map(|start| memchr::memmem::find(line, start));
    starts.into_iter().flatten().min().unwrap_or(line.len())
}

/// Returns the length of `output` without the prompt at its end, which is similar to `prompt`, one that the same shell
/// printed later. Numbers may differ; if anything else does, as many lines are removed as `prompt` has.
pub(super) fn len_without_prompt(output: &[u8], prompt: &[u8]) -> usize {
    let drawn_again = || {
        let is_line = !prompt.contains(&b'\n');
        let len = len_without_shown(output, &last_line(prompt)).filter(|_| is_line)?;
        // A prompt of several lines is drawn again from its last one on.
        Some(memchr::memmem::rfind(&output[..len], PASTE_ON).unwrap_or(len))
    };
    let len = len_without_suffix(output, prompt).or_else(drawn_again);
    len.unwrap_or_else(|| {
        let prompt_lines = prompt.iter().filter(|&&byte| byte == b'\n').count();
        let mut ends = output
            .iter()
            .enumerate()
            .rev()
            .filter(|&(_, &byte)| byte == b'\n');
        ends.nth(prompt_lines).map_or(0, |(at, _)| at + 1)
    })
}

/// Returns the length of `output` without its last line's visible text `shown` and the control sequences around it.
fn len_without_shown(output: &[u8], shown: &[u8]) -> Option<usize> {
    let start = memchr::memrchr(b'\n', output).map_or(0, |at| at + 1);
    let places = text_places(&output[start..]);
    let text: Vec<u8> = places.iter().map(|&at| output[start + at]).collect();
    let first = text
        .strip_suffix(shown)
        .filter(|_| !shown.is_empty())?
        .len();
    Some(start + first.checked_sub(1).map_or(0, |before| places[before] + 1))
}

/// Returns the places of the bytes of a line that a terminal shows.
fn text_places(line: &[u8]) -> Vec<usize> {
    let mut places = Vec::new();
    let mut at = 0;
    while let Some(&byte) = line.get(at) {
        let rest = &line[at..];
        let sequence_len = match rest {
            [ESC, b'[', body @ ..] => body
                .iter()
                .position(|byte| (0x40..=0x7e).contains(byte))
                .map(|end| end + 3),
            [ESC, b']', ..] => memchr::memchr(0x07, rest).map(|end| end + 1),
            [ESC, ..] => Some(2),
            _ => None,
        };
        if sequence_len.is_none() && !byte.is_ascii_control() {
            places.push(at);
        }
        at += sequence_len.unwrap_or(1);
    }
    places
}

fn len_without_suffix(output: &[u8], prompt: &[u8]) -> Option<usize> {
    let (mut output, mut prompt) = (output, prompt);
    while let Some((&expected, earlier)) = prompt.split_last() {
        let (&found, before) = output.split_last()?;
        if expected.is_ascii_digit() && found.is_ascii_digit() {
            prompt = without_digits(prompt);
            output = without_digits(output);
        } else if expected == found {
            (prompt, output) = (earlier, before);
        } else {
            return None;
        }
    }
    Some(output.len())
}

fn without_digits(bytes: &[u8]) -> &[u8] {
    let len = bytes
        .iter()
        .rposition(|byte| !byte.is_ascii_digit())
        .map_or(0, |at| at + 1);
    &bytes[..len]
}

fn masked(line: &[u8]) -> Vec<u8> {
    line.iter()
        .map(|&byte| if byte.is_ascii_digit() { b'0' } else { byte })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn likeness(before: &[u8], now: &[u8], line_editing: bool) -> PromptMatch {
        ShellPrompt::at_end_of(before, line_editing).likeness(now)
    }

    #[test]
    fn the_same_prompt_is_known_through_colours() {
        let before = b"hello\r\n\x1b[?2004h\x1b[32mme:~\x1b[0m$ ";
        assert_eq!(
            likeness(before, b"^C\r\n\x1b[31mme:~\x1b[0m$ ", true),
            PromptMatch::Same
        );
        assert_eq!(
            likeness(before, b"^C\r\nme:/tmp$ ", true),
            PromptMatch::Alike
        );
        assert_eq!(
            likeness(before, b"^Cme:~$      \x08\x08\x08\x08\x08", true),
            PromptMatch::Same
        );
        assert_eq!(likeness(before, b"Name? ", true), PromptMatch::Different);
        assert_eq!(
            likeness(before, b"me:~$ . /tmp/x", true),
            PromptMatch::Different
        );
        assert_eq!(likeness(before, b"", true), PromptMatch::Different);
    }

    #[test]
    fn zsh_redraws_its_line_with_carriage_returns() {
        let shown = b"\x1b[1m\x1b[7m%\x1b[27m      \r \r\r\x1b[0m\x1b[Jhost# \x1b[K\x1b[?2004h";
        assert_eq!(
            likeness(shown, b"^C\n\rhost# \x1b[K", true),
            PromptMatch::Same
        );
    }

    #[test]
    fn the_last_mark_says_where_the_shell_is() {
        let prompt = b"\x1b]133;D;0\x07\x1b]133;A\x07$ \x1b]133;B;ccd\x07";
        assert!(takes_commands(prompt) && !is_before_prompt(prompt));
        let ended = [&prompt[..], b"x\r\n\x1b]133;D;0;n\x07"].concat();
        assert!(is_before_prompt(&ended) && !takes_commands(&ended));
        assert!(
            !is_before_prompt(b"$ x\r\n\x1b]133;D;0;n\x07$ "),
            "without marks"
        );
        assert!(asks_for_rest(
            b"\x1b]133;B;ccd\x07'\r\n\x1b]133;A;k=s\x07> "
        ));
    }

    #[test]
    fn the_line_ends_at_the_cursor() {
        let fish = b"\r\x1b[92mroot\x1b(B\x1b[m@\x1b(B\x1b[mvm \xe2\x9d\xaf \x1b[K\r\x1b[10C";
        assert_eq!(
            ShellPrompt::at_end_of(fish, true).line,
            "root@vm \u{276f} ".as_bytes()
        );
        let right = b"vm# \x1b[K\x1b[60C12:30\x1b[65D";
        assert_eq!(ShellPrompt::at_end_of(right, true).line, b"vm# ");
        assert_eq!(
            likeness(fish, b"\rread> \x1b[K\r\x1b[6C", true),
            PromptMatch::Different
        );
    }

    #[test]
    fn a_prompt_that_comes_late_is_learnt_from_the_echo() {
        let learnt = |before: &[u8], echo: &[u8], now: &[u8]| {
            let mut prompt = ShellPrompt::at_end_of(before, true);
            prompt.learn(echo);
            prompt.likeness(now)
        };
        let editor = b"\x1b[1mme $ \x1b[m printf '\\033]133;C;%s\\007' n1; . /x\r\n\x1b[J";
        let kernel = b" printf '\\033]133;C;%s\\007' n1; . /x\r\nme $ ";
        let builtin =
            b"\x1b[1mme $ \x1b[m\x1b[?2004h \x08 builtin printf '\\033]133;C;%s\\007' n1; . /x\r\n";
        let command = b"me $  command printf '\\033]133;C;%s\\007' n1; . /x\r\n";
        for echo in [&editor[..], kernel, builtin, command] {
            assert_eq!(learnt(b"", echo, b"^C\r\nme $ "), PromptMatch::Same);
            assert_eq!(learnt(b"abc", echo, b"^C\r\nme 1 $ "), PromptMatch::Alike);
            assert_eq!(learnt(b"", echo, b"Name? "), PromptMatch::Different);
        }
        let in_time = b" printf '\\033]133;C;%s\\007' n1; . /x\r\n";
        assert_eq!(learnt(b"me $ ", in_time, b"me $ "), PromptMatch::Same);
        let mode_is_known = |before: &[u8]| {
            let mut prompt = ShellPrompt::at_end_of(before, false);
            prompt.learn(editor);
            prompt.fits_mode(false) && !prompt.fits_mode(true)
        };
        assert!(mode_is_known(b"me $ ") && !mode_is_known(b""));
        assert_eq!(learnt(b"", in_time, b"Name? "), PromptMatch::Different);
    }

    #[test]
    fn a_prompt_mark_decides() {
        let now = b"new> \x1b]133;B\x07\x1b[?2004h";
        assert_eq!(likeness(b"old$ ", now, true), PromptMatch::Same);
        assert_eq!(
            likeness(b"old$ ", b"new> \x1b]133;B\x1b\\typed", true),
            PromptMatch::Different
        );
    }

    #[test]
    fn an_empty_prompt_is_only_a_hint() {
        assert_eq!(likeness(b"x\r\n", b"y\r\n", true), PromptMatch::Alike);
        assert_eq!(likeness(b"x\r\n", b"y\r\n", false), PromptMatch::Different);
    }

    #[test]
    fn the_prompt_is_taken_off_the_output() {
        let len = |output: &[u8], prompt: &[u8]| len_without_prompt(output, prompt);
        assert_eq!(len(b"out\r\n\x1b[1m~ \r\n$ ", b"\x1b[1m~ \r\n$ "), 5);
        assert_eq!(len(b"out 130 $ ", b" 0 $ "), 3);
        assert_eq!(len(b"out\r\nfolder \r\n$ ", b"other \r\n$ "), 5);
        assert_eq!(len(b"$ ", b"longer $ "), 0);
        let drawn_again = b"\x1b]133;B;ccd\x07\r\x1b[K[P]";
        assert_eq!(len(b"out\x1b[?2004h[P]", drawn_again), 3);
        assert_eq!(len(b"out\x1b[?2004ha\r\n[P]", drawn_again), 3);
        assert_eq!(len(b"out[P]", drawn_again), 3);
        let zsh = b"\r\x1b[0m\x1b[J> \x1b[K";
        assert_eq!(
            len(b"out\r\n\x1b[0m\x1b[J> \x1b[K\x1b[?1h\x1b=\x1b[?2004h", zsh),
            5
        );
        assert_eq!(len(b"out", b""), 3);
    }

    proptest! {
        #[test]
        fn any_output_is_judged(tail in prop::collection::vec(any::<u8>(), 0..60), cut in 0..60usize) {
            let (before, now) = tail.split_at(cut.min(tail.len()));
            likeness(before, now, true);
            ShellPrompt::at_end_of(before, true).learn(now);
            prop_assert!(len_without_prompt(before, now) <= before.len());
        }
    }
}
