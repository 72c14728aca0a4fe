//! The connection to the daemon, and the next one.

use super::pending::Pending;
use super::read_frames;
use crate::call::{CLIENT_NAME, ConnectError, DaemonAddress, Losses, lost};
use crate::{Failure, caller};
use ccd_protocol::frame::Frame;
use ccd_protocol::mcp::{Opening, Resume};
use ccd_protocol::{Caller, PROTOCOL_VERSION};
use parking_lot::{Condvar, Mutex, MutexGuard};
use serde_json::value::RawValue;
use std::hash::{BuildHasher as _, RandomState};
use std::io::Write;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

const REPLY_LIMIT_BYTES: usize = 64 << 20;

/// What requests are told that were not answered when the daemon ended.
const ENDED: &str = "the daemon has ended before it replied; its sessions have ended too";

/// The way to the daemon, for the thread that reads the client's messages and the one that reads the daemon's.
pub(super) struct Link {
    place: DaemonAddress,
    /// Stays the same for all connections.
    instance: String,
    pending: Mutex<Pending>,
    /// Locked while a message is noted and written, so that it goes to the old worker or is told to the next one.
    writer: Mutex<UnixStream>,
    /// Notified when the client has sent a message, or sends nothing more.
    heard: Condvar,
    has_ended: AtomicBool,
}

/// What the daemon sends; it belongs to one thread.
pub(super) struct Reading {
    stream: UnixStream,
    losses: Losses,
}

impl Link {
    /// Connects to the daemon, which is started if none is running.
    pub(super) fn open(place: DaemonAddress) -> Result<(Self, Reading), Failure> {
        let instance = format!("{:08x}", RandomState::new().hash_one(0) as u32);
        let stream = place.connect_anew()?;
        let link = Self {
            place,
            instance,
            pending: Mutex::default(),
            writer: Mutex::new(stream.try_clone().map_err(Failure::io("mcp"))?),
            heard: Condvar::new(),
            has_ended: AtomicBool::new(false),
        };
        let reading = Reading {
            stream,
            losses: Losses::since(Instant::now()),
        };
        let opening = link.opening(None)?;
        // If it fails, reading fails too.
        let _ = link.writer.lock().write_all(opening.as_bytes());
        Ok((link, reading))
    }

    fn opening(&self, resume: Option<Resume>) -> Result<String, Failure> {
        let inherited = caller::inherited(false)?;
        let opening = Opening {
            ccd: Some(Caller {
                protocol: PROTOCOL_VERSION,
                client: CLIENT_NAME.to_owned(),
            }),
            cwd: caller::working_directory(None)?,
            env: inherited.caller_env,
            umask: inherited.umask,
            limits: inherited.limits,
            instance: self.instance.clone(),
            resume,
        };
        Ok(opening.line())
    }

    pub(super) fn send(&self, line: &[u8]) {
        let mut writer = self.writer.lock();
        self.pending.lock().sent(line);
        self.heard.notify_all();
        // One write wakes the daemon once. If it fails, the connection has ended; the next worker gets its requests.
        let _ = writer.write_all(&[line, b"\n"].concat());
    }

    pub(super) fn end_input(&self) {
        // First, because the daemon closes the connection at once.
        let pending = self.pending.lock();
        self.has_ended.store(true, Ordering::Release);
        self.heard.notify_all();
        drop(pending);
        let _ = self.writer.lock().shutdown(Shutdown::Write);
    }

    /// Writes what the daemon sends to `output`, until the connection ends.
    pub(super) fn receive(
        &self,
        reading: &mut Reading,
        output: &mut impl Write,
    ) -> Result<(), Failure> {
        let Reading { stream, losses } = reading;
        let pass_on = |frame: Frame<'_>| {
            let Frame::Line(line) = frame else {
                return Ok(());
            };
            let mut line = line.into_owned();
            line.push(b'\n');
            output.write_all(&line).map_err(Failure::Output)?;
            // The client is already reading it.
            if self.pending.lock().received(&line) {
                losses.forget();
            }
            Ok(())
        };
        // A line without its end is lost with the connection.
        read_frames(stream, REPLY_LIMIT_BYTES, pass_on).map(drop)
    }

    /// Connects again after a connection has ended; false if the client sends nothing more. If no daemon is running any more,
    /// requests without a reply get an error, and the next message of the client starts one.
    pub(super) fn renew(
        &self,
        reading: &mut Reading,
        output: &mut impl Write,
    ) -> Result<bool, Failure> {
        if self.has_ended.load(Ordering::Acquire) {
            return Ok(false);
        }
        if !reading.losses.may_go_on() {
            return Err(lost("mcp", true));
        }
        let writer = self.writer.lock();
        match self.place.clone().without_start().connect_anew() {
            Ok(stream) => self.resume(reading, writer, stream, &[])?,
            Err(ConnectError::NoDaemon { .. }) => {
                drop(writer);
                self.give_up(ENDED, output)?;
                while self.wait_for_client() {
                    let writer = self.writer.lock();
                    match self.place.connect_anew() {
                        Ok(stream) => {
                            let unsent = self.pending.lock().take_unanswered();
                            self.resume(reading, writer, stream, &unsent)?;
                            return Ok(true);
                        }
                        Err(error) => self.give_up(&error.to_string(), output)?,
                    }
                }
                return Ok(false);
            }
            Err(error) => return Err(error.into()),
        }
        Ok(true)
    }

    fn give_up(&self, why: &str, output: &mut impl Write) -> Result<(), Failure> {
        for reply in self.pending.lock().give_up(why) {
            writeln!(output, "{reply}").map_err(Failure::Output)?;
        }
        Ok(())
    }

    /// Waits for a request; false if the client sends nothing more.
    fn wait_for_client(&self) -> bool {
        let mut pending = self.pending.lock();
        while pending.has_no_request() && !self.has_ended.load(Ordering::Acquire) {
            self.heard.wait(&mut pending);
        }
        !pending.has_no_request()
    }

    /// Goes on over another connection, and sends messages that nobody has got yet.
    fn resume(
        &self,
        reading: &mut Reading,
        mut writer: MutexGuard<'_, UnixStream>,
        stream: UnixStream,
        unsent: &[Box<RawValue>],
    ) -> Result<(), Failure> {
        *writer = stream.try_clone().map_err(Failure::io("mcp"))?;
        reading.stream = stream;
        reading.losses.connected();
        let resume = self.pending.lock().resume();
        let mut lines = self.opening(Some(resume))?;
        for message in unsent {
            self.pending.lock().sent(message.get().as_bytes());
            lines.push_str(message.get());
            lines.push('\n');
        }
        let _ = writer.write_all(lines.as_bytes());
        if self.has_ended.load(Ordering::Acquire) {
            let _ = writer.shutdown(Shutdown::Write);
        }
        Ok(())
    }
}
