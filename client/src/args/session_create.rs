//! `ccctl new`.

use super::offer::NameKind;
use super::session_output::DetachArgs;
use super::tape_options::NamedTapeArgs;
use super::value::{SecretFrom, Size, seconds, secret, size, terminal_type, variable};
use clap::{Args, ValueHint};
use std::collections::BTreeMap;

/// Arguments of `new`.
#[derive(Debug, Args)]
pub(crate) struct CreateArgs {
    /// Give the session a name, to use instead of its id; implies --persist
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// Choose the session id; replaces an ended session with this id, its log and its history [default: 12 random
    /// characters]
    #[arg(long)]
    pub(crate) id: Option<String>,
    /// Prepare the shell PROGRAM for session run: commands look as if typed [default: $SHELL]
    #[arg(long)]
    pub(crate) shell: bool,
    #[command(flatten)]
    pub(crate) caller: CallerArgs,
    /// Terminal size [default: 80x24]
    #[arg(long, value_parser = size, value_name = "COLSxROWS", conflicts_with_all = ["rows", "cols"])]
    pub(crate) size: Option<Size>,
    /// Terminal rows, 1 to 1000
    #[arg(long, allow_negative_numbers = true)]
    pub(crate) rows: Option<i64>,
    /// Terminal columns, 1 to 1000
    #[arg(long, allow_negative_numbers = true)]
    pub(crate) cols: Option<i64>,
    /// Start with the terminal's echo off; see ccctl session echo
    #[arg(long)]
    pub(crate) no_echo: bool,
    /// Text encoding of the program, as a WHATWG label such as latin1 [default: utf-8]
    #[arg(long)]
    pub(crate) encoding: Option<String>,
    /// Disable the idle timeout and the maximum run time, unless --session-timeout or --max-runtime is given [default with a name]
    #[arg(long, overrides_with = "no_persist")]
    pub(crate) persist: bool,
    /// Apply the idle timeout and the maximum run time [default without a name]
    #[arg(long)]
    pub(crate) no_persist: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    /// Attach this terminal at once, as ccctl attach does; the session takes its size
    #[arg(short, long)]
    pub(crate) attach: bool,
    #[command(flatten)]
    pub(crate) detach: DetachArgs,
    /// If a live session has the same program, arguments, directory, size, --env, --config and --set, use it instead of starting another
    #[arg(long)]
    pub(crate) reuse: bool,
    /// Open a named pipe that carries all events from the start; session pipe prints its path
    #[arg(long)]
    pub(crate) stream: bool,
    /// Default timeout of send --expect, expect, wait and run in this session, in seconds; 0: check once [default: 30]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds)]
    pub(crate) timeout: Option<f64>,
    /// Idle timeout: end the session after SECONDS without input or output; 0: never [default: configuration key session_timeout]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds)]
    pub(crate) session_timeout: Option<f64>,
    /// Maximum run time: end the session after SECONDS; 0: never [default: configuration key max_session_runtime]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds)]
    pub(crate) max_runtime: Option<f64>,
    /// End the session after BYTES of output; with --persist or --name, drop its oldest output instead, a quarter of
    /// BYTES (at least 64 KiB) at a time; 0: no limit [default: configuration key max_output_size]
    #[arg(long, value_name = "BYTES", allow_negative_numbers = true)]
    pub(crate) max_output_size: Option<i64>,
    /// Keep at most LINES lines of output in memory [default: 10000]
    #[arg(long, value_name = "LINES", allow_negative_numbers = true)]
    pub(crate) output_limit: Option<i64>,
    /// Program and its arguments, passed on unchanged
    #[arg(
        trailing_var_arg = true,
        required_unless_present_any = ["shell", "config"],
        value_name = "PROGRAM"
    )]
    #[arg(value_hint = ValueHint::CommandWithArguments)]
    pub(crate) program: Vec<String>,
    #[command(flatten)]
    pub(crate) tape: NamedTapeArgs,
}

/// What a program gets from the caller.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub(crate) struct CallerArgs {
    /// Working directory [default: the current one]
    #[arg(long, value_name = "DIR")]
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) cwd: Option<String>,
    /// Set an environment variable; can be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
    /// Terminal type: the value of TERM [default: xterm-256color]
    #[arg(long, value_name = "NAME", value_parser = terminal_type)]
    pub(crate) term: Option<String>,
    /// Use a minimal environment (HOME, USER, LOGNAME, SHELL, PATH, LANG) instead of the current one
    #[arg(long)]
    pub(crate) clean_env: bool,
}

/// Options that use a program configuration.
#[derive(Debug, Default, Args)]
pub(crate) struct ConfigArgs {
    /// Start the program that this configuration describes, and wait until it is ready; see ccctl program
    #[arg(long, value_name = "NAME")]
    #[arg(add = NameKind::Programs)]
    pub(crate) config: Option<String>,
    /// Set a placeholder of the configuration; can be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable, requires = "config")]
    pub(crate) set: Vec<(String, String)>,
    /// Take this secret or placeholder of the configuration from an environment variable, a file or a prompt; can be repeated
    #[arg(long, value_name = "NAME=env:VARIABLE|file:PATH|prompt", value_parser = secret, requires = "config")]
    pub(crate) secret: Vec<(String, SecretFrom)>,
}

impl CallerArgs {
    /// Returns the variables that were given explicitly.
    pub(crate) fn variables(&self) -> BTreeMap<String, String> {
        let term = self
            .term
            .iter()
            .map(|term| ("TERM".to_owned(), term.clone()));
        self.env.iter().cloned().chain(term).collect()
    }
}

impl CreateArgs {
    /// Whether the limits are disabled, if an option says so.
    pub(crate) fn persist(&self) -> Option<bool> {
        (self.persist || self.no_persist).then_some(self.persist)
    }
}
