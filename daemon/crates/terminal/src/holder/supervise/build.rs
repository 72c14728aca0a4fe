//! The file of which a worker is started.

use std::ffi::CString;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;

/// This program, even if its file has been replaced.
const OWN_PROGRAM: &std::ffi::CStr = c"/proc/self/exe";

/// A file from which workers are started.
#[derive(Debug, Clone)]
pub(super) enum Build {
    /// The holder's own build.
    Own,
    Other(Arc<OwnedFd>),
}

impl Build {
    /// Returns a path for exec; it stays valid while this value exists.
    pub(super) fn path(&self) -> CString {
        match self {
            Self::Own => OWN_PROGRAM.to_owned(),
            Self::Other(file) => {
                let path = format!("/proc/self/fd/{}", file.as_raw_fd());
                CString::new(path).unwrap_or_else(|_| OWN_PROGRAM.to_owned())
            }
        }
    }
}
