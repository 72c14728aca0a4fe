//! Brings the file under its limit in bytes, in a fixed order.

use super::shorten::cut_list;
use crate::file::write;
use crate::model::{Cuts, Notes, clip};
use ccd_protocol::memory::{Priority, SessionMemory};

/// Phases that are kept around the current one.
const PHASES: usize = 12;

/// Returns the file of a memory, of at most `max_bytes` if what every file has fits. What is cut, one after the other until
/// it fits: files to 10, blockers of low and medium priority, failures to 5 a suite, steps to 3, phases to the twelve
/// around the current one, sources, descriptions to a short line, and blockers from the end.
pub fn fit(memory: &mut SessionMemory, cuts: &mut Cuts, notes: &Notes, max_bytes: usize) -> String {
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
        cut_list(&mut memory.blockers, keep, "blockers", cuts);
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
        cut_list(
            &mut memory.files_needing_attention,
            10,
            "filesNeedingAttention",
            cuts,
        );
    },
    |memory, cuts, _| keep_blockers(memory, Priority::Medium, cuts),
    |memory, cuts, _| keep_blockers(memory, Priority::High, cuts),
    |memory, cuts, _| {
        let tests = &mut memory.test_results;
        cut_list(
            &mut tests.unit.failures,
            5,
            "testResults.unit.failures",
            cuts,
        );
        cut_list(&mut tests.e2e.failures, 5, "testResults.e2e.failures", cuts);
    },
    |memory, cuts, _| {
        memory.next_steps.sort_by_key(|step| step.priority);
        cut_list(&mut memory.next_steps, 3, "nextSteps", cuts);
    },
    |memory, cuts, _| phases(memory, cuts),
    |_, _, notes| notes.provenance.clear(),
    |memory, _, _| short_texts(memory),
];

/// Leaves out blockers that are less urgent than `least`.
fn keep_blockers(memory: &mut SessionMemory, least: Priority, cuts: &mut Cuts) {
    let before = memory.blockers.len();
    memory.blockers.retain(|blocker| blocker.priority <= least);
    let left_out = (before - memory.blockers.len()) as u64;
    if left_out > 0 {
        *cuts.entry("blockers".to_owned()).or_default() += left_out;
    }
}

fn phases(memory: &mut SessionMemory, cuts: &mut Cuts) {
    let phases = &mut memory.task_status.phases;
    let current = phases
        .iter()
        .position(|phase| phase.completed < phase.total);
    let first = current.unwrap_or(phases.len()).saturating_sub(PHASES / 2);
    let first = first.min(phases.len().saturating_sub(PHASES));
    phases.drain(..first);
    let before = first as u64;
    cut_list(phases, PHASES, "taskStatus.phases", cuts);
    if before > 0 {
        *cuts.entry("taskStatus.phases".to_owned()).or_default() += before;
    }
}

/// Clips every text that a project can make as long as it likes.
fn short_texts(memory: &mut SessionMemory) {
    const CHARS: usize = 160;
    let short = |text: &mut String| *text = clip(text, CHARS);
    let (about, summary) = (&mut memory.metadata, &mut memory.summary);
    short(&mut about.project_name);
    short(&mut about.branch);
    short(&mut about.version);
    about.session_duration.iter_mut().for_each(short);
    short(&mut summary.project_description);
    short(&mut summary.completion_status);
    short(&mut summary.current_phase);
    summary.major_blocker.iter_mut().for_each(short);
    short(&mut summary.next_action);
    let tasks = &mut memory.task_status;
    short(&mut tasks.source_file);
    tasks
        .phases
        .iter_mut()
        .for_each(|phase| short(&mut phase.name));
    for task in tasks.current_task.iter_mut().chain(&mut tasks.next_tasks) {
        short(&mut task.id);
        short(&mut task.title);
        short(&mut task.phase);
    }
    for blocker in &mut memory.blockers {
        blocker.task_id.iter_mut().for_each(short);
        short(&mut blocker.description);
        short(&mut blocker.required_action);
    }
    let tests = &mut memory.test_results;
    for suite in [&mut tests.unit, &mut tests.e2e] {
        short(&mut suite.framework);
        short(&mut suite.command);
        for failure in &mut suite.failures {
            short(&mut failure.file);
            short(&mut failure.test_name);
        }
    }
    let environment = &mut memory.environment;
    for server in &mut environment.servers {
        short(&mut server.process);
        short(&mut server.url);
    }
    environment.dependencies.tool.iter_mut().for_each(short);
    environment.build.output_dir.iter_mut().for_each(short);
    for file in &mut memory.files_needing_attention {
        short(&mut file.path);
        short(&mut file.reason);
    }
    for step in &mut memory.next_steps {
        short(&mut step.action);
        step.reference.iter_mut().for_each(short);
    }
}
