//! `conversation.export`: turns with their records, without secrets, or the page made of them.

use super::page::{page, page_of};
use super::{Result, parts};
use crate::model::{Model, Turn};
use crate::price::Prices;
use crate::source::Loaded;
use ccd_page::{PageAbout, PageTurn, Parts, Private};
use ccd_protocol::conversation::{
    ConversationExportParams, ConversationExportReply, ExportAbout, ExportTurn, TurnNumbers,
};
use ccd_text::redact::{MASK, redact, redact_line};
use serde_json::value::RawValue;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

pub(super) fn export(
    loaded: &Loaded,
    model: &Model<'_>,
    params: &ConversationExportParams,
    prices: &Prices,
) -> Result<ConversationExportReply> {
    let source = Source {
        loaded,
        model,
        prices,
        private: private(loaded, model, params),
    };
    if params.html {
        return source.html(params);
    }
    let page = page(model, &params.page, u64::MAX, |turn| {
        let (turn, _) = source.turn(turn)?;
        let bytes = turn.records.iter().map(|record| record.get().len() as u64);
        let bytes = bytes.sum();
        Ok((turn, bytes))
    })?;
    Ok(ConversationExportReply {
        about: page.is_first.then(|| source.about()),
        turns: page.turns,
        html: None,
        next: page.next,
    })
}

/// Returns what a page does not say, unless it is wanted: where the user's home is, the name of the host, ids of sessions.
fn private(loaded: &Loaded, model: &Model<'_>, params: &ConversationExportParams) -> Private {
    if !params.html || params.with_paths {
        return Private::default();
    }
    let sessions: HashSet<&str> = model.turns.iter().map(|turn| turn.session_id).collect();
    private_of(loaded.about.cwd.as_deref(), sessions)
}

/// Returns the same of the conversations in these directories, which may be those of other users, if they were imported.
pub(super) fn private_of<'a>(
    cwds: impl IntoIterator<Item = &'a str>,
    sessions: impl IntoIterator<Item = &'a str>,
) -> Private {
    let above = |cwd: &str| {
        let mut parts = cwd.splitn(4, '/').skip(1);
        match (parts.next(), parts.next()) {
            (Some(above @ ("home" | "Users")), Some(name)) if !name.is_empty() => {
                Some(PathBuf::from(format!("/{above}/{name}")))
            }
            _ => None,
        }
    };
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let homes: Vec<PathBuf> = home
        .into_iter()
        .chain(cwds.into_iter().filter_map(above))
        .collect();
    let system = rustix::system::uname();
    let host = system.nodename().to_string_lossy();
    Private::new(homes.iter().map(PathBuf::as_path), &host, sessions)
}

/// Where turns are taken from.
struct Source<'s, 'a> {
    loaded: &'s Loaded,
    model: &'s Model<'a>,
    prices: &'s Prices,
    private: Private,
}

impl Source<'_, '_> {
    /// Returns a part of the page.
    fn html(&self, params: &ConversationExportParams) -> Result<ConversationExportReply> {
        let numbers = numbers(self.model);
        let turns = match params.turns {
            None => self.model.turns.iter().collect(),
            Some(wanted) => within(self.model, &numbers, wanted),
        };
        let pairs = self
            .model
            .pairs
            .iter()
            .filter_map(|pair| Some((pair.id, pair.result?)));
        let results: HashMap<&str, usize> = pairs.collect();
        let lone: HashSet<&str> = self.model.orphan_results.iter().copied().collect();
        let orphans: HashSet<&str> = self.model.tree.orphans.iter().copied().collect();
        let page = page_of(&turns, &params.page, u64::MAX, |turn| {
            let number = numbers
                .get(turn.message_id)
                .filter(|_| turn.parent.is_none())
                .copied();
            let is_orphan = turn.parent.is_some_and(|call| orphans.contains(call));
            let of_turn = PageTurn {
                number,
                is_orphan,
                ..PageTurn::default()
            };
            self.page_turn(turn, of_turn, &results, &lone)
        })?;
        let mut about = page.is_first.then(|| self.about());
        if let Some(about) = about.as_mut().filter(|_| !params.with_paths) {
            let project = about.cwd.as_deref().and_then(|cwd| cwd.rsplit('/').next());
            about.cwd = project.map(str::to_owned);
            about.session_id.clear();
            about.file.clear();
        }
        let (turns, masks): (Vec<PageTurn>, Vec<usize>) = page.turns.into_iter().unzip();
        let cwd = self
            .private
            .hide(self.loaded.about.cwd.as_deref().unwrap_or_default());
        let parts = Parts {
            cwd: &cwd,
            is_live: params.live,
        };
        let masks = masks.into_iter().sum::<usize>() as u64;
        let all = numbers.len() as u64;
        let page_about = about.as_ref().map(|about| PageAbout {
            about,
            costs: [Some(false), Some(true), None].map(|of_agents| {
                let cost = parts::cost(self.loaded, self.model, self.prices, of_agents);
                (cost.exact.or(cost.at_least), cost.exact.is_some())
            }),
            turns: params
                .turns
                .filter(|turns| turns.first <= all && (turns.first > 1 || turns.last < all))
                .map(|turns| (turns.first, turns.last.min(all), all)),
        });
        let html = parts.part(page_about, &turns, masks, page.next.is_none());
        Ok(ConversationExportReply {
            about,
            turns: Vec::new(),
            html: Some(html),
            next: page.next,
        })
    }

