//! `ccctl pattern`.

use ccd_protocol::pattern::PatternType;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// What to do with the pattern library.
#[derive(Debug, Subcommand)]
pub(crate) enum PatternVerb {
    /// List the library, or the patterns of one category
    #[command(
        visible_aliases = ["ls", "get", "show"],
        after_help = "Examples:
  ccctl pattern list
  ccctl pattern list error
  ccctl pattern list prompt python
  ccctl pattern list --json | jq -r '.patterns[] | select(.origin != \"built_in\") | .category'"
    )]
    List {
        /// prompt, error, help, data_format or state
        #[arg(value_name = "TYPE", value_parser = pattern_type)]
        pattern_type: Option<PatternType>,
        /// Show the patterns of this category
        category: Option<String>,
    },
    /// Replace the patterns of a category, or add a category
    #[command(
        after_help = "A pattern is a regular expression, looked for in one line at a time; (?i) in front ignores case.
Of type prompt only the last line is looked at, and ccctl session wait --prompt uses it too.
Groups that are told: name and description of help, state of state.

Examples:
  ccctl pattern set prompt myapp '^myapp\\[[0-9]+\\]> $'
  ccctl pattern set error mine '^E[0-9]{4}:' '(?i)^oops' --description 'what my tools print'
  ccctl pattern set state menu '^-- (?P<state>\\w+) menu --$'"
    )]
    Set {
        /// prompt, error, help, data_format or state
        #[arg(value_name = "TYPE", value_parser = pattern_type)]
        pattern_type: PatternType,
        category: String,
        /// Regular expressions; one that begins with - stands behind --
        #[arg(required = true, value_name = "PATTERN")]
        patterns: Vec<String>,
        /// What it is about [default: as before]
        #[arg(long, value_name = "TEXT")]
        description: Option<String>,
    },
    /// Remove what was set; a built-in category counts again
    #[command(after_help = "Examples:
  ccctl pattern unset error mine")]
    Unset {
        /// prompt, error, help, data_format or state
        #[arg(value_name = "TYPE", value_parser = pattern_type)]
        pattern_type: PatternType,
        category: String,
    },
    /// Tell which patterns match a text, and where
    #[command(
        after_help = "Exit status: 0 something matched, 1 nothing did. Places are bytes from the start of the text.

Examples:
  ccctl pattern test 'bash: foo: command not found'
  make 2>&1 | ccctl pattern test --type error -
  ccctl pattern test --file build.log --type error --json"
    )]
    Test(TestArgs),
    /// Tell what a text is: error, prompt, data formats, tables, help, state
    #[command(after_help = "Examples:
  ccctl pattern classify --file answer.txt
  ccctl session read py --lines 20 | ccctl pattern classify -
  ccctl session screen py | grep . | tail -n 1 | ccctl pattern classify -
  tar --help | ccctl pattern classify - --json | jq .commands")]
    Classify(PatternText),
}

/// Arguments of `pattern test`.
#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    #[command(flatten)]
    pub(crate) text: PatternText,
    /// Only patterns of this type: prompt, error, help, data_format or state
    #[arg(short, long = "type", value_name = "TYPE", value_parser = pattern_type)]
    pub(crate) pattern_type: Option<PatternType>,
}

/// Where a text comes from.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct PatternText {
    /// The text, or - for standard input
    #[arg(allow_hyphen_values = true)]
    pub(crate) text: Option<String>,
    /// The text of a file
    #[arg(short, long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

fn pattern_type(text: &str) -> Result<PatternType, String> {
    let text = text.to_ascii_lowercase().replace('-', "_");
    PatternType::ALL
        .into_iter()
        .find(|known| known.name() == text)
        .ok_or_else(|| {
            format!(
                "give one of {}",
                PatternType::ALL.map(PatternType::name).join(", ")
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Ccctl, Noun};
    use clap::Parser as _;

    fn parse(words: &[&str]) -> Result<PatternVerb, clap::Error> {
        match Ccctl::try_parse_from([&["ccctl", "pattern"], words].concat())?.noun {
            Noun::Pattern(verb) => Ok(verb),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_text_comes_from_one_place() {
        assert!(matches!(
            parse(&["test", "-"]).unwrap(),
            PatternVerb::Test(TestArgs { text: PatternText { text: Some(text), .. }, .. }) if text == "-"
        ));
        assert!(parse(&["classify"]).is_err());
        assert!(parse(&["classify", "x", "--file", "y"]).is_err());
        assert!(parse(&["classify", "--file", "y"]).is_ok());
    }

    #[test]
    fn types_have_their_names_in_any_case() {
        for name in ["data_format", "data-format", "DATA_FORMAT"] {
            assert!(parse(&["list", name]).is_ok(), "{name}");
        }
        assert!(parse(&["list", "nothing"]).is_err());
        assert!(parse(&["set", "error", "mine"]).is_err());
        assert!(
            parse(&[
                "set",
                "error",
                "mine",
                "x",
                "--description",
                "d",
                "--",
                "-y"
            ])
            .is_ok()
        );
    }
}
