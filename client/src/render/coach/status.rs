//! The coach's state.

use crate::render::short::{age, size};
use crate::render::style::Colour;
use crate::render::{Printer, counted, joined, printable};
use ccd_protocol::coach::{CoachStatusReply, Guard, Mute};
use std::collections::BTreeMap;
use std::io;
use std::time::SystemTime;

const FIELD_COLUMNS: usize = 16;

/// Writes the coach's state, one field per line; problems come last.
pub(crate) fn coach_status(status: &CoachStatusReply, out: &mut Printer<'_>) -> io::Result<()> {
    let recording = match &status.recording_since {
        Some(since) => format!("since {since}"),
        None if status.record == Some(false) => "no: configuration key coach.record".to_owned(),
        None if status.enabled => "no: ccctl hooks install switches it on".to_owned(),
        None => "no: configuration key hooks.enabled".to_owned(),
    };
    let events = match (status.pending_events, status.processed_events) {
        (0, 0) => "none yet".to_owned(),
        (pending, processed) => {
            format!("{pending} not in a candidate yet, {processed} in candidates")
        }
    };
    let backlog = match status.backlog_bytes {
        0 => String::new(),
        bytes => format!("{} of payloads not processed yet", size(bytes)),
    };
    let eligible = match status.eligible {
        0 => String::new(),
        count => format!(
            "{count}: seen in several projects; ccctl coach promote makes rules for all of them"
        ),
    };
    let candidates = match &*counts(&status.candidates) {
        "" => "none yet: one is made when events of one kind recur".to_owned(),
        counts => format!("{counts}; ccctl coach review decides on pending ones"),
    };
    let sizes = status.sizes.iter();
    let sizes: Vec<String> = sizes
        .map(|(name, &bytes)| format!("{name} {}", size(bytes)))
        .collect();
    let fields = [
        ("recording", recording),
        ("events", events),
        ("by type", counts(&status.events_by_type)),
        ("backlog", backlog),
        ("candidates", candidates),
        ("promotable", eligible),
        ("last grouping", last_proposal(status)),
        ("directory", status.home.clone()),
        ("databases", sizes.join(", ")),
    ];
    out.fields(FIELD_COLUMNS, &fields)?;
    for mute in &status.mutes {
        out.field(FIELD_COLUMNS, "muted", &muted(mute))?;
    }
    for guard in &status.guards {
        out.field(FIELD_COLUMNS, "guard", &guarded(guard))?;
    }
    if status.mirror_edited {
        let edited = "candidates.json was edited by something else: changes there have no effect, \
                      ccctl coach review changes candidates";
        problem(edited, out)?;
    }
    let problems = status.problems.iter();
    problems
        .map(String::as_str)
        .try_for_each(|text| problem(text, out))
}

pub(super) fn muted(mute: &Mute) -> String {
    let what = mute.signal_type.map_or("all types", |one| one.name());
    let project = mute.repo_id.as_deref();
    let place = project.map_or_else(
        || "in all projects".to_owned(),
        |id| format!("in project {id}"),
    );
    format!("{what} {place}, since {}", mute.since)
}

fn guarded(guard: &Guard) -> String {
    let id: String = guard.fingerprint.chars().take(8).collect();
    let refused = counted(guard.hits, "call");
    format!("{id} {} {}: {refused} refused", guard.tool, guard.pattern)
}

fn last_proposal(status: &CoachStatusReply) -> String {
    let Some(time) = &status.last_proposal else {
        return "never".to_owned();
    };
    match age(time, SystemTime::now()).as_str() {
        "" => time.clone(),
        age => format!("{age} ago"),
    }
}

fn counts(all: &BTreeMap<String, u64>) -> String {
    let counts = all.iter().filter(|&(_, &count)| count > 0);
    joined(", ", counts.map(|(name, count)| format!("{count} {name}")))
}

fn problem(text: &str, out: &mut Printer<'_>) -> io::Result<()> {
    let name = out.paint(Colour::Bad, &format!("{:<FIELD_COLUMNS$}", "problem"));
    writeln!(out, "{name}{}", printable(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_state_has_counts_and_problems() {
        let status = json!({
            "enabled": true, "recording_since": "2026-01-01T00:00:00.000Z", "pending_events": 2, "processed_events": 40, "backlog_bytes": 0,
            "events_by_type": {"REPETITION": 2, "TONE_ESCALATION": 0, "USER_CORRECTION": 40},
            "candidates": {"approved": 1, "pending": 3}, "eligible": 1, "home": "/h/.claude-coach",
            "sizes": {"events.sqlite": 2048, "ledger.sqlite": 512}, "mirror_edited": true,
            "problems": ["config.json: signal_patterns.tone[1]: \u{1b} is not a pattern"],
            "mutes": [{"type": "TONE_ESCALATION", "since": "2026-01-01T00:00:00.000Z"}],
            "guards": [{"fingerprint": "3f2a91bc00", "tool": "Bash", "pattern": "^npm", "reason": "r",
                        "created_at": "2026-01-01T00:00:00.000Z", "hits": 1}],
        });
        let status: CoachStatusReply = serde_json::from_value(status).unwrap();
        let text = crate::render::printer::printed(|out| coach_status(&status, out));
        let expected = "\
recording       since 2026-01-01T00:00:00.000Z
events          2 not in a candidate yet, 40 in candidates
by type         2 REPETITION, 40 USER_CORRECTION
candidates      1 approved, 3 pending; ccctl coach review decides on pending ones
promotable      1: seen in several projects; ccctl coach promote makes rules for all of them
last grouping   never
directory       /h/.claude-coach
databases       events.sqlite 2.0K, ledger.sqlite 512B
muted           TONE_ESCALATION in all projects, since 2026-01-01T00:00:00.000Z
guard           3f2a91bc Bash ^npm: 1 call refused
problem         candidates.json was edited by something else: changes there have no effect, ccctl coach review changes candidates
problem         config.json: signal_patterns.tone[1]: \\u{1b} is not a pattern
";
        assert_eq!(text, expected);
    }
}
