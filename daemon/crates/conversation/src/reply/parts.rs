//! Parts of a model with the contents of their records.

use super::Result;
use super::page::{Page, page};
use crate::ConversationError;
use crate::line::{Block, MessageUsage, Usage, blocks, call_in, raw_blocks, read, text_of};
use crate::model::{Model, Node, Pair, Record, Runs, Turn};
use crate::price::{Billed, Prices};
use crate::source::Loaded;
use ccd_base::surrogate::mended_text;
use ccd_protocol::conversation::{
    ConversationPageParams, ConversationPair, ConversationTurn, SubAgentNode, ToolResult, ToolUse,
    TurnRecord,
};
use ccd_text::redact::{redact, redact_line};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::{HashMap, HashSet};
use std::path::Path;

const PAGE_LEN: u64 = 1000;

pub(super) struct Contents<'m, 'a> {
    loaded: &'m Loaded,
    model: &'m Model<'a>,
    /// Without recognised secrets.
    is_redacted: bool,
}

impl<'m, 'a> Contents<'m, 'a> {
    pub(super) fn new(loaded: &'m Loaded, model: &'m Model<'a>, is_redacted: bool) -> Self {
        Self {
            loaded,
            model,
            is_redacted,
        }
    }

    pub(super) fn page(
        &self,
        params: &ConversationPageParams,
    ) -> Result<Page<'m, 'a, ConversationTurn>> {
        page(self.model, params, PAGE_LEN, |turn| {
            self.turn(turn, params.raw)
        })
    }

    /// Returns a text as a reply has it.
    pub(super) fn shown(&self, text: &str) -> String {
        if self.is_redacted {
            redact(text).text.into_owned()
        } else {
            text.to_owned()
        }
    }

    fn line_of(&self, record: &Record) -> Result<String> {
        let line = self.loaded.line_of(record)?;
        let line = mended_text(line.as_bytes());
        Ok(if self.is_redacted {
            redact_line(line.as_bytes())
        } else {
            line.into_owned()
        })
    }

    fn record(&self, record: &Record, line: &str, is_raw: bool) -> Result<TurnRecord> {
        if !is_raw {
            return Ok(record.uuid.as_str().into());
        }
        // As Claude Code wrote it: `line` has no halves of emojis.
        let line = if self.is_redacted {
            line.to_owned()
        } else {
            self.loaded.line_of(record)?
        };
        let changed = |_| self.changed(record);
        Ok(TurnRecord(RawValue::from_string(line).map_err(changed)?))
    }

    fn changed(&self, record: &Record) -> ConversationError {
        let path = self.loaded.paths().nth(record.place.file as usize);
        ConversationError::Changed(path.unwrap_or(Path::new("")).to_owned())
    }

    /// Returns a turn, with whole records or their uuids, and how many bytes were read for it.
    pub(super) fn turn(&self, turn: &Turn<'_>, is_raw: bool) -> Result<(ConversationTurn, u64)> {
        let records = turn.records.iter().map(|at| self.model.records[*at]);
        let (mut content_blocks, mut bytes) = (Vec::new(), 0);
        let mut own = Vec::with_capacity(turn.records.len());
        let mut is_meta = false;
        for record in records.clone() {
            let line = self.line_of(record)?;
            bytes += line.len() as u64;
            let read = read(line.as_bytes()).ok();
            is_meta |= read.as_ref().is_some_and(|line| line.is_meta);
            let message = read.and_then(|line| line.message);
            content_blocks.extend(raw_blocks(message.unwrap_or_default().content));
            own.push(self.record(record, &line, is_raw)?);
            // It is in the page twice.
            bytes += if is_raw { line.len() as u64 } else { 0 };
        }
        let usage = records
            .clone()
            .filter_map(|record| record.all_usage())
            .max_by_key(|usage| usage.output_tokens);
        let turn = ConversationTurn {
            message_id: turn.message_id.to_owned(),
            role: turn.role,
            is_meta,
            records: own,
            content_blocks,
            parent_tool_use_id: turn.parent.map(str::to_owned),
            session_id: turn.session_id.to_owned(),
            timestamp: records.clone().find_map(|record| record.timestamp.clone()),
            model: records.clone().find_map(|record| record.model.clone()),
            usage,
        };
        Ok((turn, bytes))
    }

