//! The pattern library, which recognises prompts, errors, help texts and data formats.

use crate::method::methods;
use crate::named::named;
use serde::{Deserialize, Serialize};

methods! {
    PatternList = "pattern.list" (PatternListParams) -> PatternListReply, "Lists the pattern library: the built-in patterns, and those that replace or extend them.";
    PatternSet = "pattern.set" (PatternSetParams) -> PatternEntry, "Replaces the patterns of a category, or adds a category.";
    PatternUnset = "pattern.unset" (PatternUnsetParams) -> PatternUnsetReply, "Removes patterns that `pattern.set` has set; the built-in patterns of the category are used again.";
    PatternTest = "pattern.test" (PatternTestParams) -> PatternTestReply, "Returns which patterns match a text, and where.";
    PatternClassify = "pattern.classify" (PatternClassifyParams) -> PatternClassifyReply, "Reports what a text contains: errors, a prompt, data formats, tables, help, a state.";
}

named! {
    /// What a pattern recognises.
    PatternType {
        /// The last line of a text, if it asks for input.
        Prompt = "prompt",
        /// A line that reports an error.
        Error = "error",
        /// A line of a help text; the groups `name` and `description` are reported.
        Help = "help",
        /// A line of data in some format.
        DataFormat = "data_format",
        /// A line that announces a new state of the program, such as another mode; the group `state` is its name.
        State = "state",
    }
}

/// Where an entry of the library comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum PatternOrigin {
    /// Part of ccd.
    BuiltIn,
    /// Set, and replaces a built-in entry.
    Override,
    /// Set, and no built-in entry has its name.
    Own,
}

/// One category of the library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PatternEntry {
    pub pattern_type: PatternType,
    pub category: String,
    /// Regular expressions in the syntax of `session.expect`, matched against one line at a time: `^` and `$` match at
    /// the start and the end of the line.
    pub patterns: Vec<String>,
    pub description: String,
    pub origin: PatternOrigin,
}

/// Parameters of `pattern.list`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PatternListParams {
    /// Only this type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern_type: Option<PatternType>,
    /// Only this category.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
}

/// Reply of `pattern.list`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PatternListReply {
    /// By type, then in the order in which they are tried.
    pub patterns: Vec<PatternEntry>,
    /// The file that stores the changes.
    pub path: String,
    /// Entries of that file that cannot be used, and why; the built-in patterns are used instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Parameters of `pattern.set`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PatternSetParams {
    pub pattern_type: PatternType,
    /// `[A-Za-z0-9._-]{1,64}`, not starting with a dot.
    pub category: String,
    /// 1 to 100 regular expressions of at most 4,096 bytes each; none may match empty text or need a newline,
    /// because each line is matched without its newline. To bound the time of a search, all patterns that were set may
    /// together need at most 1,000 states: `[ab]{50}` needs 50, an ordinary pattern 2 to 25. If they need more, make
    /// repetitions smaller or unset some patterns.
    pub patterns: Vec<String>,
    /// Default: the description of the entry that is replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// Parameters of `pattern.unset`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PatternUnsetParams {
    pub pattern_type: PatternType,
    pub category: String,
}

/// Reply of `pattern.unset`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PatternUnsetReply {
    /// The built-in entry that is used again.
    pub built_in: Option<PatternEntry>,
}

/// Parameters of `pattern.test`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PatternTestParams {
    /// At most 1 MiB; control sequences in it are ignored.
    pub text: String,
    /// Only patterns of this type. Default: all types, except patterns that say nothing on their own: those for lines of
    /// help texts, for the ends of prompts, and for the possible start of data in a built-in format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern_type: Option<PatternType>,
}

/// Reply of `pattern.test`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PatternTestReply {
    /// In text order.
    pub matches: Vec<PatternMatch>,
    /// The text was not searched completely: it has more than 1,000 matches, a line exceeds 64 KiB, or further matches
    /// in the same line would have taken too long.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A range of a text: byte offsets in its UTF-8 form, end exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

/// One match of one pattern.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PatternMatch {
    pub pattern_type: PatternType,
    pub category: String,
    /// The regular expression.
    pub pattern: String,
    /// Counted from 1.
    pub line: usize,
    pub span: Span,
    /// The matched text without control sequences; at most 1,000 characters.
    pub matched: String,
}

/// Parameters of `pattern.classify`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PatternClassifyParams {
    /// At most 1 MiB; control sequences in it are ignored.
    pub text: String,
}

/// Reply of `pattern.classify`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PatternClassifyReply {
    /// A line matches an error pattern.
    pub is_error: bool,
    /// The text is a help text.
    pub is_help: bool,
    /// All matches except those of built-in data formats, in text order. Lines of a help text are included only if the
    /// text is one.
    pub matches: Vec<PatternMatch>,
    /// `json`, `xml`, `yaml`, `ini`, `csv`, `table`, `key_value`, and your own categories.
    pub data_formats: Vec<String>,
    pub has_prompt: bool,
    /// The last line, if it is a prompt.
    pub prompt: Option<PromptFound>,
    /// Name of the last state that the text announces.
    pub state_transition: Option<String>,
    pub has_table: bool,
    pub tables: Vec<TableFound>,
    pub has_json: bool,
    /// Objects and arrays in the text; at most 100, nested at most 120 deep.
    pub json: Vec<JsonFound>,
    /// Commands and options that a help text describes; at most 1,000.
    pub commands: Vec<CommandFound>,
    pub line_count: usize,
    /// The text was not searched completely (see `pattern.test`), or it has more or deeper documents than `json` can
    /// contain.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A prompt at the end of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PromptFound {
    pub category: String,
    /// The line, without control sequences and surrounding blanks.
    pub text: String,
    pub span: Span,
}

/// How a table separates its columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum TableKind {
    /// By drawn lines, or by a rule below its header.
    Ruled,
    /// By blanks alone.
    Aligned,
}

/// A table in a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TableFound {
    pub kind: TableKind,
    pub columns: usize,
    /// Number of lines of text, including the header.
    pub rows: usize,
    pub span: Span,
}

/// An object or array in a text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct JsonFound {
    pub span: Span,
    pub value: serde_json::Value,
}

/// A command or option that a help text describes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CommandFound {
    pub name: String,
    pub description: String,
}
