//! `ccctl program`.

use clap::{ArgGroup, Args, Subcommand};

/// What to do with program configurations.
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
        /// The configuration's name
        name: String,
    },
    /// Keep a program configuration: what was done in a session, or one written by hand
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

command_template is split into words as a shell splits them, but no shell reads it. {name} is a
placeholder for --set; its value stays one word. Each step waits for its pattern, a regular
expression, and types its response and Enter; optional ones are passed over when something later
comes first. A secret is looked up at each start: {"secret": {"env": "NAME"}}, {"file": "PATH"}
or {"prompt": "Question"} in place of the response.
The files are programs/NAME.json below the base folder, and may be edited."#)]
    Save(SaveArgs),
    /// Delete a program configuration
    #[command(
        visible_alias = "rm",
        after_help = "Examples:
  ccctl program delete db"
    )]
    Delete {
        /// The configuration's name
        name: String,
    },
}

/// Arguments of `program save`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("source").args(["session", "file"]).required(true))]
pub(crate) struct SaveArgs {
    /// The configuration's name
    pub(crate) name: String,
    /// Take what was expected and sent in this session, live or ended; what was typed hidden is asked for each time
    #[arg(long, value_name = "SESSION")]
    pub(crate) session: Option<String>,
    /// Take this JSON file, or - for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<String>,
    /// Replace one that has the name
    #[arg(long)]
    pub(crate) force: bool,
}
