//! Candidates: their table, and one in full.

use crate::render::diff::diff;
use crate::render::short::age;
use crate::render::style::Colour;
use crate::render::table::{Cell, Column, columns};
use crate::render::{Printer, counted, printable, short_id};
use ccd_protocol::coach::{
    Candidate, CandidateStatus, CoachGetReply, CoachLedgerReply, Decision, Evidence, Promotion,
    Scope,
};
use std::io;
use std::time::SystemTime;

const FIELD_COLUMNS: usize = 12;

/// Quotes that are shown of a candidate, the newest ones.
const NEWEST_QUOTES: usize = 3;

pub(crate) const CANDIDATES: &[Column<Candidate>] = &columns! { |one|
    "ID" (8, 0) => &one.id,
    "TYPE" (11, 2) => one.candidate_type.name(),
    "STATUS" (8, 1) => status(one),
    "SCOPE" (7, 4) => scope(one).name(),
    "SEEN" (4, 3) => times(one),
    "CONF" (4, 5) => percent(one.confidence),
    "LAST" (4, 6) => Cell::age(&one.last_seen),
    "TITLE" (20, 0) => &one.title,
};

const PROMOTIONS: &[Column<Promotion>] = &columns! { |promotion|
    "PROMOTED" => &promotion.promoted_at,
    "CANDIDATE" => short_id(&promotion.fingerprint),
    "FROM" => promotion.from_scope.name(),
    "TO" => promotion.to_scope.name(),
    "REASON" => &promotion.reason,
};

fn status(candidate: &Candidate) -> Cell {
    let guard = if candidate.guarded { "+guard" } else { "" };
    let colour = match candidate.status {
        CandidateStatus::Pending => Colour::Notice,
        CandidateStatus::Approved | CandidateStatus::Promoted => Colour::Good,
        CandidateStatus::Rejected => Colour::Dim,
    };
    Cell::coloured(format!("{}{guard}", candidate.status.name()), colour)
}

pub(crate) fn ledger(reply: &CoachLedgerReply, out: &mut Printer<'_>) -> io::Result<()> {
    out.table(&reply.candidates, CANDIDATES)?;
    if reply.promotions.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    out.table(&reply.promotions, PROMOTIONS)
}

/// Writes what to know for a decision: the words, how often and where it was seen, and the newest quotes.
pub(crate) fn summary(
    candidate: &Candidate,
    quotes: &[Evidence],
    out: &mut Printer<'_>,
) -> io::Result<()> {
    let title = printable(&candidate.title);
    out.line(Colour::Heading, &title)?;
    let fields = [
        ("id", candidate.id.clone()),
        ("type", candidate.candidate_type.name().to_owned()),
        ("scope", scope_in_words(candidate)),
    ];
    out.fields(FIELD_COLUMNS, &fields)?;
    text("when", &candidate.trigger_condition, out)?;
    text("do", &candidate.action, out)?;
    let fields = [
        ("seen", seen(candidate)),
        ("confidence", percent(candidate.confidence)),
        ("note", note(candidate)),
    ];
    out.fields(FIELD_COLUMNS, &fields)?;
    let first = quotes.len().saturating_sub(NEWEST_QUOTES);
    evidence(&quotes[first..], out)
}

pub(crate) fn evidence(all: &[Evidence], out: &mut Printer<'_>) -> io::Result<()> {
    for one in all {
        let time = out.paint(Colour::Dim, &printable(&one.timestamp));
        writeln!(out, "  {time}  {}", printable(&one.quote))?;
    }
    Ok(())
}

pub(crate) fn candidate(reply: &CoachGetReply, out: &mut Printer<'_>) -> io::Result<()> {
    let candidate = &reply.candidate;
    summary(candidate, &[], out)?;
    let fields = [
        ("status", candidate.status.name().to_owned()),
        ("effect", super::report::effect(candidate.effect.as_ref())),
        ("file", reply.file.clone().unwrap_or_default()),
        ("fingerprint", candidate.fingerprint.clone()),
        ("projects", candidate.repo_ids.join(" ")),
    ];
    out.fields(FIELD_COLUMNS, &fields)?;
    section("evidence", !reply.evidence.is_empty(), out)?;
    evidence(&reply.evidence, out)?;
    section("decisions", !reply.decisions.is_empty(), out)?;
    for one in &reply.decisions {
        let time = out.paint(Colour::Dim, &printable(&one.at));
        writeln!(out, "  {time}  {}", printable(&decision(one)))?;
    }
    section("diff", !reply.diff.is_empty(), out)?;
    diff(&reply.diff, out)
}

fn section(name: &str, is_there: bool, out: &mut Printer<'_>) -> io::Result<()> {
    if is_there {
        writeln!(out, "\n{}", out.paint(Colour::Heading, name))
    } else {
        Ok(())
    }
}

fn decision(decision: &Decision) -> String {
    let mut text = decision.decision.clone();
    if let Some(file) = &decision.file {
        text += &format!(" {file}");
    }
    if let Some(reason) = &decision.reason {
        text += &format!(": {reason}");
    }
    if decision.undone {
        text += " (undone)";
    }
    text
}

