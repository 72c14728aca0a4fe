//! `ccctl program`.

use clap::{ArgGroup, Args, Subcommand};

/// Commands for program configurations.
#[derive(Debug, Subcommand)]
pub(crate) enum ProgramVerb {
    /// List program configurations
    #[command(
        visible_alias = "ls",
        after_help = "Examples:
  ccctl program list
  ccctl program list --json"
    )]
    List,
    /// Show a program configuration
    #[command(
        visible_alias = "show",
        after_help = "Examples:
  ccctl program show db
  ccctl program get db --json > db.json"
    )]
    Get {
        /// Name of the configuration
        name: String,
    },
    /// Save a program configuration, from a session or from a file
    #[command(after_help = r#"Examples:
  ccctl program save db --session 7f3k
  ccctl program save db --file db.json --force
  ccctl program save db --file - <<'END'
  {
    "command_template": "psql -h {host} -U {user}",
    "typical_timeout": 20,
    "expect_sequences": [
      {"pattern": "Password.*: ", "response": {"secret": {"env": "DB_PASSWORD"}}, "optional": true}
    ],
    "ready_indicators": ["=[>#] "]
  }
  END
  ccctl session create --config db --set host=example.org --set user=me

command_template is split into words as in a shell, but no shell runs it. {name} is a placeholder for --set; its value is never split. Each entry of expect_sequences is a step: it waits for its pattern, a regular expression, and types its response and Enter; an optional step is skipped if a later pattern appears first. The program is ready when one of ready_indicators matches the output after the last step. typical_timeout is the default timeout of the session and of its start-up, in seconds. In place of the response text, {"secret": {"env": "NAME"}}, {"secret": {"file": "PATH"}} or {"secret": {"prompt": "Question"}} looks a secret up at each start.

The files are stored as programs/NAME.json in the base directory ($CCD_HOME, otherwise ~/.claude-control); you can edit them."#)]
    Save(SaveArgs),
    /// Delete a program configuration
    #[command(
        visible_alias = "rm",
        after_help = "Examples:
  ccctl program delete db"
    )]
    Delete {
        /// Name of the configuration
        name: String,
    },
}

/// Arguments of `program save`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("source").args(["session", "file"]).required(true))]
pub(crate) struct SaveArgs {
    /// Name of the configuration
    pub(crate) name: String,
    /// Save what was expected and sent in this session, live or ended; hidden input is asked for at each start
    #[arg(long, value_name = "SESSION")]
    pub(crate) session: Option<String>,
    /// Save this JSON file; - for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<String>,
    /// Overwrite an existing configuration of this name
    #[arg(long)]
    pub(crate) force: bool,
}
