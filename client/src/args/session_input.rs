//! `ccctl send`: what to type, and what to wait for.

use super::offer::{NameKind, ValueKind};
use super::value::timeout;
use ccd_protocol::Timeout;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `send`.
#[derive(Debug, Args)]
pub(crate) struct SendArgs {
    /// Id, name, or unique prefix of an id
    #[arg(add = NameKind::LiveSessions)]
    pub(crate) session: String,
    #[command(flatten)]
    pub(crate) input: SendInput,
    /// Do not press Enter after TEXT; after TEXT and keys, it is not pressed
    #[arg(long)]
    pub(crate) no_newline: bool,
    /// Send the input as one paste, if the program supports bracketed paste
    #[arg(long, conflicts_with = "keys")]
    pub(crate) paste: bool,
    /// Do not record the input
    #[arg(long)]
    pub(crate) secret: bool,
    /// Wait for this regular expression and print the output up to the end of the match; if repeated, the one that matches earliest wins
    #[arg(short, long, value_name = "PATTERN")]
    pub(crate) expect: Vec<String>,
    /// Treat patterns as plain text
    #[arg(long, requires = "expect")]
    pub(crate) exact: bool,
    /// Include control sequences in the text that is matched
    #[arg(long, requires = "expect")]
    pub(crate) raw: bool,
    /// Wait up to SECONDS; none: no limit [default: the session's timeout]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = timeout, requires = "expect")]
    pub(crate) timeout: Option<Timeout>,
}

/// What to type.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub(crate) struct SendInput {
    /// Text to type, followed by Enter or by --keys
    #[arg(allow_negative_numbers = true)]
    pub(crate) text: Option<String>,
    /// Press keys, after TEXT if there is one, named as in tmux and separated by commas: C-c,Up,Enter
    #[arg(short, long, value_delimiter = ',', value_name = "KEY")]
    #[arg(add = ValueKind::Keys)]
    pub(crate) keys: Vec<String>,
    /// Type the bytes of a file, unchanged
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["text", "keys", "stdin", "eof"])]
    pub(crate) file: Option<PathBuf>,
    /// Type the bytes of standard input, unchanged
    #[arg(long, conflicts_with_all = ["text", "keys", "eof"])]
    pub(crate) stdin: bool,
    /// End the input: type Ctrl-D each time the program waits for input, until it exits
    #[arg(long, conflicts_with_all = ["text", "keys"])]
    pub(crate) eof: bool,
}

#[cfg(test)]
mod tests {
    use crate::args::{Noun, parsed};

    fn parse(line: &str) -> Result<super::SendArgs, clap::Error> {
        match parsed(&format!("send py {line}"))? {
            Noun::Send(args) => Ok(args),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn text_and_keys_go_together_and_a_time_out_needs_something_to_wait_for() {
        for (line, text) in [("'x = 1'", "x = 1"), ("-1", "-1"), ("-- -x", "-x")] {
            assert_eq!(parse(line).unwrap().input.text.as_deref(), Some(text));
        }
        let keys = parse("--keys C-c,Up --keys Enter").unwrap();
        assert_eq!(keys.input.keys, ["C-c", "Up", "Enter"]);
        let args = parse("x --expect a --expect b --timeout 1").unwrap();
        assert_eq!(args.expect, ["a", "b"]);
        assert!(args.timeout.is_some());
        let both = parse("iabc --keys Escape").unwrap().input;
        assert_eq!(
            (both.text.as_deref(), &*both.keys),
            (Some("iabc"), &["Escape".to_owned()][..])
        );
        for line in [
            "",
            "x --stdin",
            "--file f --stdin",
            "--keys Up --eof",
            "x --timeout 1",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
