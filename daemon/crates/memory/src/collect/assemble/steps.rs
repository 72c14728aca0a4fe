//! What to do next.

use super::blockers::Blocker;
use crate::collect::facts::Facts;
use crate::model::{MAX_STEPS, clip};
use ccd_protocol::memory::{
    NextStep, PhaseStatus, StepPriority, TaskReference, TaskStatus, TestResults, TestStatus,
    TestSuite,
};

/// Characters of a title in an action.
const TITLE_CHARS: usize = 120;

pub(super) fn steps(
    facts: &Facts,
    tasks: &TaskStatus,
    tests: &TestResults,
    blockers: &[Blocker],
) -> Vec<NextStep> {
    let mut steps = Vec::new();
    for Blocker { entry: blocker, .. } in blockers.iter().filter(|one| one.is_step).take(3) {
        steps.push(step(
            StepPriority::Immediate,
            blocker.required_action.clone(),
            blocker.task_id.clone(),
        ));
    }
    steps.extend(failing("unit", &tests.unit));
    steps.extend(failing("e2e", &tests.e2e));
    let plan = facts.plan.as_ref().map(|plan| &plan.value);
    let open = plan.map_or(&[][..], |plan| &plan.open);
    let current = tasks.current_task.as_ref().or(open.first());
    if let Some(current) = current {
        let rest = open
            .iter()
            .filter(|task| task.phase == current.phase && *task != current);
        steps.extend(std::iter::once(current).chain(rest).take(2).map(|task| {
            let verb = if tasks.current_task.is_some() {
                "Complete"
            } else {
                "Start"
            };
            let action = format!("{verb} {}", name(task));
            step(
                StepPriority::ShortTerm,
                action,
                Some(task.id.clone()).filter(|id| !id.is_empty()),
            )
        }));
    }
    let open_phase = |phase: &&PhaseStatus| phase.completed < phase.total;
    let mut phases = tasks.phases.iter().filter(open_phase).skip(1);
    if let Some(phase) = phases.next() {
        let action = format!("Prepare the phase {}", clip(&phase.name, TITLE_CHARS));
        steps.push(step(StepPriority::MediumTerm, action, None));
    }
    if let Some(phase) = phases.next() {
        let action = format!("Plan the phase {}", clip(&phase.name, TITLE_CHARS));
        steps.push(step(StepPriority::LongTerm, action, None));
    }
    let later = plan.iter().flat_map(|plan| &plan.later);
    steps.extend(later.take(2).map(|point| {
        step(
            StepPriority::LongTerm,
            format!("Consider {}", clip(point, TITLE_CHARS)),
            None,
        )
    }));
    steps.sort_by_key(|step| step.priority);
    steps.truncate(MAX_STEPS);
    steps
}

fn step(priority: StepPriority, action: String, reference: Option<String>) -> NextStep {
    NextStep {
        priority,
        action,
        reference,
    }
}

pub(crate) fn name(task: &TaskReference) -> String {
    let title = clip(&task.title, TITLE_CHARS);
    match task.id.is_empty() {
        true => title,
        false => format!("{}: {title}", task.id),
    }
}

fn failing(kind: &str, suite: &TestSuite) -> Option<NextStep> {
    let tests = match suite.failed {
        0 => "the failing tests".to_owned(),
        1 => format!("1 failing {kind} test"),
        number => format!("{number} failing {kind} tests"),
    };
    let with = match suite.command.is_empty() {
        true => String::new(),
        false => format!(" and run {}", suite.command),
    };
    let first = suite
        .failures
        .first()
        .filter(|failure| !failure.file.is_empty());
    let reference = first.map(|failure| super::blockers::place(&failure.file, failure.line));
    let at = reference
        .as_ref()
        .map(|place| format!(" ({place})"))
        .unwrap_or_default();
    (suite.status == TestStatus::Failed).then(|| {
        step(
            StepPriority::Immediate,
            format!("Fix {tests}{at}{with}"),
            reference,
        )
    })
}
