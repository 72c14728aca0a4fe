//! The daemon's own log: levels that can change at run time, a file for each day, and limits.

mod day_file;
mod repeats;

use crate::config::{LogDestination, LogFormat, LogLevel, Logging};
use crate::failure::{CallError, invalid};
use ccd_base::visible::Notation;
use ccd_protocol::daemon::{DaemonLogParams, DaemonLogReply};
use day_file::DayFile;
use parking_lot::Mutex;
use repeats::Repeats;
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::{LevelFilter, filter_fn};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry, reload};

const MAX_ERRORS: usize = 10;

const MAX_ERROR_CHARS: usize = 400;

#[derive(Clone)]
pub(crate) struct Log {
    filter: reload::Handle<LevelFilter, Registry>,
    state: Arc<Mutex<LogState>>,
    repeats: Repeats,
    folder: Option<PathBuf>,
}

struct LogState {
    level: LogLevel,
    debug: bool,
    errors: VecDeque<String>,
}

impl Log {
    /// Sets up the log of the process. If its file cannot be used, it is written to standard error.
    pub(crate) fn start(logging: &Logging, level: LogLevel, folder: &Path) -> io::Result<Self> {
        let (filter, handle) = reload::Layer::new(filter_of(level));
        let state = Arc::new(Mutex::new(LogState {
            level,
            debug: false,
            errors: VecDeque::new(),
        }));
        let errors = KeepErrors(Arc::clone(&state));
        let repeats = Repeats::default();
        let registry = tracing_subscriber::registry().with(filter).with(errors);
        let registry = registry.with(repeats.clone());
        // Its events contain whole messages: what agents type and programs print.
        let registry = registry.with(filter_fn(|event| !event.target().starts_with("rmcp")));
        // The journal reads standard error and adds the times itself.
        let times = logging.destination != LogDestination::Journal;
        let to_stderr = || layer(logging.format, times, stderr_of(logging.format));
        let (output, problem) = match logging.destination {
            LogDestination::File => {
                match DayFile::open(folder, logging.format, logging.max_file_bytes) {
                    Ok(file) => (layer(logging.format, true, file), None),
                    Err(error) => (to_stderr(), Some(error)),
                }
            }
            LogDestination::Journal | LogDestination::Stderr => (to_stderr(), None),
        };
        let to_file = logging.destination == LogDestination::File && problem.is_none();
        registry.with(output).try_init().map_err(io::Error::other)?;
        if let Some(error) = problem {
            tracing::error!(%error, "the file of the log cannot be used; logging to standard error");
        }
        Ok(Self {
            filter: handle,
            state,
            repeats,
            folder: to_file.then(|| folder.to_owned()),
        })
    }

    pub(crate) fn set_level(&self, level: LogLevel) {
        let debug = {
            let mut state = self.state.lock();
            state.level = level;
            state.debug
        };
        let shown = if debug { LogLevel::Debug } else { level };
        if let Err(error) = self.filter.reload(filter_of(shown)) {
            tracing::warn!(%error, "the level could not be changed");
        }
    }

    pub(crate) fn change(&self, params: &DaemonLogParams) -> Result<DaemonLogReply, CallError> {
        let level = match &params.level {
            Some(text) => Some(LogLevel::named(text).ok_or_else(|| {
                invalid(format!(
                    "level is {text:?}: give error, warn, info, debug or trace"
                ))
            })?),
            None => None,
        };
        if let Some(debug) = params.debug {
            self.state.lock().debug = debug;
        }
        let level = level.unwrap_or(self.state.lock().level);
        self.set_level(level);
        let path = self.folder.as_deref().and_then(newest);
        let state = self.state.lock();
        Ok(DaemonLogReply {
            level: filter_of(state.level).to_string(),
            debug: state.debug,
            path: path.map(|path| path.to_string_lossy().into_owned()),
        })
    }

    /// Logs how many lines were dropped because they repeat others, for as long as any are.
    pub(crate) fn report_repeats(&self) -> impl Future<Output = ()> + Send + use<> {
        self.repeats.clone().report_each_period()
    }

    /// Logs what is still to be logged before the process ends.
    pub(crate) fn finish(&self) {
        self.repeats.report();
    }

    /// Returns the last errors, newest last.
    pub(crate) fn last_errors(&self) -> Vec<String> {
        self.state.lock().errors.iter().cloned().collect()
    }
}

/// Makes this process write warnings and errors to standard error; for the holder, which does not access the disk.
#[cfg(not(portable))]
pub(crate) fn to_stderr() -> io::Result<()> {
    tracing_subscriber::registry()
        .with(LevelFilter::WARN)
        .with(layer(LogFormat::Text, true, stderr_of(LogFormat::Text)))
        .try_init()
        .map_err(io::Error::other)
}

fn layer<S, W>(format: LogFormat, times: bool, writer: W) -> Box<dyn Layer<S> + Send + Sync>
where
    S: Subscriber + for<'span> tracing_subscriber::registry::LookupSpan<'span>,
    W: for<'writer> MakeWriter<'writer> + Send + Sync + 'static,
{
    let base = tracing_subscriber::fmt::layer()
        .with_writer(writer)
        .with_ansi(false);
    match (format, times) {
        (LogFormat::Text, true) => base.boxed(),
        (LogFormat::Text, false) => base.without_time().boxed(),
        (LogFormat::Json, true) => base.json().boxed(),
        (LogFormat::Json, false) => base.json().without_time().boxed(),
    }
}

/// Standard error, which may be a terminal: no text of others controls it.
fn stderr_of(format: LogFormat) -> impl Fn() -> VisibleStderr {
    move || VisibleStderr(Notation::new(format == LogFormat::Json))
}

struct VisibleStderr(Notation);

impl Write for VisibleStderr {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let line_len = line.len();
        let line = self.0.visible(&String::from_utf8_lossy(line));
        io::stderr().write_all(line.as_bytes())?;
        Ok(line_len)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn filter_of(level: LogLevel) -> LevelFilter {
    match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    }
}

fn newest(folder: &Path) -> Option<PathBuf> {
    day_file::files(folder).ok()?.pop()
}

pub(crate) fn remove_older_than(folder: &Path, age: Duration) -> io::Result<()> {
    let Some(limit) = SystemTime::now().checked_sub(age) else {
        return Ok(());
    };
    for (path, written) in files(folder)? {
        if written < limit {
            std::fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// Returns the log files, oldest first, each with the time at which it was last written.
pub(crate) fn files(folder: &Path) -> io::Result<Vec<(PathBuf, SystemTime)>> {
    let files = day_file::files(folder)?.into_iter();
    let written = |path: PathBuf| Ok((path.clone(), std::fs::metadata(&path)?.modified()?));
    files.map(written).collect()
}

struct KeepErrors(Arc<Mutex<LogState>>);

impl<S: Subscriber> Layer<S> for KeepErrors {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if *event.metadata().level() != Level::ERROR {
            return;
        }
        let mut line = LogLine(ccd_base::clock::now());
        event.record(&mut line);
        let text: String = line.0.chars().take(MAX_ERROR_CHARS).collect();
        let mut state = self.0.lock();
        if state.errors.len() == MAX_ERRORS {
            state.errors.pop_front();
        }
        state.errors.push_back(text);
    }
}

struct LogLine(String);

impl Visit for LogLine {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let _ = match field.name() {
            "message" => write!(self.0, " {value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
    }
}
