//! Which sub-agent was started by which.

use super::records::Record;
use std::collections::{BTreeMap, HashMap, HashSet};

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
    pub(super) fn of(records: &[&'a Record], parents: &[Option<&'a str>]) -> Self {
        let mut below: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, parent) in parents.iter().enumerate() {
            if let Some(parent) = parent {
                below.entry(parent).or_default().push(index);
            }
        }
        if below.is_empty() {
            return Self::default();
        }
        // Calls with records below them, in order, by the sub-agent that made them; the first call of an id counts.
        let mut calls: HashMap<Option<&str>, Vec<&str>> = HashMap::new();
        let mut seen = HashSet::new();
        for (record, parent) in records.iter().zip(parents) {
            for call in &record.calls {
                if below.contains_key(&*call.id) && seen.insert(&*call.id) {
                    calls.entry(*parent).or_default().push(&call.id);
                }
            }
        }
        // From the top down without recursion: a parent comes before its children.
        let mut order: Vec<Visited<'_>> = Vec::new();
        let mut visited: HashSet<&str> = HashSet::new();
        let visit =
            |first: &'a str, order: &mut Vec<Visited<'a>>, visited: &mut HashSet<&'a str>| {
                let mut next = order.len();
                if visited.insert(first) {
                    order.push(Visited {
                        id: first,
                        parent: None,
                        depth: 0,
                    });
                }
                while let Some(one) = order.get(next).copied() {
                    for call in calls.get(&Some(one.id)).into_iter().flatten() {
                        if visited.insert(call) {
                            order.push(one.child(next, call));
                        }
                    }
                    next += 1;
                }
            };
        for root in calls.get(&None).into_iter().flatten() {
            visit(root, &mut order, &mut visited);
        }
        let roots = nodes(&order, &below);
        let mut orphans = Vec::new();
        // Those without a call first: what is in a circle has one.
        let first_records: BTreeMap<usize, &str> = below
            .iter()
            .map(|(id, records)| (records[0], *id))
            .collect();
        for has_call in [false, true] {
            for id in first_records.values() {
                if seen.contains(id) == has_call && !visited.contains(id) {
                    orphans.push(*id);
                    visit(id, &mut Vec::new(), &mut visited);
                }
            }
        }
        Self { roots, orphans }
    }
}

#[derive(Clone, Copy)]
struct Visited<'a> {
    id: &'a str,
    /// By index in the order of the visit.
    parent: Option<usize>,
    depth: usize,
}

impl<'a> Visited<'a> {
    fn child(self, index: usize, id: &'a str) -> Self {
        if self.depth < MAX_DEPTH {
            Self {
                id,
                parent: Some(index),
                depth: self.depth + 1,
            }
        } else {
            Self { id, ..self }
        }
    }
}

/// Puts nodes, each after its parent, into a tree.
fn nodes<'a>(order: &[Visited<'a>], below: &HashMap<&str, Vec<usize>>) -> Vec<Node<'a>> {
    let mut nodes: Vec<Option<Node<'a>>> = order
        .iter()
        .map(|one| {
            Some(Node {
                parent_tool_use_id: one.id,
                records: below.get(one.id).cloned().unwrap_or_default(),
                children: Vec::new(),
            })
        })
        .collect();
    let mut roots = Vec::new();
    for index in (0..order.len()).rev() {
        let Some(mut node) = nodes[index].take() else {
            continue;
        };
        node.children.reverse();
        match order[index]
            .parent
            .and_then(|parent| nodes[parent].as_mut())
        {
            Some(parent) => parent.children.push(node),
            None => roots.push(node),
        }
    }
    roots.reverse();
    roots
}
