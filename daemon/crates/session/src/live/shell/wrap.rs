//! The line typed into a shell for one command.
//! It prints a mark, runs the command, and prints a second mark with the status. The marks contain a nonce, so that no
//! output of the command can be mistaken for them. They are written with `\033`, so that the echo of the line cannot be
//! either.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::{self, Read};
use std::path::Path;

use super::kind::ShellKind;

/// Bytes of quoted text in one piece of an inline command. A shell without line editing reads a line through the
/// terminal's buffer of 4,095 bytes; a piece with its quotes is well below that.
const PIECE_LEN: usize = 900;
/// Longest inline command, quoted, in bytes. Line editors redraw the typed line, which makes its cost grow with the
/// square of its length.
const INLINE_MAX_LEN: usize = 64 * 1024;
/// Longest path in a typed line, because of the same buffer.
const PATH_MAX_LEN: usize = 1024;
const NONCE_BYTES: usize = 8;

#[derive(Debug, thiserror::Error)]
pub(crate) enum LineError {
    #[error("a command cannot contain a NUL byte")]
    Nul,
    #[error("the command needs {len} bytes to type, more than {INLINE_MAX_LEN}")]
    TooLong { len: usize },
    /// The path would be changed or truncated when it is typed. Inline commands have no path.
    #[error("the path {path:?} cannot be typed into a shell")]
    Path { path: String },
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum TypedAs<'a> {
    /// The shell reads the file at this absolute path: for shells on this machine and in this file system.
    File(&'a Path),
    /// The command itself is typed, quoted: for shells over ssh, in containers, under `su`.
    Inline(&'a [u8]),
    /// An integrated shell's line editor takes the command from this file, at a key.
    Editor(&'a Path),
}

/// The key that integrated shells bind: `^X^_`, which no shell uses, and which a shell without that binding ignores.
pub(crate) const TAKE_KEY: &[u8] = b"\x18\x1f";

/// The key at which bash and zsh report the status of a command that replaced the prompt: `^X^^`.
pub(crate) const REPORT_KEY: &[u8] = b"\x18\x1e";

/// The builtin that a shell prints marks with.
/// A program could print the marks too, but it would be in the terminal's foreground while it runs and get keys that
/// are meant for the command: `^Z` would stop it before it prints its mark. A function with the builtin's name would be
/// called instead, so each shell gets the words that bypass functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Printer {
    /// `printf` of an unknown shell: the words that bypass functions in one shell start the program in another.
    Printf,
    BuiltinPrintf,
    /// In zsh, which gives a sourced file with an error a status of its own.
    Zsh,
    /// In the other POSIX shells. In zsh this would run the program.
    CommandPrintf,
    /// In mksh and its relatives, which have no builtin `printf`.
    Print,
    /// In fish, whose status is `$status` and which refuses a line with `$?`.
    Fish,
}

impl Printer {
    pub(crate) fn for_shell(kind: Option<ShellKind>) -> Self {
        match kind {
            Some(ShellKind::Bash) => Self::BuiltinPrintf,
            Some(ShellKind::Zsh) => Self::Zsh,
            Some(ShellKind::Posix | ShellKind::Ksh | ShellKind::Yash) => Self::CommandPrintf,
            Some(ShellKind::Mksh) => Self::Print,
            Some(ShellKind::Fish) => Self::Fish,
            None => Self::Printf,
        }
    }

    /// Returns the words that call it. The backslash bypasses aliases; in fish, which has none, it would mean something else.
    fn words(self) -> &'static str {
        match self {
            Self::Printf => "printf",
            Self::BuiltinPrintf | Self::Zsh => r"\builtin printf",
            Self::Fish => "builtin printf",
            Self::CommandPrintf => r"\command printf",
            Self::Print => r"\builtin print -n",
        }
    }

    /// Returns what stands before the name of another builtin.
    fn escape(self) -> &'static str {
        match self {
            Self::Printf | Self::Fish => "",
            Self::BuiltinPrintf | Self::Zsh | Self::CommandPrintf | Self::Print => r"\",
        }
    }

    /// Returns the printer of the shell `pid`. A shell at the far end of an ssh connection is unknown.
    pub(crate) fn for_process(pid: i32, called: Option<&str>) -> Self {
        Self::for_shell(ShellKind::from_process(pid, called))
    }

