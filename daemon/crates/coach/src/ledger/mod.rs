//! The ledger: candidates and decisions, in `ledger.sqlite`.

mod change;
mod mirror;
mod read;
mod row;
mod schema;

pub(crate) use change::{Change, EvidenceList, LedgerWrite};
pub(crate) use mirror::{is_edited, write_mirror};
pub(crate) use read::{
    CandidateLookup, Page, all, decisions, decisions_in, decisions_on, events_of, evidence_ids,
    evidence_of, evidence_times, find, fingerprints, guards, guards_and_lost, known, next_decision,
    page, promotions, state_of, statuses, with_fingerprints,
};
pub(crate) use row::{CandidateRow, DecisionRow, kept, short_id, union};
pub(crate) use schema::LEDGER;
