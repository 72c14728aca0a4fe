//! Which files there are.

use super::IndexWrite;
use crate::import::is_import;
use crate::source::stamp;
use ccd_store::{Database, SqlResult, query_as};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// A file that is or becomes part of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundFile {
    pub(crate) path: PathBuf,
    pub(crate) claude_dir: PathBuf,
    /// The session that the file's place says it is of.
    pub(crate) session_id: String,
    pub(crate) agent_id: Option<String>,
    pub(crate) parent_tool_use_id: Option<String>,
    pub(crate) device: u64,
    pub(crate) inode: u64,
    pub(crate) len: u64,
    /// Nanoseconds since 1970.
    pub(crate) modified: i64,
    /// Its records may have no time: it is the copy of a stream.
    pub(crate) is_import: bool,
}

/// What the index has of a file.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct KnownFile {
    pub(crate) id: i64,
    pub(crate) device: u64,
    pub(crate) inode: u64,
    pub(crate) read: u64,
    pub(crate) modified: i64,
    pub(crate) stamp: u64,
    pub(crate) lines: u64,
    pub(crate) skipped: u64,
}

/// The files of the index by path, each with its directory of Claude Code.
pub(crate) type Known = HashMap<String, (String, KnownFile)>;

/// What there is to do.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// Files with something new, and where to go on.
    pub(crate) read: Vec<(FoundFile, Option<KnownFile>)>,
    /// Files that are gone, by id.
    pub(crate) gone: Vec<i64>,
}

impl Plan {
    /// Returns how much there is to read.
    pub(crate) fn new_bytes(&self) -> u64 {
        let left = |(file, known): &(FoundFile, Option<KnownFile>)| {
            file.len.saturating_sub(known.map_or(0, |known| known.read))
        };
        self.read.iter().map(left).sum()
    }
}

/// Returns what has changed in these directories since the index was last brought up to date. Blocks.
pub(crate) fn plan(dirs: &[PathBuf], known: &Known) -> Plan {
    let mut plan = Plan::default();
    let mut seen = HashSet::new();
    let mut found: Vec<FoundFile> = dirs.iter().flat_map(|dir| files_of(dir)).collect();
    // The order of ids decides between copies, so a fresh index must have the same.
    found.sort_by(|one, other| one.path.cmp(&other.path));
    for file in found {
        let path = file.path.to_string_lossy().into_owned();
        let old = known.get(&path).map(|(_, known)| *known);
        seen.insert(path);
        let is_same = old.is_some_and(|old| is_same(&file, &old));
        match old {
            Some(old) if is_same && file.len == old.read => {}
            Some(old) if is_same => plan.read.push((file, Some(old))),
            Some(old) => {
                plan.gone.push(old.id);
                plan.read.push((file, None));
            }
            None => plan.read.push((file, None)),
        }
    }
    let is_in = |dir: &str| dirs.iter().any(|wanted| wanted.as_path() == Path::new(dir));
    let gone = known
        .iter()
        .filter(|(path, (dir, _))| is_in(dir) && !seen.contains(*path));
    plan.gone.extend(gone.map(|(_, (_, file))| file.id));
    plan
}

/// Returns whether a file is the one that the index has the start of.
fn is_same(file: &FoundFile, old: &KnownFile) -> bool {
    if (old.device, old.inode) != (file.device, file.inode) || file.len < old.read {
        return false;
    }
    let is_untouched = old.read == 0 || file.len == old.read && file.modified == old.modified;
    // It may have been written anew in place.
    is_untouched
        || fs::File::open(&file.path)
            .and_then(|open| stamp(&open, old.read))
            .is_ok_and(|stamp| stamp == old.stamp)
}

/// Returns the transcripts of a directory of Claude Code, those of sub-agents too. Links are left out.
pub(super) fn files_of(claude_dir: &Path) -> Vec<FoundFile> {
    let mut found = Vec::new();
    for project in list(&claude_dir.join("projects")) {
        for (path, metadata) in list(&project.0) {
            if metadata.is_dir() {
                let session = name_of(&path);
                for (path, metadata) in list(&path.join("subagents")) {
                    found.extend(file(claude_dir, &path, &metadata, Some(&session)));
                }
            } else {
                found.extend(file(claude_dir, &path, &metadata, None));
            }
        }
    }
    found
}

fn list(dir: &Path) -> Vec<(PathBuf, fs::Metadata)> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let with_metadata = |entry: fs::DirEntry| Some((entry.path(), entry.metadata().ok()?));
    entries.filter_map(with_metadata).collect()
}

fn file(
    claude_dir: &Path,
    path: &Path,
    metadata: &fs::Metadata,
    session_of_agent: Option<&str>,
) -> Option<FoundFile> {
    if !metadata.is_file() || path.extension().is_none_or(|end| end != "jsonl") {
        return None;
    }
    let name = name_of(path);
    let agent_id = session_of_agent.map(|_| name.trim_start_matches("agent-").to_owned());
    Some(FoundFile {
        parent_tool_use_id: agent_id
            .as_ref()
            .and_then(|_| crate::source::parent_of(path)),
        session_id: session_of_agent.map_or(name, str::to_owned),
        agent_id,
        is_import: is_import(path),
        path: path.to_owned(),
        claude_dir: claude_dir.to_owned(),
        device: metadata.dev(),
        inode: metadata.ino(),
        len: metadata.len(),
        modified: metadata
            .mtime()
            .saturating_mul(1_000_000_000)
            .saturating_add(metadata.mtime_nsec()),
    })
}

fn name_of(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

ccd_store::row! {
    struct KnownRow {
        path: String,
        claude_dir: String,
        id: i64,
        device: i64,
        inode: i64,
        read: i64,
        modified: i64,
        stamp: i64,
        lines: i64,
        skipped: i64,
    }
}

/// Returns the files of the index by path, each with its directory of Claude Code.
pub(crate) async fn known(database: &Database<IndexWrite>) -> SqlResult<Known> {
    let rows = query_as(
        "SELECT path, claude_dir, id, device, inode, read, modified, stamp, lines, skipped FROM files",
    );
    let rows: Vec<KnownRow> = rows.fetch_all(database.readers()).await?;
    let file = |row: KnownRow| {
        let known = KnownFile {
            id: row.id,
            device: row.device.cast_unsigned(),
            inode: row.inode.cast_unsigned(),
            read: row.read.cast_unsigned(),
            modified: row.modified,
            stamp: row.stamp.cast_unsigned(),
            lines: row.lines.cast_unsigned(),
            skipped: row.skipped.cast_unsigned(),
        };
        (row.path, (row.claude_dir, known))
    };
    Ok(rows.into_iter().map(file).collect())
}
