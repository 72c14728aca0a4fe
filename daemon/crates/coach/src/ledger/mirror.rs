//! `candidates.json`: a mirror of the ledger for tools that read it. It is written after each change, and never read back.

use super::row::{CandidateRow, short_id};
use crate::fingerprint::sha256;
use ccd_base::whole_file::{self, Durability};
use ccd_protocol::coach::CandidateStatus;
use ccd_store::own_file;
use serde_json::{Value, json};
use std::io;
use std::path::Path;

/// A larger file was not written by ccd.
const MAX_BYTES: u64 = 256 << 20;

/// Replaces the file. Returns the hash of its content, by which [`is_edited`] tells it from others.
/// On an error, the old file stays.
pub(crate) fn write_mirror(
    path: &Path,
    rows: &[CandidateRow],
    last_proposal: Option<String>,
) -> io::Result<String> {
    let fingerprints: Vec<String> = rows.iter().map(|row| row.fingerprint.clone()).collect();
    let with = |wanted: &[CandidateStatus]| {
        let rows = rows.iter().filter(|row| wanted.contains(&row.status));
        rows.map(|row| entry(row, &fingerprints))
            .collect::<Vec<_>>()
    };
    let document = json!({
        "pending": with(&[CandidateStatus::Pending]),
        "approved": with(&[CandidateStatus::Approved, CandidateStatus::Promoted]),
        "rejected": with(&[CandidateStatus::Rejected]),
        "last_proposal": last_proposal,
    });
    let mut text = serde_json::to_string_pretty(&document)?;
    text.push('\n');
    whole_file::replace(path, text.as_bytes(), 0o600, Durability::Later)?;
    Ok(sha256(text.as_bytes()))
}

/// True if somebody else has changed the file since it was written with this hash.
pub(crate) fn is_edited(path: &Path, written: &str) -> bool {
    own_file::content(path, MAX_BYTES).is_ok_and(|content| sha256(&content) != written)
}

/// A candidate in the seed's form.
fn entry(row: &CandidateRow, fingerprints: &[String]) -> Value {
    let evidence = row.evidence.iter().map(|piece| {
        json!({"event_id": piece.event_id, "quote": piece.quote, "timestamp": piece.timestamp})
    });
    json!({
        "id": short_id(&row.fingerprint, fingerprints),
        "fingerprint": row.fingerprint,
        "title": row.title,
        "candidate_type": row.candidate_type,
        "trigger": row.trigger_condition,
        "action": row.action,
        "evidence": evidence.collect::<Vec<_>>(),
        "confidence": row.confidence,
        "scope_guess": row.scope_guess,
        "status": row.status,
        "created_at": row.first_seen,
    })
}
