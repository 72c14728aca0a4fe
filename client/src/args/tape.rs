//! `ccctl tape`.

use super::offer::NameKind;
use super::tape_options::{self, TapeArgs};
use super::value::{age, directory, factor, seconds, timeout};
use ccd_protocol::Timeout;
use ccd_protocol::tape::TapeFormat;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueHint};
use std::path::PathBuf;

/// The option that names the tapes directory.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct RootArgs {
    /// Directory of the tapes [default: configuration key replay.tapes_path, otherwise tapes in the base directory]
    #[arg(long, value_name = "DIR", value_parser = directory)]
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) tapes: Option<String>,
}

/// One tape of a directory.
#[derive(Debug, Args)]
pub(crate) struct TapeOf {
    /// Tape id, a unique part of one, or a file
    #[arg(add = NameKind::Tapes)]
    pub(crate) tape: String,
    #[command(flatten)]
    pub(crate) root: RootArgs,
}

/// One tape of a directory, or all.
#[derive(Debug, Args)]
pub(crate) struct TapesOf {
    /// Tape id, a unique part of one, or a file [default: all tapes]
    #[arg(add = NameKind::Tapes)]
    pub(crate) tape: Option<String>,
    #[command(flatten)]
    pub(crate) root: RootArgs,
}

/// Commands for tapes.
#[derive(Debug, Subcommand)]
pub(crate) enum TapeVerb {
    /// List tapes, including files that cannot be used
    #[command(visible_alias = "ls")]
    List(TapeListArgs),
    /// Show a tape's metadata, and its exchanges as text
    #[command(visible_alias = "show")]
    Get {
        #[command(flatten)]
        of: TapeOf,
        /// Also show the key that each exchange is matched by
        #[arg(long)]
        keys: bool,
    },
    /// Report problems in tapes, with file, line and column
    Validate {
        #[command(flatten)]
        of: TapesOf,
        /// Treat warnings as errors: unknown, missing or duplicate JSON keys, impossible values, and exchanges that match the same input
        #[arg(long)]
        strict: bool,
    },
    /// Find secrets in tapes; with --inplace, remove them
    Redact {
        #[command(flatten)]
        of: TapesOf,
        /// Rewrite the tapes; comments and manual edits are kept
        #[arg(long)]
        inplace: bool,
    },
    /// Compare two tapes, ignoring values that differ from run to run, such as times
    Diff {
        /// Tape id, a unique part of one, or a file
        #[arg(add = NameKind::Tapes)]
        a: String,
        /// Tape id, a unique part of one, or a file
        #[arg(add = NameKind::Tapes)]
        b: String,
        #[command(flatten)]
        root: RootArgs,
    },
    /// Convert an asciicast (version 1, 2 or 3) into a tape
    Import(TapeImportArgs),
    /// Convert a tape into an asciicast or readable text
    Export(TapeExportArgs),
    /// Play back a tape in this terminal (to replay a program from its tapes, see ccctl play)
    Play(TapePlayArgs),
    /// Draw the screen of a tape as an SVG image
    Svg(TapeSvgArgs),
    /// Run the real program with a tape's inputs, and compare its output with the tape
    Verify(TapeVerifyArgs),
    /// List or delete tapes that were never replayed
    Prune(TapePruneArgs),
    /// Write a shim to put on PATH: it answers from tapes in place of a program
    #[command(mut_args(tape_options::for_shim))]
    Shim(TapeShimArgs),
}

/// Arguments of `tape list`.
#[derive(Debug, Args)]
pub(crate) struct TapeListArgs {
    /// List only tapes that were replayed
    #[arg(long, conflicts_with = "unused")]
    pub(crate) used: bool,
    /// List only tapes that were never replayed
    #[arg(long)]
    pub(crate) unused: bool,
    /// List only tapes of this program
    #[arg(long, value_name = "NAME")]
    pub(crate) program: Option<String>,
    #[command(flatten)]
    pub(crate) root: RootArgs,
}

/// Arguments of `tape import`.
#[derive(Debug, Args)]
pub(crate) struct TapeImportArgs {
    /// Asciicast to convert, or - for standard input
    pub(crate) file: PathBuf,
    /// Label stored on the tape, and used at the start of its name
    #[arg(long, value_name = "TEXT")]
    pub(crate) tag: Option<String>,
    /// Keep secrets, and mark the tape accordingly
    #[arg(long)]
    pub(crate) no_redact: bool,
    #[command(flatten)]
    pub(crate) root: RootArgs,
    /// Program that the asciicast is a recording of [default: the one that it names]
    #[arg(last = true, value_name = "PROGRAM")]
    #[arg(value_hint = ValueHint::CommandName)]
    pub(crate) program: Vec<String>,
}

