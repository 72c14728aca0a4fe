//! What is on its way into the FIFO.

use super::fifo::Fifo;
use super::lines::MAX_LINE_BYTES;
use rustix::io::Errno;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Bytes that wait for the FIFO to take them.
pub(super) struct Sender {
    pub(super) fifo: Fifo,
    /// Bytes as they are, which may be cut anywhere.
    raw: bool,
    /// What shall be sent is appended here.
    pub(super) out: Vec<u8>,
    sent: usize,
}

/// How far a try has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sent {
    All,
    /// The FIFO is full.
    Part,
    /// Nobody reads, and nobody will.
    NobodyReads,
}

impl Sender {
    pub(super) fn new(fifo: Fifo, raw: bool) -> Self {
        Self {
            fifo,
            raw,
            out: Vec::new(),
            sent: 0,
        }
    }

    /// How many bytes wait.
    pub(super) fn waiting(&self) -> usize {
        self.out.len() - self.sent
    }

    /// Sends what the FIFO takes: whole lines in one piece, several if they fit, so that who shares them gets no halves.
    pub(super) fn try_send(&mut self) -> io::Result<Sent> {
        while self.sent < self.out.len() {
            let rest = &self.out[self.sent..];
            let piece = match self.raw {
                true => rest,
                false => &rest[..whole_lines(rest)],
            };
            match rustix::io::write(&*self.fifo.writer, piece) {
                Ok(len) => self.sent += len,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(Sent::Part),
                Err(Errno::PIPE) => return Ok(Sent::NobodyReads),
                Err(error) => return Err(error.into()),
            }
        }
        self.out.clear();
        self.sent = 0;
        Ok(Sent::All)
    }

    /// Makes the FIFO take about as much again, where the system can.
    pub(super) fn make_room(&self) {
        #[cfg(target_os = "linux")]
        {
            use rustix::pipe::{fcntl_getpipe_size, fcntl_setpipe_size};
            let fifo = &self.fifo.writer;
            if let Ok(size) = fcntl_getpipe_size(fifo) {
                let _ = fcntl_setpipe_size(fifo, 2 * size);
            }
        }
    }

    /// Tells when the FIFO takes more. To be made only then, so that an idle pipe costs nothing.
    pub(super) fn room(&self) -> io::Result<AsyncFd<Arc<OwnedFd>>> {
        ccd_terminal::readiness::watch(Arc::clone(&self.fifo.writer), Interest::WRITABLE)
    }
}

/// How many bytes the whole lines have that fit into one piece, at least one line.
fn whole_lines(bytes: &[u8]) -> usize {
    if bytes.len() <= MAX_LINE_BYTES {
        return bytes.len();
    }
    let fitting = memchr::memrchr(b'\n', &bytes[..MAX_LINE_BYTES]);
    let end = fitting.or_else(|| memchr::memchr(b'\n', bytes));
    end.map_or(bytes.len(), |newline| newline + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::OpenOptions;
    use std::io::Read as _;
    use std::os::unix::fs::OpenOptionsExt as _;

    #[test]
    fn only_whole_lines_are_in_a_piece() {
        assert_eq!(whole_lines(b"a\nb\n"), 4);
        let long = [&b"x".repeat(3000)[..], b"\n", &b"y".repeat(3000), b"\n"].concat();
        assert_eq!(whole_lines(&long), 3001);
        assert_eq!(whole_lines(&long[3001..]), 3001);
    }

    #[tokio::test]
    async fn a_full_pipe_takes_the_rest_once_somebody_reads() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pipe");
        let mut sender = Sender::new(Fifo::make(path.clone()).unwrap(), false);
        let line = [&b"x".repeat(99)[..], b"\n"].concat();
        sender.out.extend_from_slice(&line.repeat(1000));
        assert_eq!(sender.try_send().unwrap(), Sent::Part);
        let waiting = sender.waiting();
        assert!(waiting > 0 && waiting.is_multiple_of(100));
        let mut reader = OpenOptions::new()
            .read(true)
            .custom_flags(libc::O_NONBLOCK)
            .open(&path)
            .unwrap();
        let mut read = vec![0; 100_000];
        let mut len = reader.read(&mut read).unwrap();
        sender
            .room()
            .unwrap()
            .writable()
            .await
            .unwrap()
            .clear_ready();
        assert_eq!(sender.try_send().unwrap(), Sent::All);
        sender.fifo.let_go_of_reader();
        len += reader.read(&mut read).unwrap();
        assert_eq!(len, 100_000);
        drop(reader);
        sender.out.push(b'\n');
        assert_eq!(sender.try_send().unwrap(), Sent::NobodyReads);
    }
}
