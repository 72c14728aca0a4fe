//! Reads `events.sqlite`.

use super::EventWrite;
use crate::aggregate::CONTEXT_KEYS;
use crate::deliver::Delivery;
use crate::event::{Event, Success};
use ccd_protocol::coach::{CoachEvent, EventType, Mute, SignalType};
use ccd_store::{Database, SqlResult, query_as, query_scalar};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::path::PathBuf;

type Events = Database<EventWrite>;

/// Members of an event's context that name a place in the transcript.
pub(crate) const TOOL_USE_ID: &str = "tool_use_id";
pub(crate) const PROMPT_ID: &str = "prompt_id";

#[derive(Debug, Default)]
pub(crate) struct Filter {
    pub(crate) since: Option<String>,
    pub(crate) signal_type: Option<SignalType>,
    pub(crate) repo_id: Option<String>,
    pub(crate) before: Option<String>,
    pub(crate) limit: u32,
}

/// Columns of an event. Rows of other programs may lack anything but id and time.
type EventColumns = (
    String,
    String,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<i64>,
    Option<String>,
    Option<String>,
);

const COLUMNS: &str = "events.id, timestamp, event_type, signal_type, events.repo_id, content, context, processed, session_id";

/// Returns one page of events, newest first.
pub(crate) async fn page(events: &Events, filter: Filter) -> SqlResult<Vec<CoachEvent>> {
    let statement = format!(
        "SELECT {COLUMNS}, root FROM events
            LEFT JOIN ccd_event_sources ON event_id = events.id
            LEFT JOIN ccd_projects ON ccd_projects.repo_id = events.repo_id
        WHERE (?1 IS NULL OR timestamp >= ?1) AND (?2 IS NULL OR signal_type = ?2) AND (?3 IS NULL OR events.repo_id = ?3)
            AND (?4 IS NULL OR (timestamp, events.rowid) < (SELECT timestamp, rowid FROM events WHERE id = ?4))
        ORDER BY timestamp DESC, events.rowid DESC LIMIT ?5"
    );
    let rows: Vec<EventColumns> = query_as(ccd_store::AssertSqlSafe(statement))
        .bind(filter.since)
        .bind(filter.signal_type.map(SignalType::name))
        .bind(filter.repo_id)
        .bind(filter.before)
        .bind(filter.limit)
        .fetch_all(events.readers())
        .await?;
    Ok(rows.into_iter().filter_map(listed).collect())
}

fn listed(row: EventColumns) -> Option<CoachEvent> {
    let mut context = object(row.6);
    let mut id = |name| match context.remove(name) {
        Some(Value::String(id)) => Some(id),
        _ => None,
    };
    Some(CoachEvent {
        tool_use_id: id(TOOL_USE_ID),
        prompt_id: id(PROMPT_ID),
        id: row.0,
        timestamp: row.1,
        event_type: match row.2.as_deref() {
            Some("pre") => EventType::Pre,
            Some("tool") => EventType::Tool,
            _ => EventType::Post,
        },
        signal_type: SignalType::named(&row.3?)?,
        repo_id: row.4.unwrap_or_default(),
        content: row.5.unwrap_or_default(),
        context,
        processed: row.7.unwrap_or_default() != 0,
        session_id: row.8.filter(|id| !id.is_empty()),
        project: row.9,
    })
}

fn object(json: Option<String>) -> Map<String, Value> {
    json.and_then(|json| serde_json::from_str(&json).ok())
        .unwrap_or_default()
}

/// Returns the ids of those deliveries that were taken before.
pub(crate) async fn taken(events: &Events, deliveries: &[Delivery]) -> SqlResult<HashSet<String>> {
    let taken = query_scalar(
        "SELECT delivery_id FROM ccd_deliveries WHERE delivery_id IN (SELECT value FROM json_each(?1))",
    );
    let ids: Vec<&str> = deliveries.iter().map(|one| one.id.as_str()).collect();
    let json = serde_json::to_string(&ids).unwrap_or_default();
    let taken: Vec<String> = taken.bind(json).fetch_all(events.readers()).await?;
    Ok(taken.into_iter().collect())
}

const PAGE_LEN: u32 = 2000;

/// With this many waiting events or more, all sources are read.
const MANY_EVENTS: i64 = 10_000;

