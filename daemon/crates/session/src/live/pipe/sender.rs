//! Bytes on their way into the FIFO.

use super::fifo::Fifo;
use super::lines::MAX_LINE_BYTES;
use super::place::PipeProgress;
use rustix::io::Errno;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// A FIFO takes so many bytes whole or not at all (`PIPE_BUF`).
const ATOMIC_BYTES: usize = 4096;

pub(super) struct PipeSender {
    pub(super) fifo: Fifo,
    /// What shall be sent is appended here.
    pub(super) out: Vec<u8>,
    sent: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sent {
    All,
    Part,
    /// Nobody reads, and nobody is waited for.
    NobodyReads,
}

impl PipeSender {
    pub(super) fn new(fifo: Fifo) -> Self {
        Self {
            fifo,
            out: Vec::new(),
            sent: 0,
        }
    }

    pub(super) fn waiting(&self) -> usize {
        self.out.len() - self.sent
    }

    /// Sends what the FIFO takes: whole lines in one write, several if they fit, so that readers that share the pipe
    /// never get half a line.
    pub(super) fn try_send(&mut self) -> io::Result<Sent> {
        while self.sent < self.out.len() {
            let rest = &self.out[self.sent..];
            if let Some(sent) = self.write(whole_lines(rest))? {
                return Ok(sent);
            }
        }
        Ok(self.all_sent())
    }

    /// Sends the bytes of a raw pipe that the FIFO takes; `end` is the offset of the output after all that wait.
    /// The progress is saved around each write, so that the next worker repeats at most the last one.
    pub(super) fn try_send_raw(&mut self, end: u64, place: &mut PipeProgress) -> io::Result<Sent> {
        while self.waiting() > 0 {
            let len = self.waiting().min(ATOMIC_BYTES);
            place.begin(end - (self.waiting() - len) as u64);
            let sent = self.write(len);
            place.save(end - self.waiting() as u64);
            if let Some(sent) = sent? {
                return Ok(sent);
            }
        }
        Ok(self.all_sent())
    }

    /// Writes the next `len` bytes; returns what prevents it.
    fn write(&mut self, len: usize) -> io::Result<Option<Sent>> {
        let piece = &self.out[self.sent..self.sent + len];
        match rustix::io::write(&*self.fifo.writer, piece) {
            Ok(len) => self.sent += len,
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => return Ok(Some(Sent::Part)),
            Err(Errno::PIPE) => return Ok(Some(Sent::NobodyReads)),
            Err(error) => return Err(error.into()),
        }
        Ok(None)
    }

    fn all_sent(&mut self) -> Sent {
        self.out.clear();
        self.sent = 0;
        Sent::All
    }

    /// Makes the FIFO so large that it takes all that waits and a few lines more, where the system supports it.
    pub(super) fn make_room(&self) {
        #[cfg(target_os = "linux")]
        {
            use rustix::pipe::{fcntl_getpipe_size, fcntl_setpipe_size};
            let fifo = &self.fifo.writer;
            if let Ok(size) = fcntl_getpipe_size(fifo) {
                // Pages are not filled when whole lines are written.
                let _ = fcntl_setpipe_size(fifo, 2 * size + 2 * self.waiting());
            }
        }
    }

    /// Returns a watch that reports when the FIFO takes more. Make it only when the FIFO is full, so that an idle pipe
    /// costs nothing.
    pub(super) fn room(&self) -> io::Result<AsyncFd<Arc<OwnedFd>>> {
        ccd_terminal::readiness::watch(Arc::clone(&self.fifo.writer), Interest::WRITABLE)
    }
}

/// Returns the length of the whole lines that fit into one write, at least one line.
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
    use rustix::event::{PollFd, PollFlags, poll};
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
        let mut sender = PipeSender::new(Fifo::make(path.clone()).unwrap());
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
        let room = sender.room().unwrap();
        room.writable().await.unwrap().clear_ready();
        assert_eq!(sender.try_send().unwrap(), Sent::All);
        sender.fifo.let_go_of_reader();
        len += reader.read(&mut read).unwrap();
        assert_eq!(len, 100_000);
        drop(reader);
        // A process that another test has just forked has a copy of the reader until its exec; the writer is then in error.
        let mut writer = [PollFd::new(&*sender.fifo.writer, PollFlags::empty())];
        assert_eq!(poll(&mut writer, None).unwrap(), 1);
        sender.out.push(b'\n');
        assert_eq!(sender.try_send().unwrap(), Sent::NobodyReads);
    }
}
