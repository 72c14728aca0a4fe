//! The exit of one program, where only SIGCHLD reports it.

use std::io;

use rustix::process::Pid;

use super::Poller;
use crate::holder::source::Source;

/// Represents a program that was not reaped yet. [`ChildSignals`](super::ChildSignals) detects its exit.
#[derive(Debug)]
pub(in crate::holder) struct ExitWatch;

impl ExitWatch {
    pub(in crate::holder) fn of(_pid: Pid) -> io::Result<Self> {
        Ok(Self)
    }

    pub(in crate::holder) fn add_to(&self, _poller: &Poller, _source: Source) -> io::Result<()> {
        Ok(())
    }

    pub(in crate::holder) fn remove_from(&self, _poller: &Poller) {}
}
