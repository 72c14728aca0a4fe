//! Which sub-agent was started by which.

use super::records::Record;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

/// Deeper sub-agents are siblings of those at this depth. Claude Code starts them five deep.
const MAX_DEPTH: usize = 50;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree<'a> {
    /// Sub-agents that the main conversation started, in the order of the calls.
    pub roots: Vec<Node<'a>>,
    /// Calls that are not there, or are in a circle, although there are records below them.
    pub orphans: Vec<&'a str>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node<'a> {
    pub parent_tool_use_id: &'a str,
    pub records: Vec<usize>,
    pub children: Vec<Node<'a>>,
}

impl<'a> Tree<'a> {
    pub(super) fn new(records: &[&'a Record], parents: &[Option<&'a str>]) -> Self {
        let mut below: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, parent) in parents.iter().enumerate() {
            if let Some(parent) = parent {
                below.entry(parent).or_default().push(index);
            }
        }
        if below.is_empty() {
            return Self::default();
        }
        // The first call of an id counts.
        let mut calls: HashMap<Option<&str>, Vec<&str>> = HashMap::new();
        let mut called = HashSet::new();
        for (record, parent) in records.iter().zip(parents) {
            for call in &record.calls {
                if below.contains_key(&*call.id) && called.insert(&*call.id) {
                    calls.entry(*parent).or_default().push(&call.id);
                }
            }
        }
        let mut visit = Visit {
            below: &below,
            calls: &calls,
            visited: HashSet::new(),
        };
        let roots = visit.nodes(None, 0);
        let mut orphans = Vec::new();
        // Those without a call first: what is in a circle has one.
        let first_records: BTreeMap<usize, &str> = below
            .iter()
            .map(|(id, records)| (records[0], *id))
            .collect();
        for has_call in [false, true] {
            for id in first_records.values() {
                if called.contains(id) == has_call && visit.visited.insert(id) {
                    orphans.push(*id);
                    visit.nodes(Some(id), 0);
                }
            }
        }
        Self { roots, orphans }
    }
}

struct Visit<'m, 'a> {
    /// Records by the calls that they are below.
    below: &'m HashMap<&'a str, Vec<usize>>,
    /// Calls with records below them, in order, by the sub-agent that made them.
    calls: &'m HashMap<Option<&'a str>, Vec<&'a str>>,
    visited: HashSet<&'a str>,
}

impl<'a> Visit<'_, 'a> {
    /// Returns the sub-agents that one at this depth started.
    fn nodes(&mut self, caller: Option<&'a str>, depth: usize) -> Vec<Node<'a>> {
        let mut nodes = Vec::new();
        let mut callers = VecDeque::from([caller]);
        while let Some(caller) = callers.pop_front() {
            for id in self.calls.get(&caller).into_iter().flatten() {
                if !self.visited.insert(id) {
                    continue;
                }
                let children = if depth < MAX_DEPTH {
                    self.nodes(Some(id), depth + 1)
                } else {
                    callers.push_back(Some(id));
                    Vec::new()
                };
                nodes.push(Node {
                    parent_tool_use_id: id,
                    records: self.below.get(id).cloned().unwrap_or_default(),
                    children,
                });
            }
        }
        nodes
    }
}
