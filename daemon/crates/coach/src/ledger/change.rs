//! Changes to `ledger.sqlite`.

use super::row::{CandidateRow, DecisionRow};
use crate::aggregate::KnownGroup;
use crate::json_rows::{insert_json, json};
use ccd_protocol::coach::{Evidence, Guard, Promotion};
use ccd_store::{AssertSqlSafe, Connection, SqlResult, Write, insert, query};

ccd_store::row! {
    #[derive(Debug)]
    pub(crate) struct EvidenceList {
        fingerprint: String,
        newest: String,
        pieces: String,
    }
}

/// Changes that are made together or not at all.
#[derive(Debug)]
pub(crate) struct LedgerWrite(pub(crate) Vec<Change>);

#[derive(Debug)]
pub(crate) enum Change {
    Put(Vec<CandidateRow>),
    /// Deletes a candidate and all that belongs to it.
    Delete(String),
    /// Everything that belongs to a candidate belongs to another one now.
    Move {
        from: String,
        to: String,
    },
    Evidence(Vec<EvidenceList>),
    /// The groups of candidates, each with the candidate's fingerprint.
    Groups(Vec<(String, KnownGroup)>),
    Promotion(Promotion),
    DeletePromotion(String),
    Decision(Box<DecisionRow>),
    DecisionState(i64, &'static str),
    /// The topmost directory that was created for a decision's file.
    MadeFolder(i64, String),
    DeleteDecision(i64),
    Guard(Guard),
    DeleteGuard(String),
    GuardHit(String),
    /// A name and its value.
    State(&'static str, String),
    /// Deletes rejected candidates that were last seen before `rejected`, and evidence from before `evidence`.
    Retain {
        rejected: String,
        evidence: String,
    },
}

impl EvidenceList {
    /// `evidence` for a candidate, oldest first; none if there is none.
    pub(crate) fn new(fingerprint: &str, evidence: &[Evidence]) -> Option<Self> {
        let newest = evidence.iter().map(|piece| &piece.timestamp).max()?;
        let columns = evidence.iter().map(|piece| {
            let (session_id, repo_id) = (piece.session_id.as_deref(), piece.repo_id.as_deref());
            (
                &piece.event_id,
                &piece.timestamp,
                &piece.quote,
                session_id.unwrap_or_default(),
                repo_id.unwrap_or_default(),
            )
        });
        let pieces = json(&columns.collect::<Vec<_>>());
        Some(Self {
            fingerprint: fingerprint.to_owned(),
            newest: newest.clone(),
            pieces,
        })
    }
}

impl Write for LedgerWrite {
    async fn apply(&self, connection: &mut Connection) -> SqlResult<()> {
        for change in &self.0 {
            change.apply(connection).await?;
        }
        Ok(())
    }
}

impl Change {
    async fn apply(&self, connection: &mut Connection) -> SqlResult<()> {
        let statement = match self {
            Self::Put(rows) => return put(connection, rows).await,
            Self::Delete(fingerprint) => return delete(connection, fingerprint).await,
            Self::Move { from, to } => return move_all(connection, from, to).await,
            Self::Evidence(lists) => {
                let put = "INSERT INTO ccd_evidence_lists ({columns}) {values}";
                return insert(connection, put, lists).await;
            }
            Self::Groups(groups) => {
                let put = "INSERT OR REPLACE INTO ccd_groups (fingerprint, kind, key, samples, lesson, events)
                    SELECT value->>0, value->1->>'kind', value->1->>'key', value->1->>'samples', value->1->>'lesson',
                        value->1->>'events'
                    FROM json_each(?1)";
                query(put).bind(json(groups))
            }
            Self::Promotion(promotion) => {
                let columns = "id, fingerprint, from_scope, to_scope, reason, promoted_at";
                let put = insert_json("INSERT INTO promotions", columns);
                query(AssertSqlSafe(put)).bind(json(&[promotion]))
            }
            Self::Decision(row) => {
                let put = "INSERT INTO ccd_decisions ({columns}) {values}";
                return insert(connection, put, std::slice::from_ref(&**row)).await;
            }
            Self::Guard(guard) => {
                let columns = "fingerprint, tool, pattern, reason, repo_ids, created_at, hits";
                let put = insert_json("INSERT OR REPLACE INTO ccd_guards", columns);
                query(AssertSqlSafe(put)).bind(json(&[guard]))
            }
            Self::Retain { rejected, evidence } => {
                return retain(connection, rejected, evidence).await;
            }
            Self::DeletePromotion(id) => query("DELETE FROM promotions WHERE id = ?1").bind(id),
            Self::DecisionState(id, state) => {
                let update = query("UPDATE ccd_decisions SET state = ?2 WHERE id = ?1");
                update.bind(id).bind(*state)
            }
            Self::MadeFolder(id, folder) => {
                let update = query("UPDATE ccd_decisions SET made_folder = ?2 WHERE id = ?1");
                update.bind(id).bind(folder)
            }
            Self::DeleteDecision(id) => query("DELETE FROM ccd_decisions WHERE id = ?1").bind(id),
            Self::DeleteGuard(fingerprint) => {
                query("DELETE FROM ccd_guards WHERE fingerprint = ?1").bind(fingerprint)
            }
            Self::GuardHit(fingerprint) => {
                let hit = query("UPDATE ccd_guards SET hits = hits + 1 WHERE fingerprint = ?1");
                hit.bind(fingerprint)
            }
            Self::State(name, value) => {
                let put = query("INSERT OR REPLACE INTO ccd_state VALUES (?1, ?2)");
                put.bind(*name).bind(value)
            }
        };
        statement.execute(connection).await.map(drop)
    }
}

async fn put(connection: &mut Connection, rows: &[CandidateRow]) -> SqlResult<()> {
    let columns = "fingerprint, normalized_text, title, candidate_type, trigger_condition, action, current_scope, repo_ids, \
        evidence, confidence, count, status, first_seen, last_seen, promoted_at";
    let updates = columns
        .split(", ")
        .map(|name| format!("{name} = excluded.{name}"));
    let put = format!(
        "{} WHERE true ON CONFLICT (fingerprint) DO UPDATE SET {}, updated_at = CURRENT_TIMESTAMP",
        insert_json("INSERT INTO candidates", columns),
        updates.collect::<Vec<_>>().join(", ")
    );
    let more = "fingerprint, scope_guess, repo_keys, rejected_at_count, mention";
    let put_more = insert_json("INSERT OR REPLACE INTO ccd_candidates", more);
    let json = json(rows);
    for put in [put, put_more] {
        let put = query(AssertSqlSafe(put)).bind(&json);
        put.execute(&mut *connection).await?;
    }
    Ok(())
}

/// The tables about a candidate: those with what belongs to it, and those with the candidate itself.
const TABLES: [&str; 7] = [
    "promotions",
    "ccd_groups",
    "ccd_evidence_lists",
    "ccd_decisions",
    "ccd_guards",
    "ccd_candidates",
    "candidates",
];

async fn delete(connection: &mut Connection, fingerprint: &str) -> SqlResult<()> {
    for table in TABLES {
        let delete = format!("DELETE FROM {table} WHERE fingerprint = ?1");
        let delete = query(AssertSqlSafe(delete));
        delete.bind(fingerprint).execute(&mut *connection).await?;
    }
    Ok(())
}

/// Of the groups and guards, the other candidate may have one with the same key: then the one of `from` is deleted.
async fn move_all(connection: &mut Connection, from: &str, to: &str) -> SqlResult<()> {
    for table in &TABLES[..5] {
        let rename =
            format!("UPDATE OR IGNORE {table} SET fingerprint = ?2 WHERE fingerprint = ?1");
        let rename = query(AssertSqlSafe(rename)).bind(from).bind(to);
        rename.execute(&mut *connection).await?;
    }
    delete(connection, from).await
}

async fn retain(connection: &mut Connection, rejected: &str, evidence: &str) -> SqlResult<()> {
    let old = "SELECT fingerprint FROM candidates WHERE status = 'rejected' AND date(last_seen) < date(?1)";
    let old = ccd_store::query_scalar(old).bind(rejected);
    let old: Vec<String> = old.fetch_all(&mut *connection).await?;
    for fingerprint in old {
        delete(connection, &fingerprint).await?;
    }
    let delete = query("DELETE FROM ccd_evidence_lists WHERE newest < ?1").bind(evidence);
    delete.execute(connection).await.map(drop)
}
