//! The line typed into a shell for one command.
//!
//! It prints a mark, runs the command, and prints a second mark with the status. The marks have a
//! nonce, so that no output of the command can be taken for them, and they are spelled with
//! `\033`, so that the echo of the line cannot either.

use sha2::{Digest, Sha256};
use std::io::{self, Read};
use std::path::Path;

use super::kind::ShellKind;

/// Bytes of quoted text in one piece of an inline command. A shell without line editing reads a
/// line through the terminal's buffer of 4,095 bytes; a piece with its quotes stays well below.
const PIECE_LEN: usize = 900;
/// Longest inline command, quoted, in bytes. Line editors redraw what is typed, which makes the
/// cost of a line grow with the square of its length.
const INLINE_MAX_LEN: usize = 64 * 1024;
/// Longest path in a typed line, for the same buffer.
const PATH_MAX_LEN: usize = 1024;
const NONCE_BYTES: usize = 8;

/// Why no line can be typed for a command.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LineError {
    #[error("a command cannot contain a NUL byte")]
    Nul,
    #[error("the command needs {len} bytes to type, more than {INLINE_MAX_LEN}")]
    TooLong { len: usize },
    /// The path would be changed or cut when it is typed; an inline command needs none.
    #[error("the path {path:?} cannot be typed into a shell")]
    Path { path: String },
}

/// How the command gets into the shell.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Way<'a> {
    /// The shell reads this absolute path: for a shell on this machine, in this file system.
    File(&'a Path),
    /// The command itself is typed, quoted: for shells behind ssh, in containers, under `su`.
    Inline(&'a [u8]),
}

/// The builtin that a shell prints with.
///
/// A program would do the same, but it gets the terminal while it runs, and with it the keys that were meant for the
/// command: `^Z` would stop it before it has printed its mark. A function of the same name would be called in its place,
/// so each shell is told to pass those over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Printer {
    /// `printf` of a shell that is not known: what looks past functions in one starts the program in another.
    Printf,
    /// In bash and zsh.
    BuiltinPrintf,
    /// In the other POSIX shells. In zsh this would start the program.
    CommandPrintf,
    /// mksh and its kin have no `printf` of their own.
    Print,
}

impl Printer {
    /// Returns what shells of the family `kind` have; most have `printf`.
    pub(crate) fn of(kind: Option<ShellKind>) -> Self {
        match kind {
            Some(ShellKind::Bash | ShellKind::Zsh) => Self::BuiltinPrintf,
            Some(ShellKind::Posix | ShellKind::Ksh | ShellKind::Yash) => Self::CommandPrintf,
            Some(ShellKind::Mksh) => Self::Print,
            None => Self::Printf,
        }
    }

