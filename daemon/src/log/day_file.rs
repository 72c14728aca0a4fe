//! The files of the daemon's log: one for each day, of a limited size.

use crate::config::LogFormat;
use ccd_store::own_file;
use parking_lot::{Mutex, MutexGuard};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use time::{Date, OffsetDateTime};
use tracing_subscriber::fmt::MakeWriter;

/// Name of the log files: `ccd.2026-01-31.log`.
const PREFIX: &str = "ccd";
const SUFFIX: &str = "log";

/// Writes whole lines to the file of the day (UTC).
pub(super) struct DayFile(Mutex<Day>);

pub(super) struct Day {
    folder: PathBuf,
    format: LogFormat,
    max_bytes: u64,
    date: Date,
    file: File,
    len: u64,
    /// A line says that further ones are dropped.
    is_full: bool,
}

impl DayFile {
    /// Opens the file of today. Each file ends with a note at `max_bytes`.
    pub(super) fn open(folder: &Path, format: LogFormat, max_bytes: u64) -> io::Result<Self> {
        let day = Day::open(folder, format, max_bytes, OffsetDateTime::now_utc().date())?;
        Ok(Self(Mutex::new(day)))
    }
}

impl<'a> MakeWriter<'a> for DayFile {
    type Writer = Lines<'a>;

    fn make_writer(&'a self) -> Lines<'a> {
        Lines(self.0.lock())
    }
}

/// The file of the day, while lines are written to it.
pub(super) struct Lines<'a>(MutexGuard<'a, Day>);

impl Write for Lines<'_> {
    fn write(&mut self, lines: &[u8]) -> io::Result<usize> {
        self.0.write(lines, OffsetDateTime::now_utc().date())?;
        Ok(lines.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Day {
    fn open(folder: &Path, format: LogFormat, max_bytes: u64, date: Date) -> io::Result<Self> {
        let file = own_file::append(&path_of(folder, date))?;
        let len = file.metadata()?.len();
        Ok(Self {
            folder: folder.to_owned(),
            format,
            max_bytes,
            date,
            file,
            len,
            is_full: len >= max_bytes,
        })
    }

    fn write(&mut self, lines: &[u8], today: Date) -> io::Result<()> {
        if today != self.date {
            self.begin(today)?;
        }
        if self.is_full {
            return Ok(());
        }
        if self.len + lines.len() as u64 > self.max_bytes {
            self.is_full = true;
            return self.note("this file has reached logging.max_file_bytes; further lines of this day are dropped");
        }
        self.append(lines)
    }

    /// Goes on in the file of another day. If it cannot be used, the lines of that day are appended to the present one.
    fn begin(&mut self, today: Date) -> io::Result<()> {
        match Self::open(&self.folder, self.format, self.max_bytes, today) {
            Ok(day) => *self = day,
            Err(error) => {
                self.date = today;
                self.note(&format!("the log continues in this file: {error}"))?;
            }
        }
        Ok(())
    }

    /// Writes a line of the log's own, which does not count for the limit.
    fn note(&mut self, text: &str) -> io::Result<()> {
        let now = ccd_base::clock::now();
        let line = match self.format {
            LogFormat::Text => format!("{now}  WARN {}: {text}\n", module_path!()),
            LogFormat::Json => {
                let (level, target) = ("WARN", module_path!());
                let fields = serde_json::json!({"message": text});
                let line = serde_json::json!({"timestamp": now, "level": level, "fields": fields, "target": target});
                format!("{line}\n")
            }
        };
        self.append(line.as_bytes())
    }

    fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        self.file.write_all(lines)?;
        self.len += lines.len() as u64;
        Ok(())
    }
}

fn path_of(folder: &Path, date: Date) -> PathBuf {
    // `Date` displays itself as 2026-01-31.
    folder.join(format!("{PREFIX}.{date}.{SUFFIX}"))
}

pub(super) fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(PREFIX) && name.ends_with(SUFFIX) && entry.file_type()?.is_file() {
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use time::macros::date;

    const MONDAY: Date = date!(2026 - 11 - 23);
    const TUESDAY: Date = date!(2026 - 11 - 24);

    fn text_of(folder: &Path, date: Date) -> String {
        fs::read_to_string(path_of(folder, date)).unwrap()
    }

    #[test]
    fn each_day_has_a_file_of_limited_size_that_says_when_it_is_full() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        for format in [LogFormat::Text, LogFormat::Json] {
            let mut day = Day::open(folder, format, 100, MONDAY).unwrap();
            for _ in 0..1000 {
                day.write(b"0123456789012345678\n", MONDAY).unwrap();
            }
            let text = text_of(folder, MONDAY);
            let lines: Vec<&str> = text.lines().collect();
            assert_eq!(lines.len(), 6, "{text}");
            assert!(lines[5].contains("max_file_bytes"), "{text}");
            // The next process drops lines too.
            let mut again = Day::open(folder, format, 100, MONDAY).unwrap();
            again.write(b"more\n", MONDAY).unwrap();
            assert_eq!(text_of(folder, MONDAY), text);
            day.write(b"next day\n", TUESDAY).unwrap();
            assert_eq!(text_of(folder, TUESDAY), "next day\n");
            assert_eq!(files(folder).unwrap().len(), 2);
            fs::remove_file(path_of(folder, MONDAY)).unwrap();
            fs::remove_file(path_of(folder, TUESDAY)).unwrap();
        }
    }

    #[test]
    fn a_day_whose_file_cannot_be_used_is_logged_in_the_file_before() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let mut day = Day::open(folder, LogFormat::Text, 1000, MONDAY).unwrap();
        day.write(b"first\n", MONDAY).unwrap();
        fs::create_dir(path_of(folder, TUESDAY)).unwrap();
        day.write(b"second\n", TUESDAY).unwrap();
        day.write(b"third\n", TUESDAY).unwrap();
        let text = text_of(folder, MONDAY);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!((lines[0], lines[2], lines[3]), ("first", "second", "third"));
        assert!(lines[1].contains("is a directory"), "{text}");
        assert!(Day::open(folder, LogFormat::Text, 1000, TUESDAY).is_err());
        assert_eq!(files(folder).unwrap(), [path_of(folder, MONDAY)]);
    }
}
