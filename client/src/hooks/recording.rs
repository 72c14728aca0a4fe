//! The file in the base directory that says that the coach records, and since when.

use ccd_base::clock;
use ccd_protocol::coach::RECORDING_FILE;
use ccd_protocol::socket::base_path;
use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::PathBuf;
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
    let mut options = File::options();
    options.write(true).create_new(true).mode(0o600);
    match options.open(&path) {
        Ok(mut file) => file.write_all(clock::at_us(SystemTime::now()).as_bytes()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

pub(super) fn end() -> io::Result<()> {
    match path().map(fs::remove_file) {
        Some(Err(error)) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn path() -> Option<PathBuf> {
    let base = base_path(|name| std::env::var_os(name)).ok()?;
    Some(base.join(RECORDING_FILE))
}