    /// The words that the shell calls it by.
    fn words(self) -> &'static str {
        match self {
            Self::Printf => "printf",
            Self::BuiltinPrintf => "builtin printf",
            Self::CommandPrintf => "command printf",
            Self::Print => "builtin print -n",
        }
    }

    /// Returns what the shell `pid` has, judged by its program's file before the name it was called by: mksh may be
    /// called `sh` or `ksh`. What is behind an ssh is not known.
    pub(crate) fn of_process(pid: i32, called: Option<&str>) -> Self {
        let file = std::fs::read_link(format!("/proc/{pid}/exe")).ok();
        let by_file = file.and_then(|file| ShellKind::of(&file, &[]));
        Self::of(by_file.or_else(|| ShellKind::of(Path::new(called?), &[])))
    }

    fn start_mark(self, Nonce(nonce): &Nonce) -> String {
        let words = self.words();
        match self {
            Self::Print => format!(r"{words} '\0033]133;C;{nonce}\0007'"),
            _ => format!(r"{words} '\033]133;C;%s\007' {nonce}"),
        }
    }

    /// `suffix` stands in the mark behind the nonce.
    fn status_mark(self, Nonce(nonce): &Nonce, suffix: &str) -> String {
        let words = self.words();
        match self {
            Self::Print => format!(r#"{words} "\0033]133;D;$?;{nonce}{suffix}\0007""#),
            _ => format!(r#"{words} '\033]133;D;%s;%s{suffix}\007' "$?" {nonce}"#),
        }
    }

    /// What prints `command`, as one argument that the line is continued in.
    fn command(self, command: &[u8]) -> Result<String, LineError> {
        let words = self.words();
        match self {
            Self::Print => Ok(format!("{words} {}", quoted_pieces(command, "'\\\r'")?)),
            // Joins its arguments without a space.
            _ => Ok(format!(
                "{words} '%b' {}",
                quoted_pieces(command, "' \\\r'")?
            )),
        }
    }
}

/// What makes the marks of one run its own: 16 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Nonce(String);

impl Nonce {
    /// Returns a nonce that no program can have guessed.
    ///
    /// # Errors
    ///
    /// When the system's random device cannot be read.
    pub(crate) fn random() -> io::Result<Self> {
        let mut bytes = [0; NONCE_BYTES];
        std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(Self(
            bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        ))
    }

    /// Returns the nonce that a text has each time.
    pub(crate) fn of(text: &str) -> Self {
        let hash = Sha256::digest(text.as_bytes());
        let digits = hash[..NONCE_BYTES].iter();
        Self(digits.map(|byte| format!("{byte:02x}")).collect())
    }

    /// The mark before a command's output, as the shell prints it.
    pub(crate) fn printed_start(&self) -> String {
        format!("\x1b]133;C;{}\x07", self.0)
    }

    /// Returns the digits.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    #[cfg(test)]
    pub(crate) fn fixed(digits: &str) -> Self {
        Self(digits.to_owned())
    }
}

/// Returns what to type: one line, its last byte a CR as the key sends it. The space before it
/// keeps it out of the history where the shell was told so.
///
/// With `isolate` the command writes to that terminal (`/dev/pts/N`), which also gets its end mark;
/// the session's terminal has both marks and nothing between them.
///
/// # Errors
///
/// [`LineError`] when the command or a path cannot be typed.
pub(crate) fn typed_line(
    nonce: &Nonce,
    printer: Printer,
    way: Way<'_>,
    isolate: Option<&Path>,
) -> Result<Vec<u8>, LineError> {
    let source = match way {
        Way::File(path) => format!(". {}", quoted_path(path)?),
        Way::Inline(command) => format!("eval \"$({})\"", printer.command(command)?),
    };
    let (start_mark, end_mark) = (printer.start_mark(nonce), printer.status_mark(nonce, ""));
    let body = match isolate {
        None => source,
        Some(path) => format!("{{ {source}; {end_mark}; }} >{} 2>&1", quoted_path(path)?),
    };
    Ok(format!(" {start_mark}; {body}; {end_mark}\r").into_bytes())
}

/// Returns the line that asks a shell for `$?` after it dropped the rest of a typed line.
///
/// The first attempt is 1. From the second on the mark goes to `/dev/tty`: the command may have
/// sent the shell's standard output elsewhere (`exec >file`).
pub(super) fn rescue_line(nonce: &Nonce, printer: Printer, attempt: usize) -> Vec<u8> {
    let target = if attempt > 1 { " >/dev/tty" } else { "" };
    let mark = printer.status_mark(nonce, ";rescue");
    format!(" {mark}{target}\r").into_bytes()
}

fn quoted_path(path: &Path) -> Result<String, LineError> {
    let refused = || LineError::Path {
        path: path.display().to_string(),
    };
    let text = path
        .to_str()
        .filter(|_| path.is_absolute())
        .ok_or_else(refused)?;
    // A control character acts on the line editor, and a locale may lack the others.
    if text.len() > PATH_MAX_LEN || !text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Err(refused());
    }
    Ok(format!("'{}'", text.replace('\'', r"'\''")))
}

/// Returns `command` in quotes and with the escapes of `printf '%b'`, in pieces with `separator` between them.
fn quoted_pieces(command: &[u8], separator: &str) -> Result<String, LineError> {
    if command.contains(&0) {
        return Err(LineError::Nul);
    }
    let mut quoted = String::from("'");
    let mut piece_len = 0;
    for (at, &byte) in command.iter().enumerate() {
        let start_len = quoted.len();
        push_escaped(&mut quoted, byte, at == 0);
        piece_len += quoted.len() - start_len;
        if piece_len >= PIECE_LEN {
            quoted.push_str(separator);
            piece_len = 0;
        }
    }
    quoted.push('\'');
    if quoted.len() > INLINE_MAX_LEN {
        return Err(LineError::TooLong { len: quoted.len() });
    }
    Ok(quoted)
}

