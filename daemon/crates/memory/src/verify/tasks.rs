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
            let open = &plan.value.open;
            self.drop_blockers(|blocker| is_of_closed_task(blocker, open));
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
    let is_it = |id: &str, title: &str| match &*task.id {
        "" => title == task.title,
        own => id == own,
    };
    let name = match &*task.id {
        "" => clip(&task.title, NAME_CHARS),
        id => id.to_owned(),
    };
    let is_open = plan.open.iter().any(|one| is_it(&one.id, &one.title));
    if is_open {
        (format!("{name} is still open"), "open")
    } else if plan.ids.iter().any(|one| is_it(one, one)) {
        (format!("{name} is now done"), "done")
    } else {
        (format!("{name} is no longer in {source}"), "gone")
    }
}

/// A file that is missing for a task which is not open any more, or is of another plan.
fn is_of_closed_task(blocker: &BlockerEntry, open: &[TaskReference]) -> bool {
    let named = blocker.description.strip_prefix("The open task ");
    named.is_some_and(|named| {
        let mut names = open.iter().map(|task| match &*task.id {
            "" => &task.title,
            id => id,
        });
        !names.any(|name| named.starts_with(&format!("{name} names ")))
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
