//! Whether the plan is still the same, and where it stands now.

use super::Verified;
use crate::collect::{Finding, OWN_LIST, Plan, Sourced, put_plan};
use crate::model::clip;
use crate::rules::redact as redact_all;
use ccd_protocol::memory::{BlockerEntry, NextStep, TaskReference};
use ccd_text::redact::redact;

impl Verified {
    /// Looks for the plan and for the current task in it. A task of Claude Code's own list is in no plan.
    pub(super) fn tasks(&mut self, found: Finding<Sourced<Plan>>) {
        let status = &self.current.memory.task_status;
        let was = status.source_file.clone();
        let task = status.current_task.clone();
        let (own, task) = match task {
            Some(task) if task.phase == OWN_LIST => (Some(task), None),
            task => (None, task),
        };
        let mut plan = found.value;
        if let (true, Some(reason)) = (plan.source.is_empty(), found.left_out.first()) {
            return self.add(redact(reason).text.into_owned(), false, &was, "");
        }
        // The memory has it without secrets.
        plan.source = redact(&plan.source).text.into_owned();
        let now = &*plan.source;
        let mut is_same = now == was;
        if !is_same {
            let fact = match now {
                "" => format!("{was} is gone"),
                now => format!("the plan is now {now}, not {was}"),
            };
            self.add(fact, false, &was, now);
        } else if let Some(task) = task {
            let (fact, state) = state(&plan.value, &task, now);
            is_same = state == "open";
            self.add(fact, is_same, "open", state);
        }
        // People edit the memory: it is left as it is while the plan is.
        let saved = self.current.notes.provenance.get("taskStatus");
        if !is_same || saved.is_some_and(|saved| saved.at != plan.at) {
            self.drop_blockers(|blocker| is_of_closed_task(blocker, &plan.value));
            self.drop_steps(is_of_a_plan);
            put_plan(&mut self.current.memory, &plan, own);
            // As a save does.
            redact_all(&mut self.current.memory);
            let provenance = &mut self.current.notes.provenance;
            provenance.insert("taskStatus".to_owned(), plan.fact());
        }
    }
}

/// Returns what became of a task of a plan, as a sentence and as a word.
fn state(plan: &Plan, task: &TaskReference, source: &str) -> (String, &'static str) {
    const NAME_CHARS: usize = 80;
    let (is_open, name) = match &*task.id {
        "" => (plan.is_open(&task.title), clip(&task.title, NAME_CHARS)),
        id => (plan.is_open(id), id.to_owned()),
    };
    match is_open {
        Some(true) => (format!("{name} is still open"), "open"),
        Some(false) => (format!("{name} is now done"), "done"),
        None => (format!("{name} is no longer in {source}"), "gone"),
    }
}

/// A file that is missing for a task which is not open any more, or is of another plan.
fn is_of_closed_task(blocker: &BlockerEntry, plan: &Plan) -> bool {
    let named = blocker.description.strip_prefix("The open task ");
    named.is_some_and(|named| {
        let mut ends = named.match_indices(" names ").map(|(end, _)| end);
        !ends.any(|end| plan.is_open(&named[..end]) == Some(true))
    })
}

/// A step that names a task or a phase.
fn is_of_a_plan(step: &NextStep) -> bool {
    let verb = step.action.split(' ').next();
    matches!(
        verb,
        Some("Complete" | "Start" | "Prepare" | "Plan" | "Consider")
    )
}
