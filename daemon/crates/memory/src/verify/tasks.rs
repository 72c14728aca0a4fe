//! Whether the plan is still the same, and where it stands now.

use super::Verified;
use crate::collect::{Finding, OWN_LIST, Plan, Sourced, put_plan, task_name};
use crate::model::clip;
use ccd_protocol::memory::{NextStep, TaskReference, TaskStatus};
use ccd_text::redact::redact;

const NAME_CHARS: usize = 80;

impl Verified {
    /// Looks for the plan and for the current task in it. A task of Claude Code's own list is in no plan.
    pub(super) fn tasks(&mut self, found: Finding<Option<Sourced<Plan>>>) {
        let status = self.current.memory.task_status.clone();
        let was = &*status.source_file;
        let Some(mut plan) = found.value else {
            let reason = found.left_out.first().map(|reason| redact(reason).text);
            let fact = reason.as_deref().map(str::to_owned);
            self.add(
                fact.unwrap_or_else(|| format!("{was} is gone")),
                false,
                was,
                "",
            );
            return match reason {
                Some(_) => (),
                None => self.replace_tasks(None, &status),
            };
        };
        // The memory has it without secrets.
        plan.source = redact(&plan.source).text.into_owned();
        let source = &*plan.source;
        let mut is_same = source == was;
        if !is_same {
            let fact = format!("the plan is now {source}, not {was}");
            self.add(fact, false, was, source);
            // Each plan may count its tasks from T001.
            self.drop_steps(is_of_a_plan);
        } else if let Some(task) = current(&status) {
            let name = match task.id.is_empty() {
                true => clip(&task.title, NAME_CHARS),
                false => task.id.clone(),
            };
            let (fact, state) = match (is_open(&plan.value, task), is_known(&plan.value, task)) {
                (true, _) => (format!("{name} is still open"), "open"),
                (_, true) => (format!("{name} is now done"), "done"),
                _ => (format!("{name} is no longer in {source}"), "gone"),
            };
            is_same = state == "open";
            self.add(fact, is_same, "open", state);
        }
        // People edit the memory: it is left as it is while the plan is.
        let saved = self.current.notes.provenance.get("taskStatus");
        if !is_same || saved.is_some_and(|saved| saved.at != plan.at) {
            self.replace_tasks(Some(&plan), &status);
        }
    }

    /// Puts what the plan says now in the place of what it said. Without one, only the task of Claude Code's own list is left.
    fn replace_tasks(&mut self, plan: Option<&Sourced<Plan>>, was: &TaskStatus) {
        let is_closed = |task: &&TaskReference| plan.is_none_or(|plan| !is_open(&plan.value, task));
        let tasks = current(was).into_iter().chain(&was.next_tasks);
        let closed: Vec<&TaskReference> = tasks.filter(is_closed).collect();
        self.drop_steps(|step| closed.iter().any(|task| is_about(step, task)));
        let memory = &mut self.current.memory;
        match plan {
            Some(plan) => put_plan(memory, plan),
            None => {
                memory.task_status = TaskStatus::default();
                let completion = &mut memory.summary.completion_status;
                completion.push_str(" (no longer true)");
            }
        }
        let tasks = &mut memory.task_status;
        if was.current_task.is_some() && current(was).is_none() {
            tasks.current_task.clone_from(&was.current_task);
        }
        let next = tasks.current_task.as_ref().or(tasks.next_tasks.first());
        if let Some(task) = next.filter(|_| memory.summary.next_action.is_empty()) {
            memory.summary.next_action = format!("Complete {}", task_name(task));
        }
        self.redact();
        if let Some(plan) = plan {
            let provenance = &mut self.current.notes.provenance;
            provenance.insert("taskStatus".to_owned(), plan.fact());
        }
    }
}

/// Returns the current task if it is of the plan.
fn current(status: &TaskStatus) -> Option<&TaskReference> {
    let task = status.current_task.as_ref();
    task.filter(|task| task.phase != OWN_LIST)
}

fn is_open(plan: &Plan, task: &TaskReference) -> bool {
    plan.open.iter().any(|one| is_it(task, &one.id, &one.title))
}

fn is_known(plan: &Plan, task: &TaskReference) -> bool {
    plan.ids.iter().any(|name| is_it(task, name, name))
}

fn is_it(task: &TaskReference, id: &str, title: &str) -> bool {
    match task.id.is_empty() {
        true => title == task.title,
        false => id == task.id,
    }
}

/// A step that names a task or a phase.
fn is_of_a_plan(step: &NextStep) -> bool {
    const STARTS: [&str; 5] = [
        "Complete ",
        "Start ",
        "Prepare the phase ",
        "Plan the phase ",
        "Consider ",
    ];
    STARTS.iter().any(|start| step.action.starts_with(start))
}

/// A step names its task by the id, else by the title.
fn is_about(step: &NextStep, task: &TaskReference) -> bool {
    let mut verbs = ["Complete ", "Start "].into_iter();
    match task.id.is_empty() {
        true => verbs.any(|verb| step.action.strip_prefix(verb) == Some(&task.title)),
        false => step.reference.as_ref() == Some(&task.id),
    }
}
