//! Reads `events.sqlite`.

use super::EventWrite;
use crate::deliver::Delivery;
use crate::event::{Event, Success};
use crate::json_rows::{Lenient, json, legible, readable};
use ccd_base::surrogate::mended_text;
use ccd_protocol::coach::{CoachEvent, Mute, SignalType};
use ccd_store::{AssertSqlSafe, Database, SqlResult, query_as, query_scalar};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};
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

/// Returns one page of events, newest first. Rows of other programs may lack anything but id and time.
pub(crate) async fn page(events: &Events, filter: Filter) -> SqlResult<Vec<CoachEvent>> {
    let statement = format!(
        "SELECT json_object('id', CAST(id AS TEXT), 'timestamp', CAST(timestamp AS TEXT), 'event_type', iif(event_type IN ('pre', 'tool'), event_type, 'post'),
                'signal_type', upper(signal_type), 'repo_id', CAST(coalesce(repo_id, '') AS TEXT), 'project', root,
                'session_id', nullif(session_id, ''), 'tool_use_id', CAST(context->>'{TOOL_USE_ID}' AS TEXT),
                'prompt_id', CAST(context->>'{PROMPT_ID}' AS TEXT),
                'content', CAST(coalesce(content, '') AS TEXT), 'context', json_remove(context, '$.{TOOL_USE_ID}', '$.{PROMPT_ID}'),
                'processed', json(iif(processed, 'true', 'false')))
        FROM (
            SELECT id, timestamp, event_type, signal_type, events.repo_id AS repo_id, root, session_id, content, processed,
                events.rowid AS number, iif(json_valid(context), iif(json_type(context) = 'object', context, '{{}}'), '{{}}') AS context
            FROM events
                LEFT JOIN ccd_event_sources ON event_id = events.id
                LEFT JOIN ccd_projects ON ccd_projects.repo_id = events.repo_id
            WHERE (?1 IS NULL OR timestamp >= ?1) AND (?2 IS NULL OR signal_type = ?2) AND (?3 IS NULL OR events.repo_id = ?3)
                AND (?4 IS NULL OR (timestamp, events.rowid) < (SELECT timestamp, rowid FROM events WHERE id = ?4))
            ORDER BY timestamp DESC, events.rowid DESC LIMIT ?5)
        ORDER BY timestamp DESC, number DESC"
    );
    let rows = query_scalar(AssertSqlSafe(statement))
        .bind(filter.since)
        .bind(filter.signal_type.map(SignalType::name))
        .bind(filter.repo_id)
        .bind(filter.before)
        .bind(filter.limit);
    Ok(readable(rows.fetch_all(events.readers()).await?, "events"))
}

/// Returns the ids of those deliveries that were taken before.
pub(crate) async fn taken(events: &Events, deliveries: &[Delivery]) -> SqlResult<HashSet<String>> {
    let taken = query_scalar(
        "SELECT delivery_id FROM ccd_deliveries WHERE delivery_id IN (SELECT value FROM json_each(?1))",
    );
    let ids: Vec<&str> = deliveries.iter().map(|one| one.id.as_str()).collect();
    let taken: Vec<String> = taken.bind(json(&ids)).fetch_all(events.readers()).await?;
    Ok(taken.into_iter().collect())
}

const PAGE_LEN: u32 = 2000;

/// With this many waiting events or more, all sources are read.
const MANY_EVENTS: i64 = 10_000;

