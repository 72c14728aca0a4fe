//! `ccctl tape`.

use super::tape_options::TapeArgs;
use super::value::{age, factor, folder, seconds, timeout};
use ccd_protocol::Timeout;
use ccd_protocol::tape::TapeFormat;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Which folder of tapes.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct RootArgs {
    /// Folder of the tapes [default: replay.tapes_path, else tapes in the base folder]
    #[arg(long, value_name = "DIR", value_parser = folder)]
    pub(crate) tapes: Option<String>,
}

/// One tape of a folder.
#[derive(Debug, Args)]
pub(crate) struct TapeOf {
    /// Its id, a part of it that no other has, or its file
    pub(crate) tape: String,
    #[command(flatten)]
    pub(crate) root: RootArgs,
}

/// One tape of a folder, or all.
#[derive(Debug, Args)]
pub(crate) struct TapesOf {
    /// Only this tape: its id, a part of it that no other has, or its file
    pub(crate) tape: Option<String>,
    #[command(flatten)]
    pub(crate) root: RootArgs,
}

/// What to do with tapes.
#[derive(Debug, Subcommand)]
pub(crate) enum TapeVerb {
    /// List tapes, and what cannot be used
    #[command(visible_alias = "ls")]
    List(TapeListArgs),
    /// Show a tape: its facts, and its exchanges as text
    #[command(
        visible_alias = "show",
        after_help = "Examples:
  ccctl tape show sqlite3/session-20260102T030405Z-1a2b3c4d
  ccctl tape show 1a2b3c4d --keys
  ccctl tape get 1a2b --json | jq -r '.exchanges[].input'"
    )]
    Get {
        #[command(flatten)]
        of: TapeOf,
        /// With what each exchange is found by
        #[arg(long)]
        keys: bool,
    },
    /// Tell what is wrong in tapes, with file, line and column
    #[command(after_help = "Exit status: 0 nothing is wrong, 1 something is.

Examples:
  ccctl tape validate
  ccctl tape validate --tapes tests/tapes --strict
  ccctl tape validate ./greet.json5")]
    Validate {
        #[command(flatten)]
        of: TapesOf,
        /// Unknown keys and missing parts count too
        #[arg(long)]
        strict: bool,
    },
    /// Take secrets out of tapes; without --inplace only tell where there are some
    #[command(after_help = "Examples:
  ccctl tape redact
  ccctl tape redact 1a2b3c4d --inplace
  ccctl tape redact --tapes tests/tapes --json | jq '.tapes | length'")]
    Redact {
        #[command(flatten)]
        of: TapesOf,
        /// Rewrite the tapes; comments and what was edited by hand stay
        #[arg(long)]
        inplace: bool,
    },
    /// Compare two tapes, without times and the like
    #[command(after_help = "Exit status: 0 they are equal, 1 they differ.

Examples:
  ccctl tape diff 1a2b3c4d 5e6f7a8b")]
    Diff {
        /// Id, unique part of it, or file
        a: String,
        /// Likewise
        b: String,
        #[command(flatten)]
        root: RootArgs,
    },
    /// Make a tape of an asciicast, version 2 or 3
    Import(TapeImportArgs),
    /// Print a tape as an asciicast, or as readable text
    Export(TapeExportArgs),
    /// Watch a tape in this terminal
    Play(TapePlayArgs),
    /// Draw the screen that a tape shows
    Svg(TapeSvgArgs),
    /// Run the real program with a tape's inputs, and compare what it answers
    Verify(TapeVerifyArgs),
    /// Remove tapes that nothing has played
    Prune(TapePruneArgs),
    /// Write a small program that answers from tapes in place of another, for PATH
    Shim(TapeShimArgs),
}

/// Arguments of `tape list`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ccctl tape list
  ccctl tape list --tapes tests/tapes --unused
  ccctl tape list --program sqlite3 --json | jq -r '.tapes[].tape_id'")]
pub(crate) struct TapeListArgs {
    /// Only those that were played
    #[arg(long, conflicts_with = "unused")]
    pub(crate) used: bool,
    /// Only those that were not
    #[arg(long)]
    pub(crate) unused: bool,
    /// Only tapes of this program
    #[arg(long, value_name = "NAME")]
    pub(crate) program: Option<String>,
    #[command(flatten)]
    pub(crate) root: RootArgs,
}

/// Arguments of `tape import`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ccctl tape import demo.cast
  ccctl tape import demo.cast --tag docs -- bash --norc
  curl -s https://example.org/demo.cast | ccctl tape import - -- bash")]
pub(crate) struct TapeImportArgs {
    /// The asciicast, or - for standard input
    pub(crate) file: PathBuf,
    /// Begins the tape's name, and stands in it
    #[arg(long, value_name = "TEXT")]
    pub(crate) tag: Option<String>,
    /// Keep secrets in the tape, which then says so
    #[arg(long)]
    pub(crate) no_redact: bool,
    #[command(flatten)]
    pub(crate) root: RootArgs,
    /// What it is a recording of [default: what the asciicast says]
    #[arg(last = true, value_name = "PROGRAM")]
    pub(crate) program: Vec<String>,
}

/// Arguments of `tape export`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ccctl tape export 1a2b3c4d > demo.cast
  ccctl tape export 1a2b3c4d --format asciicast-v2 -o demo.cast
  ccctl tape export 1a2b3c4d --transcript")]
