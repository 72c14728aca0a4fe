//! The map of a report.

use ccd_protocol::investigate::{
    InvestigationReport, MapState, MapTransition, ProgramState, StateMap,
};
use std::collections::{HashMap, VecDeque};

/// Returns the map of a report. States that the report mentions but does not have are left out.
pub fn from_report(report: &InvestigationReport) -> StateMap {
    // Somebody may have edited the file: the first state of an id counts.
    let mut indices: HashMap<&str, usize> = HashMap::new();
    let mut states: Vec<&ProgramState> = Vec::new();
    for state in &report.states {
        indices.entry(&state.id).or_insert_with(|| {
            states.push(state);
            states.len() - 1
        });
    }
    let index = |id: &String| indices.get(id.as_str()).copied();
    let entry = report.entry_state_id.as_ref().and_then(index);
    let targets: Vec<Vec<usize>> = states
        .iter()
        .map(|state| state.transitions.values().filter_map(index).collect())
        .collect();
    let depths = depths(entry.or((!states.is_empty()).then_some(0)), &targets);
    let transitions = states
        .iter()
        .flat_map(|state| transitions(state, &indices))
        .collect();
    let states = states.iter().enumerate().map(|(at, state)| MapState {
        id: state.id.clone(),
        name: state.name.clone(),
        prompt: state.prompt.clone(),
        is_entry: entry == Some(at),
        depth: depths[at],
        commands: state.commands.len() as u64,
    });
    StateMap {
        report: report.id.clone(),
        program: report.program.clone(),
        states: states.collect(),
        transitions,
    }
}

/// Returns for each state how many commands lead to it at least.
fn depths(entry: Option<usize>, targets: &[Vec<usize>]) -> Vec<Option<u64>> {
    let mut depths = vec![None; targets.len()];
    let mut next: VecDeque<(usize, u64)> = entry.map(|entry| (entry, 0)).into_iter().collect();
    while let Some((at, depth)) = next.pop_front() {
        if depths[at].is_some() {
            continue;
        }
        depths[at] = Some(depth);
        next.extend(targets[at].iter().map(|&target| (target, depth + 1)));
    }
    depths
}

/// Returns the transitions from a state, one for each state that it leads to.
fn transitions(state: &ProgramState, indices: &HashMap<&str, usize>) -> Vec<MapTransition> {
    let mut found: Vec<MapTransition> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (command, to) in &state.transitions {
        if !indices.contains_key(to.as_str()) {
            continue;
        }
        let place = *places.entry(to).or_insert_with(|| {
            found.push(MapTransition {
                from: state.id.clone(),
                to: to.clone(),
                commands: Vec::new(),
            });
            found.len() - 1
        });
        found[place].commands.push(command.clone());
    }
    found
}
