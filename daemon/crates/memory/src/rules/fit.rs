//! Brings the file under its limit in bytes, in a fixed order.

use super::shorten::cut_list;
use super::table::change_texts;
use crate::file::write;
use crate::model::{Cuts, Notes, clip};
use ccd_protocol::memory::{Priority, SessionMemory};

/// Phases that are kept around the current one.
const PHASES: usize = 12;

/// Of each text if all else does not suffice.
const TEXT_CHARS: usize = 160;

/// Returns the file of a memory, of at most `max_bytes` if what every file has fits. What is cut, one after the other until
/// it fits: files to 10, blockers of low and medium priority, failures to 5 a suite, steps to 3, phases to the twelve
/// around the current one, sources, texts to a short line, and blockers from the end.
pub(crate) fn fit(
    memory: &mut SessionMemory,
    cuts: &mut Cuts,
    notes: &Notes,
    max_bytes: usize,
) -> String {
    let mut notes = notes.clone();
    let mut text = write(memory, cuts, &notes);
    for cut in CUTS {
        if text.len() <= max_bytes {
            return text;
        }
        cut(memory, cuts, &mut notes);
        text = write(memory, cuts, &notes);
    }
    while text.len() > max_bytes && !memory.blockers.is_empty() {
        let keep = memory.blockers.len() / 2;
        cut_list(memory, "blockers", keep, cuts);
        text = write(memory, cuts, &notes);
    }
    text
}

type Cut = fn(&mut SessionMemory, &mut Cuts, &mut Notes);

const CUTS: [Cut; 8] = [
    |memory, cuts, _| {
        memory
            .files_needing_attention
            .sort_by_key(|file| file.priority);
        cut_list(memory, "filesNeedingAttention", 10, cuts);
    },
    |memory, cuts, _| keep_blockers(memory, Priority::Medium, cuts),
    |memory, cuts, _| keep_blockers(memory, Priority::High, cuts),
    |memory, cuts, _| {
        cut_list(memory, "testResults.unit|e2e.failures", 5, cuts);
    },
    |memory, cuts, _| {
        memory.next_steps.sort_by_key(|step| step.priority);
        cut_list(memory, "nextSteps", 3, cuts);
    },
    |memory, cuts, _| phases(memory, cuts),
    |_, _, notes| notes.provenance.clear(),
    |memory, _, _| {
        change_texts(memory, |text| *text = clip(text, TEXT_CHARS));
    },
];

/// Leaves out blockers that are less urgent than `least`.
fn keep_blockers(memory: &mut SessionMemory, least: Priority, cuts: &mut Cuts) {
    memory.blockers.sort_by_key(|blocker| blocker.priority);
    let keep = memory
        .blockers
        .partition_point(|blocker| blocker.priority <= least);
    cut_list(memory, "blockers", keep, cuts);
}

fn phases(memory: &mut SessionMemory, cuts: &mut Cuts) {
    let phases = &mut memory.task_status.phases;
    let current = phases
        .iter()
        .position(|phase| phase.completed < phase.total);
    let first = current.unwrap_or(phases.len()).saturating_sub(PHASES / 2);
    let first = first.min(phases.len().saturating_sub(PHASES));
    phases.drain(..first);
    if first > 0 {
        *cuts.entry("taskStatus.phases".to_owned()).or_default() += first as u64;
    }
    cut_list(memory, "taskStatus.phases", PHASES, cuts);
}
