//! Totals of transcripts that are not in the index yet, without waiting for it.

use super::IndexWrite;
use super::extract::{Depth, Entry, entry};
use super::feed::{Pieces, THREADS};
use super::plan::KnownFile;
use super::runs::{RUNS, run_rows, uses};
use super::stats::{FileSums, reply};
use super::sums::{Sum, SumRow, add};
use super::tokens::{MessageRow, message_rows};
use crate::line::{About, Line, Usage, milliseconds};
use crate::model::Runs;
use crate::price::Prices;
use crate::setup::Setup;
use crate::source::{Dir, FoundFile};
use ccd_protocol::conversation::{ConversationStatsReply, StatsBy, StatsGroup, UnreadableFiles};
use ccd_store::{Database, SqlResult, query_as};
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// When so much is not in the index, totals come from the transcripts, many times as fast as making what a search needs.
pub(crate) const MIN_BYTES: u64 = 64 << 20;

/// Time zones differ by multiples of this, so all of it is in one day.
const QUARTER_MS: i64 = 15 * 60 * 1000;

/// What `sums` and `stats` take from the tables of the index, of all files.
#[derive(Debug, Default)]
struct Totals {
    /// In the order of their paths.
    files: Vec<FileFacts>,
    /// As the copy that says it has most output has them; of several such, that of the first file.
    messages: HashMap<String, MessageRow>,
    agents: HashMap<String, AgentUse>,
    /// Calls with records of a sub-agent.
    parents: HashSet<String>,
    /// Files with records of sub-agents that do not say whose they are.
    nobodys: HashSet<usize>,
    /// Names of tools by the ids of their calls.
    calls: HashMap<String, String>,
    failed_calls: HashSet<String>,
}

#[derive(Debug, Clone, Default)]
struct FileFacts {
    about: About,
    skipped: u64,
    error: Option<String>,
    /// Of a stream: what the ends of its runs say, and whether one has not ended.
    runs: Option<Runs>,
    is_running: bool,
}

/// What a result says that its sub-agent used.
#[derive(Debug)]
struct AgentUse {
    file: usize,
    agent_id: Option<String>,
    at: Option<i64>,
    usage: Usage,
}

/// Reads all transcripts of directories. `database` only knows the time zone.
pub(crate) async fn totals(
    database: &Database<IndexWrite>,
    setup: &Arc<Setup>,
    dirs: Vec<Dir>,
    by: Option<StatsBy>,
    prices: &Arc<Prices>,
) -> SqlResult<ConversationStatsReply> {
    let (setup, prices) = (Arc::clone(setup), Arc::clone(prices));
    let (files, totals) = ccd_store::blocking(move || {
        let files = setup.find(&dirs);
        let totals = read_all(&files, &prices);
        (files, totals)
    })
    .await;
    let days = match by {
        Some(StatsBy::Day) => days(database, totals.quarters()).await?,
        _ => HashMap::new(),
    };
    let key = |file: usize, at: Option<i64>, model: &str| match by {
        None | Some(StatsBy::Tool) => String::new(),
        Some(StatsBy::Day) => {
            let day = at.and_then(|at| days.get(&at.div_euclid(QUARTER_MS)));
            day.cloned().unwrap_or_default()
        }
        Some(StatsBy::Project) => totals.files[file].about.cwd.clone().unwrap_or_default(),
        Some(StatsBy::Branch) => totals.files[file].about.branch.clone().unwrap_or_default(),
        Some(StatsBy::Session) => files[file].session_id.clone(),
        Some(StatsBy::Model) => model.to_owned(),
    };
    let mut sums = Vec::new();
    totals.add_messages(&files, &mut sums, &key);
    totals.add_agents(&files, &mut sums, &key);
    Ok(ConversationStatsReply {
        unreadable: totals.unreadable(&files),
        ..reply(by, sums, totals.tools(), totals.counts(&files))
    })
}

