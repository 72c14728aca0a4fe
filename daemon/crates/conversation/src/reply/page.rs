//! Pages of turns.

use super::Result;
use crate::model::{Model, Turn};
use ccd_protocol::conversation::ConversationPageParams;
use std::collections::HashMap;

/// Length of the records after which a page ends.
const PAGE_BYTES: u64 = 8 << 20;

pub(super) struct Page<'m, 'a, T> {
    pub(super) turns: Vec<T>,
    /// The same turns, as the model has them.
    pub(super) of: Vec<&'m Turn<'a>>,
    pub(super) is_first: bool,
    /// Where the next page starts, if there is one.
    pub(super) next: Option<u64>,
}

/// Returns a page of at most `most` turns, unless the caller says how many. `make` returns a turn as the reply has it, and how
/// many bytes were read for it.
pub(super) fn page<'m, 'a, T>(
    model: &'m Model<'a>,
    params: &ConversationPageParams,
    most: u64,
    make: impl Fn(&'m Turn<'a>) -> Result<(T, u64)>,
) -> Result<Page<'m, 'a, T>> {
    let all = if params.nested {
        nested(model)
    } else {
        model.turns.iter().collect()
    };
    page_of(&all, params, most, make)
}

/// Returns a page of these turns.
pub(super) fn page_of<'m, 'a, T>(
    all: &[&'m Turn<'a>],
    params: &ConversationPageParams,
    most: u64,
    make: impl Fn(&'m Turn<'a>) -> Result<(T, u64)>,
) -> Result<Page<'m, 'a, T>> {
    let start = usize::try_from(params.from.unwrap_or(0)).unwrap_or(usize::MAX);
    let start = start.min(all.len());
    let limit = usize::try_from(params.limit.unwrap_or(most).max(1)).unwrap_or(usize::MAX);
    let (mut turns, mut read_bytes) = (Vec::new(), 0);
    for one in all[start..].iter().take(limit) {
        if read_bytes > PAGE_BYTES {
            break;
        }
        let (turn, bytes) = make(one)?;
        turns.push(turn);
        read_bytes += bytes;
    }
    let end = start + turns.len();
    Ok(Page {
        turns,
        of: all[start..end].to_vec(),
        is_first: start == 0,
        next: (end < all.len()).then_some(end as u64),
    })
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
