//! The options of the command line.

use crate::{Result, leftovers};
use std::path::PathBuf;

/// Variable that names the directory with the daemon and the client to measure.
const BIN_DIR: &str = "CCD_BENCH_BIN_DIR";

const PROGRAMS: [&str; 2] = ["ccd", "ccctl"];

/// The options of a run.
#[derive(Debug)]
pub(crate) struct Args {
    /// A smoke run: everything once, with small amounts.
    pub(crate) quick: bool,
    /// Directory of `ccd` and `ccctl`, optimised as they are shipped; see [`Self::install`].
    pub(crate) bin_dir: PathBuf,
    /// Run as the process that holds this many terminals and does nothing else.
    pub(crate) hold_sessions: Option<usize>,
    only: Vec<String>,
}

impl Args {
    /// Reads the options of this process.
    pub(crate) fn parse() -> Result<Self> {
        let mut parsed = Self {
            quick: false,
            bin_dir: PathBuf::new(),
            hold_sessions: None,
            only: Vec::new(),
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--bench" => {} // cargo passes this to every benchmark
                "--quick" => parsed.quick = true,
                "--only" => parsed.only.push(value()?),
                "--hold-sessions" => parsed.hold_sessions = Some(value()?.parse()?),
                _ => return Err(format!("unknown option {word}").into()),
            }
        }
        if parsed.hold_sessions.is_none() {
            parsed.bin_dir = find_binaries()?;
        }
        Ok(parsed)
    }

    /// Copies both programs to a directory of this run, as an installation does, and measures these from now on.
    ///
    /// A file that the linker has just written is cached in pages of 4 KiB, one that was copied or read from disk in
    /// larger pieces. Each start of a client would take 0.1 ms longer, which no user meets.
    pub(crate) fn install(&mut self) -> Result<()> {
        let installed = leftovers::on_disk("bin");
        std::fs::create_dir(&installed)?;
        for name in PROGRAMS {
            std::fs::copy(self.bin_dir.join(name), installed.join(name))?;
        }
        self.bin_dir = installed;
        Ok(())
    }

    /// Returns whether the row of this name is to be measured.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| name.contains(only.as_str()))
    }

    /// Returns `full` in a real run, `quick` in a smoke run.
    pub(crate) fn amount(&self, full: usize, quick: usize) -> usize {
        if self.quick { quick } else { full }
    }

    pub(crate) fn client(&self) -> PathBuf {
        self.bin_dir.join("ccctl")
    }
}

/// Returns `CCD_BENCH_BIN_DIR`, or else the parent of the directory in which cargo puts benchmarks.
fn find_binaries() -> Result<PathBuf> {
    let dir = match std::env::var_os(BIN_DIR) {
        Some(dir) => PathBuf::from(dir),
        None => {
            let own = std::env::current_exe()?;
            let above = own.parent().and_then(|deps| deps.parent());
            above.ok_or("this program lies nowhere")?.to_owned()
        }
    };
    for name in PROGRAMS {
        if !dir.join(name).exists() {
            let build = format!("run cargo build --release, or set {BIN_DIR}");
            return Err(format!("there is no {name} in {}: {build}", dir.display()).into());
        }
    }
    Ok(dir)
}
