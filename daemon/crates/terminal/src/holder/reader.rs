//! The holder's loop: reads every terminal that is not flooding into its ring, and reaps children.
//! It is one thread, waits only for its poller, and accesses no file other than the rings.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::descriptors::DescriptorLimits;
#[cfg(not(portable))]
use super::descriptors::close_all_on_exec;
use super::error::SpawnError;
use super::floods::Floods;
use super::link::port::{Port, read_blob};
use super::link::shared::SharedMemory;
use super::link::wake::WakeSignals;
use super::link::wire::{SpawnSpec, ToHolder, ToWorker};
use super::platform::{ChildSignals, Poller};
use super::slot_set::SlotSet;
use super::slots::Slots;
use super::source::{EventSource, TerminalWatch};
#[cfg(not(portable))]
use super::supervise::AfterWorker;
use super::supervise::Worker;
#[cfg(not(portable))]
use super::umask::own_mask_in_this_thread;
use crate::probe::{Probe, probe};

/// The holder's state. [`HolderReader::run`] is its thread.
#[derive(Debug)]
pub(super) struct HolderReader {
    shared: Arc<SharedMemory>,
    signals: WakeSignals,
    port: Port,
    /// Requests of the worker, oldest first.
    requests: VecDeque<(ToHolder, Vec<OwnedFd>)>,
    /// Terminals that are no longer flooding, as reported by the thread that reads floods.
    calmed: Arc<SlotSet>,
    poller: Arc<Poller>,
    child_signals: ChildSignals,
    slots: Slots,
    floods: Arc<Floods>,
    flood_thread: Option<JoinHandle<()>>,
    /// Set if the worker is a separate process.
    worker: Option<Worker>,
}

impl HolderReader {
    pub(super) fn new(
        signals: WakeSignals,
        port: Port,
        limits: DescriptorLimits,
    ) -> io::Result<Self> {
        #[cfg(not(portable))] // elsewhere each child does it for itself
        close_all_on_exec();
        let poller = Arc::new(Poller::new()?);
        poller.add(&signals.holder, EventSource::Wake)?;
        poller.add(&port, EventSource::Port)?;
        let child_signals = ChildSignals::claim()?;
        poller.add(&child_signals, EventSource::Children)?;
        let floods = Arc::new(Floods::default());
        let calmed = Arc::new(SlotSet::new());
        let flood_thread = floods.start(signals.clone(), Arc::clone(&calmed))?;
        Ok(Self {
            shared: Arc::clone(&signals.shared),
            signals,
            port,
            requests: VecDeque::new(),
            calmed,
            slots: Slots::new(Arc::clone(&poller), limits),
            poller,
            child_signals,
            floods,
            flood_thread: Some(flood_thread),
            worker: None,
        })
    }

    #[cfg(not(portable))]
    pub(super) fn supervise(&mut self, worker: Worker) -> io::Result<()> {
        self.poller.add(&worker.signals, EventSource::Signals)?;
        self.worker = Some(worker);
        Ok(())
    }

    /// Runs until it is stopped. Returns the worker that it supervised.
    pub(super) fn run(mut self) -> Option<Worker> {
        self.hold();
        self.worker.take()
    }

    fn hold(&mut self) {
        #[cfg(not(portable))] // elsewhere threads share the mask, and each child takes its own
        own_mask_in_this_thread();
        while !self.shared.to_holder.stop.load(SeqCst) {
            let sources = match self.poller.wait(self.timeout()) {
                Ok(sources) => sources,
                Err(error) => {
                    // Only a bug in the arguments can make this fail, and then it would fail for ever.
                    tracing::error!(%error, "the holder cannot wait for events");
                    return;
                }
            };
            self.signals.holder.wake_up();
            for source in sources {
                self.handle(source);
            }
            let is_time = self.worker.as_mut().is_some_and(Worker::keep_time);
            #[cfg(not(portable))]
            if is_time && !self.shared.to_holder.stop.load(SeqCst) {
                self.replace_worker();
            }
            #[cfg(portable)]
            let _ = is_time;
            self.take_notes();
            // One request at a time, so that a series of starts does not keep the terminals waiting.
            if let Some((request, descriptors)) = self.requests.pop_front() {
                self.obey(request, descriptors);
            }
        }
    }

    /// Returns how long to wait for events: not at all while there is other work.
    fn timeout(&self) -> Option<Duration> {
        let has_work =
            || self.shared.to_holder.any() || !self.calmed.is_empty() || !self.requests.is_empty();
        if !self.signals.holder.try_sleep(has_work) {
            return Some(Duration::ZERO);
        }
        let worker_must = self.worker.as_ref().and_then(Worker::deadline);
        worker_must.map(|at| at.saturating_duration_since(Instant::now()))
    }

    fn handle(&mut self, source: EventSource) {
        match source {
            EventSource::Wake => {} // its news is in the shared memory, which every round checks
            EventSource::Port => self.receive(),
            EventSource::Terminal(slot) => self.read(slot),
            #[cfg(not(portable))]
            EventSource::Signals => {
                if let Some(worker) = &mut self.worker {
                    worker.forward_signals();
                }
            }
            EventSource::Children => self.reap(),
        }
    }

