//! `conversation.get`.

use super::parts::Contents;
use super::{Result, parts};
use crate::lines::Skipped;
use crate::model::Model;
use crate::price::Prices;
use crate::source::Loaded;
use ccd_protocol::conversation::{
    ConversationGetReply, ConversationIndexes, ConversationPageParams, RecordPlace, SkippedLine,
    ToolCallPlaces,
};
use std::collections::BTreeMap;

pub(super) fn get(
    loaded: &Loaded,
    model: &Model<'_>,
    params: &ConversationPageParams,
    prices: &Prices,
) -> Result<ConversationGetReply> {
    let contents = Contents::new(loaded, model, params.redact);
    let page = contents.page(params)?;
    let pairs = contents.pairs_of(&page.of)?;
    let cost = parts::cost(loaded, model, prices, None);
    let title = loaded.about.title(|title| contents.shown(title));
    let mut reply = ConversationGetReply {
        session_id: model.session_id(),
        files: loaded
            .paths()
            .map(|path| path.display().to_string())
            .collect(),
        title: title.map(|(_, title)| title),
        cwd: loaded.about.cwd.clone(),
        branch: loaded.about.branch.clone(),
        models: parts::owned(&model.models()),
        skipped_lines: loaded.counts().map(|counts| counts.skipped).sum(),
        skipped: skipped(loaded),
        other_lines: others(loaded),
        duplicate_lines: loaded.records.duplicates(),
        turns: page.turns,
        pairs,
        usage: model.totals,
        cost_usd: cost.exact,
        cost_at_least_usd: cost.at_least,
        missing: loaded.missing(),
        total_turns: model.turns.len() as u64,
        next: page.next,
        ..ConversationGetReply::default()
    };
    if page.is_first {
        reply.tree = contents.tree(prices)?;
        reply.orphan_parents = parts::owned(&model.tree.orphans);
        reply.orphan_results = parts::owned(&model.orphan_results);
        if !params.nested {
            reply.indexes = indexes(model);
        }
    }
    Ok(reply)
}

fn indexes(model: &Model<'_>) -> ConversationIndexes {
    let mut indexes = ConversationIndexes::default();
    for (record, parent) in model.records.iter().zip(&model.parents) {
        let place = RecordPlace {
            file: record.place.file.into(),
            offset: record.place.offset,
            length: record.place.len,
        };
        indexes.by_uuid.insert(record.uuid.clone(), place);
        if let Some(parent) = parent {
            let below = indexes.by_parent_tool_use_id.entry((*parent).to_owned());
            below.or_default().push(record.uuid.clone());
        }
    }
    for turn in &model.turns {
        let records = parts::uuids(model, &turn.records);
        indexes
            .by_message_id
            .insert(turn.message_id.to_owned(), records);
    }
    for pair in &model.pairs {
        let uuid = |at: usize| model.records[at].uuid.clone();
        let places = ToolCallPlaces {
            call: uuid(pair.call),
            result: pair.result.map(uuid),
        };
        indexes.by_tool_use_id.insert(pair.id.to_owned(), places);
    }
    indexes
}

fn skipped(loaded: &Loaded) -> Vec<SkippedLine> {
    let lines = loaded.counts().enumerate().flat_map(|(file, counts)| {
        counts
            .skipped_lines
            .iter()
            .map(move |(line, why)| SkippedLine {
                file: file as u64,
                line: *line,
                why: name_of(*why).to_owned(),
            })
    });
    lines.take(1000).collect()
}

fn name_of(why: Skipped) -> &'static str {
    use crate::line::Wrong;
    match why {
        Skipped::TooLong => "too_long",
        Skipped::Wrong(Wrong::NotJson) => "not_json",
        Skipped::Wrong(Wrong::NotAnObject) => "not_an_object",
        Skipped::Wrong(Wrong::NoType) => "no_type",
        Skipped::Wrong(Wrong::NoUuid) => "no_uuid",
        Skipped::Wrong(Wrong::NoSession) => "no_session",
    }
}

fn others(loaded: &Loaded) -> BTreeMap<String, u64> {
    let mut all = BTreeMap::new();
    for (kind, count) in loaded.counts().flat_map(|counts| &counts.others) {
        *all.entry(kind.clone()).or_default() += count;
    }
    all
}
