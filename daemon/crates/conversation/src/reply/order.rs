//! The order of turns in a reply.

use crate::model::{Model, Turn};
use ccd_protocol::conversation::ConversationPageParams;
use std::collections::HashMap;

/// Returns the turns of a conversation in the order that the caller wants.
pub(super) fn order<'m, 'a>(
    model: &'m Model<'a>,
    params: &ConversationPageParams,
) -> Vec<&'m Turn<'a>> {
    if params.nested {
        nested(model)
    } else {
        model.turns.iter().collect()
    }
}

/// Returns the turns of each sub-agent after the turn whose call started it, and at the end those whose call is not there.
fn nested<'m, 'a>(model: &'m Model<'a>) -> Vec<&'m Turn<'a>> {
    let mut below: HashMap<&str, Vec<&Turn<'a>>> = HashMap::new();
    for turn in &model.turns {
        if let Some(parent) = turn.parent {
            below.entry(parent).or_default().push(turn);
        }
    }
    let mut ordered = Vec::with_capacity(model.turns.len());
    for first in &model.turns {
        // Without recursion, and each once: a hostile file has circles.
        let mut left = match first.parent {
            None => vec![first],
            Some(_) => continue,
        };
        take(model, &mut left, &mut below, &mut ordered);
    }
    for orphan in &model.turns {
        if let Some(turns) = orphan.parent.and_then(|parent| below.remove(parent)) {
            let mut left: Vec<_> = turns.into_iter().rev().collect();
            take(model, &mut left, &mut below, &mut ordered);
        }
    }
    ordered
}

/// Moves turns from the end of `left`, each followed by the sub-agents that it started.
fn take<'m, 'a>(
    model: &'m Model<'a>,
    left: &mut Vec<&'m Turn<'a>>,
    below: &mut HashMap<&str, Vec<&'m Turn<'a>>>,
    ordered: &mut Vec<&'m Turn<'a>>,
) {
    while let Some(turn) = left.pop() {
        ordered.push(turn);
        let calls = turn
            .records
            .iter()
            .flat_map(|at| &model.records[*at].calls)
            .rev();
        let turns = calls.filter_map(|call| below.remove(&*call.id));
        // The calls are in reverse, so that the last one pushed is the first one read.
        turns.for_each(|turns| left.extend(turns.into_iter().rev()));
    }
}