/// Returns events that are not processed, at most `limit`, in any order.
pub(crate) async fn pending(events: &Events, limit: u32) -> SqlResult<Vec<Event>> {
    let ends = query_as("SELECT min(rowid), max(rowid) FROM events WHERE processed = 0");
    let ends: (Option<i64>, Option<i64>) = ends.fetch_one(events.readers()).await?;
    let (Some(first), Some(last)) = ends else {
        return Ok(Vec::new());
    };
    // Reading and parsing take about the same time, so two of each keep two processors busy.
    let middle = first + (last - first) / 2;
    let (mut pending, more, mut sources) = tokio::try_join!(
        pending_between(events, first - 1, middle, limit / 2),
        pending_between(events, middle, last, limit / 2),
        sources(events, last - first >= MANY_EVENTS)
    )?;
    pending.extend(more);
    for event in &mut pending {
        let (repo_key, session_id) = sources.remove(&event.id).unwrap_or_default();
        event.repo_key = repo_key.unwrap_or_default();
        event.session_id = session_id.unwrap_or_default();
    }
    Ok(pending)
}

/// Where events come from: the key of the repository, and the session.
type Sources = HashMap<String, (Option<String>, Option<String>)>;

/// Returns the sources of the events that are not processed. If there are `many`, reading all sources is faster than looking
/// each one up.
async fn sources(events: &Events, many: bool) -> SqlResult<Sources> {
    let waiting = "WHERE event_id IN (SELECT id FROM events WHERE processed = 0)";
    let statement = format!(
        "SELECT json_group_object(event_id, json_array(repo_key, session_id)) FROM ccd_event_sources {}",
        if many { "" } else { waiting }
    );
    let json = query_scalar(AssertSqlSafe(statement));
    let json: Vec<u8> = json.fetch_one(events.readers()).await?;
    let parse = move || serde_json::from_str(&mended_text(&json)).unwrap_or_default();
    Ok(ccd_store::blocking(parse).await)
}

async fn pending_between(
    events: &Events,
    after: i64,
    upto: i64,
    limit: u32,
) -> SqlResult<Vec<Event>> {
    let (mut pending, mut left) = (Vec::new(), limit);
    let mut page = pending_page(events, after, upto, left).await?;
    while let (len, Some(last), Some(rows)) = page {
        left = left.saturating_sub(len);
        let parse = ccd_store::blocking(move || {
            let rows = String::from_utf8_lossy(&rows);
            pending.extend(rows.split(ROW_SEPARATOR).map(waiting));
            pending
        });
        let (next, parsed) = tokio::join!(pending_page(events, last, upto, left), parse);
        (pending, page) = (parsed, next?);
    }
    Ok(pending)
}

/// Between the columns and between the rows of a page; as SQL and as characters.
const FIELD_END: &str = "char(31)";
const FIELD_SEPARATOR: char = '\u{1f}';
const ROW_END: &str = "char(30)";
const ROW_SEPARATOR: char = '\u{1e}';

/// Returns the number of the events after one, the last one, and all of them as one text: so many single values would cost
/// more on their way through threads than the parsing, and as JSON they would take longer to parse.
async fn pending_page(
    events: &Events,
    after: i64,
    upto: i64,
    limit: u32,
) -> SqlResult<(u32, Option<i64>, Option<Vec<u8>>)> {
    let text = |column: &str| {
        format!("replace(replace(coalesce({column}, ''), {FIELD_END}, ' '), {ROW_END}, ' ')")
    };
    let [id, timestamp, signal_type, repo_id, content] =
        ["id", "timestamp", "signal_type", "repo_id", "content"].map(text);
    let context = text("iif(typeof(context) = 'text', context, '')");
    let statement = format!(
        "SELECT count(*), max(number), CAST(group_concat(event, {ROW_END}) AS BLOB) FROM (
            SELECT rowid AS number,
                concat_ws({FIELD_END}, {id}, {timestamp}, {signal_type}, {repo_id}, {content}, {context}) AS event
            FROM events WHERE processed = 0 AND rowid > ?1 AND rowid <= ?2 ORDER BY rowid LIMIT ?3)"
    );
    let page = query_as(AssertSqlSafe(statement));
    let page = page.bind(after).bind(upto).bind(limit.min(PAGE_LEN));
    page.fetch_one(events.readers()).await
}

