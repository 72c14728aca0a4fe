//! How the coach's state looks.

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
    let text = crate::render::printer::printed(|out| out.reply("coach.status", &status));
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