fn read_all(files: &[FoundFile], prices: &Prices) -> Totals {
    let totals = Mutex::new(Totals {
        files: vec![FileFacts::default(); files.len()],
        ..Totals::default()
    });
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..THREADS.min(files.len()) {
            scope.spawn(|| {
                while let Some((at, file)) = {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    files.get(at).map(|file| (at, file))
                } {
                    let mut own = Totals::default();
                    let facts = own.read(at, file, prices).unwrap_or_else(|error| {
                        tracing::warn!(%error, path = %file.path.display(), "a transcript cannot be read");
                        FileFacts {
                            error: Some(error.to_string()),
                            ..FileFacts::default()
                        }
                    });
                    let mut totals = totals.lock();
                    totals.files[at] = facts;
                    totals.merge(own);
                }
            });
        }
    });
    totals.into_inner()
}

impl Totals {
    fn unreadable(&self, files: &[FoundFile]) -> Option<UnreadableFiles> {
        let each = files.iter().zip(&self.files);
        let mut failed = each.filter_map(|(file, facts)| Some((file, facts.error.as_ref()?)));
        let (file, error) = failed.next()?;
        Some(UnreadableFiles {
            file: file.path.to_string_lossy().into_owned(),
            error: error.clone(),
            count: 1 + failed.count() as u64,
        })
    }

    fn read(&mut self, at: usize, file: &FoundFile, prices: &Prices) -> io::Result<FileFacts> {
        let mut facts = FileFacts::default();
        let mut pieces = Pieces::open(file, KnownFile::default())?;
        self.parents.extend(file.parent_tool_use_id.clone());
        while pieces
            .next(&mut |offset, length, line| {
                facts.about.take(&line);
                self.take_run(at, file, &mut facts, &line);
                if let Some(entry) = entry(offset, length, &line, Some(prices), Depth::Numbers) {
                    self.take(at, entry);
                }
            })?
            .is_some()
        {}
        facts.skipped = pieces.lines.counts().skipped;
        Ok(facts)
    }

    /// Takes what a line says of the runs of a stream, as the index does.
    fn take_run(&mut self, at: usize, file: &FoundFile, facts: &mut FileFacts, line: &Line<'_>) {
        facts.is_running |= line.is_run_start;
        let Some(used) = &line.run_used else {
            return;
        };
        facts.is_running = false;
        self.messages.retain(|id, _| !id.starts_with(RUNS));
        let runs = facts.runs.get_or_insert_default();
        runs.end(used.clone(), uses(self.messages.values()));
        let ended_at = line.timestamp.as_deref().and_then(milliseconds);
        let rows = run_rows(at as i64, &file.session_id, ended_at, runs);
        let priced = runs.cost_usd().map(|_| 0.0);
        let messages = self.messages.values_mut();
        messages.for_each(|message| message.cost_usd = message.cost_usd.or(priced));
        let by_id = |row: MessageRow| (row.message_id.clone(), row);
        self.messages.extend(rows.into_iter().map(by_id));
    }

    /// Takes a record, as the index does.
    fn take(&mut self, file: usize, entry: Entry) {
        for row in message_rows(file as i64, &entry) {
            self.take_message(row);
        }
        if let (Some((agent_id, Some(usage))), [(tool_use_id, _)]) =
            (entry.agent_report, &entry.results[..])
        {
            let used = AgentUse {
                file,
                agent_id,
                at: entry.at,
                usage,
            };
            self.take_agent(tool_use_id.clone(), used);
        }
        let agent = entry.agent_id.filter(|_| entry.is_sub);
        match entry.parent_tool_use_id.or(agent) {
            _ if entry.is_progress => {}
            Some(parent) => drop(self.parents.insert(parent)),
            None if entry.is_sub && entry.usage.is_some() => drop(self.nobodys.insert(file)),
            None => {}
        }
        for call in entry.calls {
            self.take_call(call.tool_use_id, call.name);
        }
        let failed = entry.results.into_iter().filter(|(_, is_error)| *is_error);
        self.failed_calls.extend(failed.map(|(id, _)| id));
    }