    fn reap(&mut self) {
        for (pid, status) in self.child_signals.reap(self.slots.leaders()) {
            if let Some(worker) = &mut self.worker
                && worker.note_change(pid, status)
            {
                if !worker.serves() {
                    self.take_back();
                }
            } else if (status.exited() || status.signaled())
                && let Some(slot) = self.slots.ended(pid, status.as_raw())
            {
                self.signals.quiet.tell(slot);
            }
        }
    }

    /// Reads the terminals again that were lent to the worker.
    fn take_back(&mut self) {
        let has_ended = self.worker.as_ref().is_none_or(Worker::has_ended);
        for slot in self.slots.take_back(has_ended) {
            self.read(slot);
        }
    }

    fn read(&mut self, slot: usize) {
        let may_lend = self.worker.as_ref().is_some_and(Worker::serves);
        let Some(outcome) = self.slots.read(slot, may_lend) else {
            return;
        };
        if outcome.changed {
            self.signals.quiet.tell(slot);
        }
        if outcome.watch == TerminalWatch::Flooding {
            self.floods.add(slot, self.slots.place(slot));
        }
    }

    fn take_notes(&mut self) {
        let shared = Arc::clone(&self.shared);
        shared.to_holder.space_freed.drain(|slot| {
            if self.slots.watch(slot) == Some(TerminalWatch::Full) {
                self.read(slot);
            }
        });
        Arc::clone(&self.calmed).drain(|slot| self.read(slot));
        shared.to_holder.returned.drain(|slot| self.read(slot));
        shared.to_holder.released.drain(|slot| {
            shared.deaths.set(slot, 0);
            self.slots.release(slot);
        });
    }

    fn receive(&mut self) {
        let result = self.port.receive().and_then(|()| {
            while let Some(request) = self.port.next()? {
                self.requests.push_back(request);
            }
            Ok(())
        });
        if let Err(error) = &result {
            tracing::error!(%error, "the worker sent something unreadable");
        }
        if result.is_err() || self.port.has_ended {
            if self.worker.is_some() {
                // The end of the worker is also noticed in another way.
                self.poller.remove(&self.port);
            } else {
                self.shared.to_holder.stop.store(true, SeqCst);
            }
        }
    }

    /// Hands everything over to another worker, unless the last one ended by itself or too many were killed.
    #[cfg(not(portable))]
    fn replace_worker(&mut self) {
        // The last requests of the worker still count, except those that need an answer.
        self.receive();
        for (request, descriptors) in std::mem::take(&mut self.requests) {
            if let Some(worker) = &mut self.worker {
                worker.note(request, descriptors);
            }
        }
        self.poller.remove(&self.port);
        self.take_notes();
        let rings = self.slots.put_back_rings();
        let held = self.slots.held();
        let next = self.worker.as_mut().map(|worker| match rings {
            Err(error) if worker.may_wait() => worker.wait_for_rings(&error),
            _ => worker.restart(&held),
        });
        match next {
            Some(AfterWorker::Serves(port))
                if self.poller.add(&port, EventSource::Port).is_ok() =>
            {
                self.port = port;
            }
            Some(AfterWorker::Later) => {}
            _ => self.shared.to_holder.stop.store(true, SeqCst),
        }
    }

    fn obey(&mut self, request: ToHolder, descriptors: Vec<OwnedFd>) {
        let sent = match request {
            ToHolder::Start { request } => self.start(request, descriptors),
            ToHolder::Look {
                request,
                slot,
                tty_device,
            } => {
                let found = self.look(slot as usize, tty_device);
                self.port.send(&ToWorker::Looked { request, found }, &[])
            }
            report => {
                if let Some(worker) = &mut self.worker {
                    worker.note(report, descriptors);
                }
                Ok(())
            }
        };
        if let Err(error) = sent {
            tracing::error!(%error, "could not answer the worker");
        }
    }

    fn start(&mut self, request: u32, descriptors: Vec<OwnedFd>) -> io::Result<()> {
        let mut descriptors = descriptors.into_iter();
        let spec = descriptors.next().ok_or_else(SpawnError::no_descriptor);
        let spec = spec.and_then(|blob| {
            read_blob::<SpawnSpec>(blob).map_err(|error| SpawnError::Terminal(error.into()))
        });
        let kept_state = descriptors.next();
        let (result, terminal) = match spec.and_then(|spec| self.slots.spawn(spec, kept_state)) {
            Ok((started, terminal)) => (Ok(started), Some(terminal)),
            Err(error) => (Err(error), None),
        };
        let terminal = terminal.as_ref().map(AsFd::as_fd);
        self.port
            .send(&ToWorker::Started { request, result }, terminal.as_slice())
    }

    fn look(&self, slot: usize, tty_device: u64) -> Option<Probe> {
        let (master, leader) = self.slots.living(slot)?;
        // A bug in the probe must not end every session.
        let look = || probe(master.as_fd(), leader, tty_device);
        catch_unwind(AssertUnwindSafe(look))
            .inspect_err(|_| tracing::error!(slot, "a probe panicked"))
            .ok()
    }
}

impl Drop for HolderReader {
    fn drop(&mut self) {
        self.floods.stop();
        if let Some(Err(_)) = self.flood_thread.take().map(JoinHandle::join) {
            tracing::error!("the reader of floods panicked");
        }
        self.signals.quiet.close();
        self.signals.floods.close();
    }
}
