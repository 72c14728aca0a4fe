//! `ccctl pattern`.

use ccd_protocol::pattern::PatternType;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Commands for the pattern library.
#[derive(Debug, Subcommand)]
pub(crate) enum PatternVerb {
    /// List the pattern library, or the patterns of one category
    #[command(
        visible_aliases = ["ls", "get", "show"]
    )]
    List {
        /// Type of pattern: prompt, error, help, data_format or state
        #[arg(value_name = "TYPE", value_parser = pattern_type)]
        pattern_type: Option<PatternType>,
        /// Category whose patterns are listed
        category: Option<String>,
    },
    /// Replace the patterns of a category, or add a category
    Set {
        /// Type of pattern: prompt, error, help, data_format or state
        #[arg(value_name = "TYPE", value_parser = pattern_type)]
        pattern_type: PatternType,
        /// Category name
        category: String,
        /// Regular expressions; put -- before the first one that starts with -
        #[arg(required = true, value_name = "PATTERN")]
        patterns: Vec<String>,
        /// Describe the category [default: unchanged]
        #[arg(long, value_name = "TEXT")]
        description: Option<String>,
    },
    /// Remove your patterns for a category; its built-in patterns, if any, are used again
    Unset {
        /// Type of pattern: prompt, error, help, data_format or state
        #[arg(value_name = "TYPE", value_parser = pattern_type)]
        pattern_type: PatternType,
        /// Category name
        category: String,
    },
    /// Show which patterns match a text, and where
    Test(TestArgs),
    /// Report what a text contains: errors, a prompt, data formats, tables, help, a state
    Classify(PatternText),
}

/// Arguments of `pattern test`.
#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    #[command(flatten)]
    pub(crate) text: PatternText,
    /// Test only patterns of this type: prompt, error, help, data_format or state
    #[arg(short, long = "type", value_name = "TYPE", value_parser = pattern_type)]
    pub(crate) pattern_type: Option<PatternType>,
}

/// The source of a text.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct PatternText {
    /// Text, or - for standard input
    #[arg(allow_hyphen_values = true)]
    pub(crate) text: Option<String>,
    /// Read the text from a file
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
