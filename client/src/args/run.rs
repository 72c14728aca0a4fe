//! `ccctl run`.

use super::session_create::{CallerArgs, ConfigArgs};
use super::tape_options::NamedTapeArgs;
use super::value::{Size, size, timeout};
use ccd_protocol::Timeout;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// End the program after S seconds; none: no limit [default: configuration key max_session_runtime]
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = timeout)]
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
    pub(crate) interpreter: Option<String>,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    /// Terminal size [default: the size of this terminal, or 24x80]
    #[arg(long, value_parser = size, value_name = "ROWSxCOLS")]
    pub(crate) size: Option<Size>,
    /// Program and its arguments, passed on unchanged
    #[arg(
        trailing_var_arg = true,
        required_unless_present_any = ["script", "config"],
        value_name = "PROGRAM"
    )]
    pub(crate) program: Vec<String>,
    #[command(flatten)]
    pub(crate) tape: NamedTapeArgs,
}

#[cfg(test)]
mod tests {
    use crate::args::{Ccctl, Noun, RunArgs};
    use clap::Parser as _;

    fn parse(line: &[&str]) -> Result<RunArgs, clap::Error> {
        match Ccctl::try_parse_from([&["ccctl", "run"], line].concat())?.noun {
            Noun::Run(args) => Ok(*args),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn words_of_the_program_are_never_options() {
        let words = ["sleep", "--timeout", "1", "--json", "--", "-x"];
        let with_dashes = [&["--timeout", "2", "--"], &words[..]].concat();
        let args = parse(&with_dashes).unwrap();
        assert_eq!(args.program, words);
        assert_eq!(parse(&words).unwrap().program, words);
    }

    #[test]
    fn a_misspelt_option_is_not_taken_for_a_program() {
        assert!(parse(&["--tiemout", "1", "ls"]).is_err());
        assert!(parse(&[]).is_err());
    }

    #[test]
    fn a_script_needs_its_interpreter() {
        assert!(parse(&["--script", "f"]).is_err());
        let args = parse(&["--script", "f", "--with", "bash", "--", "a"]).unwrap();
        assert_eq!(args.program, ["a"]);
    }
}
