//! A cache of the index on disk, so that unchanged tapes need not be read at start.

use super::build::share_invocations;
use super::find::Index;
use super::tape::{IndexedTape, TapeId};
use crate::format::file::{make_folder, open};
use crate::key::Fingerprint;
use ccd_base::whole_file::{self, Durability};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The start of every file; it changes with the format, and with the normal forms of prompts and inputs.
const MAGIC: &[u8; 16] = b"ccd tape index 7";

/// A larger file was not written by ccd.
const MAX_BYTES: u64 = 1 << 30;

/// A tape that was changed this short a time before may change again without a new modification time.
const UNSETTLED_NS: i64 = 1_000_000_000;

const HASH_BYTES: usize = 32;

/// The start of the name of every file.
const PREFIX: &str = "tapes-";

#[derive(Debug, Clone)]
pub struct Cache {
    path: PathBuf,
}

impl Cache {
    /// Returns the cache of `root` in a directory of such files.
    pub fn new(folder: &Path, root: &Path) -> Self {
        let name = Fingerprint::new("root", root.as_os_str().as_bytes());
        Self {
            path: folder.join(format!("{PREFIX}{name}.bin")),
        }
    }

    /// Removes caches that were neither read nor written for `keep`, except those of `roots`; returns how many.
    pub fn remove_old(folder: &Path, keep: Duration, roots: &[PathBuf]) -> io::Result<u64> {
        let files = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            files => files?,
        };
        let used = roots.iter().map(|root| Self::new(folder, root).path);
        let used: Vec<PathBuf> = used.collect();
        let mut removed = 0;
        for file in files {
            let file = file?;
            let is_cache = file.file_name().as_bytes().starts_with(PREFIX.as_bytes());
            let age = file.metadata()?.modified()?.elapsed().unwrap_or_default();
            if is_cache && age >= keep && !used.contains(&file.path()) {
                fs::remove_file(file.path())?;
                removed += 1;
            }
        }
        Ok(removed)
    }

    /// Returns the cached tapes; none if the file is missing, damaged, or was made by another build.
    pub fn load(&self, root: &Path) -> HashMap<TapeId, Arc<IndexedTape>> {
        let mut tapes = self.read(root).unwrap_or_default();
        share_invocations(&mut tapes);
        let tapes = tapes.into_iter();
        tapes.map(|tape| (Arc::clone(&tape.id), tape)).collect()
    }

    /// Replaces the file with the tapes of an index. On an error, the old file is kept.
    pub fn save(&self, index: &Index) -> io::Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        make_folder(folder)?;
        let stored = (head_of(&index.root), settled(index));
        let body = postcard::to_stdvec(&stored).map_err(io::Error::other)?;
        let content = [MAGIC.as_slice(), &Sha256::digest(&body), &body].concat();
        whole_file::replace(&self.path, &content, 0o600, Durability::Later)
    }

    fn read(&self, root: &Path) -> Option<Vec<Arc<IndexedTape>>> {
        let file = open(&self.path).ok()?;
        let meta = file.metadata().ok()?;
        // Another user could forge the contents of the tapes.
        if !meta.is_file()
            || meta.len() > MAX_BYTES
            || meta.uid() != rustix::process::getuid().as_raw()
        {
            return None;
        }
        // Caches that nobody reads for long are removed.
        let _ = file.set_modified(SystemTime::now());
        let bytes = fs::read(&self.path).ok()?;
        let (hash, body) = bytes.strip_prefix(MAGIC)?.split_at_checked(HASH_BYTES)?;
        if *Sha256::digest(body) != *hash {
            return None;
        }
        let (head, body): (CacheHead, &[u8]) = postcard::take_from_bytes(body).ok()?;
        if head != head_of(root) {
            return None;
        }
        postcard::from_bytes(body).ok()
    }
}

/// Values that must be equal for the cache to be valid: the root, the build, because another one may redact or normalise
/// in another way, and the redaction rules of the user.
type CacheHead = (Vec<u8>, (u64, i64, i64), Fingerprint);

fn head_of(root: &Path) -> CacheHead {
    let program = std::env::current_exe().and_then(fs::metadata).ok();
    let build = program.map(|meta| (meta.len(), meta.mtime(), meta.mtime_nsec()));
    let root = root.as_os_str().as_bytes().to_owned();
    (root, build.unwrap_or_default(), rules_in_force())
}

/// Returns the hash of the user's redaction rules.
pub(crate) fn rules_in_force() -> Fingerprint {
    Fingerprint::new("rules", ccd_text::redact::UserRules::in_force().as_bytes())
}

/// Returns the tapes that cannot change any more without a new modification time, except those with secrets.
fn settled(index: &Index) -> Vec<&Arc<IndexedTape>> {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let now = i64::try_from(now.as_nanos()).unwrap_or(i64::MAX);
    let is_settled = |tape: &IndexedTape| tape.stamp.modified_ns <= now - UNSETTLED_NS;
    let tapes = index.tapes().filter(|tape| !tape.has_secrets);
    tapes.filter(|tape| is_settled(tape)).collect()
}

/// Stores a value as JSON: the format of the file does not describe itself, as an untagged value needs.
pub(super) mod as_json {
    use serde::de::{DeserializeOwned, Error as _};
    use serde::ser::Error as _;
    use serde::{Deserialize as _, Deserializer, Serialize, Serializer};

    pub(in super::super) fn serialize<T: Serialize, S: Serializer>(
        value: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let text = serde_json::to_string(value).map_err(S::Error::custom)?;
        text.serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        let text = String::deserialize(deserializer)?;
        serde_json::from_str(&text).map_err(D::Error::custom)
    }
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
