//! Changes to `events.sqlite`.

use super::Selection;
use crate::event::Success;
use crate::json_rows::json;
use crate::signal::Signal;
use ccd_protocol::coach::{Mute, SignalType};
use ccd_repository::Identity;
use ccd_store::{
    AssertSqlSafe, Connection, Database, SqlResult, Write, insert, query, query_scalar,
};
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};

#[derive(Debug, Clone)]
pub(crate) struct Recorded {
    /// `None` for what the daemon has seen itself.
    pub(crate) delivery_id: Option<String>,
    pub(crate) timestamp: String,
    pub(crate) session_id: String,
    pub(crate) project: Identity,
    pub(crate) signals: Vec<Signal>,
    /// The command, if it succeeded after the same one had failed.
    pub(crate) success: Option<String>,
}

ccd_store::row! {
    struct EventRow {
        id: String,
        timestamp: String,
        event_type: String,
        signal_type: String,
        repo_id: String,
        content: String,
        context: String,
    }
}

ccd_store::row! {
    struct SourceRow {
        event_id: String,
        delivery_id: Option<String>,
        session_id: String,
        repo_key: String,
    }
}

ccd_store::row! {
    struct ProjectRow {
        repo_id: String,
        repo_key: String,
        root: String,
        is_repository: bool,
        last_seen: String,
    }
}

#[derive(Debug)]
pub(crate) enum EventWrite {
    /// Stores what became of payloads, each once.
    Record(Vec<Recorded>),
    /// These events belong to candidates, or support none: their ids as JSON.
    Processed(String),
    /// These events wait again, because nothing that they support is left: their ids as JSON.
    Waiting(String),
    Mute(Mute),
    Unmute(Mute),
    /// Deletes events and successes, and what is known of their sources.
    Forget(Selection),
    /// Deletes what is older than these times.
    Retain {
        events: String,
        successes: String,
    },
}

impl Write for EventWrite {
    async fn apply(&self, connection: &mut Connection) -> SqlResult<()> {
        match self {
            Self::Record(all) => record(connection, all).await,
            Self::Processed(ids) => {
                // One statement, whatever their number. Without the plus, SQLite would look up each id, which takes twice as
                // long as going through those that wait.
                let mark = "UPDATE events SET processed = 1
                    WHERE processed = 0 AND +id IN (SELECT value FROM json_each(?1))";
                query(mark).bind(ids).execute(connection).await.map(drop)
            }
            Self::Waiting(ids) => {
                let mark = "UPDATE events SET processed = 0
                    WHERE id IN (SELECT value FROM json_each(?1))";
                query(mark).bind(ids).execute(connection).await.map(drop)
            }
            Self::Mute(mute) => {
                let (signal_type, repo_id) = mute_key(mute);
                let insert = query("INSERT OR IGNORE INTO ccd_mutes VALUES (?1, ?2, ?3)");
                let insert = insert.bind(signal_type).bind(repo_id).bind(&mute.since);
                insert.execute(connection).await.map(drop)
            }
            Self::Unmute(mute) => {
                let (signal_type, repo_id) = mute_key(mute);
                let delete = "DELETE FROM ccd_mutes WHERE signal_type = ?1 AND repo_id = ?2";
                let delete = query(delete).bind(signal_type).bind(repo_id);
                delete.execute(connection).await.map(drop)
            }
            Self::Forget(selection) => forget(connection, selection).await,
            Self::Retain { events, successes } => retain(connection, events, successes).await,
        }
    }
}

async fn forget(connection: &mut Connection, selection: &Selection) -> SqlResult<()> {
    forget_events(connection, selection).await?;
    let successes = format!(
        "DELETE FROM ccd_successes WHERE {}",
        Selection::condition("timestamp")
    );
    selection.delete(connection, successes).await?;
    // What is known of projects and payloads serves the events.
    for table in ["ccd_projects", "ccd_deliveries"] {
        let delete = format!("DELETE FROM {table} WHERE NOT EXISTS (SELECT 1 FROM events)");
        let delete = query(AssertSqlSafe(delete));
        delete.execute(&mut *connection).await?;
    }
    Ok(())
}

async fn retain(connection: &mut Connection, events: &str, successes: &str) -> SqlResult<()> {
    let outdated = Selection {
        before: Some(events.to_owned()),
        ..Selection::default()
    };
    forget_events(connection, &outdated).await?;
    for (table, column, time) in [
        ("ccd_deliveries", "taken_at", events),
        ("ccd_successes", "timestamp", successes),
        ("ccd_projects", "last_seen", events),
    ] {
        let delete = format!("DELETE FROM {table} WHERE {column} < ?1");
        let delete = query(AssertSqlSafe(delete)).bind(time);
        delete.execute(&mut *connection).await?;
    }
    Ok(())
}

fn mute_key(mute: &Mute) -> (&'static str, &str) {
    (
        mute.signal_type.map_or("", SignalType::name),
        mute.repo_id.as_deref().unwrap_or_default(),
    )
}