    fn take_message(&mut self, mut new: MessageRow) {
        let Some(known) = self.messages.get_mut(&new.message_id) else {
            self.messages.insert(new.message_id.clone(), new);
            return;
        };
        let is_sub = known.is_sub && new.is_sub;
        // In one file the last record counts, of several files the first.
        let is_better = if new.file_id == known.file_id {
            new.output_tokens >= known.output_tokens
        } else {
            (known.output_tokens, new.file_id) < (new.output_tokens, known.file_id)
        };
        if is_better {
            std::mem::swap(known, &mut new);
        }
        known.is_sub = is_sub;
    }

    /// Of several names for one call, which nobody should have written, the first counts.
    fn take_call(&mut self, id: String, name: String) {
        match self.calls.get(&id) {
            Some(known) if *known <= name => {}
            _ => drop(self.calls.insert(id, name)),
        }
    }

    fn take_agent(&mut self, id: String, new: AgentUse) {
        match self.agents.get(&id) {
            Some(known) if known.usage.output_tokens >= new.usage.output_tokens => {}
            _ => drop(self.agents.insert(id, new)),
        }
    }

    fn merge(&mut self, other: Self) {
        for message in other.messages.into_values() {
            self.take_message(message);
        }
        for (id, agent) in other.agents {
            self.take_agent(id, agent);
        }
        self.parents.extend(other.parents);
        self.nobodys.extend(other.nobodys);
        for (id, name) in other.calls {
            self.take_call(id, name);
        }
        self.failed_calls.extend(other.failed_calls);
    }

    fn quarters(&self) -> BTreeSet<i64> {
        let messages = self.messages.values().filter_map(|message| message.at);
        let agents = self.agents.values().filter_map(|agent| agent.at);
        messages
            .chain(agents)
            .map(|at| at.div_euclid(QUARTER_MS))
            .collect()
    }

