//! `ccctl session send`: what to type and what to wait for.

use super::value::timeout;
use ccd_protocol::Timeout;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `session send`.
#[derive(Debug, Args)]
pub(crate) struct SendArgs {
    /// Id, name, or unique prefix of an id
    pub(crate) session: String,
    #[command(flatten)]
    pub(crate) input: SendInput,
    /// Do not press Enter after TEXT
    #[arg(long)]
    pub(crate) no_newline: bool,
    /// As one paste, when the program can tell pastes from typing
    #[arg(long, conflicts_with = "keys")]
    pub(crate) paste: bool,
    /// Never record what is typed
    #[arg(long)]
    pub(crate) secret: bool,
    /// Wait for this regular expression and print the output up to it; can be repeated
    #[arg(short, long, value_name = "PATTERN")]
    pub(crate) expect: Vec<String>,
    /// Patterns are plain text
    #[arg(long, requires = "expect")]
    pub(crate) exact: bool,
    /// Match control sequences too
    #[arg(long, requires = "expect")]
    pub(crate) raw: bool,
    /// Seconds to wait, or none [default: the session's]
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = timeout, requires = "expect")]
    pub(crate) timeout: Option<Timeout>,
}

/// What to type.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct SendInput {
    /// Text; Enter follows
    #[arg(allow_negative_numbers = true)]
    pub(crate) text: Option<String>,
    /// Keys as tmux names them: C-c,Up,Enter
    #[arg(short, long, value_delimiter = ',', value_name = "KEY")]
    pub(crate) keys: Vec<String>,
    /// The bytes of a file, as they are
    #[arg(short, long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// The bytes of standard input, as they are
    #[arg(long)]
    pub(crate) stdin: bool,
    /// No more: ^D whenever the program waits for input, until it has ended
    #[arg(long)]
    pub(crate) eof: bool,
}

#[cfg(test)]
mod tests {
    use crate::args::{Ccctl, Noun, SessionVerb};
    use clap::Parser as _;

    fn parse(words: &[&str]) -> Result<super::SendArgs, clap::Error> {
        let words = [&["ccctl", "session", "send", "py"], words].concat();
        match Ccctl::try_parse_from(words)?.noun {
            Noun::Session(SessionVerb::Send(args)) => Ok(args),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn exactly_one_input_is_taken() {
        assert_eq!(parse(&["x = 1"]).unwrap().input.text.unwrap(), "x = 1");
        assert_eq!(parse(&["-1"]).unwrap().input.text.unwrap(), "-1");
        assert_eq!(parse(&["--", "-x"]).unwrap().input.text.unwrap(), "-x");
        let keys = parse(&["--keys", "C-c,Up", "--keys", "Enter"]).unwrap();
        assert_eq!(keys.input.keys, ["C-c", "Up", "Enter"]);
        assert!(parse(&[]).is_err());
        assert!(parse(&["x", "--stdin"]).is_err());
        assert!(parse(&["--file", "f", "--stdin"]).is_err());
    }

    #[test]
    fn a_time_out_needs_something_to_wait_for() {
        assert!(parse(&["x", "--timeout", "1"]).is_err());
        let args = parse(&["x", "--expect", "a", "--expect", "b", "--timeout", "1"]).unwrap();
        assert_eq!(args.expect, ["a", "b"]);
        assert!(args.timeout.is_some());
    }
}
