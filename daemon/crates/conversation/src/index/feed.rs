//! New bytes of files into batches.

use super::batch::{Batch, RunEnd, Step};
use super::extract::{Depth, Entry, entry};
use super::gate::Gate;
use super::inbox::Inbox;
use super::mark::mark;
use super::plan::KnownFile;
use super::scope::time_text;
use super::write::{IndexDatabase, IndexWrite};
use crate::line::{Line, milliseconds};
use crate::lines::{Counts, Lines};
use crate::price::Prices;
use crate::source::{FoundFile, stamp};
use ccd_store::StoreError;
use parking_lot::Mutex;
use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::sync::Arc;
use tokio::sync::{Mutex as AsyncMutex, mpsc};

pub(super) const THREADS: usize = 2;

/// Text and rows after which a batch is full.
const BATCH_BYTES: usize = 1 << 20;

/// Bytes of a file after which a batch is full, though they have little text.
const BATCH_READ_BYTES: u64 = 16 << 20;

/// Batches that may wait for the writer.
const QUEUE_LEN: usize = 2;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Fed {
    pub(crate) files: usize,
    pub(crate) bytes: u64,
    /// Files that could not be read; they are tried again the next time.
    pub(crate) failed: usize,
}

/// Reads what files have more than the index, and commits it. `done` is called with each step after its commit; nothing
/// more is read once it returns false.
pub(crate) async fn feed(
    database: &IndexDatabase,
    mut work: Vec<(FoundFile, KnownFile)>,
    prices: &Arc<Prices>,
    gate: &Arc<Gate>,
    done: &mut impl FnMut(Step) -> bool,
) -> Result<Fed, StoreError> {
    let mut fed = Fed {
        files: work.len(),
        ..Fed::default()
    };
    // The newest is read last: hits are listed against the order of reading. Each thread takes from the end.
    work.sort_by_key(|(file, _)| std::cmp::Reverse(file.modified));
    let threads = THREADS.min(work.len());
    let work = Arc::new(Mutex::new(work));
    let (batches, inbox) = mpsc::channel(QUEUE_LEN);
    for _ in 0..threads {
        let (unread, batches, prices) = (Arc::clone(&work), batches.clone(), Arc::clone(prices));
        let gate = Arc::clone(gate);
        // A thread of the runtime would have its priority.
        let thread = std::thread::Builder::new().name("transcripts".into());
        let started = thread.spawn(move || {
            let work = unread;
            let next = || work.lock().pop();
            while let Some((file, known)) = next() {
                if !read(&file, &known, &batches, &prices, &gate) {
                    return;
                }
            }
        });
        if let Err(error) = started {
            tracing::warn!(%error, "no thread reads transcripts");
        }
    }
    drop(batches);
    let inbox = Arc::new(AsyncMutex::new(Inbox::new(inbox)));
    loop {
        database
            .commit(IndexWrite::Batches(Arc::clone(&inbox)))
            .await?;
        let mut inbox = inbox.lock().await;
        let mut goes_on = !inbox.is_empty;
        for step in inbox.steps.drain(..) {
            fed.bytes += step.bytes;
            fed.failed += usize::from(step.has_failed);
            goes_on &= done(step);
        }
        if !goes_on {
            break;
        }
    }
    fed.failed += work.lock().len();
    Ok(fed)
}

/// Reads what a file has more than the index. Returns whether anybody still takes batches.
fn read(
    file: &FoundFile,
    known: &KnownFile,
    batches: &mpsc::Sender<Batch>,
    prices: &Prices,
    gate: &Gate,
) -> bool {
    let mut batch = Batch::new(file, known);
    if let Err(error) = read_pieces(file, known, &mut batch, batches, prices, gate)
        && !batches.is_closed()
    {
        tracing::warn!(%error, path = %file.path.display(), "a transcript cannot be indexed");
        batch.step.has_failed = true;
    }
    batch.step.is_last = true;
    batches.blocking_send(batch).is_ok()
}

