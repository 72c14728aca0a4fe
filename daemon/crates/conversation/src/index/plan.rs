//! What the index has of files, and what there is to do.

use super::IndexDatabase;
use crate::source::{FoundFile, ReadPart, parent_of};
use ccd_store::{SqlResult, query_as};
use std::collections::HashMap;

ccd_store::row! {
    /// A file of the index.
    #[derive(Debug, Clone, Default)]
    pub(crate) struct KnownFile {
        pub(crate) path: String,
        pub(crate) claude_dir: String,
        pub(crate) id: i64,
        pub(crate) device: i64,
        pub(crate) inode: i64,
        pub(crate) read: i64,
        pub(crate) modified: i64,
        pub(crate) stamp: i64,
        pub(crate) skipped: i64,
        /// The call that started the sub-agent is known.
        pub(crate) has_parent: bool,
    }
}

/// The files of the index by path.
pub(crate) type Known = HashMap<String, KnownFile>;

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
        let len = file.len.cast_signed();
        let old = known.get(&path);
        let same = old.filter(|old| is_same(&file, old));
        let may_have_parent = file.agent_id.is_some() && !same.is_some_and(|old| old.has_parent);
        if same.is_some_and(|old| old.read == len) && !may_have_parent {
            return;
        }
        file.parent_tool_use_id = file.agent_id.as_ref().and_then(|_| parent_of(&file.path));
        // Its description was written after it: it says what each of its records belongs to.
        let is_other = may_have_parent && file.parent_tool_use_id.is_some();
        match (old, same) {
            (Some(old), Some(_)) if !is_other => {
                if old.read != len {
                    self.read.push((file, Some(old.clone())));
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
    pub(crate) fn leave<'k>(&mut self, gone: impl Iterator<Item = &'k KnownFile>) {
        let mut left: HashMap<(i64, i64), &KnownFile> = HashMap::new();
        for file in gone {
            let other = left.insert((file.device, file.inode), file);
            self.gone.extend(other.map(KnownFile::name));
        }
        for (file, old) in std::mem::take(&mut self.read) {
            let identity = (file.device.cast_signed(), file.inode.cast_signed());
            let before = left.get(&identity).filter(|_| old.is_none());
            if before.is_none_or(|before| !is_same(&file, before)) {
                self.read.push((file, old));
            } else if let Some(before) = left.remove(&identity) {
                if before.read != file.len.cast_signed() {
                    self.read.push((file.clone(), Some(before.clone())));
                }
                self.moved.push((before.path.clone(), before.id, file));
            }
        }
        self.gone.extend(left.into_values().map(KnownFile::name));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.read.is_empty() && self.gone.is_empty() && self.moved.is_empty()
    }
}

impl KnownFile {
    pub(crate) fn name(&self) -> (String, i64) {
        (self.path.clone(), self.id)
    }
}

/// Returns whether a file is the one that the index has the start of.
fn is_same(file: &FoundFile, old: &KnownFile) -> bool {
    let part = ReadPart {
        device: old.device.cast_unsigned(),
        inode: old.inode.cast_unsigned(),
        len: old.read.cast_unsigned(),
        stamp: Some(old.stamp.cast_unsigned()),
    };
    let is_untouched = part.len == 0 || part.len == file.len && file.modified == old.modified;
    part.is_same_file(file.device, file.inode, file.len)
        && (is_untouched || part.has_stamp(&file.path))
}

/// Returns the files of the index: all, or those with these paths.
pub(crate) async fn known(database: &IndexDatabase, paths: Option<&[String]>) -> SqlResult<Known> {
    let rows = query_as(
        "SELECT path, claude_dir, id, device, inode, read, modified, stamp, skipped,
            parent_tool_use_id IS NOT NULL AS has_parent
        FROM files WHERE ?1 IS NULL OR path IN (SELECT value FROM json_each(?1))",
    );
    let paths = paths.map(|paths| serde_json::to_string(paths).unwrap_or_default());
    let rows: Vec<KnownFile> = rows.bind(paths).fetch_all(database.readers()).await?;
    let by_path = rows.into_iter().map(|file| (file.path.clone(), file));
    Ok(by_path.collect())
}