pub(crate) struct TapeExportArgs {
    #[command(flatten)]
    pub(crate) of: TapeOf,
    /// What to make of it [default: asciicast-v3]
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    pub(crate) format: Option<TapeFormat>,
    /// Readable text: the same as --format transcript
    #[arg(long, conflicts_with = "format")]
    pub(crate) transcript: bool,
    /// Write this file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Arguments of `tape play`.
#[derive(Debug, Args)]
#[command(
    after_help = "Keys: space pauses and goes on, . shows the next piece, q or ^C leaves. Where standard output is no
terminal, all of it is printed at once.

Examples:
  ccctl tape play 1a2b3c4d
  ccctl tape play 1a2b3c4d --speed 3 --idle-limit 1
  ccctl tape play 1a2b3c4d | grep -c ERROR"
)]
pub(crate) struct TapePlayArgs {
    #[command(flatten)]
    pub(crate) of: TapeOf,
    /// Times as fast [default: 1]
    #[arg(long, value_name = "X", allow_negative_numbers = true, value_parser = factor)]
    pub(crate) speed: Option<f64>,
    /// Longest pause, in seconds
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = seconds)]
    pub(crate) idle_limit: Option<f64>,
}

/// Arguments of `tape svg`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ccctl tape svg 1a2b3c4d -o last.svg
  ccctl tape svg 1a2b3c4d --exchange 2 > second.svg
  ccctl tape svg 1a2b3c4d --animated --speed 2 -o demo.svg")]
pub(crate) struct TapeSvgArgs {
    #[command(flatten)]
    pub(crate) of: TapeOf,
    /// All of it, as an animation
    #[arg(long, conflicts_with = "exchange")]
    pub(crate) animated: bool,
    /// The screen after this exchange, from 0 [default: the last]
    #[arg(long, value_name = "N")]
    pub(crate) exchange: Option<u64>,
    /// Times as fast [default: 1]
    #[arg(long, value_name = "X", allow_negative_numbers = true, value_parser = factor, requires = "animated")]
    pub(crate) speed: Option<f64>,
    /// Longest pause, in seconds [default: 2]
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = seconds, requires = "animated")]
    pub(crate) idle_limit: Option<f64>,
    /// Write this file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Arguments of `tape verify`.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 the program answers as the tape does, 1 it does not.

Examples:
  ccctl tape verify 1a2b3c4d
  for tape in $(ccctl tape list --tapes tests/tapes --json | jq -r '.tapes[].tape_id'); do
    ccctl tape verify --tapes tests/tapes \"$tape\" || exit
  done"
)]
pub(crate) struct TapeVerifyArgs {
    #[command(flatten)]
    pub(crate) of: TapeOf,
    /// Working directory of the program [default: the tape's]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<String>,
    /// Seconds that an answer may take [default: 30]
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = timeout)]
    pub(crate) timeout: Option<Timeout>,
    /// What is typed where the tape has hidden inputs, one a line; -: standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) secrets_from: Option<PathBuf>,
    /// Start from a clean environment instead of this one
    #[arg(long)]
    pub(crate) clean_env: bool,
}

/// Arguments of `tape prune`.
#[derive(Debug, Args)]
#[command(after_help = "Without --unused it only tells which there are.

Examples:
  ccctl tape prune --unused --dry-run
  ccctl tape prune --unused --older-than 30d --tapes tests/tapes")]
pub(crate) struct TapePruneArgs {
    /// Remove those that were never played
    #[arg(long)]
    pub(crate) unused: bool,
    /// Only tell which they are
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Only those recorded longer ago: 90 or 90s, 30m, 12h, 7d
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, value_parser = age)]
    pub(crate) older_than: Option<f64>,
    #[command(flatten)]
    pub(crate) root: RootArgs,
}

/// Arguments of `tape shim`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ccctl tape shim sqlite3 --to ci-bin --tapes tests/tapes
  PATH=$PWD/ci-bin:$PATH make test
  ccctl tape shim sqlite3 --to rec-bin --tapes tests/tapes --record new --fallback proxy
  ccctl tape shim psql --to ci-bin --latency 0 --ignore-arg 1

What is asked of the shim is asked of ccctl play, with these options and --no-summary; its arguments are the program's.")]
pub(crate) struct TapeShimArgs {
    /// Folder to write it to
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) to: PathBuf,
    /// Replace a file of this name that is no shim
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) play: TapeArgs,
    /// The program that it stands in for
    pub(crate) program: String,
}

fn formats() -> impl TypedValueParser<Value = TapeFormat> {
    let names = [
        PossibleValue::new("asciicast-v2").alias("asciicast_v2"),
        PossibleValue::new("asciicast-v3").alias("asciicast_v3"),
        PossibleValue::new("transcript"),
    ];
    PossibleValuesParser::new(names).map(|format| {
        match &*format {
            // An alias comes as it was given.
            "asciicast-v2" | "asciicast_v2" => TapeFormat::AsciicastV2,
            "transcript" => TapeFormat::Transcript,
            _ => TapeFormat::AsciicastV3,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Command;
    use std::ffi::OsStr;

    #[test]
    fn a_form_has_the_name_that_requests_have_too() {
        let parsed = |name: &str| {
            let parsed = formats().parse_ref(&Command::new("c"), None, OsStr::new(name));
            parsed.ok().map(|format| format as u8)
        };
        for (name, format) in [
            ("asciicast-v2", TapeFormat::AsciicastV2),
            ("asciicast_v2", TapeFormat::AsciicastV2),
            ("asciicast-v3", TapeFormat::AsciicastV3),
            ("asciicast_v3", TapeFormat::AsciicastV3),
            ("transcript", TapeFormat::Transcript),
        ] {
            assert_eq!(parsed(name), Some(format as u8), "{name}");
            let of_request = serde_json::from_value::<TapeFormat>(name.into());
            assert_eq!(of_request.unwrap() as u8, format as u8, "{name}");
        }
        assert_eq!(parsed("asciicast"), None);
    }
}
