//! `conversation_search`.

use super::call::{Call, Mistake, Tool, ToolOutput};
use ccd_protocol::conversation::{
    ConversationHit, ConversationScope, ConversationSearch, ConversationSearchParams,
};
use serde::Deserialize;

/// Hits in a result, unless the agent asks for another number.
const DEFAULT_HITS: u64 = 10;
const MAX_HITS: u64 = 50;

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct Search {
    /// Words and "quoted phrases" that must all occur in one message; -word must not occur.
    query: String,
    /// Absolute path: only conversations started in this directory or below it.
    project: Option<String>,
    /// Only calls of this tool (such as Bash) and their results.
    tool: Option<String>,
    /// Only messages since this date or time, such as 2026-01-31.
    since: Option<String>,
    /// Maximum number of matches; default 10, at most 50.
    limit: Option<u64>,
}

impl Tool for Search {
    const NAME: &'static str = "conversation_search";
    const TITLE: &'static str = "Search past conversations";
    const DESCRIPTION: &'static str = "Searches all conversations of Claude Code on this machine, newest matches first. \
        Use it to find how something was solved, decided or run before.";
    const READS: bool = true;

    async fn run(self, call: &Call<'_>) -> Result<ToolOutput, Mistake> {
        let env = call.opening.env.as_ref();
        let config_dir = env.and_then(|env| env.get("CLAUDE_CONFIG_DIR"));
        let config_dir = config_dir.filter(|dir| dir.starts_with('/'));
        let params = ConversationSearchParams {
            query: self.query,
            scope: ConversationScope {
                claude_dirs: config_dir.cloned().into_iter().collect(),
                project: self.project,
                since: self.since,
                ..ConversationScope::default()
            },
            tool: self.tool,
            limit: Some(self.limit.unwrap_or(DEFAULT_HITS).clamp(1, MAX_HITS)),
            ..ConversationSearchParams::default()
        };
        let found = call.calls.call::<ConversationSearch>(&params).await?;
        let mut lines: Vec<String> = found.hits.iter().map(line).collect();
        let shown = found.hits.len() as u64;
        lines.push(match found.total {
            0 => "[nothing found]".to_owned(),
            total => format!(
                "[{shown} of {total} matches; ccctl conversation show SESSION prints a whole conversation]"
            ),
        });
        if found.indexing.is_some() {
            lines.push("[not everything is indexed yet: search again in a moment]".to_owned());
        }
        Ok(lines.join("\n").into())
    }
}

fn line(hit: &ConversationHit) -> String {
    let at = hit.at.as_deref().unwrap_or("unknown time");
    let (role, tool) = (hit.role.name(), hit.tool.as_ref());
    let tool = tool.map(|tool| format!(" {tool}")).unwrap_or_default();
    let (session, snippet) = (&hit.session_id, &hit.snippet);
    format!("{at} {role}{tool} (session {session}): {snippet}")
}
