//! What to do next.

use super::blockers::{Blocker, id, place};
use crate::collect::facts::{Facts, Plan};
use crate::model::{MAX_STEPS, clip};
use ccd_protocol::memory::{
    NextStep, Priority, SessionMemory, StepPriority, TaskReference, TaskStatus, TestStatus,
    TestSuite,
};

/// Characters of a title in an action.
const TITLE_CHARS: usize = 120;

pub(super) fn steps(facts: &Facts, memory: &SessionMemory, blockers: &[Blocker]) -> Vec<NextStep> {
    let urgent = |one: &&Blocker| one.is_step && one.entry.priority == Priority::High;
    let urgent = blockers.iter().filter(urgent).map(|one| &one.entry);
    let urgent = urgent.map(|one| (one.required_action.clone(), one.task_id.clone()));
    let urgent = urgent.take(3);
    let urgent = urgent.map(|(action, task)| step(StepPriority::Immediate, action, task));
    let mut steps: Vec<NextStep> = urgent.collect();
    steps.extend(failing("unit", &memory.test_results.unit));
    steps.extend(failing("e2e", &memory.test_results.e2e));
    steps.extend(planned(&facts.plan.value, &memory.task_status));
    steps.sort_by_key(|step| step.priority);
    steps.truncate(MAX_STEPS);
    steps
}

/// Returns the steps that the plan and the current task are.
pub(super) fn planned(plan: &Plan, tasks: &TaskStatus) -> Vec<NextStep> {
    let open = &plan.open;
    let (verb, current) = match &tasks.current_task {
        Some(task) => ("Complete", Some(task)),
        None => ("Start", open.first()),
    };
    let rest = open.iter().filter(|task| {
        Some(*task) != current && current.is_some_and(|current| current.phase == task.phase)
    });
    let near = current.into_iter().chain(rest).take(2).map(|task| {
        let action = format!("{verb} {}", name(task));
        step(StepPriority::ShortTerm, action, id(task))
    });
    let phases = tasks.phases.iter();
    let phases = phases.filter(|phase| phase.completed < phase.total).skip(1);
    let verbs = [
        (StepPriority::MediumTerm, "Prepare"),
        (StepPriority::LongTerm, "Plan"),
    ];
    let phases = phases.zip(verbs).map(|(phase, (priority, verb))| {
        let name = clip(&phase.name, TITLE_CHARS);
        step(priority, format!("{verb} the phase {name}"), None)
    });
    let later = plan.later.iter().take(2).map(|point| {
        let action = format!("Consider {}", clip(point, TITLE_CHARS));
        step(StepPriority::LongTerm, action, None)
    });
    near.chain(phases).chain(later).collect()
}

fn step(priority: StepPriority, action: String, reference: Option<String>) -> NextStep {
    NextStep {
        priority,
        action,
        reference,
    }
}

fn name(task: &TaskReference) -> String {
    let title = clip(&task.title, TITLE_CHARS);
    if task.id.is_empty() {
        title
    } else {
        format!("{}: {title}", task.id)
    }
}

fn failing(kind: &str, suite: &TestSuite) -> Option<NextStep> {
    let tests = match suite.failed {
        0 => format!("the failing {kind} tests"),
        1 => format!("1 failing {kind} test"),
        number => format!("{number} failing {kind} tests"),
    };
    let mut failures = suite.failures.iter();
    let first = failures.next().filter(|failure| !failure.file.is_empty());
    let reference = first.map(|failure| place(&failure.file, failure.line));
    let at = reference.as_ref().map(|place| format!(" ({place})"));
    let with = match &*suite.command {
        "" => String::new(),
        command => format!(" and run {command}"),
    };
    let action = format!("Fix {tests}{}{with}", at.unwrap_or_default());
    let step = step(StepPriority::Immediate, action, reference);
    (suite.status == TestStatus::Failed).then_some(step)
}
