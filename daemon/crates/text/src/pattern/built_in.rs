//! The built-in patterns, which are data: `built_in.txt`.

use ccd_protocol::pattern::{PatternEntry, PatternOrigin, PatternType};
use std::sync::LazyLock;

/// The category of type help whose patterns are lines of a help text, and not significant alone.
pub(super) const HELP_LINES: &str = "lines";

/// The category of type error whose patterns count failures, which is not significant in a help text.
pub(super) const ERROR_SUMMARY: &str = "summary";

/// The category of type help whose patterns say where to find help, which is not help itself.
pub(super) const HELP_HINTS: &str = "hints";

/// The category of type prompt whose patterns identify a prompt only if the program is known to wait for input.
pub(super) const PROMPT_ENDINGS: &str = "endings";

/// All categories, in the order of the file.
pub(super) static BUILT_INS: LazyLock<Vec<PatternEntry>> = LazyLock::new(|| {
    let blocks = include_str!("built_in.txt").split("\n\n");
    blocks.filter_map(entry).collect()
});

/// Parses a category: a line with its type, its name and its description, then its patterns.
fn entry(block: &str) -> Option<PatternEntry> {
    let (head, patterns) = block.split_once('\n')?;
    let (names, description) = head.split_once(": ")?;
    let (type_name, category) = names.split_once(' ')?;
    let mut types = PatternType::ALL.into_iter();
    let lines = patterns.lines().map(str::trim_start);
    let patterns = lines.filter(|line| !line.starts_with('#'));
    Some(PatternEntry {
        pattern_type: types.find(|pattern_type| pattern_type.name() == type_name)?,
        category: category.to_owned(),
        patterns: patterns.map(str::to_owned).collect(),
        description: description.to_owned(),
        origin: PatternOrigin::BuiltIn,
    })
}
