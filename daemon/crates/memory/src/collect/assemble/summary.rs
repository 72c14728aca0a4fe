//! The five sentences.

use crate::collect::facts::{Facts, Plan};
use crate::model::percentage;
use ccd_protocol::memory::{
    BlockerEntry, ExecutiveSummary, PhaseStatus, Priority, SessionMemory, StepPriority,
};

/// The next action where nothing is known: the form of the file has one always, a digest leaves it out.
pub(crate) const DESCRIBE: &str = "Describe the next task.";

pub(super) fn summary(facts: &Facts, memory: &SessionMemory) -> ExecutiveSummary {
    let (tasks, project_name) = (&memory.task_status, &memory.metadata.project_name);
    let has_plan = !facts.plan.source.is_empty();
    let is_unknown = !has_plan && facts.is_unknown("tasks");
    let is_high = |blocker: &&BlockerEntry| blocker.priority == Priority::High;
    let major = memory.blockers.iter().find(is_high);
    // What comes first, if it is for now.
    let mut near = memory.next_steps.iter();
    let near = near.find(|step| step.priority <= StepPriority::ShortTerm);
    let next = match near {
        Some(step) => step.action.clone(),
        None if has_plan => "Choose the next goal: all tasks are complete".to_owned(),
        None if is_unknown => "Read the tasks: they were left out of this memory".to_owned(),
        None => DESCRIBE.to_owned(),
    };
    let completion = completion(&facts.plan.value);
    ExecutiveSummary {
        project_description: match &facts.manifest.description {
            Some(description) => format!("{project_name} - {description}"),
            None => project_name.clone(),
        },
        completion_status: if is_unknown {
            format!("{completion}, as the tasks were left out")
        } else {
            completion
        },
        current_phase: if is_unknown {
            "Unknown".to_owned()
        } else {
            phase(&tasks.phases)
        },
        major_blocker: major.map(|blocker| blocker.title.clone()),
        next_action: next,
    }
}

pub(super) fn completion(plan: &Plan) -> String {
    let (completed, total) = (plan.completed(), plan.total());
    let share = percentage(completed, total);
    format!("{completed}/{total} tasks complete ({share:.1}%)")
}

pub(super) fn phase(phases: &[PhaseStatus]) -> String {
    let open = phases.iter().filter(|phase| phase.completed < phase.total);
    let in_progress = open.clone().find(|phase| phase.completed > 0);
    match in_progress.or(open.clone().next()) {
        Some(phase) => phase.name.clone(),
        None if phases.is_empty() => "Not started".to_owned(),
        None => "Complete".to_owned(),
    }
}
