//! The seed's limits for lists and texts.

use crate::model::{
    Cuts, MAX_BLOCKERS, MAX_ERRORS, MAX_FAILURES, MAX_FILES, MAX_NEXT_TASKS, MAX_SERVERS,
    MAX_STEPS, MESSAGE_CHARS, TITLE_CHARS, one_line,
};
use ccd_protocol::memory::{SessionMemory, TestSuite};

/// Brings lists and texts of a memory within the limits, the least important entries first, and says what was left out.
pub fn shorten(memory: &mut SessionMemory) -> Cuts {
    let mut cuts = Cuts::new();
    cut_list(
        &mut memory.task_status.next_tasks,
        MAX_NEXT_TASKS,
        "taskStatus.nextTasks",
        &mut cuts,
    );
    memory.blockers.sort_by_key(|blocker| blocker.priority);
    cut_list(&mut memory.blockers, MAX_BLOCKERS, "blockers", &mut cuts);
    suite(
        &mut memory.test_results.unit,
        "testResults.unit.failures",
        &mut cuts,
    );
    suite(
        &mut memory.test_results.e2e,
        "testResults.e2e.failures",
        &mut cuts,
    );
    cut_list(
        &mut memory.environment.servers,
        MAX_SERVERS,
        "environment.servers",
        &mut cuts,
    );
    if let Some(errors) = &mut memory.environment.build.errors {
        cut_list(errors, MAX_ERRORS, "environment.build.errors", &mut cuts);
        errors
            .iter_mut()
            .for_each(|error| *error = one_line(error, MESSAGE_CHARS));
    }
    if memory.files_needing_attention.len() > MAX_FILES {
        memory
            .files_needing_attention
            .sort_by_key(|file| file.priority);
    }
    cut_list(
        &mut memory.files_needing_attention,
        MAX_FILES,
        "filesNeedingAttention",
        &mut cuts,
    );
    memory.next_steps.sort_by_key(|step| step.priority);
    cut_list(&mut memory.next_steps, MAX_STEPS, "nextSteps", &mut cuts);
    for blocker in &mut memory.blockers {
        blocker.title = one_line(&blocker.title, TITLE_CHARS);
    }
    let summary = &mut memory.summary;
    for text in [
        &mut summary.project_description,
        &mut summary.completion_status,
        &mut summary.current_phase,
        &mut summary.next_action,
    ] {
        *text = sentence(text);
    }
    summary.major_blocker = summary.major_blocker.as_deref().map(sentence);
    cuts
}

/// Cuts a list and counts what was left out.
pub(super) fn cut_list<T>(list: &mut Vec<T>, max: usize, field: &str, cuts: &mut Cuts) {
    let left_out = list.len().saturating_sub(max) as u64;
    if left_out > 0 {
        list.truncate(max);
        *cuts.entry(field.to_owned()).or_default() += left_out;
    }
}

fn suite(suite: &mut TestSuite, field: &str, cuts: &mut Cuts) {
    cut_list(&mut suite.failures, MAX_FAILURES, field, cuts);
    for failure in &mut suite.failures {
        failure.message = failure
            .message
            .as_deref()
            .map(|text| one_line(text, MESSAGE_CHARS));
    }
}

/// Returns a text on one line.
fn sentence(text: &str) -> String {
    match text.contains(['\n', '\r']) {
        true => text.split_whitespace().collect::<Vec<_>>().join(" "),
        false => text.to_owned(),
    }
}
