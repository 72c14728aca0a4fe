//! What a line editor writes around a command that it has taken: its echo, and what fish prints before the output.

/// The end of the mark after the prompt of a shell that takes commands.
const PROMPT_END: &[u8] = b"133;B;ccd\x07";
const PASTE_OFF: &[u8] = b"\x1b[?2004l";

/// Returns the output in `echo`, which the shell printed from taking `command` to its next prompt, without a mark between
/// echo and output: the shell refused the command, or there was nothing to run.
/// `None` if the echo does not have as many lines as the command.
pub(super) fn output_after_echo<'a>(echo: &'a [u8], command: &[u8]) -> Option<&'a [u8]> {
    // bash shows its prompt again, which may have several lines.
    let prompt = memchr::memmem::find(echo, PROMPT_END).map_or(0, |at| at + PROMPT_END.len());
    let echo = &echo[prompt..];
    let command = &command[..command.trim_ascii_end().len()];
    let lines = memchr::memchr_iter(b'\n', command).count();
    let (_, end) = (0..=lines)
        .zip(memchr::memchr_iter(b'\n', echo))
        .nth(lines)?;
    let mut output = &echo[end + 1..];
    // bash enters several lines as a group: one line before them, and one after.
    if lines > 0 && is_grouped(echo) {
        let (_, end) = (0..2).zip(memchr::memchr_iter(b'\n', output)).nth(1)?;
        output = &output[end + 1..];
    }
    let output = output.strip_prefix(PASTE_OFF).unwrap_or(output);
    Some(output.strip_prefix(b"\r").unwrap_or(output))
}

fn is_grouped(echo: &[u8]) -> bool {
    let first_line = echo.split(|&byte| byte == b'\n').next();
    first_line == Some(b"{\r")
}

/// Returns the length of what fish prints between its start mark and a command's output: the end of the bracketed paste
/// mode, the title, and a reset of colours, each at most once and in this order.
pub(super) fn fish_preamble_len(output: &[u8]) -> usize {
    let mut rest = output;
    for part in [
        PASTE_OFF,
        b"\x1b]0;",
        b"\x1b[30m",
        b"\x1b(B",
        b"\x1b[m",
        b"\r",
    ] {
        let Some(after) = rest.strip_prefix(part) else {
            continue;
        };
        rest = if part.ends_with(b";") {
            match memchr::memchr(0x07, after) {
                Some(at) => &after[at + 1..],
                None => break,
            }
        } else {
            after
        };
    }
    output.len() - rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_command_has_the_output_that_follows_its_echo() {
        let bash = b"\x1b]133;B;ccd\x07echo a; fi\r\n\x1b[?2004l\rbash: syntax error\r\n";
        assert_eq!(
            output_after_echo(bash, b"echo a; fi"),
            Some(&b"bash: syntax error\r\n"[..])
        );
        let zsh = b"fi\r\r\necho b\x1b[K\x1b[?1l\x1b>\x1b[?2004l\r\r\nzsh: parse error\r\n";
        assert_eq!(
            output_after_echo(zsh, b"fi\necho b\n"),
            Some(&b"zsh: parse error\r\n"[..])
        );
        let group = b"\x1b]133;B;ccd\x07{\r\n\rfi\r\n\recho b\r\n\r}\r\n\x1b[?2004l\rbash: no\r\n";
        assert_eq!(
            output_after_echo(group, b"fi\necho b"),
            Some(&b"bash: no\r\n"[..])
        );
        assert_eq!(output_after_echo(b"\r\n\x1b[?2004l\r", b""), Some(&b""[..]));
        assert_eq!(output_after_echo(b"echo", b"echo"), None);
    }

    #[test]
    fn what_fish_prints_first_is_taken_off_once() {
        let len = |output: &[u8]| fish_preamble_len(output);
        assert_eq!(len(b"\x1b[?2004l\x1b]0;x\x07\x1b[30m\x1b(B\x1b[m\rhi"), 26);
        assert_eq!(len(b"\x1b[?2004l\x1b[m\x1b[mred"), 11);
        assert_eq!(len(b"hi\r\n"), 0);
    }
}
