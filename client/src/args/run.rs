//! `ccctl run`.

use super::session_create::{CallerArgs, ConfigArgs};
use super::tape_options::NamedTapeArgs;
use super::value::{Size, size, timeout};
use ccd_protocol::Timeout;
use clap::{Args, ValueHint};
use std::path::PathBuf;

/// Arguments of `run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// End the program after SECONDS; none: no limit [default: configuration key max_session_runtime]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = timeout)]
    pub(crate) timeout: Option<Timeout>,
    #[command(flatten)]
    pub(crate) caller: CallerArgs,
    /// Run the PROGRAM words, joined by spaces, as a command line of sh
    #[arg(long, conflicts_with_all = ["script", "config"])]
    pub(crate) shell: bool,
    /// Wait for this regular expression before the next --send; can be repeated; standard input is not read
    #[arg(long, value_name = "PATTERN", conflicts_with_all = ["script", "size", "config"])]
    pub(crate) expect: Vec<String>,
    /// Type this line after the preceding --expect has matched; can be repeated; standard input is not read
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["script", "size", "config"])]
    pub(crate) send: Vec<String>,
    /// Treat --expect patterns as plain text
    #[arg(long, requires = "expect")]
    pub(crate) exact: bool,
    /// Fail unless the output contains this text; can be repeated
    #[arg(long, value_name = "TEXT")]
    pub(crate) contains: Vec<String>,
    /// Run this file with the interpreter named by --with; the PROGRAM words are its arguments
    #[arg(
        long,
        value_name = "FILE",
        requires = "interpreter",
        conflicts_with = "config"
    )]
    pub(crate) script: Option<PathBuf>,
    /// Interpreter for --script
    #[arg(long = "with", value_name = "INTERPRETER", requires = "script")]
    #[arg(value_hint = ValueHint::CommandName)]
    pub(crate) interpreter: Option<String>,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    /// Terminal size [default: the size of this terminal, or 80x24]
    #[arg(long, value_parser = size, value_name = "COLSxROWS")]
    pub(crate) size: Option<Size>,
    /// Program and its arguments, passed on unchanged
    #[arg(
        trailing_var_arg = true,
        required_unless_present_any = ["script", "config"],
        value_name = "PROGRAM"
    )]
    #[arg(value_hint = ValueHint::CommandWithArguments)]
    pub(crate) program: Vec<String>,
    #[command(flatten)]
    pub(crate) tape: NamedTapeArgs,
}

#[cfg(test)]
mod tests {
    use crate::args::{Noun, parsed};

    #[test]
    fn words_of_the_program_are_never_options() {
        let words = ["sleep", "--timeout", "1", "--json", "--", "-x"];
        for (line, program) in [
            (
                "run --timeout 2 -- sleep --timeout 1 --json -- -x",
                &words[..],
            ),
            ("run sleep --timeout 1 --json -- -x", &words),
            ("run --script f --with bash -- a", &["a"]),
        ] {
            let Ok(Noun::Run(args)) = parsed(line) else {
                panic!("{line}");
            };
            assert_eq!(args.program, program, "{line}");
        }
        // A misspelt option is not taken for a program, and a script needs its interpreter.
        for line in ["run --tiemout 1 ls", "run", "run --script f"] {
            assert!(parsed(line).is_err(), "{line}");
        }
    }
}
