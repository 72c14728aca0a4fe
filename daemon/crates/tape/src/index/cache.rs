//! A cache of the index on disk, so that unchanged tapes need not be read at start.

use super::find::Index;
use super::tape::{IndexedTape, Prompt, Row, Stamp, TapeId, created_ns};
use crate::format::{Meta, PtySize};
use crate::key::{Fingerprint, Invocation};
use ccd_protocol::tape::{Latency, LatencyName, TapeExit};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// The start of every file; it changes with the format.
const MAGIC: &[u8; 16] = b"ccd tape index 3";

/// A larger file was not written by ccd.
const MAX_BYTES: u64 = 1 << 30;

/// A tape that was changed this short a time before may change again without a new modification time.
const UNSETTLED_NS: i64 = 1_000_000_000;

const HASH_BYTES: usize = 32;

/// The cache file of one root.
#[derive(Debug, Clone)]
pub struct Cache {
    path: PathBuf,
}

impl Cache {
    /// Returns the cache of `root` in a directory of such files.
    pub fn new(folder: &Path, root: &Path) -> Self {
        let name = Fingerprint::of("root", root.as_os_str().as_bytes());
        Self {
            path: folder.join(format!("tapes-{name}.bin")),
        }
    }

    /// Returns the cached tapes; none if the file is missing, damaged, or was made by another build.
    pub fn load(&self, root: &Path) -> HashMap<TapeId, Arc<IndexedTape>> {
        let tapes = self.read(root).unwrap_or_default();
        let tapes = tapes.into_iter();
        tapes
            .map(|tape| (Arc::clone(&tape.id), Arc::new(tape)))
            .collect()
    }

    /// Replaces the file with the tapes of an index.
    ///
    /// # Errors
    ///
    /// The file cannot be written; the old one is kept.
    pub fn save(&self, index: &Index) -> io::Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)?;
        let stored = Stored::of(index);
        let body = postcard::to_stdvec(&stored).map_err(io::Error::other)?;
        let mut name = self.path.clone().into_os_string();
        name.push(format!(".{}", std::process::id()));
        let new = PathBuf::from(name);
        // Removes the rest of a killed daemon's file.
        let _ = fs::remove_file(&new);
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&new)?;
        let written = file
            .write_all(MAGIC)
            .and_then(|()| file.write_all(&Sha256::digest(&body)))
            .and_then(|()| file.write_all(&body))
            .and_then(|()| fs::rename(&new, &self.path));
        written.inspect_err(|_| drop(fs::remove_file(&new)))
    }

    fn read(&self, root: &Path) -> Option<Vec<IndexedTape>> {
        let file = super::build::open(&self.path).ok()?;
        let meta = file.metadata().ok()?;
        // Another user could forge the contents of the tapes.
        if !meta.is_file()
            || meta.len() > MAX_BYTES
            || meta.uid() != rustix::process::getuid().as_raw()
        {
            return None;
        }
        let bytes = fs::read(&self.path).ok()?;
        let (hash, body) = bytes.strip_prefix(MAGIC)?.split_at_checked(HASH_BYTES)?;
        if *Sha256::digest(body) != *hash {
            return None;
        }
        let (head, body): (Head, &[u8]) = postcard::take_from_bytes(body).ok()?;
        if head != Head::of(root) {
            return None;
        }
        let tapes: Tapes = postcard::from_bytes(body).ok()?;
        Some(tapes.restore())
    }
}

/// Values that must be equal for the cache to be valid.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Head {
    root: Vec<u8>,
    /// Another build may redact or normalise in another way.
    build: (u64, i64, i64),
    /// So may other redaction rules of the user.
    rules: Fingerprint,
}

impl Head {
    fn of(root: &Path) -> Self {
        let program = std::env::current_exe().and_then(fs::metadata).ok();
        let build = program.map_or((0, 0, 0), |meta| {
            (meta.len(), meta.mtime(), meta.mtime_nsec())
        });
        Self {
            root: root.as_os_str().as_bytes().to_owned(),
            build,
            rules: Fingerprint::of("rules", ccd_text::redact::UserRules::in_force().as_bytes()),
        }
    }
}

#[derive(Debug, Serialize)]
struct Stored(Head, Tapes);

