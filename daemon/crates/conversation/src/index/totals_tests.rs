//! Totals without the index, compared with those of the index.

use super::totals::totals;
use crate::index::Follower;
use crate::setup::{ConversationSettings, Setup};
use ccd_protocol::conversation::{
    ConversationListParams, ConversationStatsParams, Missing, StatsBy, StatsGroup,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Makes a directory of Claude Code with the golden transcripts, and a copy of one of them.
fn claude_dir(at: &Path) -> PathBuf {
    let project = at.join("claude/projects/-srv-project");
    std::fs::create_dir_all(&project).unwrap();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let fixtures = std::fs::read_dir(fixtures).unwrap();
    let transcripts = fixtures.map(|entry| entry.unwrap().path());
    for path in transcripts.filter(|path| path.extension().is_some_and(|end| end == "jsonl")) {
        std::fs::copy(&path, project.join(path.file_name().unwrap())).unwrap();
    }
    let line = |uuid: &str, more: &str| {
        format!(
            r#"{{"type":"assistant","uuid":"{uuid}","sessionId":"own","cwd":"/srv/project","gitBranch":"main","timestamp":"2026-03-0{uuid}T23:50:00Z",{more}}}"#
        )
    };
    let usage = r#""usage":{"input_tokens":10,"output_tokens":7,"cache_creation":{"ephemeral_1h_input_tokens":5}}"#;
    let own = [
        line("1", &format!(r#""message":{{"id":"own1","model":"claude-opus-4-5-20251101","content":[{{"type":"tool_use","id":"own-t","name":"Bash","input":{{}}}}],{usage}}}"#)),
        line("2", &format!(r#""message":{{"id":"own2","model":"nobody-knows","content":"x",{usage}}}"#)),
        "not json".to_owned(),
        r#"{"type":"user","uuid":"3","sessionId":"own","message":{"content":[{"type":"tool_result","tool_use_id":"own-t","is_error" : true,"content":"no"}]}}"#.to_owned(),
        String::new(),
    ]
    .join("\n");
    std::fs::write(project.join("own.jsonl"), &own).unwrap();
    let launched = r#"{"type":"user","uuid":"4","sessionId":"own","message":{"content":[{"type":"tool_result","tool_use_id":"own-a","content":"x"}]},"toolUseResult":{"isAsync":true,"agentId":"gone"}}"#;
    std::fs::write(project.join("copy.jsonl"), format!("{own}{launched}\n")).unwrap();
    // A stream of an old version, and one that has not ended: their records have no time.
    let stream = |session: &str, end: &str| {
        format!(
            r#"{{"type":"system","subtype":"init","session_id":"{session}","cwd":"/srv/old"}}
{{"type":"assistant","uuid":"{session}","session_id":"{session}","message":{{"id":"{session}","model":"claude-opus-4-5-20251101","content":"x",{usage}}}}}
{end}"#
        )
    };
    let end =
        r#"{"type":"result","usage":{"input_tokens":10,"output_tokens":70},"total_cost_usd":0.5}"#;
    std::fs::write(
        project.join("old.jsonl"),
        stream("old", &format!("{end}\n")),
    )
    .unwrap();
    std::fs::write(project.join("open.jsonl"), stream("open", "")).unwrap();
    at.join("claude")
}

fn rounded(cost: f64) -> f64 {
    (cost * 1e9).round() / 1e9
}

#[tokio::test]
async fn totals_without_an_index_are_those_of_the_index() {
    let home = tempfile::tempdir().unwrap();
    let dir = claude_dir(home.path());
    let setup = Setup::new(&dir, home.path(), ConversationSettings::default());
    let prices = setup.prices().unwrap().prices;
    let (index, follower) = Follower::new(home.path().join("index.sqlite"), Arc::clone(&setup));
    let runtime = tokio::runtime::Handle::current();
    let thread = std::thread::spawn(move || runtime.block_on(follower.run()));
    for by in [
        None,
        Some(StatsBy::Day),
        Some(StatsBy::Project),
        Some(StatsBy::Branch),
        Some(StatsBy::Session),
        Some(StatsBy::Model),
        Some(StatsBy::Tool),
    ] {
        let params = ConversationStatsParams {
            by,
            ..ConversationStatsParams::default()
        };
        let mut expected = index.stats(&params).await.unwrap();
        expected.prices_as_of = String::new();
        let database = index.database().await.unwrap();
        let dirs = setup.dirs(&[]);
        let mut found = totals(&database, &setup, dirs, by, &prices).await.unwrap();
        for reply in [&mut expected, &mut found] {
            reply.cost_usd = reply.cost_usd.map(rounded);
            for group in &mut reply.groups {
                group.cost_usd = group.cost_usd.map(rounded);
            }
        }
        assert!(
            found.messages > 5 && found.tool_errors > 0 && found.skipped_lines >= 2,
            "{found:?}"
        );
        assert!(found.cost_usd.is_some());
        assert_eq!(found.unpriced_models, ["", "nobody-knows"]);
        assert_eq!(
            serde_json::to_value(&found).unwrap(),
            serde_json::to_value(&expected).unwrap(),
            "{by:?}"
        );
        if by == Some(StatsBy::Day) {
            assert!(found.groups.iter().all(|group| !group.key.is_empty()));
        }
        if by == Some(StatsBy::Session) {
            let group = |key: &str| -> StatsGroup {
                found
                    .groups
                    .iter()
                    .find(|group| group.key == key)
                    .unwrap()
                    .clone()
            };
            let (old, open) = (group("old"), group("open"));
            assert_eq!((old.usage.output_tokens, old.cost_usd), (70, Some(0.5)));
            assert_eq!((old.is_partial, open.is_partial), (false, true));
        }
    }
    let list = index
        .list(&ConversationListParams::default())
        .await
        .unwrap();
    let listed = list
        .conversations
        .iter()
        .map(|one| (one.session_id.as_str(), one.missing));
    let listed: Vec<_> = listed.collect();
    for untimed in [("old", None), ("open", Some(Missing::Result))] {
        assert!(listed.contains(&untimed), "{listed:?}");
    }
    index.stop();
    ccd_store::blocking(move || thread.join().unwrap()).await;
    index.close().await;
}
