//! The file in the base directory that says whether the coach records, and since when.

use ccd_base::clock;
use ccd_base::whole_file::{self, Durability};
use ccd_protocol::coach::{NOT_RECORDING, RECORDING_FILE};
use ccd_protocol::socket::base_path;
use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Notes that it records from now on, unless it does already. An error may be ignored: the first hook reports it too.
pub(super) fn begin() -> io::Result<()> {
    let Some(path) = path() else {
        return Ok(());
    };
    let folder = path.parent().unwrap_or(&path);
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    if fs::read(&path).is_ok_and(|text| text == NOT_RECORDING.as_bytes()) {
        fs::remove_file(&path)?;
    }
    let mut options = File::options();
    options.write(true).create_new(true).mode(0o600);
    match options.open(&path) {
        Ok(mut file) => file.write_all(clock::at_us(SystemTime::now()).as_bytes()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Notes that it does not record, whatever hooks a running session of Claude Code still has.
pub(super) fn end() -> io::Result<()> {
    let Some(path) = path().filter(|path| path.parent().is_some_and(Path::is_dir)) else {
        return Ok(());
    };
    whole_file::replace(&path, NOT_RECORDING.as_bytes(), 0o600, Durability::Later)
}

fn path() -> Option<PathBuf> {
    let base = base_path(|name| std::env::var_os(name)).ok()?;
    Some(base.join(RECORDING_FILE))
}
