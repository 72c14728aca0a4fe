//! Totals of transcripts that are not in the index yet, without waiting for it.

use super::IndexDatabase;
use super::extract::{Depth, Entry, entry};
use super::feed::{Pieces, THREADS};
use super::plan::KnownFile;
use super::runs::{RUNS, run_rows, uses};
use super::stats::{FileSums, reply, unreadable};
use super::sums::{SumRow, add};
use super::tokens::{MessageRow, NOBODYS, Tokens};
use crate::line::{About, Line, milliseconds};
use crate::model::Runs;
use crate::price::Prices;
use crate::setup::Setup;
use crate::source::{Dir, FoundFile};
use ccd_protocol::conversation::{ConversationStatsReply, StatsBy, StatsGroup, UnreadableFiles};
use ccd_store::{SqlResult, query_as};
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io;
use std::sync::Arc;

/// When so much is not in the index, totals come from the transcripts, many times as fast as making what a search needs.
pub(crate) const MIN_BYTES: u64 = 64 << 20;

/// Time zones differ by multiples of this, so all of it is in one day.
const QUARTER_MS: i64 = 15 * 60 * 1000;

/// What `sums` and `stats` take from the tables of the index, of all files.
#[derive(Debug, Default)]
struct Totals {
    /// By the order of their paths.
    files: BTreeMap<i64, (FoundFile, FileFacts)>,
    tokens: Tokens,
    /// Names of tools by the ids of their calls.
    calls: HashMap<String, String>,
    failed_calls: HashSet<String>,
}

#[derive(Debug, Default)]
struct FileFacts {
    about: About,
    skipped: u64,
    error: Option<String>,
    /// Of a stream: what the ends of its runs say, and whether one has not ended.
    runs: Option<Runs>,
    is_running: bool,
    /// It has records of sub-agents that do not say whose they are.
    has_nobodys: bool,
}

/// Reads all transcripts of directories. `database` only knows the time zone.
pub(crate) async fn totals(
    database: &IndexDatabase,
    setup: &Arc<Setup>,
    dirs: Vec<Dir>,
    by: Option<StatsBy>,
    prices: &Arc<Prices>,
) -> SqlResult<ConversationStatsReply> {
    let (setup, prices) = (Arc::clone(setup), Arc::clone(prices));
    let read = move || read_all(setup.find(&dirs), &prices);
    let totals = ccd_store::blocking(read).await;
    let rows = totals.rows();
    let days = match by {
        Some(StatsBy::Day) => days(database, &rows).await?,
        _ => HashMap::new(),
    };
    let key = |row: &MessageRow| {
        let (file, facts) = &totals.files[&row.file_id];
        let key = match by {
            None | Some(StatsBy::Tool) => None,
            Some(StatsBy::Day) => row.at.and_then(|at| days.get(&at.div_euclid(QUARTER_MS))),
            Some(StatsBy::Project) => facts.about.cwd.as_ref(),
            Some(StatsBy::Branch) => facts.about.branch.as_ref(),
            Some(StatsBy::Session) => Some(&file.session_id),
            Some(StatsBy::Model) => row.model.as_ref(),
        };
        key.cloned().unwrap_or_default()
    };
    let (partial, mut sums) = (totals.partial(), Vec::new());
    for row in rows {
        let is_message = row.tool_use_id.is_none();
        let sum = SumRow {
            key: key(row),
            model: row.model.clone().unwrap_or_default(),
            is_sub: row.is_sub,
            messages: i64::from(is_message && !row.message_id.contains('#')),
            input_tokens: row.input_tokens,
            output_tokens: row.output_tokens,
            cache_creation_input_tokens: row.cache_creation_input_tokens,
            cache_read_input_tokens: row.cache_read_input_tokens,
            ephemeral_5m_input_tokens: row.ephemeral_5m_input_tokens,
            ephemeral_1h_input_tokens: row.ephemeral_1h_input_tokens,
            web_search_requests: row.web_search_requests,
            cost_usd: row.cost_usd,
            unpriced: i64::from(row.cost_usd.is_none()),
            is_partial: is_message && partial.contains(&*totals.files[&row.file_id].0.session_id),
        };
        add(&mut sums, sum);
    }
    Ok(ConversationStatsReply {
        unreadable: totals.unreadable(),
        ..reply(by, sums, totals.tools(), totals.counts())
    })
}

fn read_all(files: Vec<FoundFile>, prices: &Prices) -> Totals {
    let files = Mutex::new((0..).zip(files));
    let totals = Mutex::new(Totals::default());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let next = || files.lock().next();
                while let Some((number, file)) = next() {
                    let own = Totals::read_file(number, file, prices);
                    totals.lock().merge(own);
                }
            });
        }
    });
    totals.into_inner()
}

impl Totals {
    fn read_file(number: i64, file: FoundFile, prices: &Prices) -> Self {
        let mut totals = Self::default();
        let facts = totals.read(number, &file, prices).unwrap_or_else(|error| {
            tracing::warn!(%error, path = %file.path.display(), "a transcript cannot be read");
            FileFacts {
                error: Some(error.to_string()),
                ..FileFacts::default()
            }
        });
        totals.files.insert(number, (file, facts));
        totals
    }

    fn read(&mut self, number: i64, file: &FoundFile, prices: &Prices) -> io::Result<FileFacts> {
        let mut facts = FileFacts::default();
        let mut pieces = Pieces::open(file, &KnownFile::default())?;
        while pieces
            .next(&mut |offset, length, line| {
                facts.about.take(&line);
                self.take_run(number, file, &mut facts, &line);
                if let Some(entry) = entry(offset, length, &line, Some(prices), Depth::Numbers) {
                    self.take(number, entry);
                }
            })?
            .is_some()
        {}
        facts.skipped = pieces.lines.counts().skipped;
        facts.has_nobodys = self.tokens.parents.remove(NOBODYS);
        self.tokens.parents.extend(file.parent_tool_use_id.clone());
        Ok(facts)
    }

