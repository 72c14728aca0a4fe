//! `conversation.export`: turns with their records, without secrets.

use super::page::page;
use super::{Result, parts};
use crate::model::{Model, Turn};
use crate::price::Prices;
use crate::source::Loaded;
use ccd_protocol::conversation::{
    ConversationExportReply, ConversationPageParams, ExportAbout, ExportTurn,
};
use ccd_text::redact::{redact, redact_line};
use serde_json::value::RawValue;

pub(super) fn export(
    loaded: &Loaded,
    model: &Model<'_>,
    params: &ConversationPageParams,
    prices: &Prices,
) -> Result<ConversationExportReply> {
    let page = page(model, params, u64::MAX, |turn| {
        let turn = self::turn(loaded, model, turn, prices)?;
        let bytes = turn.records.iter().map(|record| record.get().len() as u64);
        let bytes = bytes.sum();
        Ok((turn, bytes))
    })?;
    Ok(ConversationExportReply {
        about: page.is_first.then(|| about(loaded, model, prices)),
        turns: page.turns,
        next: page.next,
    })
}

fn turn(
    loaded: &Loaded,
    model: &Model<'_>,
    turn: &Turn<'_>,
    prices: &Prices,
) -> Result<ExportTurn> {
    let records = turn.records.iter().map(|at| model.records[*at]);
    let lines = records.clone().map(|record| loaded.line_of(record));
    let lines: Vec<String> = lines.collect::<Result<_>>()?;
    let raw = lines.iter().filter_map(|line| {
        // It was JSON when it was read; somebody may have written to the file since.
        RawValue::from_string(redact_line(line.as_bytes())).ok()
    });
    let billed = records
        .clone()
        .filter(|record| record.usage.is_some())
        .max_by_key(|record| {
            record
                .usage
                .as_ref()
                .map(|usage| usage.tokens.output_tokens)
        });
    Ok(ExportTurn {
        message_id: turn.message_id.to_owned(),
        role: turn.role,
        at: records.clone().find_map(|record| record.timestamp.clone()),
        model: records.clone().find_map(|record| record.model.clone()),
        parent_tool_use_id: turn.parent.map(str::to_owned),
        session_id: turn.session_id.to_owned(),
        usage: billed.and_then(|record| record.all_usage()),
        cost_usd: billed.and_then(|record| parts::cost_of(record, prices)),
        records: raw.collect(),
    })
}

fn about(loaded: &Loaded, model: &Model<'_>, prices: &Prices) -> ExportAbout {
    let plain = |text: &str| redact(text).text.into_owned();
    let mut times: Vec<&String> = model
        .records
        .iter()
        .filter_map(|record| record.timestamp.as_ref())
        .collect();
    times.sort();
    let cost = parts::cost(loaded, model, prices);
    ExportAbout {
        session_id: model.session_id(),
        title: loaded.about.title(plain).map(|(_, title)| title),
        cwd: loaded.about.cwd.clone(),
        branch: loaded.about.branch.clone(),
        started_at: times.first().map(|time| (*time).clone()),
        ended_at: times.last().map(|time| (*time).clone()),
        file: loaded
            .paths()
            .next()
            .map_or_else(String::new, |path| path.display().to_string()),
        models: parts::owned(&model.models()),
        usage: model.totals,
        cost_usd: cost.exact,
        cost_at_least_usd: cost.at_least,
        missing: loaded.missing(),
        skipped_lines: loaded.counts().map(|counts| counts.skipped).sum(),
        exported_at: ccd_base::clock::now(),
        ccd: env!("CARGO_PKG_VERSION").to_owned(),
    }
}
