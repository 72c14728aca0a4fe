//! The events of Claude Code that hooks can be installed for, as `commands.txt` lists them.

use super::definition::lines_of;
use std::sync::LazyLock;

/// All of them, without WorktreeCreate: a hook for it replaces what Claude Code does by itself.
pub(crate) static EVENTS: LazyLock<Vec<&str>> = LazyLock::new(|| events(|_| true));

/// The events that the daemon makes use of.
pub(crate) static DEFAULT_EVENTS: LazyLock<Vec<&str>> =
    LazyLock::new(|| events(|list| list == "default"));

fn events(is_wanted: fn(&str) -> bool) -> Vec<&'static str> {
    let lists = lines_of("events of Claude Code").filter(|(list, _)| is_wanted(list));
    lists.flat_map(|(_, events)| events.split(' ')).collect()
}