/// Selects the ids of events.
fn selected() -> String {
    format!(
        "SELECT id FROM events LEFT JOIN ccd_event_sources ON event_id = id WHERE {}",
        Selection::condition("timestamp")
    )
}

/// Counts the events of a selection; also returns the time of the oldest.
pub(crate) async fn selected_events(
    events: &Database<EventWrite>,
    selection: &Selection,
) -> SqlResult<(u64, Option<String>)> {
    let selected = selected();
    let count = format!("SELECT count(*), min(timestamp) FROM events WHERE id IN ({selected})");
    selection.count(events.readers(), count).await
}

async fn forget_events(connection: &mut Connection, selection: &Selection) -> SqlResult<()> {
    let delete = format!("DELETE FROM events WHERE id IN ({})", selected());
    selection.delete(connection, delete).await?;
    let sources = "DELETE FROM ccd_event_sources WHERE event_id NOT IN (SELECT id FROM events)";
    query(sources).execute(connection).await.map(drop)
}

async fn record(connection: &mut Connection, all: &[Recorded]) -> SqlResult<()> {
    let mut new = new_deliveries(connection, all).await?;
    let recorded: Vec<&Recorded> = all
        .iter()
        .filter(|one| one.delivery_id.as_ref().is_none_or(|id| new.remove(id)))
        .collect();
    let count = recorded.iter().map(|one| one.signals.len()).sum();
    let mut ids = unused_ids(connection, count).await?.into_iter();
    let (mut rows, mut sources) = (Vec::new(), Vec::new());
    for (one, signal) in recorded
        .iter()
        .flat_map(|one| one.signals.iter().map(move |signal| (one, signal)))
    {
        let Some(id) = ids.next() else { break };
        sources.push(SourceRow {
            event_id: id.clone(),
            delivery_id: one.delivery_id.clone(),
            session_id: one.session_id.clone(),
            repo_key: one.project.key.clone(),
        });
        rows.push(event_row(id, one, signal));
    }
    let successes: Vec<_> = recorded.iter().filter_map(|one| success(one)).collect();
    let projects: BTreeMap<_, _> = recorded
        .iter()
        .filter(|one| !one.signals.is_empty())
        .map(|one| (&one.project.id, project_row(one)))
        .collect();
    let projects: Vec<_> = projects.into_values().collect();
    insert(connection, "INSERT INTO events ({columns}) {values}", &rows).await?;
    let put = "INSERT INTO ccd_event_sources ({columns}) {values}";
    insert(connection, put, &sources).await?;
    let put = "INSERT INTO ccd_successes ({columns}) {values}";
    insert(connection, put, &successes).await?;
    let put = "INSERT OR REPLACE INTO ccd_projects ({columns}) {values}";
    insert(connection, put, &projects).await
}

/// Notes that these deliveries were taken. Returns those that were not before.
async fn new_deliveries(
    connection: &mut Connection,
    all: &[Recorded],
) -> SqlResult<HashSet<String>> {
    let deliveries: Vec<_> = all
        .iter()
        .filter_map(|one| Some((one.delivery_id.as_ref()?, &one.timestamp)))
        .collect();
    // One statement, whatever their number.
    let note = "INSERT OR IGNORE INTO ccd_deliveries
        SELECT value->>0, value->>1 FROM json_each(?1) RETURNING delivery_id";
    let note = query_scalar(note).bind(json(&deliveries));
    let new: Vec<String> = note.fetch_all(connection).await?;
    Ok(new.into_iter().collect())
}

/// Returns different ids that no event has.
async fn unused_ids(connection: &mut Connection, count: usize) -> SqlResult<HashSet<String>> {
    let mut ids = HashSet::with_capacity(count);
    while ids.len() < count {
        while ids.len() < count {
            ids.insert(format!("{:08x}", rand::random::<u32>()));
        }
        let taken = "SELECT id FROM events WHERE id IN (SELECT value FROM json_each(?1))";
        let taken = query_scalar(taken).bind(json(&ids));
        let taken: Vec<String> = taken.fetch_all(&mut *connection).await?;
        ids.retain(|id| !taken.contains(id));
    }
    Ok(ids)
}

fn event_row(id: String, recorded: &Recorded, signal: &Signal) -> EventRow {
    EventRow {
        id,
        timestamp: recorded.timestamp.clone(),
        event_type: signal.event_type.name().to_owned(),
        signal_type: signal.signal_type.name().to_owned(),
        repo_id: recorded.project.id.clone(),
        content: signal.content.clone(),
        context: Value::Object(signal.context()).to_string(),
    }
}

fn success(recorded: &Recorded) -> Option<Success> {
    Some(Success {
        timestamp: recorded.timestamp.clone(),
        session_id: recorded.session_id.clone(),
        repo_id: recorded.project.id.clone(),
        command: recorded.success.clone()?,
    })
}

fn project_row(recorded: &Recorded) -> ProjectRow {
    ProjectRow {
        repo_id: recorded.project.id.clone(),
        repo_key: recorded.project.key.clone(),
        root: recorded.project.root.to_string_lossy().into_owned(),
        is_repository: recorded.project.is_repository,
        last_seen: recorded.timestamp.clone(),
    }
}
