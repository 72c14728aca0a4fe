//! What a daemon has and holds at one moment, and how quickly it answers.

use crate::daemon::Daemon;
use crate::proc::{memory, worker_of};
use crate::samples::Samples;
use crate::wire::{Request, Wire, result_of};
use crate::{PARTS, Result};
use ccd_protocol::daemon::{DaemonPing, DaemonStatus};
use ccd_protocol::method::NoParams;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often a client pings while others work.
const PING_PERIOD: Duration = Duration::from_millis(5);

/// How long a daemon may take to finish what it does later.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long sizes must stay the same. Threads for work on files end 10 s after their last work.
const CALM: Duration = Duration::from_secs(12);

const MIB: f64 = 1_048_576.0;

/// The rows that must be alike.
const LAST: usize = 4;

/// One row of the table.
#[derive(Debug)]
pub(crate) struct DaemonState {
    memory_bytes: u64,
    descriptors: usize,
    threads: usize,
    files: usize,
    database_bytes: u64,
    pings: Samples,
}

impl DaemonState {
    pub(crate) const HEAD: &'static str = "| part | memory | descriptors | threads | files | database | ping p50 / p99 |\n|---|---|---|---|---|---|---|";

    /// Waits until the daemon has nothing left to do.
    pub(crate) fn when_quiet(daemon: &Daemon, pings: Samples) -> Result<Self> {
        let deadline = Instant::now() + PATIENCE;
        let mut wire = daemon.connect()?;
        let (mut since, mut seen) = (Instant::now(), 0);
        while since.elapsed() < CALM && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(200));
            let status = wire.call::<DaemonStatus>(&NoParams {})?;
            let database = database_bytes(daemon);
            if status.queues.values().any(|len| *len > 0) || database != seen {
                (since, seen) = (Instant::now(), database);
            }
        }
        drop(wire);
        Self::now(daemon, pings)
    }

    pub(crate) fn now(daemon: &Daemon, pings: Samples) -> Result<Self> {
        let (mut descriptors, mut threads) = (0, 0);
        for pid in [Some(daemon.pid()), worker_of(daemon.pid())]
            .into_iter()
            .flatten()
        {
            descriptors += entries(&PathBuf::from(format!("/proc/{pid}/fd")))?;
            threads += entries(&PathBuf::from(format!("/proc/{pid}/task")))?;
        }
        Ok(Self {
            memory_bytes: memory(daemon.pid())?.own,
            descriptors,
            threads,
            files: files_below(daemon.home())?,
            database_bytes: database_bytes(daemon),
            pings,
        })
    }

    pub(crate) fn row(&self, part: usize) -> String {
        format!(
            "| {part} | {:.1} MiB | {} | {} | {} | {:.1} MiB | {:.2} / {:.2} ms |",
            self.memory_bytes as f64 / MIB,
            self.descriptors,
            self.threads,
            self.files,
            self.database_bytes as f64 / MIB,
            self.pings.median() / 1e3,
            self.pings.quantile(0.99) / 1e3
        )
    }

    /// Says how far the last rows are from each other.
    pub(crate) fn spread(rows: &[Self]) -> String {
        let last = &rows[rows.len().saturating_sub(LAST)..];
        let spread = |what: fn(&Self) -> f64| {
            let values = || last.iter().map(what);
            let (low, high) = (
                values().fold(f64::MAX, f64::min),
                values().fold(0.0, f64::max),
            );
            format!("{:.1} %", (high / low - 1.0) * 100.0)
        };
        format!(
            "Largest to smallest of the last {} of {PARTS} rows: memory +{}, descriptors +{}, threads +{}, files +{}, database +{}.",
            last.len(),
            spread(|row| row.memory_bytes as f64),
            spread(|row| row.descriptors as f64),
            spread(|row| row.threads as f64),
            spread(|row| row.files as f64),
            spread(|row| row.database_bytes as f64)
        )
    }
}

/// The database and its log.
fn database_bytes(daemon: &Daemon) -> u64 {
    let len = |name: &str| fs::metadata(daemon.home().join(name)).map_or(0, |file| file.len());
    len("ccd.sqlite") + len("ccd.sqlite-wal")
}

fn entries(folder: &Path) -> Result<usize> {
    Ok(fs::read_dir(folder)?.count())
}

/// Counts files and directories; the daemon may be deleting some of them.
fn files_below(folder: &Path) -> Result<usize> {
    let mut count = 0;
    let Ok(entries) = fs::read_dir(folder) else {
        return Ok(0);
    };
    for entry in entries {
        let entry = entry?;
        count += 1;
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            count += files_below(&entry.path())?;
        }
    }
    Ok(count)
}

/// A client that pings again and again.
pub(crate) struct Probe {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Result<Samples>>,
}

impl Probe {
    pub(crate) fn start(socket: PathBuf) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let is_over = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let mut wire = Wire::open(&socket)?;
            let ping = Request::new::<DaemonPing>(&NoParams {})?;
            let mut samples = Samples::default();
            while !is_over.load(Ordering::Relaxed) {
                let answer = samples.time(|| wire.exchange(&ping))?;
                result_of::<DaemonPing>(answer)?;
                std::thread::sleep(PING_PERIOD);
            }
            Ok(samples)
        });
        Self { stop, thread }
    }

    pub(crate) fn stop(self) -> Result<Samples> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().map_err(|_| "the probe panicked")?
    }
}
