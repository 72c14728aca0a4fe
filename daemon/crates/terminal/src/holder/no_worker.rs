//! For platforms with one process, where the holder is a thread of the worker.

use std::os::fd::OwnedFd;
use std::time::Instant;

use rustix::process::{Pid, WaitStatus};

use super::link::wire::ToHolder;

/// There is no separate worker.
#[derive(Debug)]
pub(super) enum Worker {}

impl Worker {
    pub(super) fn note(&mut self, _report: ToHolder, _descriptors: Vec<OwnedFd>) {
        match *self {}
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        match *self {}
    }

    pub(super) fn keep_time(&mut self) -> bool {
        match *self {}
    }

    pub(super) fn note_change(&mut self, _pid: Pid, _status: WaitStatus) -> bool {
        match *self {}
    }

    pub(super) fn has_ended(&self) -> bool {
        match *self {}
    }

    pub(super) fn serves(&self) -> bool {
        match *self {}
    }
}
