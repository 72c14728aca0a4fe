//! The files that a run changed, one line each.

use crate::render::line::width;
use crate::render::{Colour, Line, Printer, counted, cut, printable};
use ccd_protocol::exec::{DiffInfo, FileStatus};
use std::io;

/// Columns after a path: the counts of lines.
const COUNT_COLUMNS: usize = 16;

/// A path is cut to no less.
const MIN_PATH: usize = 20;

pub(super) fn files(all: &[DiffInfo], most: usize, out: &mut Printer<'_>) -> io::Result<()> {
    let room = out.width().saturating_sub(COUNT_COLUMNS).max(MIN_PATH);
    let shown = all.iter().take(most);
    let paths: Vec<String> = shown.map(|file| cut(&path(file), room)).collect();
    let wide = paths.iter().map(|path| width(path)).max().unwrap_or(0);
    for (file, path) in all.iter().zip(&paths) {
        let (letter, colour) = letter(file.status);
        let mut line = Line::of(format!("  {letter} "), Some(colour));
        let blanks = wide - width(path);
        line.push(path.as_str(), None);
        line.push(" ".repeat(blanks), None);
        if file.additions > 0 {
            line.push(format!(" +{}", file.additions), Some(Colour::Good));
        }
        if file.deletions > 0 {
            line.push(format!(" -{}", file.deletions), Some(Colour::Bad));
        }
        writeln!(out, "{}", line.painted(out.style).trim_end())?;
    }
    let more = all.len().saturating_sub(most) as u64;
    match more {
        0 => Ok(()),
        more => writeln!(out, "  … and {}", counted(more, "more file")),
    }
}

/// The number of files and of lines: `3 files, +12 -4`; empty without files.
pub(super) fn total(all: &[DiffInfo]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let additions: u64 = all.iter().map(|file| file.additions).sum();
    let deletions: u64 = all.iter().map(|file| file.deletions).sum();
    let files = counted(all.len() as u64, "file");
    format!("{files}, +{additions} -{deletions}")
}

fn path(file: &DiffInfo) -> String {
    let path = printable(&file.file_path);
    match &file.old_path {
        Some(old) => format!("{} → {path}", printable(old)),
        None => path,
    }
}

fn letter(status: FileStatus) -> (char, Colour) {
    match status {
        FileStatus::Added => ('A', Colour::Good),
        FileStatus::Modified => ('M', Colour::Notice),
        FileStatus::Deleted => ('D', Colour::Bad),
        FileStatus::Renamed => ('R', Colour::Notice),
    }
}
