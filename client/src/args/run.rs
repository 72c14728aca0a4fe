//! `ccctl run`.

use super::session_create::ConfigArgs;
use super::tape_options::NamedTapeArgs;
use super::value::{Size, size, timeout, variable};
use ccd_protocol::Timeout;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ccctl run --timeout 60 -- make test
  ccctl run --shell -- 'ls | wc -l'
  ccctl run --contains 'ok' --contains 'done' -- ./check
  ccctl run --expect 'name\\?' --send Ada -- ./greet
  ccctl run --script setup.py --with python3
  ccctl run --config backup --set host=example.org

The exit status is the program's: 128 + N after signal N, 127 not found, 126 not executable,
124 timed out. Control-C goes to the program; a second one within 2 seconds ends it. SIGTERM and
SIGHUP go to the program too, which has 2 seconds to end; a second one ends it at once.
Unless input and output are both terminals, input is typed without echo so that the program reads
exactly its bytes, and output arrives as the program wrote it.")]
pub(crate) struct RunArgs {
    /// Seconds after which the program is ended, or none [default: none]
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = timeout)]
    pub(crate) timeout: Option<Timeout>,
    /// Working directory [default: this one]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<String>,
    /// Set a variable; can be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
    /// Start from a clean environment instead of this one
    #[arg(long)]
    pub(crate) clean_env: bool,
    /// Run PROGRAM as a command line of sh; further words are joined by spaces
    #[arg(long, conflicts_with_all = ["script", "config"])]
    pub(crate) shell: bool,
    /// Wait for this regular expression before the next --send; can be repeated. Standard input is not read
    #[arg(long, value_name = "PATTERN", conflicts_with_all = ["script", "size", "config"])]
    pub(crate) expect: Vec<String>,
    /// Type this line once the --expect before it has matched; can be repeated. Standard input is not read
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["script", "size", "config"])]
    pub(crate) send: Vec<String>,
    /// --expect patterns are plain text
    #[arg(long, requires = "expect")]
    pub(crate) exact: bool,
    /// Fail unless the output contains this text; can be repeated
    #[arg(long, value_name = "TEXT")]
    pub(crate) contains: Vec<String>,
    /// Run this file with the interpreter --with; PROGRAM words are its arguments
    #[arg(
        long,
        value_name = "FILE",
        requires = "interpreter",
        conflicts_with = "config"
    )]
    pub(crate) script: Option<PathBuf>,
    /// Interpreter of --script
    #[arg(long = "with", value_name = "PROGRAM", requires = "script")]
    pub(crate) interpreter: Option<String>,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) tape: NamedTapeArgs,
    /// ROWSxCOLS [default: this terminal's, else 24x80]
    #[arg(long, value_parser = size, value_name = "ROWSxCOLS")]
    pub(crate) size: Option<Size>,
    /// The program and its arguments, passed on as they are
    #[arg(
        trailing_var_arg = true,
        required_unless_present_any = ["script", "config"],
        value_name = "PROGRAM"
    )]
    pub(crate) program: Vec<String>,
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
    fn a_misspelt_option_is_no_program() {
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
