//! Which files make a conversation.

use super::layout::{Dir, FoundFile, Layout};
use super::older_agent::{is_older_agent, session_of_older_agent};
use crate::ConversationError;
use crate::error::Result;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

const MIN_PREFIX: usize = 4;

/// Longest description of a sub-agent that is read; one has 300 bytes.
const MAX_META_BYTES: u64 = 1 << 20;

/// Most files of sub-agents that are read with a transcript.
const MAX_SUBAGENTS: usize = 10_000;

/// A file of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConversationFile {
    pub(crate) path: PathBuf,
    /// The call that started the sub-agent whose file it is, if its description names it.
    pub(crate) parent_tool_use_id: Option<String>,
}

#[derive(Deserialize)]
struct Meta {
    #[serde(rename = "toolUseId")]
    tool_use_id: Option<String>,
}

/// Returns the files that belong to a transcript or a stream: that itself, then those of sub-agents in the order of their
/// names. Links to files elsewhere are left out.
pub(crate) fn files_of(main: &Path) -> Vec<ConversationFile> {
    let mut agents = transcripts_in(&main.with_extension("").join("subagents"));
    agents.extend(older_agents(main));
    agents.truncate(MAX_SUBAGENTS);
    let agents = agents.into_iter().map(|path| ConversationFile {
        parent_tool_use_id: parent_of(&path),
        path,
    });
    let main = ConversationFile {
        path: main.to_owned(),
        parent_tool_use_id: None,
    };
    std::iter::once(main).chain(agents).collect()
}

/// Returns the transcripts in a directory, sorted. Links are left out.
pub(crate) fn transcripts_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let paths = files.map(|entry| entry.path());
    let mut paths: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
        .collect();
    paths.sort();
    paths
}

/// Returns the transcripts of sub-agents that are beside that of their session, as older versions of Claude Code wrote them.
fn older_agents(main: &Path) -> Vec<PathBuf> {
    let session = main.file_stem().and_then(|name| name.to_str());
    let mut paths = main.parent().map(transcripts_in).unwrap_or_default();
    paths.retain(|path| {
        path != main && is_older_agent(path) && session_of_older_agent(path).as_deref() == session
    });
    paths
}

pub(crate) fn parent_of(path: &Path) -> Option<String> {
    let meta = fs::File::open(path.with_extension("meta.json")).ok()?;
    let mut json = Vec::new();
    meta.take(MAX_META_BYTES).read_to_end(&mut json).ok()?;
    let meta: Meta = serde_json::from_slice(&json).ok()?;
    meta.tool_use_id.filter(|id| !id.is_empty())
}

/// Returns the transcript of a session in any of these directories: of the id `start`, or of the only one that it is a
/// prefix of.
pub(crate) fn find_session(start: &str, dirs: &[Dir]) -> Result<PathBuf> {
    let not_found = || ConversationError::NotFound(start.to_owned());
    let is_id = start
        .chars()
        .all(|char| char.is_ascii_alphanumeric() || char == '-' || char == '_');
    if !is_id || start.len() < MIN_PREFIX {
        return Err(not_found());
    }
    // Nearly always it is a whole id.
    let folders = dirs.iter().flat_map(|dir| Layout::new(dir).folders());
    let mut paths = folders.map(|folder| folder.join(format!("{start}.jsonl")));
    let is_file = |path: &PathBuf| fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    if let Some(path) = paths.find(is_file) {
        return Ok(path);
    }
    let files: Vec<FoundFile> = dirs.iter().flat_map(Dir::files).collect();
    let agents = files.iter().filter(|file| file.agent_id.is_some());
    let mains = files.iter().map(|file| file.path.clone());
    let mains = mains.filter(|path| {
        !path
            .parent()
            .is_some_and(|folder| folder.ends_with("subagents"))
    });
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    // Of some sessions, there are only the transcripts of sub-agents.
    for path in mains.chain(agents.filter_map(FoundFile::main)) {
        let id = path.file_stem().and_then(|name| name.to_str());
        match id {
            Some(id) if id == start => return Ok(path),
            Some(id) if id.starts_with(start) => found.push((id.to_owned(), path.clone())),
            _ => {}
        }
    }
    let ids: BTreeSet<&String> = found.iter().map(|(id, _)| id).collect();
    match (ids.len(), found.first()) {
        (1, Some((_, path))) => Ok(path.clone()),
        (0, _) | (_, None) => Err(not_found()),
        _ => Err(ConversationError::Ambiguous {
            start: start.to_owned(),
            found: ids.into_iter().take(10).cloned().collect(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_found_by_its_id_or_by_a_prefix_even_if_only_its_sub_agents_are_there() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("projects/-srv");
        fs::create_dir_all(project.join("abcd-3/subagents")).unwrap();
        fs::create_dir_all(project.join("abcd-1/subagents")).unwrap();
        for name in [
            "abcd-1.jsonl",
            "abcd-1/subagents/agent-x.jsonl",
            "abce.jsonl",
            "abcd-3/subagents/agent-y.jsonl",
        ] {
            fs::write(project.join(name), "").unwrap();
        }
        let older = r#"{"sessionId":"abcf-4"}"#;
        fs::write(project.join("agent-z.jsonl"), older).unwrap();
        let dirs = [Dir::of_claude(folder.path())];
        for (start, expected) in [
            ("abcd-1", Ok("abcd-1")),
            ("abcd-3", Ok("abcd-3")),
            ("abce", Ok("abce")),
            ("abcf", Ok("abcf-4")),
            ("agent-z", Ok("agent-z")),
            (
                "abcd",
                Err("several conversations start with \"abcd\": abcd-1, abcd-3"),
            ),
            ("abc", Err("abc: no such conversation")),
            ("../x", Err("../x: no such conversation")),
            ("wxyz", Err("wxyz: no such conversation")),
        ] {
            match (find_session(start, &dirs), expected) {
                (Ok(path), Ok(name)) => assert_eq!(path, project.join(format!("{name}.jsonl"))),
                (Err(error), Err(text)) => assert!(error.to_string().starts_with(text), "{error}"),
                (found, _) => panic!("{start}: {found:?}"),
            }
        }
    }
}
