//! The connection that a run lives on, which another thread may cut.

use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The connection of the moment: shutting it down ends the program.
#[derive(Debug, Clone)]
pub(crate) struct Lifeline(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    stream: UnixStream,
    is_cut: bool,
}

impl Lifeline {
    /// A lifeline that goes over `stream`.
    pub(crate) fn new(stream: UnixStream) -> Self {
        Self(Arc::new(Mutex::new(State {
            stream,
            is_cut: false,
        })))
    }

    /// Ends the connection, and any that would take its place.
    pub(crate) fn cut(&self) {
        let mut state = self.lock();
        state.is_cut = true;
        // One that has ended by itself is as good.
        let _ = state.stream.shutdown(Shutdown::Both);
    }

    /// Goes over `stream` from now on; false when it was cut, and `stream` must not be used.
    pub(crate) fn renew(&self, stream: UnixStream) -> bool {
        let mut state = self.lock();
        state.stream = stream;
        !state.is_cut
    }

    /// True when the end was asked for.
    pub(crate) fn is_cut(&self) -> bool {
        self.lock().is_cut
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;

    #[test]
    fn what_is_cut_is_the_connection_of_the_moment() {
        let (first, _far_first) = UnixStream::pair().unwrap();
        let (second, mut far_second) = UnixStream::pair().unwrap();
        let lifeline = Lifeline::new(first);
        assert!(lifeline.renew(second));
        lifeline.cut();
        assert_eq!(far_second.read(&mut [0]).unwrap(), 0);
        assert!(lifeline.is_cut());
        assert!(!lifeline.renew(UnixStream::pair().unwrap().0));
    }
}
