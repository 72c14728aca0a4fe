//! Whether the plan is still the same, and where it stands now.

use super::Verified;
use crate::collect::{Now, OWN_LIST, TaskState, task_name as name};
use crate::model::clip;
use ccd_protocol::memory::{NextStep, TaskReference};
use ccd_text::redact::redact;

impl Verified {
    /// Looks for the plan and for the current task in it. A task of Claude Code's own list is in no plan.
    pub(super) fn tasks(&mut self, now: &Now) {
        const NAME_CHARS: usize = 80;
        let status = self.current.memory.task_status.clone();
        let was = &*status.source_file;
        let Some(plan) = now.plan() else {
            return;
        };
        let plan = match plan {
            Ok(plan) => plan,
            Err(Some(reason)) => {
                return self.add(redact(reason).text.into_owned(), false, was, "");
            }
            Err(None) => {
                self.add(format!("{was} is gone"), false, was, "");
                return self.forget_tasks();
            }
        };
        let task = status.current_task.as_ref();
        let task = task.filter(|task| task.phase != OWN_LIST);
        let mut is_same = plan == was;
        if !is_same {
            let fact = format!("the plan is now {plan}, not {was}");
            self.add(fact, false, was, &plan);
        } else if let Some(task) = task {
            let name = match task.id.is_empty() {
                true => clip(&task.title, NAME_CHARS),
                false => task.id.clone(),
            };
            let (fact, state) = match now.state(task) {
                TaskState::Open => (format!("{name} is still open"), "open"),
                TaskState::Done => (format!("{name} is now done"), "done"),
                TaskState::Gone => (format!("{name} is no longer in {plan}"), "gone"),
            };
            is_same = state == "open";
            self.add(fact, is_same, "open", state);
        }
        if plan != was {
            // Each plan may count its tasks from T001.
            self.drop_steps(is_of_a_plan);
        }
        self.refresh(now, &status.next_tasks, task, is_same);
    }

    /// Puts what the plan says now in the place of what it said; unless it is unchanged, as people edit the memory.
    fn refresh(
        &mut self,
        now: &Now,
        next: &[TaskReference],
        task: Option<&TaskReference>,
        is_same: bool,
    ) {
        let Some((progress, fact)) = now.progress() else {
            return;
        };
        let saved = self.current.notes.provenance.get("taskStatus");
        if is_same && saved.is_none_or(|saved| saved.at == fact.at) {
            return;
        }
        let tasks = task.into_iter().chain(next);
        let closed: Vec<&TaskReference> = tasks
            .filter(|task| now.state(task) != TaskState::Open)
            .collect();
        self.drop_steps(|step| closed.iter().any(|task| is_about(step, task)));
        let memory = &mut self.current.memory;
        let own = memory.task_status.current_task.take();
        let own = own.filter(|task| task.phase == OWN_LIST);
        memory.task_status = progress.tasks;
        if own.is_some() {
            memory.task_status.current_task = own;
        }
        let tasks = &memory.task_status;
        let next = tasks.current_task.as_ref().or(tasks.next_tasks.first());
        if let Some(task) = next.filter(|_| memory.summary.next_action.is_empty()) {
            memory.summary.next_action = format!("Complete {}", name(task));
        }
        memory.summary.completion_status = progress.completion;
        memory.summary.current_phase = progress.phase;
        self.redact();
        let provenance = &mut self.current.notes.provenance;
        provenance.insert("taskStatus".to_owned(), fact);
    }

    /// Without the plan, only the task of Claude Code's own list is left.
    fn forget_tasks(&mut self) {
        let memory = &mut self.current.memory;
        let status = std::mem::take(&mut memory.task_status);
        let (own, current): (Vec<_>, Vec<_>) = status
            .current_task
            .into_iter()
            .partition(|task| task.phase == OWN_LIST);
        memory.task_status.current_task = own.into_iter().next();
        memory
            .summary
            .completion_status
            .push_str(" (no longer true)");
        let closed = [current, status.next_tasks].concat();
        self.drop_steps(|step| closed.iter().any(|task| is_about(step, task)));
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
    match task.id.is_empty() {
        true => {
            step.action
                .strip_prefix("Complete ")
                .or(step.action.strip_prefix("Start "))
                == Some(&task.title)
        }
        false => step.reference.as_ref() == Some(&task.id),
    }
}
