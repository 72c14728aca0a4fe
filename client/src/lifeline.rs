//! The connection that keeps a session alive; another thread can cut it.

use parking_lot::Mutex;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

/// The current connection: shutting it down ends the program.
#[derive(Debug, Clone)]
pub(crate) struct Lifeline(Arc<Mutex<LifelineState>>);

#[derive(Debug)]
struct LifelineState {
    stream: UnixStream,
    is_cut: bool,
}

impl Lifeline {
    pub(crate) fn new(stream: UnixStream) -> Self {
        Self(Arc::new(Mutex::new(LifelineState {
            stream,
            is_cut: false,
        })))
    }

    /// Shuts the connection down, and any later one.
    pub(crate) fn cut(&self) {
        let mut state = self.0.lock();
        state.is_cut = true;
        // A connection that is closed already is fine.
        let _ = state.stream.shutdown(Shutdown::Both);
    }

    /// Uses `stream` from now on; false if the lifeline was cut, and `stream` must not be used.
    pub(crate) fn renew(&self, stream: UnixStream) -> bool {
        let mut state = self.0.lock();
        state.stream = stream;
        !state.is_cut
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.0.lock().is_cut
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
