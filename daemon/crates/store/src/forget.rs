//! `data.forget` for files.

use ccd_protocol::data::{DataForgetParams, DataPart, DataSelected};
use std::fs;
use std::path::PathBuf;

/// Deletes, or only counts, files that were last written before a time. They belong to no project. Blocks.
pub fn forget_files(
    part: DataPart,
    kind: (&str, &str),
    files: impl Iterator<Item = PathBuf>,
    which: &DataForgetParams,
) -> DataSelected {
    let dated = files.filter_map(|path| {
        let about = fs::symlink_metadata(&path)
            .ok()
            .filter(fs::Metadata::is_file)?;
        let written = ccd_base::clock::at(about.modified().ok()?);
        let is_older = which.before.as_ref().is_none_or(|before| written < *before);
        is_older.then_some((written, path))
    });
    let files: Vec<(String, PathBuf)> = dated.collect();
    let count = files.len() as u64;
    if which.project.is_some() {
        return DataSelected::none(part).leaving(count, kind, "they belong to no project");
    }
    let oldest = files.iter().map(|(written, _)| written.clone()).min();
    let mut selected = DataSelected::of(part, count, kind, oldest);
    for (_, path) in files.iter().filter(|_| !which.dry_run) {
        if let Err(error) = fs::remove_file(path) {
            selected.failed.push(format!("{}: {error}", path.display()));
        }
    }
    selected
}
