//! The events of Claude Code that hooks can be installed for.

use std::sync::LazyLock;

/// In the first line those that the daemon makes use of, then the others, without WorktreeCreate: a hook for it replaces what
/// Claude Code does by itself.
const TEXT: &str = include_str!("events.txt");

pub(crate) static EVENTS: LazyLock<Vec<&str>> = LazyLock::new(|| TEXT.split_whitespace().collect());

/// The events that the daemon makes use of.
pub(crate) static DEFAULT_EVENTS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let first = TEXT.lines().next().unwrap_or_default();
    first.split_whitespace().collect()
});