    /// Returns the calls that were made in these turns, with their results.
    pub(super) fn pairs_of(&self, turns: &[&Turn<'_>]) -> Result<Vec<ConversationPair>> {
        let calls: HashSet<usize> = turns
            .iter()
            .flat_map(|turn| turn.records.iter().copied())
            .collect();
        let pairs = self.model.pairs.iter();
        let pairs = pairs.filter(|pair| calls.contains(&pair.call));
        pairs.map(|one| self.pair(one)).collect()
    }

    pub(super) fn pair(&self, pair: &Pair<'_>) -> Result<ConversationPair> {
        Ok(ConversationPair {
            tool_use: ToolUse {
                id: pair.id.to_owned(),
                name: pair.name.to_owned(),
                input: self.input(pair)?,
            },
            tool_result: pair
                .result
                .map(|record| self.result(pair, record))
                .transpose()?,
            results: pair.results as u64,
        })
    }

    fn input(&self, pair: &Pair<'_>) -> Result<Box<RawValue>> {
        let line = self.line_of(self.model.records[pair.call])?;
        let message = read(line.as_bytes()).ok().and_then(|line| line.message);
        let call = call_in(message.unwrap_or_default().content, pair.id);
        let input = call.and_then(|(_, input)| input);
        Ok(input.unwrap_or(RawValue::NULL).to_owned())
    }

    /// Returns the sub-agents of the conversation, with what their calls say and what they used.
    pub(super) fn tree(&self, prices: &Prices) -> Result<Vec<SubAgentNode>> {
        let pairs = self.model.pairs.iter().map(|pair| (pair.id, pair));
        let billed = self.model.billed.iter().copied();
        let (pairs, billed) = (pairs.collect(), billed.collect());
        self.nodes(&self.model.tree.roots, &pairs, &billed, prices)
    }

    /// Returns the sub-agents without records, with what the results of their calls report.
    pub(super) fn reported(&self) -> Result<Vec<SubAgentNode>> {
        let present: HashSet<&str> = self.model.parents.iter().copied().flatten().collect();
        let report =
            |pair: &Pair<'_>| match self.model.records[pair.result?].agent_report.as_deref()? {
                (Some(_), usage) if !present.contains(pair.id) => Some(usage.unwrap_or_default()),
                _ => None,
            };
        let pairs = self.model.pairs.iter();
        let node = |(pair, usage): (&Pair<'_>, Usage)| {
            Ok(SubAgentNode {
                parent_tool_use_id: pair.id.to_owned(),
                description: self.description(pair)?,
                usage,
                ..SubAgentNode::default()
            })
        };
        pairs
            .filter_map(|pair| Some((pair, report(pair)?)))
            .map(node)
            .collect()
    }

    fn nodes(
        &self,
        nodes: &[Node<'_>],
        pairs: &HashMap<&str, &Pair<'_>>,
        billed: &HashSet<usize>,
        prices: &Prices,
    ) -> Result<Vec<SubAgentNode>> {
        let node = |node: &Node<'_>| {
            let pair = pairs.get(node.parent_tool_use_id);
            let records = node.records.iter().filter(|at| billed.contains(at));
            let records = records.map(|at| self.model.records[*at]);
            let mut usage = Usage::default();
            records
                .clone()
                .filter_map(Record::all_usage)
                .for_each(|one| usage += &one);
            Ok(SubAgentNode {
                parent_tool_use_id: node.parent_tool_use_id.to_owned(),
                description: pair
                    .and_then(|pair| self.description(pair).transpose())
                    .transpose()?,
                usage,
                cost_usd: records.map(|record| cost_of(record, prices)).sum(),
                records: uuids(self.model, &node.records),
                children: self.nodes(&node.children, pairs, billed, prices)?,
            })
        };
        nodes.iter().map(node).collect()
    }

