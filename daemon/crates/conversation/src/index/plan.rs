//! What the index has of files, and what there is to do.

use super::IndexWrite;
use crate::source::{FoundFile, parent_of, stamp};
use ccd_store::{Database, SqlResult, query_as};
use std::collections::HashMap;
use std::fs;

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
    /// The call that started the sub-agent is known.
    pub(crate) has_parent: bool,
}

/// The files of the index by path, each with its directory.
pub(crate) type Known = HashMap<String, (String, KnownFile)>;

#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// Files with something new, and where to go on.
    pub(crate) read: Vec<(FoundFile, Option<KnownFile>)>,
    /// Files that are gone or are read anew.
    pub(crate) gone: Vec<(String, i64)>,
    /// Files that have other names now, each with its earlier path.
    pub(crate) moved: Vec<(String, i64, FoundFile)>,
}

impl Plan {
    /// Decides about a file that was found. Blocks.
    pub(crate) fn take(&mut self, mut file: FoundFile, known: &Known) {
        let path = file.path.to_string_lossy().into_owned();
        let old = known.get(&path).map(|(_, old)| *old);
        let same = old.filter(|old| is_same(&file, old));
        let may_have_parent = file.agent_id.is_some() && !same.is_some_and(|old| old.has_parent);
        if same.is_some_and(|old| old.read == file.len) && !may_have_parent {
            return;
        }
        file.parent_tool_use_id = file.agent_id.as_ref().and_then(|_| parent_of(&file.path));
        // Its description was written after it: it says what each of its records belongs to.
        let is_other = may_have_parent && file.parent_tool_use_id.is_some();
        match (old, same) {
            (Some(old), Some(_)) if !is_other => {
                if old.read != file.len {
                    self.read.push((file, Some(old)));
                }
            }
            (old, _) => {
                self.gone.extend(old.map(|old| (path, old.id)));
                self.read.push((file, None));
            }
        }
    }

    /// Decides about files that are not where they were, once all that were found are decided about. One that has another
    /// name now is not read again. Blocks.
    pub(crate) fn leave(&mut self, gone: impl Iterator<Item = (String, KnownFile)>) {
        let mut left: HashMap<(u64, u64), (String, KnownFile)> = HashMap::new();
        for (path, file) in gone {
            let other = left.insert((file.device, file.inode), (path, file));
            self.gone.extend(other.map(|(path, file)| (path, file.id)));
        }
        for (file, old) in std::mem::take(&mut self.read) {
            let identity = (file.device, file.inode);
            let before = left.get(&identity).filter(|_| old.is_none());
            if before.is_none_or(|(_, before)| !is_same(&file, before)) {
                self.read.push((file, old));
            } else if let Some((path, before)) = left.remove(&identity) {
                if before.read != file.len {
                    self.read.push((file.clone(), Some(before)));
                }
                self.moved.push((path, before.id, file));
            }
        }
        let gone = left.into_values().map(|(path, file)| (path, file.id));
        self.gone.extend(gone);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.read.is_empty() && self.gone.is_empty() && self.moved.is_empty()
    }
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
        has_parent: bool,
    }
}

/// Returns the files of the index by path, each with its directory: all, or those with these paths.
pub(crate) async fn known(
    database: &Database<IndexWrite>,
    paths: Option<&[String]>,
) -> SqlResult<Known> {
    let rows = query_as(
        "SELECT path, claude_dir, id, device, inode, read, modified, stamp, lines, skipped,
            parent_tool_use_id IS NOT NULL AS has_parent
        FROM files WHERE ?1 IS NULL OR path IN (SELECT value FROM json_each(?1))",
    );
    let paths = paths.map(|paths| serde_json::to_string(paths).unwrap_or_default());
    let rows: Vec<KnownRow> = rows.bind(paths).fetch_all(database.readers()).await?;
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
            has_parent: row.has_parent,
        };
        (row.path, (row.claude_dir, known))
    };
    Ok(rows.into_iter().map(file).collect())
}