    fn start_mark(self, Nonce(nonce): &Nonce) -> String {
        let words = self.words();
        match self {
            Self::Print => format!(r"{words} '\0033]133;C;{nonce}\0007'"),
            _ => format!(r"{words} '\033]133;C;%s\007' {nonce}"),
        }
    }

    /// `suffix` follows the nonce in the mark.
    fn status_mark(self, Nonce(nonce): &Nonce, suffix: &str) -> String {
        let words = self.words();
        match self {
            Self::Print => format!(r#"{words} "\0033]133;D;$?;{nonce}{suffix}\0007""#),
            Self::Fish => format!(r"{words} '\033]133;D;%s;%s{suffix}\007' $status {nonce}"),
            _ => format!(r#"{words} '\033]133;D;%s;%s{suffix}\007' "$?" {nonce}"#),
        }
    }

    /// Returns shell words that print `command`; its pieces are joined by line continuations.
    fn command(self, command: &[u8]) -> Result<String, LineError> {
        let words = self.words();
        match self {
            Self::Print => Ok(format!("{words} {}", quoted_pieces(command, "'\\\r'")?)),
            // `printf` repeats `%b` for each argument, without a space between them.
            _ => Ok(format!(
                "{words} '%b' {}",
                quoted_pieces(command, "' \\\r'")?
            )),
        }
    }
}

/// Distinguishes the marks of one run from others: 16 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Nonce(String);

impl Nonce {
    /// Returns a nonce that no program can guess.
    pub(crate) fn random() -> io::Result<Self> {
        let mut bytes = [0; NONCE_BYTES];
        std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(Self::hex(&bytes))
    }

    /// Returns the nonce of a text, which is always the same.
    pub(crate) fn from_text(text: &str) -> Self {
        Self::hex(&Sha256::digest(text.as_bytes())[..NONCE_BYTES])
    }

    fn hex(bytes: &[u8]) -> Self {
        Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Returns the mark before a command's output, as the shell prints it.
    pub(crate) fn printed_start(&self) -> String {
        format!("\x1b]133;C;{}\x07", self.0)
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    #[cfg(test)]
    pub(crate) fn fixed(digits: &str) -> Self {
        Self(digits.to_owned())
    }
}

/// Returns what to type. A line ends with a CR as the Enter key sends it. The leading space keeps the line out of
/// the history in shells that are configured so.
/// With `isolate`, the command writes to that terminal (`/dev/pts/N`), which also gets its end mark; the session's
/// terminal gets both marks with nothing between them.
pub(crate) fn typed_line(
    nonce: &Nonce,
    printer: Printer,
    way: TypedAs<'_>,
    isolate: Option<&Path>,
) -> Result<Vec<u8>, LineError> {
    let source = match way {
        TypedAs::File(path) if printer == Printer::Zsh => {
            format!("\\builtin eval \"$(<{})\"", quoted_path(path)?)
        }
        // A sourced file would catch `exit`.
        TypedAs::File(path) if printer == Printer::Fish => {
            format!("eval (string collect <{})", quoted_path(path)?)
        }
        TypedAs::File(path) => format!("{}. {}", printer.escape(), quoted_path(path)?),
        TypedAs::Inline(command) => {
            let (escape, printed) = (printer.escape(), printer.command(command)?);
            format!("{escape}eval \"$({printed})\"")
        }
        TypedAs::Editor(_) => return Ok(TAKE_KEY.to_vec()),
    };
    let (start_mark, end_mark) = (printer.start_mark(nonce), printer.status_mark(nonce, ""));
    // The shell's own output may go elsewhere (`exec >file`). What is far away may have no such file.
    let tty = match way {
        TypedAs::File(_) => " >/dev/tty",
        _ => "",
    };
    let body = match isolate {
        None => source,
        Some(path) => {
            let (begin, end) = match printer {
                Printer::Fish => ("begin", "end"),
                _ => ("{", "}"),
            };
            format!(
                "{begin} {source}; {end_mark}; {end} >{} 2>&1",
                quoted_path(path)?
            )
        }
    };
    Ok(format!(" {start_mark}{tty}; {body}; {end_mark}{tty}\r").into_bytes())
}

/// Returns the line that makes a shell print `$?` after it dropped the rest of a typed line.
/// Attempts count from 1. From the second attempt on, the mark goes to `/dev/tty`, because the command may have
/// redirected the shell's standard output (`exec >file`).
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
    // Control characters are commands to the line editor, and a locale may lack non-ASCII characters.
    if text.len() > PATH_MAX_LEN || !text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Err(refused());
    }
    Ok(format!("'{}'", text.replace('\'', r"'\''")))
}

/// Returns `command`, quoted and with the escapes of `printf '%b'`, in pieces joined by `separator`.
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
    // Characters that no quoting, line editor or history expansion of any shell changes.
    let plain = byte.is_ascii_alphanumeric() || b" ./-_=:,+@%;<>()[]{}|&*?#~".contains(&byte);
    // A leading dash would make it an option.
    if plain && !(is_first && byte == b'-') {
        quoted.push(char::from(byte));
    } else {
        // Always three digits, so that a digit that follows is not read as part of the escape.
        quoted.push_str(&format!("\\0{byte:03o}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(printer: Printer, way: TypedAs<'_>) -> String {
        let line = typed_line(&Nonce::fixed("ab12"), printer, way, None);
        String::from_utf8(line.unwrap()).unwrap()
    }

    #[test]
    fn a_file_is_sourced_between_two_marks() {
        assert_eq!(
            line(Printer::Printf, TypedAs::File(Path::new("/tmp/it's"))),
            " printf '\\033]133;C;%s\\007' ab12 >/dev/tty; . '/tmp/it'\\''s'; \
             printf '\\033]133;D;%s;%s\\007' \"$?\" ab12 >/dev/tty\r"
        );
    }

    #[test]
    fn mksh_prints_with_its_own_builtin() {
        let printer = Printer::for_shell(Some(ShellKind::Mksh));
        assert_eq!(
            line(printer, TypedAs::Inline(b"-x 'a'")),
            " \\builtin print -n '\\0033]133;C;ab12\\0007'; \\eval \"$(\\builtin print -n '\\0055x \\0047a\\0047')\"; \
             \\builtin print -n \"\\0033]133;D;$?;ab12\\0007\"\r"
        );
        assert_eq!(
            rescue_line(&Nonce::fixed("ab12"), printer, 2),
            b" \\builtin print -n \"\\0033]133;D;$?;ab12;rescue\\0007\" >/dev/tty\r"
        );
    }

    #[test]
    fn no_function_of_the_user_is_called() {
        for (kind, words) in [
            (ShellKind::Bash, " \\builtin printf "),
            (ShellKind::Zsh, " \\builtin printf "),
            (ShellKind::Posix, " \\command printf "),
            (ShellKind::Mksh, " \\builtin print -n "),
        ] {
            let typed = line(Printer::for_shell(Some(kind)), TypedAs::Inline(b"x"));
            assert_eq!(typed.matches(words).count(), 2, "{typed}");
            assert!(
                typed.contains(&format!("$({}", words.trim_start())),
                "{typed}"
            );
        }
    }

    #[test]
    fn odd_bytes_are_typed_as_octal() {
        let line = line(Printer::Printf, TypedAs::Inline(b"echo '!'\t\"$x\"\xff1\n"));
        assert!(
            line.contains(r"'echo \0047\0041\0047\0011\0042\0044x\0042\03771\0012'"),
            "{line}"
        );
    }

    #[test]
    fn no_typed_line_overflows_the_terminal() {
        for printer in [Printer::CommandPrintf, Printer::Print] {
            let line = line(printer, TypedAs::Inline(&[b'\''; 5000]));
            let longest = line.split_inclusive('\r').map(str::len).max();
            assert!(longest < Some(1100), "{longest:?}");
        }
    }

    #[test]
    fn what_cannot_be_typed_is_refused() {
        let typed = |way| typed_line(&Nonce::fixed("ab12"), Printer::Printf, way, None);
        assert!(matches!(
            typed(TypedAs::Inline(b"a\0b")),
            Err(LineError::Nul)
        ));
        assert!(matches!(
            typed(TypedAs::Inline(&[b'!'; 20_000])),
            Err(LineError::TooLong { .. })
        ));
        for path in [
            "relative",
            "/a\nb",
            "/\u{fc}",
            &format!("/{}", "x".repeat(2000)),
        ] {
            let refused = typed(TypedAs::File(Path::new(path)));
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