    /// Returns a turn with its records and the results of its calls, the number of its masks, and how many bytes it has.
    fn page_turn(
        &self,
        turn: &Turn<'_>,
        of_turn: PageTurn,
        results: &HashMap<&str, usize>,
        lone: &HashSet<&str>,
    ) -> Result<((PageTurn, usize), u64)> {
        let records = turn.records.iter().map(|at| self.model.records[*at]);
        let calls = records.clone().flat_map(|record| &record.calls);
        let mut wanted: Vec<usize> = calls
            .filter_map(|call| results.get(&*call.id).copied())
            .collect();
        wanted.dedup();
        wanted.retain(|at| !turn.records.contains(at));
        let outcomes = records.flat_map(|record| &record.outcomes);
        let lone = outcomes.filter(|outcome| lone.contains(&*outcome.tool_use_id));
        let lone_results = lone.map(|outcome| outcome.tool_use_id.clone()).collect();
        let (turn, mut masks) = self.turn(turn)?;
        let mut came = Vec::new();
        for at in wanted {
            let (record, masked) = self.record(at)?;
            masks += masked;
            came.extend(record);
        }
        let all = turn.records.iter().chain(&came);
        let bytes = all.map(|record| record.get().len() as u64).sum();
        let turn = PageTurn {
            turn,
            results: came,
            lone_results,
            ..of_turn
        };
        Ok(((turn, masks), bytes))
    }

    /// Returns a record without secrets, and how many were masked.
    fn record(&self, at: usize) -> Result<(Option<Box<RawValue>>, usize)> {
        let line = self.loaded.line_of(self.model.records[at])?;
        let redacted = redact_line(line.as_bytes());
        let masks = redacted
            .matches(MASK)
            .count()
            .saturating_sub(line.matches(MASK).count());
        // It was JSON when it was read; somebody may have written to the file since.
        Ok((
            RawValue::from_string(self.private.hide(&redacted)).ok(),
            masks,
        ))
    }

    fn turn(&self, turn: &Turn<'_>) -> Result<(ExportTurn, usize)> {
        let records = turn.records.iter().map(|at| self.model.records[*at]);
        let raw = turn.records.iter().map(|at| self.record(*at));
        let raw = raw.collect::<Result<Vec<_>>>()?;
        let masks = raw.iter().map(|(_, masks)| masks).sum();
        let billed = records
            .clone()
            .filter(|record| record.usage.is_some())
            .max_by_key(|record| {
                record
                    .usage
                    .as_ref()
                    .map(|usage| usage.tokens.output_tokens)
            });
        let turn = ExportTurn {
            message_id: turn.message_id.to_owned(),
            role: turn.role,
            at: records.clone().find_map(|record| record.timestamp.clone()),
            model: records.clone().find_map(|record| record.model.clone()),
            parent_tool_use_id: turn.parent.map(str::to_owned),
            session_id: turn.session_id.to_owned(),
            usage: billed.and_then(|record| record.all_usage()),
            cost_usd: billed.and_then(|record| parts::cost_of(record, self.prices)),
            records: raw.into_iter().filter_map(|(record, _)| record).collect(),
        };
        Ok((turn, masks))
    }

    fn about(&self) -> ExportAbout {
        let (loaded, model) = (self.loaded, self.model);
        let plain = |text: &str| self.private.hide(&redact(text).text);
        let mut times: Vec<&String> = model
            .records
            .iter()
            .filter_map(|record| record.timestamp.as_ref())
            .collect();
        times.sort();
        let cost = parts::cost(loaded, model, self.prices, None);
        let file = loaded
            .paths()
            .next()
            .map_or_else(String::new, |path| path.display().to_string());
        ExportAbout {
            session_id: self.private.hide(&model.session_id()),
            title: loaded.about.title(plain).map(|(_, title)| title),
            cwd: loaded
                .about
                .cwd
                .as_deref()
                .map(|cwd| self.private.hide(cwd)),
            branch: (loaded.about.branch.as_deref()).map(|branch| self.private.hide(branch)),
            started_at: times.first().map(|time| (*time).clone()),
            ended_at: times.last().map(|time| (*time).clone()),
            file: self.private.hide(&file),
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
}

/// Returns the numbers of the turns of the main conversation. Those that only bring results have none: they are shown with the
/// calls.
fn numbers<'m>(model: &'m Model<'_>) -> HashMap<&'m str, u64> {
    let brings_results = |turn: &Turn<'_>| {
        let mut records = turn.records.iter().map(|at| model.records[*at]);
        records.all(|record| !record.outcomes.is_empty() && record.calls.is_empty())
    };
    let own = model
        .turns
        .iter()
        .filter(|turn| turn.parent.is_none() && !brings_results(turn));
    own.map(|turn| turn.message_id).zip(1..).collect()
}

/// Returns the turns with these numbers, and those of the sub-agents that they started.
fn within<'m, 'a>(
    model: &'m Model<'a>,
    numbers: &HashMap<&str, u64>,
    wanted: TurnNumbers,
) -> Vec<&'m Turn<'a>> {
    let is_wanted = |turn: &Turn<'_>| {
        let number = numbers.get(turn.message_id);
        turn.parent.is_none()
            && number.is_some_and(|number| (wanted.first..=wanted.last).contains(number))
    };
    let mut calls: HashSet<&str> = HashSet::new();
    let mut known: HashSet<&str> = HashSet::new();
    loop {
        let before = known.len();
        for turn in &model.turns {
            let is_below = turn.parent.is_some_and(|parent| calls.contains(parent));
            if (is_below || is_wanted(turn)) && known.insert(turn.message_id) {
                let records = turn.records.iter().flat_map(|at| &model.records[*at].calls);
                calls.extend(records.map(|call| call.id.as_str()));
            }
        }
        if known.len() == before {
            break;
        }
    }
    model
        .turns
        .iter()
        .filter(|turn| known.contains(turn.message_id))
        .collect()
}
