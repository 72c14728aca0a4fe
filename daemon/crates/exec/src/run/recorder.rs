//! What a program prints, for a tape.

use ccd_tape::format::{Chunk, Stream};
use ccd_tape::record::MAX_OUTPUT_BYTES;
use ccd_text::redact::redact_line;
use parking_lot::Mutex;
use std::time::Instant;

/// Collects output in memory: it may contain secrets, so it reaches the disk only on the finished tape.
#[derive(Debug)]
pub(crate) struct RunRecorder(Mutex<RecordedOutput>);

#[derive(Debug)]
struct RecordedOutput {
    last: Instant,
    chunks: Vec<Chunk>,
    bytes: usize,
}

impl RunRecorder {
    pub(crate) fn start() -> Self {
        Self(Mutex::new(RecordedOutput {
            last: Instant::now(),
            chunks: Vec::new(),
            bytes: 0,
        }))
    }

    /// Takes a line of the stream, without its end.
    pub(crate) fn line(&self, line: &[u8]) {
        self.take([line, b"\n"].concat(), Stream::Stdout);
    }

    pub(crate) fn error(&self, bytes: &[u8]) {
        self.take(bytes.to_vec(), Stream::Stderr);
    }

    fn take(&self, data: Vec<u8>, stream: Stream) {
        let mut collected = self.0.lock();
        collected.bytes += data.len();
        if collected.bytes > MAX_OUTPUT_BYTES {
            collected.chunks = Vec::new();
            return;
        }
        let now = Instant::now();
        let delay = now.duration_since(collected.last).as_millis();
        collected.last = now;
        collected.chunks.push(Chunk {
            delay_ms: u64::try_from(delay).unwrap_or(u64::MAX),
            data,
            stream,
        });
    }

    /// Returns the output so far, or why a tape cannot contain it. A line of the stream stays JSON without its secrets, which
    /// the rules for all output do not promise.
    pub(crate) fn chunks(&self, is_redacted: bool) -> Result<Vec<Chunk>, String> {
        let collected = self.0.lock();
        if collected.bytes > MAX_OUTPUT_BYTES {
            return Err(format!("it printed more than {MAX_OUTPUT_BYTES} bytes"));
        }
        let mut chunks = collected.chunks.clone();
        let lines = chunks
            .iter_mut()
            .filter(|chunk| is_redacted && chunk.stream == Stream::Stdout);
        for chunk in lines {
            let line = chunk.data.strip_suffix(b"\n").unwrap_or(&chunk.data);
            // Bytes that are not text would not survive it, and no line of the stream has them.
            if std::str::from_utf8(line).is_ok() {
                chunk.data = (redact_line(line) + "\n").into_bytes();
            }
        }
        Ok(chunks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_chunks_without_secrets_and_too_much_is_an_error() {
        let recorder = RunRecorder::start();
        let key = format!("sk-ant-api03-{}", "aB3dE5gH7j".repeat(9));
        let line = format!(r#"{{"text":"password={key}"}}"#);
        recorder.line(line.as_bytes());
        recorder.error(b"half");
        let chunks = recorder.chunks(true).unwrap();
        let text = String::from_utf8_lossy(&chunks[0].data);
        assert!(text.ends_with("}\n") && !text.contains(&key), "{text}");
        assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
        assert_eq!(
            (&*chunks[1].data, chunks[1].stream),
            (&b"half"[..], Stream::Stderr)
        );
        let kept = &recorder.chunks(false).unwrap()[0].data;
        assert_eq!(kept, &(line + "\n").into_bytes());
        recorder.error(&vec![0; MAX_OUTPUT_BYTES]);
        assert!(recorder.chunks(true).is_err());
    }
}
