//! The first step of a worker: it takes over what the holder passes to it.

use std::io;
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::net::UnixListener;
use std::sync::Arc;

use rustix::process::{Pid, getppid};

use super::handle::{Adopted, Holder, HolderNews};
use super::hold::Held;
use super::link::port::{Port, read_blob};
use super::link::shared::SharedMemory;
use super::link::wake::WakeSignals;
use super::link::wire::{HandOver, HeldSession, ToWorker, VERSION};
use super::platform::{KeptFile, PORT, WakeEvent};
use super::ring::Ring;

pub struct Welcomed {
    port: Port,
    signals: WakeSignals,
    pub held: Held,
    adopted: Vec<Adopted>,
    secret: [u8; 32],
    /// When the holder started.
    pub since: String,
    /// How the sessions were handed over, unless this is the first worker.
    pub hand_over: Option<HandOver>,
}

/// Takes over what the holder that started this process passes to it.
pub fn join() -> io::Result<Welcomed> {
    // SAFETY: the holder that started this process has put its port there, and nothing else here uses that descriptor.
    let mut port = Port::from_socket(unsafe { OwnedFd::from_raw_fd(PORT) })?;
    port.receive()?;
    let Some((ToWorker::Welcome(welcome), descriptors)) = port.next()? else {
        return Err(io::ErrorKind::NotConnected.into());
    };
    if welcome.version != VERSION {
        return Err(io::Error::other(format!(
            "the holder speaks version {}, this program {VERSION}",
            welcome.version
        )));
    }
    // The holder may have ended already.
    if Pid::as_raw(getppid()) != welcome.holder_pid {
        return Err(io::ErrorKind::NotConnected.into());
    }
    super::set_holder(welcome.holder_pid);
    let descriptors: [OwnedFd; 7] = descriptors
        .try_into()
        .map_err(|_| io::ErrorKind::InvalidData)?;
    let [
        memory,
        wake,
        quiet,
        floods,
        listener,
        base_lock,
        socket_lock,
    ] = descriptors;
    let events = [wake, quiet, floods].map(|event| Arc::new(WakeEvent::from(event)));
    let signals = WakeSignals::new(SharedMemory::open(&memory)?, events);
    let held = Held {
        listener: UnixListener::from(listener),
        locks: [base_lock, socket_lock],
        owns_path: welcome.owns_path,
    };
    let adopted = adopt(&mut port, welcome.held as usize)?;
    Ok(Welcomed {
        port,
        signals,
        held,
        adopted,
        secret: welcome.secret,
        since: welcome.since,
        hand_over: welcome.hand_over,
    })
}

fn adopt(port: &mut Port, count: usize) -> io::Result<Vec<Adopted>> {
    let mut adopted = Vec::new();
    while adopted.len() < count {
        let Some((ToWorker::Held, mut descriptors)) = port.next()? else {
            return Err(io::ErrorKind::InvalidData.into());
        };
        let sessions = descriptors.pop().ok_or(rustix::io::Errno::MFILE)?;
        let sessions: Vec<HeldSession> = read_blob(sessions)?;
        let mut descriptors = descriptors.into_iter();
        for held in sessions {
            let (Some(master), Some(kept_state)) = (descriptors.next(), descriptors.next()) else {
                return Err(rustix::io::Errno::MFILE.into());
            };
            let (kept_file, kept_state) = KeptFile::open(kept_state)?;
            let started = held.started;
            adopted.push(Adopted {
                kept_state,
                kept_file,
                slot: started.slot as usize,
                pid: started.pid,
                tty_device: started.tty_device,
                opened: Ring::open(&held.ring_path).map(|ring| (master, ring)),
            });
        }
    }
    Ok(adopted)
}

impl Welcomed {
    /// Returns the handle to the holder. Must be called inside the runtime.
    pub fn into_holder(self) -> io::Result<(Holder, HolderNews, Held, Vec<Adopted>)> {
        let (holder, news) = Holder::attach(self.port, self.signals, self.secret)?;
        Ok((holder, news, self.held, self.adopted))
    }
}
