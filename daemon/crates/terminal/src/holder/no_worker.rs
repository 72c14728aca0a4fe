//! For platforms with one process, where the holder is a thread of the worker.

use std::os::fd::OwnedFd;
use std::time::Instant;

use rustix::process::{Pid, WaitStatus};

/// There is no separate worker.
#[derive(Debug)]
pub(super) enum Worker {}

impl Worker {
    pub(super) fn is_ready(&mut self) {
        match *self {}
    }

    pub(super) fn is_stopping(&mut self) {
        match *self {}
    }

    pub(super) fn leaves(&mut self, _file: Option<OwnedFd>) {
        match *self {}
    }

    pub(super) fn listens_on(&mut self, _listener: OwnedFd) {
        match *self {}
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        match *self {}
    }

    pub(super) fn is_to_be_replaced(&self) -> bool {
        match *self {}
    }

    pub(super) fn keep_time(&mut self) {
        match *self {}
    }

    pub(super) fn is(&self, _pid: Pid) -> bool {
        match *self {}
    }

    pub(super) fn has_changed(&mut self, _status: WaitStatus) {
        match *self {}
    }

    pub(super) fn has_ended(&self) -> bool {
        match *self {}
    }

    pub(super) fn serves(&self) -> bool {
        match *self {}
    }
}