/// Writes a text that may have several lines; the further ones are indented.
fn text(name: &str, value: &str, out: &mut Printer<'_>) -> io::Result<()> {
    let mut lines = value.lines();
    let first = lines.next().unwrap_or_default();
    out.field(FIELD_COLUMNS, name, first)?;
    lines.try_for_each(|line| writeln!(out, "{:FIELD_COLUMNS$}{}", "", printable(line)))
}

/// Where an approved candidate counts, and where a pending one would.
fn scope(candidate: &Candidate) -> Scope {
    match candidate.status {
        CandidateStatus::Pending => candidate.scope_guess,
        _ => candidate.current_scope,
    }
}

fn scope_in_words(candidate: &Candidate) -> String {
    match scope(candidate) {
        Scope::Project => "project".to_owned(),
        Scope::Global => "global: all your projects".to_owned(),
    }
}

/// Returns how often it was seen: the events that made it are one in its count.
fn times(candidate: &Candidate) -> u64 {
    candidate.count.max(candidate.evidence.len() as u64)
}

fn seen(candidate: &Candidate) -> String {
    let times = counted(times(candidate), "time");
    let projects = counted(candidate.repo_ids.len() as u64, "project");
    let last = match age(&candidate.last_seen, SystemTime::now()).as_str() {
        "" => candidate.last_seen.clone(),
        age => format!("{age} ago"),
    };
    format!("{times} in {projects}, the last time {last}")
}

fn note(candidate: &Candidate) -> String {
    let mut notes = Vec::new();
    if candidate.mention {
        notes.push("rejected before, but seen again and again".to_owned());
    }
    if candidate.eligible && candidate.status != CandidateStatus::Promoted {
        notes.push(format!(
            "enough projects have seen it for ccctl coach promote {}",
            candidate.id
        ));
    }
    notes.join("; ")
}

fn percent(part: f64) -> String {
    format!("{:.0}%", part * 100.0)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::render::Style;
    use crate::render::printer::{printed, printed_in};
    use serde_json::json;

    /// A pending candidate.
    pub(crate) fn sample(id: &str, title: &str) -> Candidate {
        let candidate = json!({
            "id": id, "fingerprint": id.repeat(8), "normalized_text": "rule|a|b", "title": title,
            "candidate_type": "rule", "trigger_condition": "When installing packages",
            "action": "Use pnpm\nNever npm", "current_scope": "project", "repo_ids": ["r1", "r2"],
            "evidence": [], "confidence": 0.7, "count": 3, "status": "pending",
            "first_seen": "2026-01-01T00:00:00.000Z", "last_seen": "2026-01-31T12:00:00.000Z",
            "scope_guess": "global", "eligible": true,
        });
        serde_json::from_value(candidate).unwrap()
    }

    /// A piece of evidence.
    pub(crate) fn quote(text: &str) -> Evidence {
        Evidence {
            event_id: "e1".into(),
            quote: text.into(),
            timestamp: "2026-01-31T12:00:00.000Z".into(),
            session_id: None,
            repo_id: None,
        }
    }

    #[test]
    fn a_list_has_one_line_per_candidate() {
        let mut approved = sample("9c0d1e2f", "Run the tests");
        approved.status = CandidateStatus::Approved;
        approved.guarded = true;
        let all = [sample("3f2a91bc", "Use pnpm"), approved];
        let text = printed(|out| out.table(&all, CANDIDATES));
        let line = |index| text.lines().nth(index).unwrap().split_whitespace();
        assert!(
            line(0)
                .take(6)
                .eq(["3f2a91bc", "rule", "pending", "global", "3", "70%"])
        );
        assert!(line(1).skip(2).take(2).eq(["approved+guard", "project"]));
        assert!(text.ends_with("Run the tests\n"), "{text}");
        // A narrow terminal keeps the id and the title.
        let style = Style::TERMINAL;
        let all = [sample("3f2a91bc", "Use pnpm for everything, everywhere")];
        let text = printed_in(style, Some(30), |out| out.table(&all, CANDIDATES));
        assert_eq!(text, "ID        TITLE\n3f2a91bc  Use pnpm for everyt…\n");
    }

    #[test]
    fn a_summary_shows_words_and_the_newest_quotes() {
        let quotes = ["one", "two", "three", "four"].map(quote);
        let mut candidate = sample("3f2a91bc", "Use pnpm");
        candidate.evidence = quotes.to_vec();
        let text = printed(|out| summary(&candidate, &quotes, out));
        for part in [
            "Use pnpm\nid          3f2a91bc\n",
            "scope       global: all your projects\n",
            "do          Use pnpm\n            Never npm\n",
            "seen        4 times in 2 projects, the last time ",
            "confidence  70%\n",
            "ccctl coach promote 3f2a91bc\n",
            "  2026-01-31T12:00:00.000Z  four\n",
        ] {
            assert!(text.contains(part), "{part:?} is not in\n{text}");
        }
        assert!(!text.contains("  one"), "{text}");
    }
}
