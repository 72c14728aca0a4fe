//! Changes to `ledger.sqlite`.

use super::row::{CandidateRow, DecisionRow, GroupRow};
use crate::aggregate::KnownGroup;
use ccd_protocol::coach::{Evidence, Guard, Promotion};
use ccd_store::{Connection, SqlResult, Write, insert, query};
use serde::Serialize;

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
    Put(Box<CandidateRow>),
    /// Deletes a candidate and all that belongs to it.
    Delete {
        fingerprint: String,
    },
    /// Everything that belongs to a candidate belongs to another one now.
    Move {
        from: String,
        to: String,
    },
    Evidence(Vec<EvidenceList>),
    Groups {
        fingerprint: String,
        groups: Vec<KnownGroup>,
    },
    Promotion(Promotion),
    DeletePromotion {
        id: String,
    },
    Decision(Box<DecisionRow>),
    DecisionState {
        id: i64,
        state: &'static str,
    },
    /// The topmost directory that was created for a decision's file.
    MadeFolder {
        id: i64,
        folder: String,
    },
    DeleteDecision {
        id: i64,
    },
    Guard(Guard),
    DeleteGuard {
        fingerprint: String,
    },
    GuardHit {
        fingerprint: String,
    },
    State {
        name: &'static str,
        value: String,
    },
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
            Self::Put(row) => return put(connection, row).await,
            Self::Delete { fingerprint } => return delete(connection, fingerprint).await,
            Self::Move { from, to } => return move_all(connection, from, to).await,
            Self::Evidence(lists) => {
                let put = "INSERT INTO ccd_evidence_lists ({columns}) {values}";
                return insert(connection, put, lists).await;
            }
            Self::Groups {
                fingerprint,
                groups,
            } => {
                let put = "INSERT OR REPLACE INTO ccd_groups ({columns}) {values}";
                let rows = groups.iter().map(|group| group_row(fingerprint, group));
                return insert(connection, put, &rows.collect::<Vec<_>>()).await;
            }
            Self::Promotion(promotion) => return put_promotion(connection, promotion).await,
            Self::Decision(row) => {
                let put = "INSERT INTO ccd_decisions ({columns}) {values}";
                return insert(connection, put, std::slice::from_ref(&**row)).await;
            }
            Self::Guard(guard) => return put_guard(connection, guard).await,
            Self::Retain { rejected, evidence } => {
                return retain(connection, rejected, evidence).await;
            }
            Self::DeletePromotion { id } => query("DELETE FROM promotions WHERE id = ?1").bind(id),
            Self::DecisionState { id, state } => {
                let update = query("UPDATE ccd_decisions SET state = ?2 WHERE id = ?1");
                update.bind(id).bind(*state)
            }
            Self::MadeFolder { id, folder } => {
                let update = query("UPDATE ccd_decisions SET made_folder = ?2 WHERE id = ?1");
                update.bind(id).bind(folder)
            }
            Self::DeleteDecision { id } => {
                query("DELETE FROM ccd_decisions WHERE id = ?1").bind(id)
            }
            Self::DeleteGuard { fingerprint } => {
                query("DELETE FROM ccd_guards WHERE fingerprint = ?1").bind(fingerprint)
            }
            Self::GuardHit { fingerprint } => {
                let hit = query("UPDATE ccd_guards SET hits = hits + 1 WHERE fingerprint = ?1");
                hit.bind(fingerprint)
            }
            Self::State { name, value } => {
                let put = query("INSERT OR REPLACE INTO ccd_state VALUES (?1, ?2)");
                put.bind(*name).bind(value)
            }
        };
        statement.execute(connection).await.map(drop)
    }
}

async fn put_promotion(connection: &mut Connection, promotion: &Promotion) -> SqlResult<()> {
    query("INSERT INTO promotions VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
        .bind(&promotion.id)
        .bind(&promotion.fingerprint)
        .bind(promotion.from_scope.name())
        .bind(promotion.to_scope.name())
        .bind(&promotion.reason)
        .bind(&promotion.promoted_at)
        .execute(connection)
        .await
        .map(drop)
}

async fn put(connection: &mut Connection, row: &CandidateRow) -> SqlResult<()> {
    let put = "INSERT INTO candidates (fingerprint, normalized_text, title, candidate_type, trigger_condition, action,
            current_scope, repo_ids, evidence, confidence, count, status, first_seen, last_seen, promoted_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
        ON CONFLICT (fingerprint) DO UPDATE SET normalized_text = ?2, title = ?3, candidate_type = ?4, trigger_condition = ?5,
            action = ?6, current_scope = ?7, repo_ids = ?8, evidence = ?9, confidence = ?10, count = ?11, status = ?12,
            first_seen = ?13, last_seen = ?14, promoted_at = ?15, updated_at = CURRENT_TIMESTAMP";
    query(put)
        .bind(&row.fingerprint)
        .bind(&row.normalized_text)
        .bind(&row.title)
        .bind(row.candidate_type.name())
        .bind(&row.trigger_condition)
        .bind(&row.action)
        .bind(row.current_scope.name())
        .bind(json(&row.repo_ids))
        .bind(json(&row.evidence))
        .bind(row.confidence)
        .bind(row.count.cast_signed())
        .bind(row.status.name())
        .bind(&row.first_seen)
        .bind(&row.last_seen)
        .bind(&row.promoted_at)
        .execute(&mut *connection)
        .await?;
    let put = "INSERT OR REPLACE INTO ccd_candidates VALUES (?1, ?2, ?3, ?4, ?5)";
    query(put)
        .bind(&row.fingerprint)
        .bind(row.scope_guess.name())
        .bind(json(&row.repo_keys))
        .bind(row.rejected_at_count.cast_signed())
        .bind(row.mention)
        .execute(connection)
        .await
        .map(drop)
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
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
        let delete = query(ccd_store::AssertSqlSafe(delete));
        delete.bind(fingerprint).execute(&mut *connection).await?;
    }
    Ok(())
}

/// Of the groups and guards, the other candidate may have one with the same key: then the one of `from` is deleted.
async fn move_all(connection: &mut Connection, from: &str, to: &str) -> SqlResult<()> {
    for table in &TABLES[..5] {
        let rename =
            format!("UPDATE OR IGNORE {table} SET fingerprint = ?2 WHERE fingerprint = ?1");
        let rename = query(ccd_store::AssertSqlSafe(rename)).bind(from).bind(to);
        rename.execute(&mut *connection).await?;
    }
    delete(connection, from).await
}

fn group_row(fingerprint: &str, group: &KnownGroup) -> GroupRow {
    // The name of a variant.
    let word = |json: String| json.trim_matches('"').to_owned();
    GroupRow {
        kind: word(json(&group.kind)),
        key: group.key.clone(),
        fingerprint: fingerprint.to_owned(),
        samples: json(&group.samples),
        lesson: word(json(&group.lesson)),
        events: group.events.cast_signed(),
    }
}

async fn put_guard(connection: &mut Connection, guard: &Guard) -> SqlResult<()> {
    query("INSERT OR REPLACE INTO ccd_guards VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
        .bind(&guard.fingerprint)
        .bind(&guard.tool)
        .bind(&guard.pattern)
        .bind(&guard.reason)
        .bind(guard.repo_ids.as_ref().map(json))
        .bind(&guard.created_at)
        .bind(guard.hits.cast_signed())
        .execute(connection)
        .await
        .map(drop)
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
