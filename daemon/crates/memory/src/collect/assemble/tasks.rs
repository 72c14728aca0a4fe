//! Where the plan stands, and which task is current.

use super::{KnownProject, noted};
use crate::collect::facts::{Plan, Sourced};
use crate::collect::recorded::{OWN_LIST, RecordedTask};
use crate::model::{MAX_NEXT_TASKS, Provenance, since};
use ccd_protocol::memory::{TaskReference, TaskStatus};

pub(super) fn status(known: &KnownProject<'_>, provenance: &mut Provenance) -> TaskStatus {
    let facts = &known.facts;
    let mut status = of_plan(&facts.plan);
    let plan = noted(provenance, "taskStatus", &facts.plan);
    // The list of a session is looked at only if the plan was not changed since.
    let changed = facts.plan.at.as_deref().and_then(since);
    let is_newer = |task: &&RecordedTask| since(&task.at).is_some_and(|at| Some(at) > changed);
    if let Some(task) = known.recorded.task.as_ref().filter(is_newer) {
        let current = current(&plan.open, task);
        let current = Sourced::new(current, &task.source, Some(task.at.clone()));
        status.next_tasks = next(&plan.open, Some(&current.value));
        let current = noted(provenance, "taskStatus.currentTask", &current);
        status.current_task = Some(current.clone());
    }
    status
}

fn next(open: &[TaskReference], current: Option<&TaskReference>) -> Vec<TaskReference> {
    let others = open.iter().filter(|task| Some(*task) != current);
    others.take(MAX_NEXT_TASKS).cloned().collect()
}

pub(super) fn of_plan(plan: &Sourced<Plan>) -> TaskStatus {
    let Sourced { value, source, .. } = plan;
    // Before the first task is done or begun, none is current, and the first open one is next.
    let first = value.open.first().filter(|_| value.completed() > 0);
    let current = value.begun.as_ref().or(first);
    TaskStatus {
        source_file: source.clone(),
        phases: value.phases.clone(),
        next_tasks: next(&value.open, current),
        current_task: current.cloned(),
    }
}

/// Returns the task of the plan that the list names, by its id or its title, else what the list says.
fn current(open: &[TaskReference], task: &RecordedTask) -> TaskReference {
    let words = || task.title.split(|c: char| !c.is_alphanumeric() && c != '-');
    let is_it = |planned: &&TaskReference| {
        if planned.id.is_empty() {
            planned.title == task.title
        } else {
            planned.title == task.title || words().any(|word| word == planned.id)
        }
    };
    let planned = open.iter().find(is_it);
    planned.cloned().unwrap_or_else(|| TaskReference {
        id: String::new(),
        title: task.title.clone(),
        phase: OWN_LIST.to_owned(),
    })
}
