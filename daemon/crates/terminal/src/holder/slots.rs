//! The terminals of the holder, each in its slot: how they are added, watched and removed.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;

use rustix::process::Pid;

use super::descriptors::DescriptorLimits;
use super::error::SpawnError;
use super::launch::{Launched, abandon, launch};
#[cfg(not(portable))]
use super::link::wire::HeldSession;
use super::link::wire::{SpawnSpec, StartedProgram};
use super::platform::Poller;
#[cfg(not(portable))]
use super::ring::RingError;
use super::ring::{Ring, RingWriter};
use super::slot_set::MAX_SLOTS;
use super::source::{EventSource, TerminalWatch};
use super::terminal::{ReadOutcome, SessionTerminal};

/// The contents of a slot. Locked by the holder, and by the thread that reads a flood during one read.
#[derive(Debug)]
pub(super) enum SlotContent {
    Free,
    Held(SessionTerminal),
    /// Released before its leader has exited: the slot is free once the leader is reaped.
    Leaving,
}

/// A session, as it is handed to a new worker.
#[cfg(not(portable))]
#[derive(Debug)]
pub(super) struct HeldTerminal {
    pub(super) session: HeldSession,
    pub(super) master: Arc<OwnedFd>,
    pub(super) kept_state: Arc<OwnedFd>,
}

#[derive(Debug)]
pub(super) struct Slots {
    places: Vec<Arc<Mutex<SlotContent>>>,
    free: Vec<usize>,
    /// The leaders that are not reaped yet.
    leaders: HashMap<Pid, usize>,
    pub(super) limits: DescriptorLimits,
    poller: Arc<Poller>,
}

impl Slots {
    pub(super) fn new(poller: Arc<Poller>, limits: DescriptorLimits) -> Self {
        Self {
            places: Vec::new(),
            free: Vec::new(),
            leaders: HashMap::new(),
            limits,
            poller,
        }
    }

    /// Starts a program in a new slot; also returns the terminal. On an error, nothing remains.
    pub(super) fn spawn(
        &mut self,
        spec: SpawnSpec,
        kept_state: Option<OwnedFd>,
    ) -> Result<(StartedProgram, Arc<OwnedFd>), SpawnError> {
        let slot = self.free_slot()?;
        let (writer, launched) = self
            .start(slot, &spec)
            .inspect_err(|_| self.free.push(slot))?;
        let pid = launched.pid.as_raw_nonzero().get();
        self.leaders.insert(launched.pid, slot);
        let tty_device = launched.tty_device;
        let terminal = SessionTerminal::new(launched, writer, spec, kept_state);
        let master = Arc::clone(&terminal.master);
        *self.places[slot].lock() = SlotContent::Held(terminal);
        let started = StartedProgram {
            slot: slot as u32,
            pid,
            tty_device,
        };
        Ok((started, master))
    }

    /// Reads the terminal in `slot` once, and changes its watch to fit the outcome; lends it to the worker afterwards if
    /// that is allowed and it prints little. Returns `None` if there is no terminal, or if the worker reads it.
    pub(super) fn read(&self, slot: usize, may_lend: bool) -> Option<ReadOutcome> {
        let mut place = self.places.get(slot)?.lock();
        let SlotContent::Held(terminal) = &mut *place else {
            return None;
        };
        if terminal.watch == TerminalWatch::Lent {
            if !terminal.ring.is_held() {
                return None;
            }
            terminal.resume();
        }
        let mut outcome = terminal.read_once(false);
        self.change_watch(slot, terminal, outcome.watch);
        if may_lend && terminal.is_to_be_lent() {
            self.change_watch(slot, terminal, TerminalWatch::Lent);
            terminal.lend();
            outcome.changed = true;
        }
        outcome.watch = terminal.watch;
        Some(outcome)
    }

    fn change_watch(&self, slot: usize, terminal: &mut SessionTerminal, watch: TerminalWatch) {
        let source = EventSource::Terminal(slot);
        let changed = self
            .poller
            .change(&terminal.master, source, terminal.watch, watch);
        terminal.watch = watch;
        if let Err(error) = changed {
            tracing::error!(slot, %error, "could not watch a terminal");
            // The thread that reads floods needs no watch. It hands the terminal back soon, for another attempt.
            terminal.watch = TerminalWatch::Flooding;
        }
    }

    /// Takes back the terminals that were lent to a worker that has ended, or, unless `has_ended`, was stopped. Returns
    /// their slots, which must be read.
    pub(super) fn take_back(&self, has_ended: bool) -> Vec<usize> {
        let is_back = |place: &Arc<Mutex<SlotContent>>| match &mut *place.lock() {
            SlotContent::Held(terminal) if terminal.watch == TerminalWatch::Lent => {
                if has_ended {
                    terminal.ring.take_back();
                    true
                } else {
                    terminal.ring.call_back()
                }
            }
            _ => false,
        };
        let places = self.places.iter().enumerate();
        let back = places.filter(|(_, place)| is_back(place));
        back.map(|(slot, _)| slot).collect()
    }