impl Stored {
    fn of(index: &Index) -> Self {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let now = i64::try_from(now.as_nanos()).unwrap_or(i64::MAX);
        let mut tapes = Tapes::default();
        let mut numbers: HashMap<Invocation, u32> = HashMap::new();
        for tape in index.tapes() {
            if tape.stamp.modified_ns > now - UNSETTLED_NS {
                continue;
            }
            let known = numbers.get(&*tape.invocation).copied();
            let number = known.unwrap_or_else(|| {
                let number = u32::try_from(tapes.invocations.len()).unwrap_or(u32::MAX);
                tapes.invocations.push((*tape.invocation).clone());
                numbers.insert((*tape.invocation).clone(), number);
                number
            });
            tapes.tapes.push(StoredTape::of(tape, number));
        }
        Self(Head::of(&index.root), tapes)
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Tapes {
    invocations: Vec<Invocation>,
    tapes: Vec<StoredTape>,
}

impl Tapes {
    fn restore(self) -> Vec<IndexedTape> {
        let invocations: Vec<_> = self.invocations.into_iter().map(Arc::new).collect();
        let tapes = self.tapes.into_iter();
        tapes
            .filter_map(|tape| tape.restore(&invocations))
            .collect()
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredTape {
    id: String,
    stamp: Stamp,
    meta: StoredMeta,
    invocation: u32,
    exit: Option<(Option<i32>, Option<i32>)>,
    prompts: Vec<Prompt>,
    inputs: Vec<u8>,
    rows: Vec<Row>,
    end_state: Fingerprint,
}

/// The latency of a tape, in a self-describing form.
#[derive(Debug, Serialize, Deserialize)]
enum StoredLatency {
    Constant(u64),
    Range(u64, u64),
    Recorded,
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredMeta {
    created_at: String,
    program: String,
    args: Vec<String>,
    env: BTreeMap<String, String>,
    cwd: String,
    pty: Option<(u16, u16)>,
    fits_any_terminal: bool,
    tag: Option<String>,
    latency: Option<StoredLatency>,
    error_rate: f64,
    seed: Option<u64>,
    plain: bool,
    redact: bool,
}

impl StoredTape {
    fn of(tape: &IndexedTape, invocation: u32) -> Self {
        Self {
            id: tape.id.to_string(),
            stamp: tape.stamp,
            meta: StoredMeta::of(&tape.meta),
            invocation,
            exit: tape.exit.map(|exit| (exit.code, exit.signal)),
            prompts: tape.prompts.clone(),
            inputs: tape.inputs.clone(),
            rows: tape.rows.clone(),
            end_state: tape.end_state,
        }
    }

    /// `None` if an index in it is out of range.
    fn restore(self, invocations: &[Arc<Invocation>]) -> Option<IndexedTape> {
        let prompts = self.prompts.len();
        if self.rows.iter().any(|row| row.prompt as usize >= prompts) {
            return None;
        }
        let meta = self.meta.restore();
        Some(IndexedTape {
            id: self.id.into(),
            stamp: self.stamp,
            created_ns: created_ns(&meta.created_at),
            meta,
            invocation: Arc::clone(invocations.get(self.invocation as usize)?),
            exit: self.exit.map(|(code, signal)| TapeExit { code, signal }),
            prompts: self.prompts,
            inputs: self.inputs,
            rows: self.rows,
            end_state: self.end_state,
        })
    }
}

impl StoredMeta {
    fn of(meta: &Meta) -> Self {
        let meta = meta.clone();
        Self {
            created_at: meta.created_at,
            program: meta.program,
            args: meta.args,
            env: meta.env,
            cwd: meta.cwd,
            pty: meta.pty.map(|size| (size.rows, size.cols)),
            fits_any_terminal: meta.fits_any_terminal,
            tag: meta.tag,
            latency: meta.latency.map(|latency| match latency {
                Latency::Constant(ms) => StoredLatency::Constant(ms),
                Latency::Range([low, high]) => StoredLatency::Range(low, high),
                Latency::Named(LatencyName::Recorded) => StoredLatency::Recorded,
            }),
            error_rate: meta.error_rate,
            seed: meta.seed,
            plain: meta.plain,
            redact: meta.redact,
        }
    }

    fn restore(self) -> Meta {
        Meta {
            created_at: self.created_at,
            program: self.program,
            args: self.args,
            env: self.env,
            cwd: self.cwd,
            pty: self.pty.map(|(rows, cols)| PtySize { rows, cols }),
            fits_any_terminal: self.fits_any_terminal,
            tag: self.tag,
            latency: self.latency.map(|latency| match latency {
                StoredLatency::Constant(ms) => Latency::Constant(ms),
                StoredLatency::Range(low, high) => Latency::Range([low, high]),
                StoredLatency::Recorded => Latency::Named(LatencyName::Recorded),
            }),
            error_rate: self.error_rate,
            seed: self.seed,
            plain: self.plain,
            redact: self.redact,
            other: serde_json::Map::new(),
        }
    }
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
