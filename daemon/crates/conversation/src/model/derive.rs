//! Turns, calls with their results, and indexes.

use super::inline::InlineAgents;
use super::records::{Record, Records, Role};
use super::runs::Runs;
use super::tree::Tree;
use super::usage::{Totals, runs, totals};
use std::collections::{BTreeSet, HashMap, HashSet};

/// What the records of a conversation mean together. Records are named by their index in [`Self::records`].
#[derive(Debug, Clone)]
pub struct Model<'a> {
    /// In the order of the conversation.
    pub records: Vec<&'a Record>,
    /// The call that started the sub-agent of each record; `None` for the main conversation.
    pub parents: Vec<Option<&'a str>>,
    /// In the order of their first records; those of sub-agents too.
    pub turns: Vec<Turn<'a>>,
    /// In the order of the calls.
    pub pairs: Vec<Pair<'a>>,
    /// Results whose calls are not there, by the ids of the calls.
    pub orphan_results: Vec<&'a str>,
    pub tree: Tree<'a>,
    pub totals: Totals,
    /// The records that have the tokens of a message each.
    pub billed: Vec<usize>,
    /// Records of sub-agents are missing, so their models are not known.
    pub lacks_agents: bool,
    /// What the runs of a stream used, if it says so.
    pub runs: Option<Runs>,
}

/// What one side says at a time: the records of one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn<'a> {
    pub message_id: &'a str,
    pub role: Role,
    pub records: Vec<usize>,
    pub parent: Option<&'a str>,
    pub session_id: &'a str,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair<'a> {
    pub id: &'a str,
    pub name: &'a str,
    /// The record with the call: the first, if it is repeated.
    pub call: usize,
    /// The record with the result, the last if there are several; `None` until there is one.
    pub result: Option<usize>,
    pub is_error: bool,
    pub results: usize,
}

impl<'a> Model<'a> {
    #[must_use]
    pub fn new(records: &'a Records) -> Self {
        let with_file: HashSet<&str> = (records.all().iter())
            .filter(|record| !record.is_progress)
            .filter_map(|record| record.agent_id.as_deref())
            .collect();
        let is_elsewhere = |record: &Record| {
            let agent = record.agent_id.as_deref().filter(|_| record.is_progress);
            agent.is_some_and(|agent| with_file.contains(agent))
        };
        let all = records.all().iter();
        let mut sorted: Vec<&Record> = all.filter(|record| !is_elsewhere(record)).collect();
        sorted.sort_by(|one, other| (one.order, &one.uuid).cmp(&(other.order, &other.uuid)));
        let parents = parents(&sorted);
        let turns = turns(&sorted, &parents);
        let (pairs, orphan_results) = pairs(&sorted);
        let tree = Tree::new(&sorted, &parents);
        let runs = runs(&sorted, &parents, &records.run_ends());
        let (totals, billed, lacks_agents) = totals(&sorted, &parents, runs.as_ref());
        Self {
            records: sorted,
            parents,
            turns,
            pairs,
            orphan_results,
            tree,
            totals,
            billed,
            lacks_agents,
            runs,
        }
    }

    /// Returns the session of the first record.
    #[must_use]
    pub fn session_id(&self) -> String {
        let first = self.records.first();
        first.map_or_else(String::new, |one| one.session_id.to_string())
    }

    /// Returns the models that answered, each once, sorted.
    #[must_use]
    pub fn models(&self) -> Vec<&'a str> {
        let models = self.records.iter().filter_map(|one| one.model.as_deref());
        models.collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// Returns which call each record is below. Transcripts on disk name an agent instead; its result, or the file's
/// description, says which call started it.
fn parents<'a>(records: &[&'a Record]) -> Vec<Option<&'a str>> {
    let mut started: HashMap<&str, &str> = HashMap::new();
    for record in records {
        if let (Some((Some(agent), _)), [outcome]) =
            (record.agent_report.as_deref(), &record.outcomes[..])
        {
            started.insert(agent, &outcome.tool_use_id);
        }
    }
    let mut inline = InlineAgents::<&str, { usize::MAX }>::default();
    if records.iter().any(|record| record.inline.is_some()) {
        for call in records.iter().flat_map(|record| &record.calls) {
            if let Some(prompt) = call.prompt {
                inline.note_call(&call.id, prompt);
            }
        }
    }
    let parent = |record: &&'a Record| {
        let agent = record.agent_id.as_deref().filter(|_| record.is_sidechain);
        let agent = || agent.map(|agent| started.get(agent).copied().unwrap_or(agent));
        let parent = record.parent.as_deref().or_else(agent);
        parent.or_else(|| {
            let own = record.inline.as_deref()?;
            Some(inline.parent(own, &record.uuid, &record.uuid))
        })
    };
    records.iter().map(parent).collect()
}

fn turns<'a>(records: &[&'a Record], parents: &[Option<&'a str>]) -> Vec<Turn<'a>> {
    let mut turns: Vec<Turn<'a>> = Vec::new();
    let mut by_message: HashMap<&str, usize> = HashMap::new();
    for (index, record) in records.iter().enumerate() {
        let turn = match record.role {
            Role::Assistant => *by_message.entry(&record.message_id).or_insert(turns.len()),
            Role::User => turns.len(),
        };
        match turns.get_mut(turn) {
            Some(turn) => turn.records.push(index),
            None => turns.push(Turn {
                message_id: &record.message_id,
                role: record.role,
                records: vec![index],
                parent: parents[index],
                session_id: &record.session_id,
            }),
        }
    }
    turns
}

fn pairs<'a>(records: &[&'a Record]) -> (Vec<Pair<'a>>, Vec<&'a str>) {
    let mut pairs: Vec<Pair<'a>> = Vec::new();
    let mut by_id: HashMap<&str, usize> = HashMap::new();
    for (index, record) in records.iter().enumerate() {
        for call in &record.calls {
            if by_id.contains_key(&*call.id) {
                continue; // the line is repeated
            }
            by_id.insert(&call.id, pairs.len());
            pairs.push(Pair {
                id: &call.id,
                name: &call.name,
                call: index,
                result: None,
                is_error: false,
                results: 0,
            });
        }
    }
    let (mut orphans, mut seen) = (Vec::new(), HashSet::new());
    for (index, record) in records.iter().enumerate() {
        for outcome in &record.outcomes {
            let Some(pair) = by_id.get(&*outcome.tool_use_id) else {
                if seen.insert(&*outcome.tool_use_id) {
                    orphans.push(&*outcome.tool_use_id);
                }
                continue;
            };
            let pair = &mut pairs[*pair];
            pair.result = Some(index);
            pair.is_error = outcome.is_error;
            pair.results += 1;
        }
    }
    (pairs, orphans)
}
