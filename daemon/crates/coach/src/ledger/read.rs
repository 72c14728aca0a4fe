//! Reads `ledger.sqlite`.

use super::LedgerWrite;
use super::row::{CandidateRow, DecisionRow};
use crate::aggregate::{KnownCandidate, KnownGroup};
use crate::fingerprint::Fingerprint;
use crate::json_rows::{Lenient, json, legible, readable};
use ccd_base::surrogate::mended_text;
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

/// The view `ccd_evidence` without unreadable lists: a single one would make the query fail.
const EVIDENCE: &str = "(SELECT value->>0 AS event_id, fingerprint, value->>1 AS timestamp, value->>2 AS quote,
        value->>3 AS session_id, value->>4 AS repo_id
    FROM ccd_evidence_lists, json_each(iif(json_valid(pieces), pieces, '[]')) WHERE type = 'array')";

/// Rows of other programs may lack anything but the fingerprint, and have anything in a column.
impl<'row> ccd_store::hidden::FromRow<'row, ccd_store::hidden::SqliteRow> for CandidateRow {
    fn from_row(row: &'row ccd_store::hidden::SqliteRow) -> SqlResult<Self> {
        use ccd_store::hidden::Row as _;
        let text = |place: usize| -> SqlResult<Option<String>> {
            let bytes: Option<Vec<u8>> = row.try_get_unchecked(place)?;
            Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
        };
        let maybe = text;
        let text = |place| -> SqlResult<String> { Ok(maybe(place)?.unwrap_or_default()) };
        let number = |place: usize| -> SqlResult<u64> {
            let number: Option<i64> = row.try_get_unchecked(place)?;
            Ok(number.unwrap_or_default().max(0).unsigned_abs())
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
            confidence: (row.try_get_unchecked::<Option<f64>, _>(9)?).unwrap_or_default(),
            count: number(10)?,
            status: CandidateStatus::named(&text(11)?).unwrap_or(CandidateStatus::Pending),
            first_seen: text(12)?,
            last_seen: text(13)?,
            promoted_at: maybe(14)?,
            scope_guess: Scope::named(&text(15)?).unwrap_or(Scope::Project),
            eligible: false,
            mention: number(18)? != 0,
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
    let all = query_as("SELECT CAST(fingerprint AS TEXT) FROM candidates ORDER BY 1");
    let all: Vec<Lenient<(String,)>> = all.fetch_all(ledger.readers()).await?;
    Ok(legible(all, "candidates")
        .into_iter()
        .map(|row| row.0)
        .collect())
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
    #[derive(serde::Deserialize)]
    struct Row {
        fingerprint: String,
        #[serde(flatten)]
        group: KnownGroup,
    }
    let rows = query_scalar(
        "SELECT json_object('fingerprint', fingerprint, 'kind', kind, 'key', key,
                'samples', json(iif(json_valid(samples), samples, 'null')), 'lesson', lesson, 'events', events)
            FROM ccd_groups",
    );
    let rows = rows.fetch_all(ledger.readers()).await?;
    let mut groups: BTreeMap<String, Vec<KnownGroup>> = BTreeMap::new();
    for Row { fingerprint, group } in readable(rows, "ccd_groups") {
        groups.entry(fingerprint).or_default().push(group);
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
        "SELECT json_object('id', CAST(id AS TEXT), 'fingerprint', CAST(fingerprint AS TEXT),
                'from_scope', CAST(coalesce(from_scope, 'project') AS TEXT), 'to_scope', CAST(coalesce(to_scope, 'global') AS TEXT),
                'reason', CAST(coalesce(reason, '') AS TEXT), 'promoted_at', CAST(coalesce(promoted_at, '') AS TEXT))
            FROM promotions ORDER BY promoted_at DESC, rowid DESC",
    );
    let rows = rows.fetch_all(ledger.readers()).await?;
    Ok(readable(rows, "promotions"))
}