    /// Takes what a line says of the runs of a stream, as the index does.
    fn take_run(&mut self, number: i64, file: &FoundFile, facts: &mut FileFacts, line: &Line<'_>) {
        facts.is_running |= line.is_run_start;
        let Some(used) = &line.run_used else {
            return;
        };
        facts.is_running = false;
        let messages = &mut self.tokens.messages;
        messages.retain(|id, _| !id.starts_with(RUNS));
        let runs = facts.runs.get_or_insert_default();
        let own = messages.values().filter(|row| row.tool_use_id.is_none());
        runs.end(used.clone(), uses(own));
        let ended_at = line.timestamp.as_deref().and_then(milliseconds);
        let rows = run_rows(number, &file.session_id, ended_at, runs);
        let priced = runs.cost_usd().map(|_| 0.0);
        let all = messages.values_mut();
        all.for_each(|message| message.cost_usd = message.cost_usd.or(priced));
        let by_id = |row: MessageRow| (row.message_id.clone(), row);
        messages.extend(rows.into_iter().map(by_id));
    }

    /// Takes a record.
    fn take(&mut self, number: i64, entry: Entry) {
        self.tokens.take(number, &entry);
        for call in entry.calls {
            self.take_call(call.tool_use_id, call.name);
        }
        let failed = entry.results.into_iter().filter(|result| result.is_error);
        self.failed_calls
            .extend(failed.map(|result| result.tool_use_id));
    }

    /// Of several names for one call, which nobody should have written, the first counts.
    fn take_call(&mut self, id: String, name: String) {
        match self.calls.get(&id) {
            Some(known) if *known <= name => {}
            _ => drop(self.calls.insert(id, name)),
        }
    }

    fn merge(&mut self, other: Self) {
        self.files.extend(other.files);
        self.tokens.merge(other.tokens);
        for (id, name) in other.calls {
            self.take_call(id, name);
        }
        self.failed_calls.extend(other.failed_calls);
    }

    fn unreadable(&self) -> Option<UnreadableFiles> {
        let files = self.files.values();
        let failed = files.filter_map(|(file, facts)| Some((file, facts.error.as_ref()?)));
        unreadable(failed.map(|(file, error)| (file.path.to_string_lossy().into_owned(), error)))
    }

    /// Returns the files that have lines with a time.
    fn timed(&self) -> impl Iterator<Item = &(FoundFile, FileFacts)> {
        let files = self.files.values();
        files.filter(|(_, facts)| facts.about.started_at.is_some())
    }

    /// Returns the sessions that have a transcript.
    fn with_transcript(&self) -> HashSet<&str> {
        let all = self.timed().filter(|(file, facts)| {
            file.agent_id.is_none() && facts.runs.is_none() && !facts.is_running
        });
        all.map(|(file, _)| &*file.session_id).collect()
    }

    /// Returns the sessions with a stream whose last run has not ended, and without a transcript.
    fn partial(&self) -> HashSet<&str> {
        let with_transcript = self.with_transcript();
        let running = self.timed().filter(|(_, facts)| facts.is_running);
        let sessions = running.map(|(file, _)| &*file.session_id);
        sessions
            .filter(|session| !with_transcript.contains(session))
            .collect()
    }

    /// Returns everything that counts: messages, and what results say of sub-agents of which there is no record. They are in
    /// order, because a sum of fractions depends on it.
    fn rows(&self) -> Vec<&MessageRow> {
        let with_transcript = self.with_transcript();
        let parents = &self.tokens.parents;
        let agents = self.files.values();
        let agents: HashSet<&String> = agents
            .filter_map(|(file, _)| file.agent_id.as_ref())
            .collect();
        let is_counted = |row: &&MessageRow| {
            let (file, facts) = &self.files[&row.file_id];
            let Some(call) = &row.tool_use_id else {
                let is_run = row.message_id.starts_with(RUNS);
                return !is_run || !with_transcript.contains(&*file.session_id);
            };
            let is_agent = |agent| parents.contains(agent) || agents.contains(agent);
            let is_elsewhere = facts.has_nobodys || facts.runs.is_some();
            !is_elsewhere && !parents.contains(call) && !row.agent_id.as_ref().is_some_and(is_agent)
        };
        let mut rows: Vec<&MessageRow> = self.tokens.messages.values().filter(is_counted).collect();
        rows.sort_unstable_by_key(|row| (row.file_id, &row.message_id));
        rows
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

    fn counts(&self) -> FileSums {
        let sessions: HashSet<&str> = self.timed().map(|(file, _)| &*file.session_id).collect();
        FileSums {
            conversations: sessions.len() as u64,
            partial: self.partial().len() as u64,
            skipped_lines: self.timed().map(|(_, facts)| facts.skipped).sum(),
        }
    }
}

/// Returns the days of this process's time zone in which quarters of an hour are. SQLite knows them as in `sums`.
async fn days(database: &IndexDatabase, rows: &[&MessageRow]) -> SqlResult<HashMap<i64, String>> {
    let times = rows.iter().filter_map(|row| row.at);
    let quarters: BTreeSet<i64> = times.map(|at| at.div_euclid(QUARTER_MS)).collect();
    let quarters = serde_json::to_string(&quarters).unwrap_or_default();
    let days = query_as::<_, (i64, String)>(
        "SELECT value, date(value * 900, 'unixepoch', 'localtime') FROM json_each(?)",
    );
    let days = days.bind(quarters).fetch_all(database.readers()).await?;
    Ok(days.into_iter().collect())
}