    fn description(&self, pair: &Pair<'_>) -> Result<Option<String>> {
        let input: Value = serde_json::from_str(self.input(pair)?.get()).unwrap_or_default();
        Ok(input["description"].as_str().map(str::to_owned))
    }

    fn result(&self, pair: &Pair<'_>, record: usize) -> Result<ToolResult> {
        let record = self.model.records[record];
        let line = self.line_of(record)?;
        let line = read(line.as_bytes()).map_err(|_| self.changed(record))?;
        let found = blocks(line.message.clone().unwrap_or_default().content);
        let content = found.into_iter().rev().find_map(|block| match block {
            Block::ToolResult {
                tool_use_id,
                content,
                ..
            } if tool_use_id == pair.id => Some(text_of(content)),
            _ => None,
        });
        let meta = line.result_meta.filter(|_| record.outcomes.len() == 1);
        Ok(ToolResult {
            content: content.unwrap_or_default(),
            is_error: pair.is_error,
            meta: meta.map(RawValue::to_owned),
        })
    }
}

pub(super) fn uuids(model: &Model<'_>, records: &[usize]) -> Vec<String> {
    let uuid = |at: &usize| model.records[*at].uuid.clone();
    records.iter().map(uuid).collect()
}

pub(super) fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// Returns what a message cost in US dollars, by the record that has its tokens.
pub(super) fn cost_of(record: &Record, prices: &Prices) -> Option<f64> {
    let billed = Billed {
        model: record.model.as_deref()?,
        at: record.timestamp.as_deref(),
        usage: record.usage.as_ref()?,
    };
    prices.cost_with_side_calls(&billed)
}

/// What a conversation cost, in US dollars.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Cost {
    pub(super) exact: Option<f64>,
    /// If something has no price: what the rest cost, if there is a rest.
    pub(super) at_least: Option<f64>,
}

/// Returns the cost of a conversation; with `of_agents`, only that of its sub-agents (true) or of the rest (false). A stream
/// with sub-agents has only one sum: both parts are unknown.
/// Without a price are tokens of a model that the table lacks, and of a sub-agent of which only a result reports.
pub(super) fn cost(
    loaded: &Loaded,
    model: &Model<'_>,
    prices: &Prices,
    of_agents: Option<bool>,
) -> Cost {
    let has_agents = model.totals.subagents != Usage::default();
    let of_agents = of_agents.filter(|_| has_agents);
    if of_agents.is_some() && model.runs.is_some() {
        return Cost::default();
    }
    let end = model.runs.as_ref().and(loaded.records.last_run_end());
    let is_wanted = |at: &&usize| {
        let is_agent = model.parents[**at].is_some() || model.records[**at].is_sidechain;
        of_agents.is_none_or(|wanted| wanted == is_agent)
    };
    let billed = model.billed.iter().filter(is_wanted);
    let billed = billed.map(|at| model.records[*at]);
    let is_ended = |record: &&Record| end.is_none_or(|end| record.order > end);
    let has_tokens = |usage: &MessageUsage| usage.tokens != Usage::default();
    let with_tokens = billed.filter(|record| record.usage.as_ref().is_some_and(has_tokens));
    let after_runs = with_tokens.filter(is_ended);
    let costs: Vec<Option<f64>> = after_runs
        .map(|record| cost_of(record, prices))
        .chain(model.runs.as_ref().map(Runs::cost_usd))
        .collect();
    // The sum of nothing would be -0.
    let sum = costs.iter().flatten().fold(0.0, |sum, cost| sum + cost);
    let is_whole = costs.iter().all(Option::is_some)
        && (!model.lacks_agents || of_agents == Some(false))
        && loaded.missing().is_none();
    let has_price = costs.iter().any(Option::is_some);
    Cost {
        exact: is_whole.then_some(sum),
        at_least: (!is_whole && has_price).then_some(sum),
    }
}