    /// Puts rings whose files were removed into new files, so that a worker can open them. There must be no worker meanwhile.
    #[cfg(not(portable))]
    pub(super) fn put_back_rings(&self) -> Result<(), RingError> {
        for place in &self.places {
            if let SlotContent::Held(terminal) = &mut *place.lock() {
                terminal.ring.put_back(&terminal.ring_path)?;
            }
        }
        Ok(())
    }

    #[cfg(not(portable))]
    pub(super) fn held(&self) -> Vec<HeldTerminal> {
        let mut held = Vec::new();
        for (slot, place) in self.places.iter().enumerate() {
            if let SlotContent::Held(terminal) = &*place.lock()
                && let Some(kept_state) = &terminal.kept_state
            {
                let started = StartedProgram {
                    slot: slot as u32,
                    pid: terminal.leader.as_raw_nonzero().get(),
                    tty_device: terminal.tty_device,
                };
                let ring_path = terminal.ring_path.clone();
                held.push(HeldTerminal {
                    session: HeldSession { started, ring_path },
                    master: Arc::clone(&terminal.master),
                    kept_state: Arc::clone(kept_state),
                });
            }
        }
        held
    }

    pub(super) fn watch(&self, slot: usize) -> Option<TerminalWatch> {
        match &*self.places.get(slot)?.lock() {
            SlotContent::Held(terminal) => Some(terminal.watch),
            _ => None,
        }
    }

    /// Returns the contents of `slot`, which must have been used before.
    pub(super) fn place(&self, slot: usize) -> &Arc<Mutex<SlotContent>> {
        &self.places[slot]
    }

    /// Returns the terminal in `slot`, and the process id of its leader unless that was reaped.
    pub(super) fn living(&self, slot: usize) -> Option<(Arc<OwnedFd>, i32)> {
        match &*self.places.get(slot)?.lock() {
            SlotContent::Held(terminal) if !terminal.is_reaped => {
                let leader = terminal.leader.as_raw_nonzero().get();
                Some((Arc::clone(&terminal.master), leader))
            }
            _ => None,
        }
    }

    /// Returns the process ids of the leaders that are not reaped yet.
    pub(super) fn leaders(&self) -> impl Iterator<Item = Pid> {
        self.leaders.keys().copied()
    }

    /// Records that the child `pid` was reaped. Returns the slot whose worker must be notified.
    pub(super) fn ended(&mut self, pid: Pid, wait_status: i32) -> Option<usize> {
        let slot = self.leaders.remove(&pid)?;
        let mut place = self.places[slot].lock();
        match &mut *place {
            SlotContent::Held(terminal) => {
                terminal.is_reaped = true;
                terminal.ring.set_status(wait_status);
                Some(slot)
            }
            SlotContent::Leaving => {
                *place = SlotContent::Free;
                self.free.push(slot);
                None
            }
            SlotContent::Free => None,
        }
    }

    /// Closes the terminal in `slot` and deletes its ring. The slot is free once the leader is reaped.
    pub(super) fn release(&mut self, slot: usize) {
        let Some(place) = self.places.get(slot) else {
            return;
        };
        let mut place = place.lock();
        let SlotContent::Held(terminal) = &mut *place else {
            return;
        };
        // The worker's descriptor keeps the open file, and with it the poller's entry, alive.
        self.poller.remove(&terminal.master);
        remove_ring(&terminal.ring_path);
        *place = if terminal.is_reaped {
            self.free.push(slot);
            SlotContent::Free
        } else {
            SlotContent::Leaving
        };
    }

    fn free_slot(&mut self) -> Result<usize, SpawnError> {
        if let Some(slot) = self.free.pop() {
            return Ok(slot);
        }
        if self.places.len() == MAX_SLOTS {
            return Err(SpawnError::NoSlot);
        }
        self.places.push(Arc::new(Mutex::new(SlotContent::Free)));
        Ok(self.places.len() - 1)
    }

    fn start(&self, slot: usize, spec: &SpawnSpec) -> Result<(RingWriter, Launched), SpawnError> {
        let writer = RingWriter::create(&spec.ring_path)?;
        let launched = launch(spec, &self.limits).and_then(|launched| {
            let watched = self
                .poller
                .add(&launched.master, EventSource::Terminal(slot));
            watched.map_err(|source| {
                abandon(launched.pid);
                SpawnError::Start {
                    path: spec.program.clone(),
                    source: source.into(),
                }
            })?;
            Ok(launched)
        });
        let launched = launched.inspect_err(|_| remove_ring(&spec.ring_path))?;
        Ok((writer, launched))
    }
}

fn remove_ring(path: &Path) {
    if let Err(error) = Ring::remove(path) {
        tracing::warn!(
            error = &error as &dyn std::error::Error,
            "could not remove a ring file"
        );
    }
}