    /// Returns the sessions that have a transcript.
    fn with_transcript<'a>(&self, files: &'a [FoundFile]) -> HashSet<&'a str> {
        let all = files.iter().zip(&self.files).filter(|(file, facts)| {
            let is_main = file.agent_id.is_none() && facts.about.started_at.is_some();
            is_main && facts.runs.is_none() && !facts.is_running
        });
        all.map(|(file, _)| &*file.session_id).collect()
    }

    /// Returns the sessions with a stream whose last run has not ended, and without a transcript.
    fn partial<'a>(&self, files: &'a [FoundFile]) -> HashSet<&'a str> {
        let with_transcript = self.with_transcript(files);
        let running = files.iter().zip(&self.files);
        let running =
            running.filter(|(_, facts)| facts.is_running && facts.about.started_at.is_some());
        let sessions = running.map(|(file, _)| &*file.session_id);
        sessions
            .filter(|session| !with_transcript.contains(session))
            .collect()
    }

    fn add_messages(
        &self,
        files: &[FoundFile],
        sums: &mut Vec<Sum>,
        key: &impl Fn(usize, Option<i64>, &str) -> String,
    ) {
        let (with_transcript, partial) = (self.with_transcript(files), self.partial(files));
        let is_known = |row: &&MessageRow| {
            let file = &files[usize::try_from(row.file_id).unwrap_or_default()];
            row.message_id.starts_with(RUNS) && with_transcript.contains(&*file.session_id)
        };
        // A sum of fractions depends on the order.
        let messages = self.messages.values().filter(|row| !is_known(row));
        let mut messages: Vec<&MessageRow> = messages.collect();
        messages.sort_unstable_by_key(|row| (row.file_id, &row.message_id));
        for row in messages {
            let model = row.model.clone().unwrap_or_default();
            let file = usize::try_from(row.file_id).unwrap_or_default();
            let row = SumRow {
                key: key(file, row.at, &model),
                model,
                is_sub: row.is_sub,
                messages: i64::from(!row.message_id.contains('#')),
                input_tokens: row.input_tokens,
                output_tokens: row.output_tokens,
                cache_creation_input_tokens: row.cache_creation_input_tokens,
                cache_read_input_tokens: row.cache_read_input_tokens,
                ephemeral_5m_input_tokens: row.ephemeral_5m_input_tokens,
                ephemeral_1h_input_tokens: row.ephemeral_1h_input_tokens,
                web_search_requests: row.web_search_requests,
                cost_usd: row.cost_usd,
                unpriced: i64::from(row.cost_usd.is_none()),
                is_partial: partial.contains(&*files[file].session_id),
            };
            add(sums, row);
        }
    }

    /// Adds what results say of sub-agents of which there is no record.
    fn add_agents(
        &self,
        files: &[FoundFile],
        sums: &mut Vec<Sum>,
        key: &impl Fn(usize, Option<i64>, &str) -> String,
    ) {
        let with_file: HashSet<&str> = files
            .iter()
            .filter_map(|file| file.agent_id.as_deref())
            .collect();
        for (tool_use_id, agent) in &self.agents {
            let id = agent.agent_id.as_deref().unwrap_or_default();
            if self.nobodys.contains(&agent.file)
                || self.files[agent.file].runs.is_some()
                || self.parents.contains(tool_use_id)
                || self.parents.contains(id)
                || with_file.contains(id)
            {
                continue;
            }
            let writes = &agent.usage.cache_creation;
            let row = SumRow {
                key: key(agent.file, agent.at, ""),
                is_sub: true,
                unpriced: 1,
                input_tokens: agent.usage.input_tokens.cast_signed(),
                output_tokens: agent.usage.output_tokens.cast_signed(),
                cache_creation_input_tokens: agent.usage.cache_creation_input_tokens.cast_signed(),
                cache_read_input_tokens: agent.usage.cache_read_input_tokens.cast_signed(),
                ephemeral_5m_input_tokens: writes.ephemeral_5m_input_tokens.cast_signed(),
                ephemeral_1h_input_tokens: writes.ephemeral_1h_input_tokens.cast_signed(),
                ..SumRow::default()
            };
            add(sums, row);
        }
    }

    fn tools(&self) -> Vec<StatsGroup> {
        let mut tools: BTreeMap<&str, StatsGroup> = BTreeMap::new();
        for (id, name) in &self.calls {
            let tool = tools.entry(name).or_insert_with(|| StatsGroup {
                key: name.clone(),
                ..StatsGroup::default()
            });
            tool.count += 1;
            tool.errors += u64::from(self.failed_calls.contains(id));
        }
        let mut tools: Vec<StatsGroup> = tools.into_values().collect();
        tools.sort_by_key(|tool| std::cmp::Reverse(tool.count));
        tools
    }

    fn counts(&self, files: &[FoundFile]) -> FileSums {
        let timed = || {
            let all = self.files.iter().zip(files);
            all.filter(|(facts, _)| facts.about.started_at.is_some())
        };
        let sessions: HashSet<&str> = timed().map(|(_, file)| &*file.session_id).collect();
        FileSums {
            conversations: sessions.len() as u64,
            partial: self.partial(files).len() as u64,
            skipped_lines: timed().map(|(facts, _)| facts.skipped).sum(),
        }
    }
}

/// Returns the days of this process's time zone in which quarters of an hour are. SQLite knows them as in `sums`.
async fn days(
    database: &Database<IndexWrite>,
    quarters: BTreeSet<i64>,
) -> SqlResult<HashMap<i64, String>> {
    let quarters = serde_json::to_string(&quarters).unwrap_or_default();
    let days = query_as::<_, (i64, String)>(
        "SELECT value, date(value * 900, 'unixepoch', 'localtime') FROM json_each(?)",
    );
    let days = days.bind(quarters).fetch_all(database.readers()).await?;
    Ok(days.into_iter().collect())
}