/// Arguments of `tape export`.
#[derive(Debug, Args)]
pub(crate) struct TapeExportArgs {
    #[command(flatten)]
    pub(crate) of: TapeOf,
    /// Output format [default: asciicast-v3]
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    pub(crate) format: Option<TapeFormat>,
    /// Write readable text (same as --format transcript)
    #[arg(long, conflicts_with = "format")]
    pub(crate) transcript: bool,
    /// Write to this file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Arguments of `tape play`.
#[derive(Debug, Args)]
pub(crate) struct TapePlayArgs {
    #[command(flatten)]
    pub(crate) of: TapeOf,
    /// Speed factor [default: 1]
    #[arg(long, value_name = "X", allow_negative_numbers = true, value_parser = factor)]
    pub(crate) speed: Option<f64>,
    /// Shorten pauses to at most SECONDS
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds)]
    pub(crate) idle_limit: Option<f64>,
}

/// Arguments of `tape svg`.
#[derive(Debug, Args)]
pub(crate) struct TapeSvgArgs {
    #[command(flatten)]
    pub(crate) of: TapeOf,
    /// Draw the whole tape as an animation
    #[arg(long, conflicts_with = "exchange")]
    pub(crate) animated: bool,
    /// Draw the screen after this exchange, counted from 0 [default: the last one]
    #[arg(long, value_name = "N")]
    pub(crate) exchange: Option<u64>,
    /// Speed factor [default: 1]
    #[arg(long, value_name = "X", allow_negative_numbers = true, value_parser = factor, requires = "animated")]
    pub(crate) speed: Option<f64>,
    /// Shorten pauses to at most SECONDS [default: 2]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds, requires = "animated")]
    pub(crate) idle_limit: Option<f64>,
    /// Show the last image for SECONDS before the animation starts again [default: 2]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds, requires = "animated")]
    pub(crate) end_pause: Option<f64>,
    /// Write to this file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Arguments of `tape verify`.
#[derive(Debug, Args)]
pub(crate) struct TapeVerifyArgs {
    #[command(flatten)]
    pub(crate) of: TapeOf,
    /// Working directory of the program [default: the one on the tape]
    #[arg(long, value_name = "DIR")]
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) cwd: Option<String>,
    /// Wait up to SECONDS for each answer; none: no limit [default: 30]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = timeout)]
    pub(crate) timeout: Option<Timeout>,
    /// Read the hidden inputs, such as passwords, from this file, one per line; - for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) secrets_from: Option<PathBuf>,
    /// Use a minimal environment (HOME, USER, LOGNAME, SHELL, PATH, LANG) instead of the current one
    #[arg(long)]
    pub(crate) clean_env: bool,
}

/// Arguments of `tape prune`.
#[derive(Debug, Args)]
pub(crate) struct TapePruneArgs {
    /// Delete the tapes that were never replayed
    #[arg(long)]
    pub(crate) unused: bool,
    /// Only list the tapes
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Select only tapes recorded longer ago than this: 90 or 90s, 30m, 12h, 7d
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, value_parser = age)]
    pub(crate) older_than: Option<f64>,
    #[command(flatten)]
    pub(crate) root: RootArgs,
}

/// Arguments of `tape shim`.
#[derive(Debug, Args)]
pub(crate) struct TapeShimArgs {
    /// Directory to write the shim to
    #[arg(long, value_name = "DIR", default_value = ".")]
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) to: PathBuf,
    /// Overwrite an existing file that is not a shim; an existing shim is always overwritten
    #[arg(long)]
    pub(crate) force: bool,
    /// Program that the shim replaces
    #[arg(value_hint = ValueHint::CommandName)]
    pub(crate) program: String,
    #[command(flatten)]
    pub(crate) play: TapeArgs,
}

fn formats() -> impl TypedValueParser<Value = TapeFormat> {
    let names = [
        PossibleValue::new("asciicast-v2").alias("asciicast_v2"),
        PossibleValue::new("asciicast-v3").alias("asciicast_v3"),
        PossibleValue::new("transcript"),
    ];
    PossibleValuesParser::new(names).map(|format| {
        match &*format {
            // An alias arrives as it was typed.
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
    fn formats_have_the_names_that_requests_use() {
        for name in [
            "asciicast-v2",
            "asciicast_v2",
            "asciicast-v3",
            "asciicast_v3",
            "transcript",
            "asciicast",
        ] {
            let parsed = formats().parse_ref(&Command::new("c"), None, OsStr::new(name));
            let of_request = serde_json::from_value::<TapeFormat>(name.into());
            let number = |format: TapeFormat| format as u8;
            let of_request = of_request.ok().map(number);
            assert_eq!(parsed.ok().map(number), of_request, "{name}");
            assert_eq!(name == "asciicast", of_request.is_none(), "{name}");
        }
    }
}
