//! There is one process: the holder is a thread of the worker.

use rustix::process::Pid;

/// There is none.
#[derive(Debug)]
pub(super) enum Worker {}

impl Worker {
    pub(super) fn is_ready(&mut self) {
        match *self {}
    }

    pub(super) fn has_ended(&mut self, _pid: Pid, _status: i32) -> bool {
        match *self {}
    }
}