fn read_pieces(
    file: &FoundFile,
    known: &KnownFile,
    batch: &mut Batch,
    batches: &mpsc::Sender<Batch>,
    prices: &Prices,
    gate: &Gate,
) -> io::Result<()> {
    let mut pieces = Pieces::open(file, known)?;
    while let Some(count) = pieces.next(&mut |offset, length, line| {
        batch.about.take(&line);
        batch.take_run(&line);
        if let Some(entry) = entry(offset, length, &line, Some(prices), Depth::Texts) {
            batch.take(entry);
        }
    })? {
        gate.pass();
        batch.step.bytes += count;
        batch.note(&pieces.lines);
        if batch.text_bytes >= BATCH_BYTES || batch.step.bytes >= BATCH_READ_BYTES {
            batch.step.stamp = pieces.stamp()?;
            let full = std::mem::replace(batch, Batch::new(file, known));
            let sent = batches.blocking_send(full);
            sent.map_err(|_| io::ErrorKind::BrokenPipe)?;
        }
    }
    batch.note(&pieces.lines);
    batch.step.stamp = pieces.stamp()?;
    Ok(())
}

/// A file that is read piece by piece, as far as it went when it was found: what is added meanwhile is for the next time.
pub(super) struct Pieces<'a> {
    source: File,
    pub(super) lines: Lines,
    piece: Vec<u8>,
    file: &'a FoundFile,
    /// The time of records that have none: older versions of Claude Code write none into streams.
    untimed: Option<String>,
}

impl<'a> Pieces<'a> {
    pub(super) fn open(file: &'a FoundFile, known: &KnownFile) -> io::Result<Self> {
        let counts = Counts {
            skipped: known.skipped.cast_unsigned(),
            ..Counts::default()
        };
        Ok(Self {
            source: File::open(&file.path)?,
            lines: Lines::at(known.read.cast_unsigned(), counts),
            piece: Vec::new(),
            file,
            untimed: time_text(file.modified / 1_000_000),
        })
    }

    /// Returns the stamp of the lines that were read.
    fn stamp(&self) -> io::Result<i64> {
        stamp(&self.source, self.lines.offset()).map(u64::cast_signed)
    }

    /// Reads a piece; `each` gets the lines that end in it. Returns its length, or nothing at the end.
    pub(super) fn next(
        &mut self,
        each: &mut impl FnMut(u64, u64, Line<'_>),
    ) -> io::Result<Option<u64>> {
        let (file, untimed) = (self.file, &self.untimed);
        let count = self.lines.read_piece(
            &self.source,
            file.len,
            &mut self.piece,
            &mut |offset, length, mut line: Line<'_>| {
                line.belongs_to(file.parent_tool_use_id.as_deref());
                // In a transcript, a title and the like may be newer than the conversation.
                let is_timed = file.is_import || line.run_used.is_some() || line.role().is_some();
                if let (Some(time), None, true) = (untimed, &line.timestamp, is_timed) {
                    line.timestamp = Some(Cow::Owned(time.clone()));
                }
                each(offset, length, line);
            },
        )?;
        Ok((count > 0).then_some(count))
    }
}

impl Batch {
    fn new(file: &FoundFile, known: &KnownFile) -> Self {
        Self {
            step: Step {
                file_id: known.id,
                modified: file.modified,
                ..Step::default()
            },
            ..Self::default()
        }
    }

    fn take(&mut self, mut entry: Entry) {
        mark(&mut entry);
        self.text_bytes += entry.text.len() + 300;
        self.entries.push(entry);
    }

    /// Takes what a line says of the runs of a stream.
    fn take_run(&mut self, line: &Line<'_>) {
        if let Some(used) = &line.run_used {
            let at = line.timestamp.as_deref().and_then(milliseconds);
            self.run_ends.push(RunEnd {
                after: self.entries.len(),
                at,
                used: used.clone(),
            });
        }
        if line.is_run_start || line.run_used.is_some() {
            self.is_running = Some(line.is_run_start);
        }
    }

    fn note(&mut self, lines: &Lines) {
        self.step.read = lines.offset().cast_signed();
        self.step.skipped = lines.counts().skipped.cast_signed();
    }
}