/// Returns the pieces of evidence for a candidate, oldest first.
pub(crate) async fn evidence_of(
    ledger: &Ledger,
    fingerprint: &str,
    limit: u32,
) -> SqlResult<Vec<Evidence>> {
    let rows = format!(
        "SELECT json_object('event_id', event_id, 'quote', quote, 'timestamp', timestamp, 'session_id', nullif(session_id, ''),
                'repo_id', nullif(repo_id, ''))
            FROM {EVIDENCE} WHERE fingerprint = ?1 ORDER BY timestamp, event_id LIMIT ?2"
    );
    let rows = query_scalar(ccd_store::AssertSqlSafe(rows));
    let rows = rows.bind(fingerprint).bind(limit);
    let rows = rows.fetch_all(ledger.readers()).await?;
    Ok(readable(rows, "ccd_evidence"))
}

/// Returns when each piece of evidence for a candidate occurred, oldest first.
pub(crate) async fn evidence_times(ledger: &Ledger, fingerprint: &str) -> SqlResult<Vec<String>> {
    let times = format!("SELECT timestamp FROM {EVIDENCE} WHERE fingerprint = ?1 ORDER BY 1");
    let times = query_as(ccd_store::AssertSqlSafe(times));
    let times = times.bind(fingerprint).fetch_all(ledger.readers()).await?;
    let times: Vec<(String,)> = legible(times, "ccd_evidence");
    Ok(times.into_iter().map(|row| row.0).collect())
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
    let rows = rows.fetch_all(ledger.readers()).await?;
    Ok(legible(rows, "ccd_decisions"))
}

/// Returns all guards, oldest first. One whose repositories cannot be read is left out: it would hold everywhere.
pub(crate) async fn guards(ledger: &Ledger) -> SqlResult<Vec<Guard>> {
    Ok(guards_and_lost(ledger).await?.0)
}

/// The same, and the number of those that are left out.
pub(crate) async fn guards_and_lost(ledger: &Ledger) -> SqlResult<(Vec<Guard>, usize)> {
    let rows = query_scalar(
        "SELECT json_object('fingerprint', fingerprint, 'tool', tool, 'pattern', pattern, 'reason', reason,
                'repo_ids', json(iif(json_valid(repo_ids), repo_ids, json_quote(repo_ids))), 'created_at', created_at, 'hits', hits)
            FROM ccd_guards ORDER BY created_at",
    );
    let rows = rows.fetch_all(ledger.readers()).await?;
    let all = rows.len();
    let guards = readable(rows, "ccd_guards");
    let lost = all - guards.len();
    Ok((guards, lost))
}

pub(crate) async fn statuses(ledger: &Ledger) -> SqlResult<BTreeMap<String, u64>> {
    let rows =
        "SELECT CAST(coalesce(status, 'pending') AS TEXT), count(*) FROM candidates GROUP BY 1";
    let rows: Vec<Lenient<(String, i64)>> = query_as(rows).fetch_all(ledger.readers()).await?;
    Ok(legible(rows, "candidates")
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
    let rows = format!(
        "SELECT fingerprint, event_id FROM {EVIDENCE}
            WHERE fingerprint IN (SELECT value FROM json_each(?1)) AND event_id IN (SELECT value FROM json_each(?2))"
    );
    let rows = query_as(ccd_store::AssertSqlSafe(rows));
    let rows = rows.bind(json(fingerprints)).bind(json(ids));
    let rows: Vec<Lenient<(String, String)>> = rows.fetch_all(ledger.readers()).await?;
    let mut counted: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (fingerprint, id) in legible(rows, "ccd_evidence") {
        counted.entry(fingerprint).or_default().push(id);
    }
    Ok(counted)
}

/// Returns the ids of the events that are evidence for candidates, as JSON.
pub(crate) async fn events_of(ledger: &Ledger, fingerprints: &[&str]) -> SqlResult<String> {
    let ids = format!(
        "SELECT json_group_array(DISTINCT event_id) FROM {EVIDENCE}
            WHERE fingerprint IN (SELECT value FROM json_each(?1))"
    );
    let ids = query_scalar(ccd_store::AssertSqlSafe(ids));
    let ids = ids.bind(json(fingerprints));
    let ids: Vec<u8> = ids.fetch_one(ledger.readers()).await?;
    Ok(mended_text(&ids).into_owned())
}

pub(crate) async fn next_decision(ledger: &Ledger) -> SqlResult<i64> {
    let newest = query_scalar("SELECT coalesce(max(id), 0) + 1 FROM ccd_decisions");
    newest.fetch_one(ledger.readers()).await
}
