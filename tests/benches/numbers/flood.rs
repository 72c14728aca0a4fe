//! Large amounts of output: a file full of control sequences, and programs that print it for ever.

use crate::bare::Bare;
use crate::{Result, leftovers};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::JoinHandle;

/// Maximum time until a stopped drain notices.
const STOP_LOOK: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 50_000_000,
};

/// A file of coloured log lines, deleted when dropped.
#[derive(Debug)]
pub(crate) struct AnsiFile {
    path: PathBuf,
}

impl AnsiFile {
    /// Writes at least `bytes` bytes: every line has a handful of control sequences and some wide characters.
    pub(crate) fn create(bytes: usize) -> Result<Self> {
        let path = leftovers::on_disk(&format!("{bytes}.ansi"));
        let made = Self { path };
        let mut file = BufWriter::new(File::create(&made.path)?);
        let mut written = 0;
        let mut number: u64 = 1;
        while written < bytes {
            number = number
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let (colour, value) = (number >> 56, number >> 40 & 0xffff);
            let line = format!(
                "\x1b[2m12:00:{:02}.{value:05}\x1b[0m \x1b[1;32mINFO\x1b[0m \x1b[38;5;{colour}mworker::queue\x1b[39m took \
                 \x1b[3mjob\x1b[23m=\x1b[1m{value}\x1b[22m état=\x1b[4mprêt\x1b[24m → \x1b[7m ok \x1b[27m\x1b[K\n",
                value % 60,
            );
            file.write_all(line.as_bytes())?;
            written += line.len();
        }
        file.flush()?;
        Ok(made)
    }

    /// The path as a word of a command line.
    pub(crate) fn word(&self) -> Result<&str> {
        self.path
            .to_str()
            .ok_or_else(|| "the path is not UTF-8".into())
    }

    /// A command that prints the file again and again.
    pub(crate) fn for_ever(&self) -> Result<[String; 3]> {
        let script = format!("while cat {}; do :; done", self.word()?);
        Ok(["sh".to_owned(), "-c".to_owned(), script])
    }
}

impl Drop for AnsiFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Floods on terminals of this process, drained by one thread that does nothing else. They end when dropped.
#[derive(Debug)]
pub(crate) struct OwnFloods {
    stop: Arc<AtomicBool>,
    drain: Option<JoinHandle<()>>,
}

impl OwnFloods {
    /// Starts `count` floods of `file`.
    pub(crate) fn start(count: usize, file: &AnsiFile) -> Result<Self> {
        let words = file.for_ever()?;
        let argv: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut floods = Vec::new();
        for _ in 0..count {
            floods.push(Bare::start(&argv)?);
        }
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let drain = std::thread::spawn(move || drain(&mut floods, &stopped));
        Ok(Self {
            stop,
            drain: Some(drain),
        })
    }
}

impl Drop for OwnFloods {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
        if let Some(drain) = self.drain.take() {
            let _ = drain.join();
        }
    }
}

fn drain(floods: &mut [Bare], stop: &AtomicBool) {
    while !stop.load(Relaxed) {
        let mut wait: Vec<PollFd<'_>> = floods
            .iter()
            .map(|flood| PollFd::new(flood.master(), PollFlags::IN))
            .collect();
        if poll(&mut wait, Some(&STOP_LOOK)).is_err() {
            continue;
        }
        let ready: Vec<bool> = wait.iter().map(|fd| !fd.revents().is_empty()).collect();
        for (flood, _) in floods.iter_mut().zip(ready).filter(|(_, ready)| *ready) {
            // They print for ever, so they cannot have ended.
            let _ = flood.read_after(0);
        }
    }
}
