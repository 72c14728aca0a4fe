//! `ccctl pattern`.

use super::offer::{NameKind, ValueKind};
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
        #[arg(add = ValueKind::PatternTypes)]
        pattern_type: Option<PatternType>,
        /// Category whose patterns are listed
        #[arg(add = NameKind::Categories)]
        category: Option<String>,
    },
    /// Replace the patterns of a category, or add a category
    Set {
        /// Type of pattern: prompt, error, help, data_format or state
        #[arg(value_name = "TYPE", value_parser = pattern_type)]
        #[arg(add = ValueKind::PatternTypes)]
        pattern_type: PatternType,
        /// Category name
        #[arg(add = NameKind::Categories)]
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
        #[arg(add = ValueKind::PatternTypes)]
        pattern_type: PatternType,
        /// Category name
        #[arg(add = NameKind::Categories)]
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
    #[arg(add = ValueKind::PatternTypes)]
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
    use crate::args::{Noun, parsed};

    #[test]
    fn a_text_comes_from_one_place_and_types_are_in_any_case() {
        assert!(matches!(
            parsed("pattern test -").unwrap(),
            Noun::Pattern(PatternVerb::Test(TestArgs { text: PatternText { text: Some(text), .. }, .. })) if text == "-"
        ));
        for (line, right) in [
            ("classify", false),
            ("classify x --file y", false),
            ("classify --file y", true),
            ("list data_format", true),
            ("list data-format", true),
            ("list DATA_FORMAT", true),
            ("list nothing", false),
            ("set error mine", false),
            ("set error mine x --description d -- -y", true),
        ] {
            let line = format!("pattern {line}");
            assert_eq!(parsed(&line).is_ok(), right, "{line}");
        }
    }
}