/// Returns events that are not processed, at most `limit`, in any order, and the ids of those that cannot be understood.
pub(crate) async fn pending(events: &Events, limit: u32) -> SqlResult<(Vec<Event>, Vec<String>)> {
    let ends = query_as("SELECT min(rowid), max(rowid) FROM events WHERE processed = 0");
    let ends: (Option<i64>, Option<i64>) = ends.fetch_one(events.readers()).await?;
    let (Some(first), Some(last)) = ends else {
        return Ok((Vec::new(), Vec::new()));
    };
    // Reading and parsing take about the same time, so two of each keep two processors busy.
    let middle = first + (last - first) / 2;
    let ((mut pending, mut strange), (more, also_strange), mut sources) = tokio::try_join!(
        pending_between(events, first - 1, middle, limit / 2),
        pending_between(events, middle, last, limit / 2),
        sources(events, last - first >= MANY_EVENTS)
    )?;
    pending.extend(more);
    strange.extend(also_strange);
    for event in &mut pending {
        (event.repo_key, event.session_id) = sources.remove(&event.id).unwrap_or_default();
    }
    Ok((pending, strange))
}

/// Where events come from: the key of the repository, and the session.
type Sources = HashMap<String, (String, String)>;

/// Returns the sources of the events that are not processed. If there are `many`, reading all sources is faster than looking
/// each one up.
async fn sources(events: &Events, many: bool) -> SqlResult<Sources> {
    let waiting = "WHERE event_id IN (SELECT id FROM events WHERE processed = 0)";
    let statement = format!(
        "SELECT group_concat(concat_ws({FIELD_END}, event_id, coalesce(repo_key, ''), coalesce(session_id, '')), {ROW_END})
            FROM ccd_event_sources {}",
        if many { "" } else { waiting }
    );
    let rows = query_scalar(ccd_store::AssertSqlSafe(statement));
    let rows: Option<String> = rows.fetch_one(events.readers()).await?;
    let parse = ccd_store::blocking(move || {
        let rows = rows.iter().flat_map(|rows| rows.split(ROW_SEPARATOR));
        let source = |row: &str| {
            let (id, source) = row.split_once(FIELD_SEPARATOR)?;
            let (key, session) = source.split_once(FIELD_SEPARATOR)?;
            Some((id.to_owned(), (key.to_owned(), session.to_owned())))
        };
        rows.filter_map(source).collect()
    });
    Ok(parse.await)
}

async fn pending_between(
    events: &Events,
    after: i64,
    upto: i64,
    limit: u32,
) -> SqlResult<(Vec<Event>, Vec<String>)> {
    let (mut pending, mut strange, mut left) = (Vec::new(), Vec::new(), limit);
    let mut page = pending_page(events, after, upto, left).await?;
    while let (len, Some(last), Some(rows)) = page {
        left = left.saturating_sub(len);
        let parse = ccd_store::blocking(move || {
            for event in rows.split(ROW_SEPARATOR).map(parsed) {
                match event {
                    Ok(event) => pending.push(event),
                    Err(id) => strange.push(id),
                }
            }
            (pending, strange)
        });
        let (next, parsed) = tokio::join!(pending_page(events, last, upto, left), parse);
        ((pending, strange), page) = (parsed, next?);
    }
    Ok((pending, strange))
}

/// Between the columns and between the rows of a page; as SQL and as characters.
const FIELD_END: &str = "char(31)";
const FIELD_SEPARATOR: char = '\u{1f}';
const ROW_END: &str = "char(30)";
const ROW_SEPARATOR: char = '\u{1e}';

/// Returns the number of the events after one, the last one, and all of them as one text: so many single values would cost
/// more on their way through threads than the parsing.
async fn pending_page(
    events: &Events,
    after: i64,
    upto: i64,
    limit: u32,
) -> SqlResult<(u32, Option<i64>, Option<String>)> {
    let text = |column: &str| {
        format!("replace(replace(coalesce({column}, ''), {FIELD_END}, ' '), {ROW_END}, ' ')")
    };
    let (content, context) = (
        text("content"),
        text("iif(typeof(context) = 'text', context, '')"),
    );
    let statement = format!(
        "SELECT count(*), max(number), group_concat(event, {ROW_END}) FROM (
            SELECT rowid AS number, concat_ws({FIELD_END}, id, timestamp, coalesce(signal_type, ''), coalesce(repo_id, ''),
                {content}, {context}) AS event
            FROM events WHERE processed = 0 AND rowid > ?1 AND rowid <= ?2 ORDER BY rowid LIMIT ?3)"
    );
    let page = query_as(ccd_store::AssertSqlSafe(statement));
    let page = page.bind(after).bind(upto).bind(limit.min(PAGE_LEN));
    page.fetch_one(events.readers()).await
}

