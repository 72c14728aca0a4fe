//! The pattern library: what prompts, errors, help and data look like, and what a text is.

use crate::method::methods;
use serde::{Deserialize, Serialize};

methods! {
    PatternList = "pattern.list" (PatternListParams) -> PatternListReply, "Lists the pattern library: what is built in, and what replaces or extends it.";
    PatternSet = "pattern.set" (PatternSetParams) -> PatternEntry, "Replaces the patterns of a category, or adds a category.";
    PatternUnset = "pattern.unset" (PatternUnsetParams) -> PatternUnsetReply, "Removes what `pattern.set` has set; a built-in category counts again.";
    PatternTest = "pattern.test" (PatternTestParams) -> PatternTestReply, "Tells which patterns match a text, and where.";
    PatternClassify = "pattern.classify" (PatternClassifyParams) -> PatternClassifyReply, "Tells what a text is: errors, prompt, data formats, tables, help, state.";
}

/// What a pattern recognises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum PatternType {
    /// The last line of a text, when it asks for input.
    Prompt,
    /// A line that tells of an error.
    Error,
    /// A line of a help text; the groups `name` and `description` are what it tells of.
    Help,
    /// A line of data in some format.
    DataFormat,
    /// A line that tells of another state; the group `state` is its name.
    State,
}

impl PatternType {
    /// All of them, in the order of the lists.
    pub const ALL: [PatternType; 5] = [
        PatternType::Prompt,
        PatternType::Error,
        PatternType::Help,
        PatternType::DataFormat,
        PatternType::State,
    ];

    /// The name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            PatternType::Prompt => "prompt",
            PatternType::Error => "error",
            PatternType::Help => "help",
            PatternType::DataFormat => "data_format",
            PatternType::State => "state",
        }
    }
}

/// Where an entry of the library comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum PatternOrigin {
    /// Part of ccd.
    BuiltIn,
    /// Set in place of a built-in one.
    Override,
    /// Set, and nothing built in has its name.
    Own,
}

/// One category of the library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PatternEntry {
    pub pattern_type: PatternType,
    pub category: String,
    /// Regular expressions in the syntax of `session.expect`, each looked for in one line at a time: `^` and `$` are the
    /// line's ends.
    pub patterns: Vec<String>,
    pub description: String,
    pub origin: PatternOrigin,
}

/// Parameters of `pattern.list`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PatternListParams {
    /// Only this type.
    #[serde(
        default,
        deserialize_with = "crate::spelling::any_case_or_none",
        skip_serializing_if = "Option::is_none"
    )]
    pub pattern_type: Option<PatternType>,
    /// Only this category.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
}

/// Reply of `pattern.list`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PatternListReply {
    /// By type, then in the order in which they are tried.
    pub patterns: Vec<PatternEntry>,
    /// Where the changes are kept.
    pub path: String,
    /// What of that file cannot be used, and why; the built-in patterns count in its place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Parameters of `pattern.set`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PatternSetParams {
    #[serde(deserialize_with = "crate::spelling::any_case")]
    pub pattern_type: PatternType,
    /// `[A-Za-z0-9._-]{1,64}`, not starting with a dot.
    pub category: String,
    /// 1 to 100 regular expressions of at most 4,096 bytes; none may match the empty text, or need a line end. All that were
    /// set may have at most 1,000 places that a search has to follow at once: `[ab]{50}` has 50, an ordinary one 2 to 25.
    pub patterns: Vec<String>,
    /// Default: that of the entry before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// Parameters of `pattern.unset`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PatternUnsetParams {
    #[serde(deserialize_with = "crate::spelling::any_case")]
    pub pattern_type: PatternType,
    pub category: String,
}

/// Reply of `pattern.unset`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PatternUnsetReply {
    /// What counts again.
    pub built_in: Option<PatternEntry>,
}

/// Parameters of `pattern.test`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PatternTestParams {
    /// At most 1 MiB; control sequences in it are not looked at.
    pub text: String,
    /// Only patterns of this type. Without one, what says nothing alone is left out: lines of help, endings of prompts, and
    /// the signs where data in a built-in format may begin.
    #[serde(
        default,
        deserialize_with = "crate::spelling::any_case_or_none",
        skip_serializing_if = "Option::is_none"
    )]
    pub pattern_type: Option<PatternType>,
}

/// Reply of `pattern.test`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PatternTestReply {
    /// In the order of the text.
    pub matches: Vec<PatternMatch>,
    /// There are more than 1,000 matches, a line has more than 64 KiB, or further matches in the same line would have cost
    /// too much: the rest was not looked at.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Where something stands in a text: bytes of its UTF-8 form, the end just past the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

/// One match of one pattern.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PatternMatch {
    pub pattern_type: PatternType,
    pub category: String,
    /// The regular expression.
    pub pattern: String,
    /// Counted from 1.
    pub line: usize,
    pub span: Span,
    /// What stands there, without control sequences; at most 1,000 characters.
    pub matched: String,
}

/// Parameters of `pattern.classify`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PatternClassifyParams {
    /// At most 1 MiB; control sequences in it are not looked at.
    pub text: String,
}

/// Reply of `pattern.classify`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PatternClassifyReply {
    /// A line matches an error pattern.
    pub is_error: bool,
    /// The text is a help text.
    pub is_help: bool,
    /// All matches but those of data formats that are built in, in the order of the text; of the lines of a help text
    /// only when it is one.
    pub matches: Vec<PatternMatch>,
    /// `json`, `xml`, `yaml`, `ini`, `csv`, `table`, `key_value`, and categories of one's own.
    pub data_formats: Vec<String>,
    pub has_prompt: bool,
    /// The last line, when it is a prompt.
    pub prompt: Option<PromptFound>,
    /// Name of the state that the text tells of last.
    pub state_transition: Option<String>,
    pub has_table: bool,
    pub tables: Vec<TableFound>,
    pub has_json: bool,
    /// Objects and arrays in the text, at most 100, and none that nests deeper than 120.
    pub json: Vec<JsonFound>,
    /// What a help text tells of, at most 1,000.
    pub commands: Vec<CommandFound>,
    pub line_count: usize,
    /// Not all of the text was looked at: see `pattern.test`. Or there are more or deeper documents than `json` may have.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A prompt at the end of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PromptFound {
    pub category: String,
    /// The line, without control sequences and the blanks around it.
    pub text: String,
    pub span: Span,
}

/// How a table shows its columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum TableKind {
    /// By lines or a ruler below its head.
    Ruled,
    /// By blanks alone.
    Aligned,
}

/// A table in a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TableFound {
    pub kind: TableKind,
    pub columns: usize,
    /// Lines of text, the head included.
    pub rows: usize,
    pub span: Span,
}

/// An object or array in a text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JsonFound {
    pub span: Span,
    pub value: serde_json::Value,
}

/// A command or option that a help text tells of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CommandFound {
    pub name: String,
    pub description: String,
}
