//! The seed's limits for lists and texts.

use super::table::{Rule, change, each, each_rule};
use crate::model::{Cuts, MAX_FILES, one_line};
use ccd_protocol::memory::SessionMemory;
use serde_json::Value;

/// Brings lists and texts of a memory within the limits, the least important entries first, and says what was left out.
pub(crate) fn shorten(memory: &mut SessionMemory) -> Cuts {
    let mut cuts = Cuts::new();
    memory.blockers.sort_by_key(|blocker| blocker.priority);
    memory.next_steps.sort_by_key(|step| step.priority);
    if memory.files_needing_attention.len() > MAX_FILES {
        memory
            .files_needing_attention
            .sort_by_key(|file| file.priority);
    }
    change(memory, |value| {
        each_rule(value, |rule, name, value| match (rule, value) {
            (Rule::Entries(max), value) => cut(value, max, name, &mut cuts),
            (Rule::Line(usize::MAX), Value::String(text)) if text.contains(['\n', '\r']) => {
                *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            }
            (Rule::Line(max), Value::String(text)) if max < usize::MAX => {
                *text = one_line(text, max);
            }
            _ => (),
        });
    });
    let results = &memory.test_results;
    for (path, suite) in [
        ("testResults.unit.failures", &results.unit),
        ("testResults.e2e.failures", &results.e2e),
    ] {
        // A report may have more than were read.
        if let Some(cut) = cuts.get_mut(path) {
            *cut = suite
                .failed
                .saturating_sub(suite.failures.len() as u64)
                .max(*cut);
        }
    }
    cuts
}

/// Cuts the list at a path and counts what was left out.
pub(super) fn cut_list(memory: &mut SessionMemory, path: &str, max: usize, cuts: &mut Cuts) {
    change(memory, |value| {
        each(value, path, String::new(), &mut |name, list| {
            cut(list, max, name, cuts)
        });
    });
}

fn cut(list: &mut Value, max: usize, path: &str, cuts: &mut Cuts) {
    let Some(list) = list.as_array_mut().filter(|list| list.len() > max) else {
        return;
    };
    *cuts.entry(path.to_owned()).or_default() += (list.len() - max) as u64;
    list.truncate(max);
}