/// Returns the event of a row. Another program may have written anything.
fn waiting(row: &str) -> Event {
    let mut columns = row.split(FIELD_SEPARATOR);
    let mut column = || columns.next().unwrap_or_default();
    Event {
        id: column().to_owned(),
        timestamp: column().to_owned(),
        signal_type: SignalType::named(column()),
        repo_id: column().to_owned(),
        repo_key: String::new(),
        session_id: String::new(),
        content: column().to_owned(),
        context: serde_json::from_str(column()).unwrap_or_default(),
    }
}

/// Returns the successes from a time on, oldest first.
pub(crate) async fn successes(events: &Events, since: &str) -> SqlResult<Vec<Success>> {
    let rows = query_as("SELECT * FROM ccd_successes WHERE timestamp >= ?1 ORDER BY timestamp, id");
    let rows = rows.bind(since).fetch_all(events.readers()).await?;
    Ok(legible(rows, "ccd_successes"))
}

#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) pending: u64,
    pub(crate) processed: u64,
    pub(crate) by_type: BTreeMap<String, u64>,
}

pub(crate) async fn counts(events: &Events) -> SqlResult<Counts> {
    let rows = query_as(
        "SELECT CAST(signal_type AS TEXT), coalesce(processed, 0) != 0, count(*) FROM events GROUP BY 1, 2",
    );
    let rows: Vec<Lenient<(Option<String>, bool, i64)>> = rows.fetch_all(events.readers()).await?;
    let mut counts = Counts::default();
    for (signal_type, is_processed, count) in legible(rows, "events") {
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
    let rows = "SELECT CAST(substr(timestamp, 1, 10) AS TEXT), CAST(signal_type AS TEXT), CAST(repo_id AS TEXT), count(*)
        FROM events WHERE timestamp >= ?1 GROUP BY 1, 2, 3 ORDER BY 1";
    let rows = query_as(rows).bind(since);
    Ok(legible(rows.fetch_all(events.readers()).await?, "events"))
}

/// Returns where the projects are, by the ids of their repositories.
pub(crate) async fn projects(events: &Events) -> SqlResult<BTreeMap<String, PathBuf>> {
    let rows = query_as("SELECT repo_id, root FROM ccd_projects");
    let rows = rows.fetch_all(events.readers()).await?;
    let rows: Vec<(String, String)> = legible(rows, "ccd_projects");
    let rows = rows.into_iter();
    Ok(rows.map(|(id, root)| (id, root.into())).collect())
}

pub(crate) async fn mutes(events: &Events) -> SqlResult<Vec<Mute>> {
    let rows = query_scalar(
        "SELECT json_object('type', nullif(signal_type, ''), 'repo_id', nullif(repo_id, ''), 'since', since)
            FROM ccd_mutes ORDER BY since",
    );
    let rows = rows.fetch_all(events.readers()).await?;
    Ok(readable(rows, "ccd_mutes"))
}

pub(crate) async fn contexts_of(events: &Events, ids: &[&str]) -> SqlResult<Vec<Value>> {
    let rows = query_scalar(
        "SELECT context FROM events WHERE context IS NOT NULL AND id IN (SELECT value FROM json_each(?1))",
    );
    let rows = rows.bind(json(ids)).fetch_all(events.readers()).await?;
    Ok(readable(rows, "events"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::schema::EVENTS;
    use ccd_store::{Connection, Opening, Schema, Synchronous, Write, query};

    #[derive(Debug)]
    struct Sql(&'static str);

    impl Write for Sql {
        async fn apply(&self, connection: &mut Connection) -> SqlResult<()> {
            query(self.0).execute(connection).await.map(drop)
        }
    }

    /// Another program, which writes the same table.
    const OTHER: Schema<Sql> = Schema::new(
        Synchronous::Normal,
        &[(
            "events",
            include_str!("../../migrations/events/0001_events.sql"),
        )],
    )
    .shared_with_others("ccd_migrations", &[]);

    #[tokio::test]
    async fn waiting_events_are_read_whatever_another_program_wrote_in_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events.sqlite");
        let other = OTHER.open(&path, Opening::First).await.unwrap().database;
        let rows = Sql("INSERT INTO events (id, timestamp, event_type, signal_type, repo_id, content, context) VALUES
            ('a', 't1', 'post', 'CORRECTION', 'r1', 'first', '{\"similar_count\": 1}'),
            ('b' || char(31) || char(30) || 'c', 't2' || char(30), 'post', char(31), char(31) || 'r2', 'sec' || char(30) || 'ond', '{\"similar_count\": 2}'),
            (CAST(x'ff64' AS TEXT), 't3', 'post', CAST(x'fe' AS TEXT), 'r3', CAST(x'fd1e' AS TEXT), CAST(x'fc' AS TEXT)),
            ('e', 't4', 'post', NULL, NULL, NULL, x'1f1e'),
            ('f', 't5', 'post', 'CORRECTION', 'r5', 'last', '{\"similar_count\": 5}')");
        other.commit(rows).await.unwrap();
        other.close().await;

        let events = EVENTS.open(&path, Opening::First).await.unwrap().database;
        let found = pending(&events, 10).await.unwrap();
        let columns = found.iter().map(|event| {
            let texts = [&event.id, &event.timestamp, &event.repo_id, &event.content];
            (
                texts.map(String::as_str),
                event.context.similar_count.as_i64(),
            )
        });
        let mut columns: Vec<_> = columns.collect();
        columns.sort();
        #[rustfmt::skip]
        let expected = [
            (["a", "t1", "r1", "first"], Some(1)),
            (["b  c", "t2 ", " r2", "sec ond"], Some(2)),
            (["e", "t4", "", ""], None),
            (["f", "t5", "r5", "last"], Some(5)),
            (["\u{fffd}d", "t3", "r3", "\u{fffd} "], None),
        ];
        assert_eq!(columns, expected);
    }

    #[tokio::test]
    async fn what_cannot_be_read_hides_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events.sqlite");
        let events = EVENTS.open(&path, Opening::First).await.unwrap().database;
        let other = OTHER.open(&path, Opening::First).await.unwrap().database;
        for rows in [
            "INSERT INTO events (id, timestamp, event_type, signal_type, repo_id, content, context) VALUES
                ('a', 't1', 'post', 'USER_CORRECTION', 'r1', 'first', '{}'),
                ('b', 't2', 'post', 'USER_CORRECTION', x'01ff', x'62ff', x'00'),
                (x'63', x'74', 'post', x'ff', NULL, NULL, NULL)",
            "INSERT INTO ccd_event_sources VALUES ('a', NULL, 'session', 'key'), ('b', NULL, CAST(x'ff' AS TEXT), 'key')",
            "INSERT INTO ccd_successes VALUES (1, '1', 's', 'r', 'make'), (2, '2', 's', 'r', CAST(x'ff' AS TEXT))",
        ] {
            other.commit(Sql(rows)).await.unwrap();
        }
        let all = Filter {
            limit: 9,
            ..Filter::default()
        };
        let ids: Vec<_> = page(&events, all)
            .await
            .unwrap()
            .into_iter()
            .map(|one| one.id)
            .collect();
        assert_eq!(ids, ["b", "a"], "the type of the third is not known");
        let mut found = pending(&events, 10).await.unwrap();
        found.sort_by(|one, other| one.id.cmp(&other.id));
        let sources: Vec<_> = found
            .iter()
            .map(|one| (&*one.repo_key, &*one.session_id))
            .collect();
        assert_eq!(sources, [("key", "session"), ("key", "\u{fffd}"), ("", "")]);
        assert_eq!(successes(&events, "").await.unwrap().len(), 1);
        assert_eq!(counts(&events).await.unwrap().by_type["USER_CORRECTION"], 2);
        assert_eq!(by_day(&events, "").await.unwrap().len(), 1);
        assert_eq!(contexts_of(&events, &["a", "b"]).await.unwrap().len(), 1);
    }
}
