//! A candidate in full.

use crate::fields::Fields as _;
use crate::render::Printer;
use serde_json::Value;
use std::io;

/// Quotes that are shown of a candidate, the newest ones.
const NEWEST_QUOTES: usize = 3;

/// Writes what to know for a decision: the words, how often and where it was seen, and the newest quotes.
pub(crate) fn summary(candidate: &Value, out: &mut Printer<'_>) -> io::Result<()> {
    out.reply("candidate", candidate)?;
    let quotes = candidate.list("evidence");
    let newest = &quotes[quotes.len().saturating_sub(NEWEST_QUOTES)..];
    out.reply("evidence", &serde_json::json!({"evidence": newest}))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::render::printer::printed;
    use serde_json::json;

    /// A pending candidate.
    pub(crate) fn sample(id: &str, title: &str) -> Value {
        json!({
            "id": id, "fingerprint": id.repeat(8), "normalized_text": "rule|a|b", "title": title,
            "candidate_type": "rule", "trigger_condition": "When installing packages",
            "action": "Use pnpm\nNever npm", "current_scope": "project", "repo_ids": ["r1", "r2"],
            "evidence": [], "confidence": 0.7, "count": 3, "status": "pending",
            "first_seen": "2026-01-01T00:00:00.000Z", "last_seen": "2026-01-31T12:00:00.000Z",
            "scope_guess": "global", "eligible": true,
        })
    }

    /// A piece of evidence.
    pub(crate) fn quote(text: &str) -> Value {
        json!({"event_id": "e1", "quote": text, "timestamp": "2026-01-31T12:00:00.000Z"})
    }

    #[test]
    fn a_summary_shows_words_and_the_newest_quotes() {
        let quotes = ["one", "two", "three", "four"].map(quote);
        let mut candidate = sample("3f2a91bc", "Use pnpm");
        candidate["evidence"] = json!(quotes);
        let text = printed(|out| summary(&candidate, out));
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
