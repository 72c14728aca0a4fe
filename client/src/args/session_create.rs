//! `ccctl session create`.

use super::session_output::LeavingArgs;
use super::tape_options::NamedTapeArgs;
use super::value::{SecretFrom, Size, seconds, secret, size, variable};
use clap::Args;

/// Arguments of `session create`.
#[derive(Debug, Args)]
pub(crate) struct CreateArgs {
    /// Name, to use instead of the id; a named session has no idle and runtime limit
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// Id [default: 12 random characters]
    #[arg(long)]
    pub(crate) id: Option<String>,
    /// Start PROGRAM (default: $SHELL) as a shell for `session run`
    #[arg(long)]
    pub(crate) shell: bool,
    /// Working directory [default: this one]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<String>,
    /// Set a variable; can be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
    /// Start from a clean environment instead of this one
    #[arg(long)]
    pub(crate) clean_env: bool,
    /// ROWSxCOLS [default: 24x80]
    #[arg(long, value_parser = size, value_name = "ROWSxCOLS", conflicts_with_all = ["rows", "cols"])]
    pub(crate) size: Option<Size>,
    /// Rows, 1 to 1000
    #[arg(long, allow_negative_numbers = true)]
    pub(crate) rows: Option<i64>,
    /// Columns, 1 to 1000
    #[arg(long, allow_negative_numbers = true)]
    pub(crate) cols: Option<i64>,
    /// WHATWG label of the program's encoding [default: utf-8]
    #[arg(long)]
    pub(crate) encoding: Option<String>,
    /// No idle and runtime limit [default with a name]
    #[arg(long, overrides_with = "no_persist")]
    pub(crate) persist: bool,
    /// Idle and runtime limits hold [default without a name]
    #[arg(long)]
    pub(crate) no_persist: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    /// Make this terminal the session's at once, as session attach does; it has its size then
    #[arg(short, long)]
    pub(crate) attach: bool,
    #[command(flatten)]
    pub(crate) leaving: LeavingArgs,
    /// Return a live session of the same program, arguments, directory, size, --env, --config and --set, if there is one
    #[arg(long)]
    pub(crate) reuse: bool,
    /// Make a named pipe that has all events from the start; `session pipe` prints its path
    #[arg(long)]
    pub(crate) stream: bool,
    /// Time-out of expect, wait and run, in seconds [default: 30]
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = seconds)]
    pub(crate) timeout: Option<f64>,
    /// End the session after so many seconds without input or output; 0: never
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = seconds)]
    pub(crate) session_timeout: Option<f64>,
    /// End the session after so many seconds; 0: never
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = seconds)]
    pub(crate) max_runtime: Option<f64>,
    /// End the session after so many bytes of output; with --persist or --name drop the oldest output from its log instead,
    /// in steps of a quarter, at least 64 KiB; 0: never
    #[arg(long, value_name = "BYTES", allow_negative_numbers = true)]
    pub(crate) max_output_size: Option<i64>,
    /// Lines of output kept in memory [default: 10000]
    #[arg(long, value_name = "LINES", allow_negative_numbers = true)]
    pub(crate) output_limit: Option<i64>,
    #[command(flatten)]
    pub(crate) tape: NamedTapeArgs,
    /// The program and its arguments, passed on as they are
    #[arg(
        trailing_var_arg = true,
        required_unless_present_any = ["shell", "config"],
        value_name = "PROGRAM"
    )]
    pub(crate) program: Vec<String>,
}

/// How a program configuration is used.
#[derive(Debug, Default, Args)]
pub(crate) struct ConfigArgs {
    /// Start what this program configuration says, and wait until it is ready; see ccctl program
    #[arg(long, value_name = "NAME")]
    pub(crate) config: Option<String>,
    /// Give a placeholder of the configuration its value; can be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable, requires = "config")]
    pub(crate) set: Vec<(String, String)>,
    /// Take a secret of the configuration from elsewhere than it says, or a placeholder's value that is one; can be repeated
    #[arg(long, value_name = "NAME=env:VARIABLE|file:PATH|prompt", value_parser = secret, requires = "config")]
    pub(crate) secret: Vec<(String, SecretFrom)>,
}

impl CreateArgs {
    /// Whether limits hold, if it was said.
    pub(crate) fn persist(&self) -> Option<bool> {
        (self.persist || self.no_persist).then_some(self.persist)
    }
}
