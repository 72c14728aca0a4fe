//! Reads `ledger.sqlite`.

use super::LedgerWrite;
use super::row::{CandidateRow, DecisionRow};
use crate::aggregate::{KnownCandidate, KnownGroup};
use crate::fingerprint::Fingerprint;
use crate::json_rows::{json, readable};
use ccd_protocol::coach::{
    Candidate, CandidateStatus, CandidateType, Evidence, Guard, Promotion, Scope,
};
use ccd_store::{Database, SqlResult, query_as, query_scalar};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

type Ledger = Database<LedgerWrite>;

const COLUMNS: &str = "SELECT candidates.fingerprint, normalized_text, title, candidate_type, trigger_condition, action,
        current_scope, repo_ids, evidence, confidence, count, status, first_seen, last_seen, promoted_at,
        scope_guess, repo_keys, rejected_at_count, mention
    FROM candidates LEFT JOIN ccd_candidates ON ccd_candidates.fingerprint = candidates.fingerprint";

/// Rows of other programs may lack anything but the fingerprint.
impl<'row> ccd_store::hidden::FromRow<'row, ccd_store::hidden::SqliteRow> for CandidateRow {
    fn from_row(row: &'row ccd_store::hidden::SqliteRow) -> SqlResult<Self> {
        use ccd_store::hidden::Row as _;
        let text = |place: usize| -> SqlResult<String> {
            Ok(row.try_get::<Option<String>, _>(place)?.unwrap_or_default())
        };
        let number = |place: usize| -> SqlResult<u64> {
            let number = row.try_get::<Option<i64>, _>(place)?.unwrap_or_default();
            Ok(number.max(0).unsigned_abs())
        };
        let candidate = Candidate {
            id: String::new(),
            fingerprint: text(0)?,
            normalized_text: text(1)?,
            title: text(2)?,
            candidate_type: CandidateType::named(&text(3)?).unwrap_or(CandidateType::Rule),
            trigger_condition: text(4)?,
            action: text(5)?,
            current_scope: Scope::named(&text(6)?).unwrap_or(Scope::Project),
            repo_ids: list(&text(7)?),
            evidence: evidence_in(&text(8)?),
            confidence: row.try_get::<Option<f64>, _>(9)?.unwrap_or_default(),
            count: number(10)?,
            status: CandidateStatus::named(&text(11)?).unwrap_or(CandidateStatus::Pending),
            first_seen: text(12)?,
            last_seen: text(13)?,
            promoted_at: row.try_get(14)?,
            scope_guess: Scope::named(&text(15)?).unwrap_or(Scope::Project),
            eligible: false,
            mention: row.try_get::<Option<bool>, _>(18)?.unwrap_or_default(),
            applied_to: None,
            effect: None,
            guarded: false,
        };
        Ok(Self {
            candidate,
            repo_keys: list(&text(16)?),
            rejected_at_count: number(17)?,
        })
    }
}

fn list<T: DeserializeOwned>(json: &str) -> Vec<T> {
    serde_json::from_str(json).unwrap_or_default()
}

/// Another program may have written other members, or only texts.
fn evidence_in(json: &str) -> Vec<Evidence> {
    let pieces: Vec<Value> = list(json);
    let pieces = pieces
        .into_iter()
        .filter_map(|piece| serde_json::from_value(piece).ok());
    pieces.collect()
}

/// What a start of an id or a fingerprint names.
#[derive(Debug)]
pub(crate) enum CandidateLookup {
    One(Box<CandidateRow>),
    None,
    /// Several; their fingerprints.
    Several(Vec<String>),
}

pub(crate) async fn find(ledger: &Ledger, start: &str) -> SqlResult<CandidateLookup> {
    let start = start.to_ascii_lowercase();
    if start.is_empty() || !start.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(CandidateLookup::None);
    }
    let statement = format!("{COLUMNS} WHERE substr(candidates.fingerprint, 1, ?2) = ?1 LIMIT 10");
    let rows = query_as(ccd_store::AssertSqlSafe(statement)).bind(&start);
    let rows = rows.bind(start.len() as i64);
    let mut rows: Vec<CandidateRow> = rows.fetch_all(ledger.readers()).await?;
    Ok(match rows.len() {
        0 => CandidateLookup::None,
        1 => CandidateLookup::One(Box::new(rows.remove(0))),
        _ => CandidateLookup::Several(
            rows.into_iter()
                .map(|row| row.candidate.fingerprint)
                .collect(),
        ),
    })
}

pub(crate) async fn fingerprints(ledger: &Ledger) -> SqlResult<Vec<String>> {
    let all = query_scalar("SELECT fingerprint FROM candidates ORDER BY fingerprint");
    all.fetch_all(ledger.readers()).await
}