/// Returns the event of a row, or its id. Another program may have written anything.
fn parsed(row: &str) -> Result<Event, String> {
    let mut columns = row.split(FIELD_SEPARATOR);
    let mut column = || columns.next().unwrap_or_default();
    let (id, timestamp, signal_type) = (column().to_owned(), column().to_owned(), column());
    let Some(signal_type) = SignalType::named(signal_type) else {
        return Err(id);
    };
    let (repo_id, content) = (column().to_owned(), column().to_owned());
    let context = serde_json::from_str::<Context>(column());
    Ok(Event {
        id,
        timestamp,
        signal_type,
        repo_id,
        repo_key: String::new(),
        session_id: String::new(),
        content,
        context: context.unwrap_or_default().0,
    })
}

/// Of a context, what the aggregation reads.
#[derive(Default)]
struct Context(Map<String, Value>);

impl<'de> Deserialize<'de> for Context {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Self::default())
    }
}

impl<'de> Visitor<'de> for Context {
    type Value = Self;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self, A::Error> {
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            if CONTEXT_KEYS.contains(&&*key) {
                self.0.insert(key.into_owned(), map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(self)
    }
}

/// Returns the successes from a time on, oldest first.
pub(crate) async fn successes(events: &Events, since: &str) -> SqlResult<Vec<Success>> {
    let rows = query_as("SELECT * FROM ccd_successes WHERE timestamp >= ?1 ORDER BY timestamp, id");
    rows.bind(since).fetch_all(events.readers()).await
}

#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) pending: u64,
    pub(crate) processed: u64,
    pub(crate) by_type: BTreeMap<String, u64>,
}

pub(crate) async fn counts(events: &Events) -> SqlResult<Counts> {
    let rows = query_as(
        "SELECT signal_type, coalesce(processed, 0) != 0, count(*) FROM events GROUP BY 1, 2",
    );
    let rows: Vec<(Option<String>, bool, i64)> = rows.fetch_all(events.readers()).await?;
    let mut counts = Counts::default();
    for (signal_type, is_processed, count) in rows {
        let count = count.unsigned_abs();
        if is_processed {
            counts.processed += count;
        } else {
            counts.pending += count;
        }
        let signal_type = signal_type.unwrap_or_default();
        *counts.by_type.entry(signal_type).or_default() += count;
    }
    Ok(counts)
}

/// Counts the events from a time on, by day, type and repository.
pub(crate) async fn by_day(
    events: &Events,
    since: &str,
) -> SqlResult<Vec<(String, Option<String>, Option<String>, i64)>> {
    let rows = "SELECT substr(timestamp, 1, 10), signal_type, repo_id, count(*) FROM events
        WHERE timestamp >= ?1 GROUP BY 1, 2, 3 ORDER BY 1";
    query_as(rows).bind(since).fetch_all(events.readers()).await
}

/// Returns where the projects are, by the ids of their repositories.
pub(crate) async fn projects(events: &Events) -> SqlResult<BTreeMap<String, PathBuf>> {
    let rows = query_as("SELECT repo_id, root FROM ccd_projects");
    let rows: Vec<(String, String)> = rows.fetch_all(events.readers()).await?;
    let rows = rows.into_iter();
    Ok(rows.map(|(id, root)| (id, root.into())).collect())
}

pub(crate) async fn mutes(events: &Events) -> SqlResult<Vec<Mute>> {
    let rows = query_as("SELECT signal_type, repo_id, since FROM ccd_mutes ORDER BY since");
    let rows: Vec<(String, String, String)> = rows.fetch_all(events.readers()).await?;
    let mute = |(signal_type, repo_id, since): (String, String, String)| Mute {
        signal_type: SignalType::named(&signal_type),
        repo_id: Some(repo_id).filter(|id| !id.is_empty()),
        since,
    };
    Ok(rows.into_iter().map(mute).collect())
}

pub(crate) async fn contexts_of(events: &Events, ids: &[&str]) -> SqlResult<Vec<Value>> {
    let rows =
        query_scalar("SELECT context FROM events WHERE id IN (SELECT value FROM json_each(?1))");
    let json = serde_json::to_string(ids).unwrap_or_default();
    let rows: Vec<Option<String>> = rows.bind(json).fetch_all(events.readers()).await?;
    let contexts = rows.into_iter().map(|json| Value::Object(object(json)));
    Ok(contexts.collect())
}
