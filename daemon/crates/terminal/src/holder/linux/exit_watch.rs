//! The exit of one program, detected through its pidfd.

use std::io;
use std::os::fd::OwnedFd;

use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::Poller;
use crate::holder::source::Source;

/// Detects the exit of a program that is not reaped yet.
#[derive(Debug)]
pub(in crate::holder) struct ExitWatch(OwnedFd);

impl ExitWatch {
    pub(in crate::holder) fn of(pid: Pid) -> io::Result<Self> {
        Ok(Self(pidfd_open(pid, PidfdFlags::empty())?))
    }

    /// Makes `poller` report the exit as `source`.
    pub(in crate::holder) fn add_to(&self, poller: &Poller, source: Source) -> io::Result<()> {
        poller.add(&self.0, source)
    }

    pub(in crate::holder) fn remove_from(&self, poller: &Poller) {
        poller.remove(&self.0);
    }
}