#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) status: Option<CandidateStatus>,
    /// Part of title, trigger or action, in any case.
    pub(crate) search: Option<String>,
    pub(crate) repo_id: Option<String>,
    /// Those with the most evidence first, instead of those that were last seen.
    pub(crate) by_count: bool,
    pub(crate) limit: u32,
}

impl Page {
    pub(crate) fn with_status(status: CandidateStatus, limit: u32) -> Self {
        Self {
            status: Some(status),
            limit,
            ..Self::default()
        }
    }
}

pub(crate) async fn page(ledger: &Ledger, page: Page) -> SqlResult<Vec<CandidateRow>> {
    let order = if page.by_count {
        "count DESC, confidence DESC, candidates.fingerprint"
    } else {
        "last_seen DESC, candidates.fingerprint"
    };
    let statement = format!(
        "{COLUMNS} WHERE (?1 IS NULL OR status = ?1)
            AND (?2 IS NULL OR instr(lower(title || ' ' || trigger_condition || ' ' || action), lower(?2)) > 0)
            AND (?3 IS NULL OR EXISTS (SELECT 1 FROM json_each(repo_ids) WHERE value = ?3))
        ORDER BY {order} LIMIT ?4"
    );
    query_as(ccd_store::AssertSqlSafe(statement))
        .bind(page.status.map(CandidateStatus::name))
        .bind(page.search)
        .bind(page.repo_id)
        .bind(page.limit)
        .fetch_all(ledger.readers())
        .await
}

/// Returns the candidates of these fingerprints, in the order of their fingerprints.
pub(crate) async fn with_fingerprints(
    ledger: &Ledger,
    fingerprints: &[String],
) -> SqlResult<Vec<CandidateRow>> {
    let statement = format!(
        "{COLUMNS} WHERE candidates.fingerprint IN (SELECT value FROM json_each(?1)) ORDER BY candidates.fingerprint"
    );
    let rows = query_as(ccd_store::AssertSqlSafe(statement));
    rows.bind(json(fingerprints))
        .fetch_all(ledger.readers())
        .await
}

pub(crate) async fn all(ledger: &Ledger) -> SqlResult<Vec<CandidateRow>> {
    let statement = format!("{COLUMNS} ORDER BY candidates.fingerprint");
    let rows = query_as(ccd_store::AssertSqlSafe(statement));
    rows.fetch_all(ledger.readers()).await
}

pub(crate) async fn known(ledger: &Ledger) -> SqlResult<Vec<KnownCandidate>> {
    let rows = query_as(
        "SELECT fingerprint, json_object('kind', kind, 'key', key, 'samples', json(samples), 'lesson', lesson, 'events', events)
            FROM ccd_groups",
    );
    let rows: Vec<(String, String)> = rows.fetch_all(ledger.readers()).await?;
    let mut groups: BTreeMap<String, Vec<KnownGroup>> = BTreeMap::new();
    for (fingerprint, group) in rows {
        let group = readable(vec![group]);
        groups.entry(fingerprint).or_default().extend(group);
    }
    let known = all(ledger).await?.into_iter().filter_map(|row| {
        Some(KnownCandidate {
            fingerprint: Fingerprint::parse(&row.fingerprint)?,
            status: row.status,
            count: row.count,
            rejected_at_count: row.rejected_at_count,
            groups: groups.remove(&row.fingerprint).unwrap_or_default(),
            repo_keys: row.repo_keys,
            evidence_ids: Vec::new(),
        })
    });
    Ok(known.collect())
}

/// Returns all promotions, newest first.
pub(crate) async fn promotions(ledger: &Ledger) -> SqlResult<Vec<Promotion>> {
    let rows = query_scalar(
        "SELECT json_object('id', id, 'fingerprint', fingerprint, 'from_scope', coalesce(from_scope, 'project'),
                'to_scope', coalesce(to_scope, 'global'), 'reason', coalesce(reason, ''), 'promoted_at', coalesce(promoted_at, ''))
            FROM promotions ORDER BY promoted_at DESC, rowid DESC",
    );
    Ok(readable(rows.fetch_all(ledger.readers()).await?))
}

/// Returns the pieces of evidence for a candidate, oldest first.
pub(crate) async fn evidence_of(
    ledger: &Ledger,
    fingerprint: &str,
    limit: u32,
) -> SqlResult<Vec<Evidence>> {
    let rows = query_scalar(
        "SELECT json_object('event_id', event_id, 'quote', quote, 'timestamp', timestamp, 'session_id', nullif(session_id, ''),
                'repo_id', nullif(repo_id, ''))
            FROM ccd_evidence WHERE fingerprint = ?1 ORDER BY timestamp, event_id LIMIT ?2",
    );
    let rows = rows.bind(fingerprint).bind(limit);
    Ok(readable(rows.fetch_all(ledger.readers()).await?))
}