fn push_escaped(quoted: &mut String, byte: u8, is_first: bool) {
    // What no quoting, line editor or history expansion of any shell can touch.
    let plain = byte.is_ascii_alphanumeric() || b" ./-_=:,+@%;<>()[]{}|&*?#~".contains(&byte);
    // A dash in front would make it an option.
    if plain && !(is_first && byte == b'-') {
        quoted.push(char::from(byte));
    } else {
        // Always three digits, so that one that follows is not read as a fourth.
        quoted.push_str(&format!("\\0{byte:03o}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(printer: Printer, way: Way<'_>) -> String {
        let line = typed_line(&Nonce::fixed("ab12"), printer, way, None);
        String::from_utf8(line.unwrap()).unwrap()
    }

    #[test]
    fn a_file_is_sourced_between_two_marks() {
        assert_eq!(
            line(Printer::Printf, Way::File(Path::new("/tmp/it's"))),
            " printf '\\033]133;C;%s\\007' ab12; . '/tmp/it'\\''s'; \
             printf '\\033]133;D;%s;%s\\007' \"$?\" ab12\r"
        );
    }

    #[test]
    fn mksh_prints_with_its_own_builtin() {
        let printer = Printer::of(Some(ShellKind::Mksh));
        assert_eq!(
            line(printer, Way::Inline(b"-x 'a'")),
            " builtin print -n '\\0033]133;C;ab12\\0007'; eval \"$(builtin print -n '\\0055x \\0047a\\0047')\"; \
             builtin print -n \"\\0033]133;D;$?;ab12\\0007\"\r"
        );
        assert_eq!(
            rescue_line(&Nonce::fixed("ab12"), printer, 2),
            b" builtin print -n \"\\0033]133;D;$?;ab12;rescue\\0007\" >/dev/tty\r"
        );
    }

    #[test]
    fn no_function_of_the_user_is_called() {
        for (kind, words) in [
            (ShellKind::Bash, " builtin printf "),
            (ShellKind::Zsh, " builtin printf "),
            (ShellKind::Posix, " command printf "),
            (ShellKind::Mksh, " builtin print -n "),
        ] {
            let typed = line(Printer::of(Some(kind)), Way::Inline(b"x"));
            assert_eq!(typed.matches(words).count(), 2, "{typed}");
            assert!(
                typed.contains(&format!("$({}", words.trim_start())),
                "{typed}"
            );
        }
    }

    #[test]
    fn odd_bytes_are_typed_as_octal() {
        let line = line(Printer::Printf, Way::Inline(b"echo '!'\t\"$x\"\xff1\n"));
        assert!(
            line.contains(r"'echo \0047\0041\0047\0011\0042\0044x\0042\03771\0012'"),
            "{line}"
        );
    }

    #[test]
    fn no_typed_line_overflows_the_terminal() {
        for printer in [Printer::CommandPrintf, Printer::Print] {
            let line = line(printer, Way::Inline(&[b'\''; 5000]));
            let longest = line.split_inclusive('\r').map(str::len).max();
            assert!(longest < Some(1100), "{longest:?}");
        }
    }

    #[test]
    fn what_cannot_be_typed_is_refused() {
        let typed = |way| typed_line(&Nonce::fixed("ab12"), Printer::Printf, way, None);
        assert!(matches!(typed(Way::Inline(b"a\0b")), Err(LineError::Nul)));
        assert!(matches!(
            typed(Way::Inline(&[b'!'; 20_000])),
            Err(LineError::TooLong { .. })
        ));
        for path in [
            "relative",
            "/a\nb",
            "/\u{fc}",
            &format!("/{}", "x".repeat(2000)),
        ] {
            let refused = typed(Way::File(Path::new(path)));
            assert!(matches!(refused, Err(LineError::Path { .. })), "{path}");
        }
    }

    #[test]
    fn nonces_differ() {
        let nonce = Nonce::random().unwrap();
        assert_eq!(nonce.as_str().len(), 2 * NONCE_BYTES);
        assert_ne!(nonce, Nonce::random().unwrap());
    }
}