/// Returns when each piece of evidence for a candidate occurred, oldest first.
pub(crate) async fn evidence_times(ledger: &Ledger, fingerprint: &str) -> SqlResult<Vec<String>> {
    let times =
        query_scalar("SELECT timestamp FROM ccd_evidence WHERE fingerprint = ?1 ORDER BY 1");
    times.bind(fingerprint).fetch_all(ledger.readers()).await
}

/// Returns the decisions on a candidate, oldest first.
pub(crate) async fn decisions(ledger: &Ledger, fingerprint: &str) -> SqlResult<Vec<DecisionRow>> {
    decision_rows(ledger, "fingerprint = ?1", fingerprint).await
}

/// Returns the decisions that wrote to a file, oldest first.
pub(crate) async fn decisions_on(ledger: &Ledger, file: &Path) -> SqlResult<Vec<DecisionRow>> {
    decision_rows(ledger, "file = ?1", &file.display().to_string()).await
}

pub(crate) async fn decisions_in(ledger: &Ledger, state: &str) -> SqlResult<Vec<DecisionRow>> {
    decision_rows(ledger, "state = ?1", state).await
}

async fn decision_rows(ledger: &Ledger, which: &str, value: &str) -> SqlResult<Vec<DecisionRow>> {
    let statement = format!("SELECT * FROM ccd_decisions WHERE {which} ORDER BY id");
    let rows = query_as(ccd_store::AssertSqlSafe(statement)).bind(value);
    rows.fetch_all(ledger.readers()).await
}

/// Returns all guards, oldest first.
pub(crate) async fn guards(ledger: &Ledger) -> SqlResult<Vec<Guard>> {
    let rows = query_scalar(
        "SELECT json_object('fingerprint', fingerprint, 'tool', tool, 'pattern', pattern, 'reason', reason,
                'repo_ids', json(repo_ids), 'created_at', created_at, 'hits', hits)
            FROM ccd_guards ORDER BY created_at",
    );
    Ok(readable(rows.fetch_all(ledger.readers()).await?))
}

pub(crate) async fn statuses(ledger: &Ledger) -> SqlResult<BTreeMap<String, u64>> {
    let rows = query_as("SELECT coalesce(status, 'pending'), count(*) FROM candidates GROUP BY 1");
    let rows: Vec<(String, i64)> = rows.fetch_all(ledger.readers()).await?;
    Ok(rows
        .into_iter()
        .map(|(status, count)| (status, count.unsigned_abs()))
        .collect())
}

pub(crate) async fn state_of(ledger: &Ledger, name: &str) -> SqlResult<Option<String>> {
    let value = query_scalar("SELECT value FROM ccd_state WHERE name = ?1").bind(name);
    value.fetch_optional(ledger.readers()).await
}

/// Returns which of these events are evidence for these candidates already, by fingerprint.
pub(crate) async fn evidence_ids(
    ledger: &Ledger,
    fingerprints: &[&str],
    ids: &[&str],
) -> SqlResult<BTreeMap<String, Vec<String>>> {
    let rows = query_as(
        "SELECT fingerprint, event_id FROM ccd_evidence
            WHERE fingerprint IN (SELECT value FROM json_each(?1)) AND event_id IN (SELECT value FROM json_each(?2))",
    );
    let rows = rows.bind(json(fingerprints)).bind(json(ids));
    let rows: Vec<(String, String)> = rows.fetch_all(ledger.readers()).await?;
    let mut counted: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (fingerprint, id) in rows {
        counted.entry(fingerprint).or_default().push(id);
    }
    Ok(counted)
}

/// Returns the ids of the events that are evidence for candidates, as JSON.
pub(crate) async fn events_of(ledger: &Ledger, fingerprints: &[&str]) -> SqlResult<String> {
    let ids = query_scalar(
        "SELECT json_group_array(DISTINCT event_id) FROM ccd_evidence
            WHERE fingerprint IN (SELECT value FROM json_each(?1))",
    );
    ids.bind(json(fingerprints))
        .fetch_one(ledger.readers())
        .await
}

pub(crate) async fn next_decision(ledger: &Ledger) -> SqlResult<i64> {
    let newest = query_scalar("SELECT coalesce(max(id), 0) + 1 FROM ccd_decisions");
    newest.fetch_one(ledger.readers()).await
}
