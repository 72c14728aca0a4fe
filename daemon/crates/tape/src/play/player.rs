//! A tape that answers: what is typed is matched, and what was recorded is printed in its time.

use super::acts::{Acts, set_modes};
use super::cue::{Cue, PlaceOfPlay, PlayError};
use super::pace::Injection;
use super::search::{Found, Search, ends_line, find, modes_next, next_on_tape};
use super::show::{Act, Show};
use crate::format::{Exchange, Stream};
use crate::index::{Fits, Hit, Index};
use crate::key::{Context, PromptTracker, StateHash};
use ccd_protocol::tape::TapeUse;
use rangemap::RangeSet;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Typed bytes that wait for the rest of an input.
const MAX_PENDING_BYTES: usize = 16 << 20;

/// How often a tape that has just been changed is looked up again, and the time between.
const MAX_LOOKS: usize = 5;
const LOOK_PAUSE: Duration = Duration::from_millis(20);

/// The tapes of one session.
#[derive(Debug)]
pub struct Player {
    pub(super) cue: Cue,
    pub(super) context: Context,
    /// The tapes that fit, in the index that was asked last.
    fits: Mutex<Option<Arc<Fits>>>,
    show: Arc<Show>,
    state: Mutex<Playing>,
    /// What an earlier process has left is in the show.
    goes_on: AtomicBool,
}

/// How far it is.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Playing {
    /// Typed, and no exchange's yet.
    pub(super) pending: Vec<u8>,
    /// Of an answer to what is pending: its echo, which was printed already.
    pub(super) echoed: Vec<u8>,
    pub(super) state: StateHash,
    #[serde(with = "super::prompt_text")]
    pub(super) prompt: PromptTracker,
    /// The exchange that played last.
    pub(super) at: Option<(String, u32)>,
    pub(super) played: BTreeMap<String, RangeSet<u32>>,
    /// How many have played.
    pub(super) ordinal: u64,
    /// Offset of the session's output at which everything that was queued is printed.
    queued_upto: u64,
    /// What may not be printed yet.
    pub(super) queue: VecDeque<Queued>,
    /// Lines that were typed, each at its prompt: what brings a real program here, where one may come.
    pub(super) typed: Vec<(String, Vec<u8>)>,
    has_ended: bool,
    /// The last exchange has a hidden input without an end, which may go on.
    #[serde(default)]
    is_in_hidden: bool,
    /// In place of what the last exchange has on its tape.
    #[serde(default)]
    injection: Option<Injection>,
    pub(super) uses: TapeUse,
}

/// An exchange on its way to the terminal.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Queued {
    tape: String,
    exchange: u32,
    pub(super) ordinal: u64,
    /// Offsets of the session's output; what was echoed before is part of it.
    start: u64,
    end: u64,
}

/// A player as the next process gets it.
#[derive(Debug, Serialize, Deserialize)]
pub struct KeptPlayer(Playing);

impl Cue {
    /// Tells which exchange answers, and why.
    fn tell(&self, hit: &Hit, input_bytes: usize, rule: &str) {
        let (tape, exchange) = (&*hit.tape.id, hit.exchange);
        match self.debug {
            true => {
                tracing::info!(target: "tape", tape, exchange, input_bytes, rule, "a tape answers")
            }
            false => {
                tracing::debug!(target: "tape", tape, exchange, input_bytes, rule, "a tape answers")
            }
        }
    }
}

impl Player {
    /// A player that has yet to begin.
    pub fn new(cue: Cue) -> Self {
        let playing = Playing {
            pending: Vec::new(),
            echoed: Vec::new(),
            state: StateHash::start(),
            prompt: PromptTracker::default(),
            at: None,
            played: BTreeMap::new(),
            ordinal: 0,
            queued_upto: 0,
            queue: VecDeque::new(),
            typed: Vec::new(),
            has_ended: false,
            is_in_hidden: false,
            injection: None,
            uses: TapeUse::default(),
        };
        Self::with(cue, playing)
    }

    fn with(cue: Cue, playing: Playing) -> Self {
        Self {
            context: cue.rules.context_of(&cue.invocation),
            cue,
            fits: Mutex::default(),
            show: Arc::default(),
            state: Mutex::new(playing),
            goes_on: AtomicBool::new(true),
        }
    }

    /// A player where an earlier process was; [`Self::go_on`] has it print.
    pub fn resumed(cue: Cue, kept: KeptPlayer) -> Self {
        Self {
            goes_on: AtomicBool::new(false),
            ..Self::with(cue, kept.0)
        }
    }

    /// Prints what an earlier process has left, when so much of the session's output was printed.
    pub async fn go_on(&self, printed: u64) {
        let queue: Vec<Queued> = self.lock().queue.iter().cloned().collect();
        let mut acts = Vec::new();
        for queued in queue.iter().filter(|queued| queued.end >= printed) {
            match self.rest_of(queued, printed).await {
                Ok(rest) => acts.extend(rest),
                Err(error) => {
                    tracing::error!(tape = queued.tape, %error, "the rest of an answer cannot be read");
                }
            }
        }
        let fits = self.fits();
        let mut playing = self.lock();
        let missing = playing.queued_upto.saturating_sub(printed);
        let missing = usize::try_from(missing).unwrap_or(0);
        if missing > 0 && missing <= playing.echoed.len() {
            let from = playing.echoed.len() - missing;
            let bytes = playing.echoed[from..].to_vec();
            let delay = Duration::ZERO;
            let stream = Stream::Stdout;
            acts.push(Act::Print {
                delay,
                bytes,
                stream,
            });
        }
        playing.queued_upto = playing.queued_upto.max(printed);
        if !playing.has_ended {
            set_modes(&mut acts, modes_next(&fits, &playing));
        }
        self.show.add(acts);
        self.goes_on.store(true, Ordering::Release);
    }

    async fn rest_of(&self, queued: &Queued, printed: u64) -> io::Result<Vec<Act>> {
        let index = self.cue.root.index();
        let hit = index.exchange(&queued.tape, queued.exchange);
        let hit = hit.ok_or(io::ErrorKind::NotFound)?;
        let exchange = read(&index, &hit).await?;
        let done = usize::try_from(printed.saturating_sub(queued.start)).unwrap_or(usize::MAX);
        let at = Instant::now();
        let acts = Acts::of(&exchange, hit.meta(), &self.cue, queued.ordinal, done, at);
        Ok(acts.acts)
    }

    /// For the next process.
    pub fn kept(&self) -> KeptPlayer {
        let mut playing = self.lock().clone();
        if self.goes_on.load(Ordering::Acquire) {
            let printed = playing
                .queued_upto
                .saturating_sub(self.show.waiting_bytes());
            playing.queue.retain(|queued| queued.end >= printed);
        }
        KeptPlayer(playing)
    }

    /// What there is to print.
    pub fn show(&self) -> Arc<Show> {
        Arc::clone(&self.show)
    }

    /// What tapes have done so far.
    pub fn uses(&self) -> TapeUse {
        self.lock().uses.clone()
    }

    /// Where the conversation is.
    pub fn place(&self) -> PlaceOfPlay {
        let playing = self.lock();
        PlaceOfPlay {
            queued_upto: playing.queued_upto,
            state: playing.state.clone(),
            typed: playing.typed.clone(),
            prompt: playing.prompt.prompt(),
        }
    }

    /// True when everything was printed, so that the recorded program would wait.
    pub fn is_waiting(&self) -> bool {
        self.show.is_over()
    }

    /// True when the next exchange on the tape has this input.
    pub fn expects(&self, input: &[u8]) -> bool {
        let fits = self.fits();
        let next = next_on_tape(&fits, &self.lock());
        next.is_some_and(|hit| hit.input() == input)
    }

    /// The rest of the input of which lines were typed; `None` when nothing waits, or a line is being typed.
    pub fn awaited(&self) -> Option<Vec<u8>> {
        let fits = self.fits();
        let playing = self.lock();
        if !ends_line(&playing.pending) {
            return None;
        }
        let search = Search {
            fits: &fits,
            cue: &self.cue,
            is_start: false,
        };
        match find(&search, &playing) {
            Found::Part { hit: Some(hit) } if !hit.is_hidden() => {
                let typed = playing.pending.len().min(hit.input().len());
                Some(hit.input()[typed..].to_vec())
            }
            _ => None,
        }
    }

    /// What was injected into the answer to what was typed last.
    pub fn injection(&self) -> Option<Injection> {
        self.lock().injection
    }

    /// Inputs have gone to the real program.
    pub fn note_proxied(&self, inputs: u64) {
        self.lock().uses.proxied += inputs;
    }

    /// Plays the program's start.
    ///
    /// # Errors
    ///
    /// [`PlayError::Miss`] when no tape begins so.
    pub async fn start(&self) -> Result<(), PlayError> {
        let started = self.answer(true, Instant::now()).await;
        self.show.begin();
        started
    }

    /// Takes what was typed, and has the answers printed.
    ///
    /// # Errors
    ///
    /// [`PlayError`]; what was typed and is no input is forgotten then.
    pub async fn typed(&self, bytes: &[u8]) -> Result<(), PlayError> {
        let at = Instant::now();
        self.show.room().await;
        {
            let mut playing = self.lock();
            if playing.has_ended {
                return Err(PlayError::Ended);
            }
            if playing.pending.len() + bytes.len() > MAX_PENDING_BYTES {
                playing.pending.clear();
                return Err(PlayError::TooLong);
            }
            playing.pending.extend_from_slice(bytes);
        }
        self.answer(false, at).await
    }

    /// Plays all exchanges that what is pending has the input of. Their time counts from `at`, when it was typed: that a
    /// tape has to be read is no delay of the program.
    async fn answer(&self, is_start: bool, at: Instant) -> Result<(), PlayError> {
        let (mut looks, mut has_waited) = (0, false);
        loop {
            let fits = self.fits();
            let search = Search {
                fits: &fits,
                cue: &self.cue,
                is_start,
            };
            let found = {
                let playing = self.lock();
                if !is_start && (playing.pending.is_empty() || playing.has_ended) {
                    return Ok(());
                }
                find(&search, &playing)
            };
            let (hit, len) = match found {
                Found::Answer { hit, len, rule } => {
                    self.cue.tell(&hit, len, rule);
                    (hit, len)
                }
                Found::Part { hit: None } | Found::Open | Found::Nothing
                    if self.goes_on_hidden() =>
                {
                    return Ok(());
                }
                Found::Open => return Ok(()),
                Found::Part { hit } => {
                    self.echo(&fits.index, hit, at).await;
                    return Ok(());
                }
                Found::Nothing if !has_waited && self.has_other_index(&fits.index).await => {
                    has_waited = true;
                    continue;
                }
                Found::Nothing => return Err(self.miss(&fits)),
            };
            match read(&fits.index, &hit).await {
                Ok(exchange) => {
                    self.play(&fits, &hit, len, &exchange, at);
                    if is_start {
                        // Nobody prints yet, and so nobody makes room.
                        return Ok(());
                    }
                    self.show.room().await;
                }
                Err(error) if looks == MAX_LOOKS => return Err(PlayError::Read(error)),
                // It was changed a moment ago.
                Err(_) => {
                    looks += 1;
                    let (root, path) = (Arc::clone(&self.cue.root), fits.index.path(&hit.tape.id));
                    let _ = tokio::task::spawn_blocking(move || root.refresh(&path)).await;
                    tokio::time::sleep(LOOK_PAUSE).await;
                }
            }
        }
    }

    /// Takes what is pending as more of a hidden input without an end, if one was typed last.
    fn goes_on_hidden(&self) -> bool {
        let mut playing = self.lock();
        if playing.is_in_hidden {
            playing.pending.clear();
        }
        playing.is_in_hidden
    }

    /// The tapes that fit the session, as they are now.
    fn fits(&self) -> Arc<Fits> {
        let index = self.cue.root.index();
        let mut known = self.fits.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some(fits) if Arc::ptr_eq(&fits.index, &index) => Arc::clone(fits),
            _ => {
                let fits = Arc::new(index.fits(&self.cue.rules, &self.context));
                *known = Some(Arc::clone(&fits));
                fits
            }
        }
    }

    /// Prints the echo of an input that is not complete, where what would be its answer begins so: a person sees what
    /// they type.
    async fn echo(&self, index: &Arc<Index>, hit: Option<Hit>, at: Instant) {
        let Some(hit) = hit else { return };
        let Ok(exchange) = read(index, &hit).await else {
            return;
        };
        let mut playing = self.lock();
        let Playing {
            pending, echoed, ..
        } = &*playing;
        let mut output = exchange.chunks.iter().flat_map(|chunk| &chunk.data);
        let begins_so = pending.iter().all(|byte| output.next() == Some(byte));
        if !begins_so || !pending.starts_with(echoed) || pending.len() == echoed.len() {
            return;
        }
        let new = pending[echoed.len()..].to_vec();
        playing.queued_upto += new.len() as u64;
        playing.echoed = playing.pending.clone();
        self.show.hold([
            Act::Typed(at),
            Act::Print {
                delay: Duration::ZERO,
                bytes: new,
                stream: Stream::Stdout,
            },
        ]);
    }

    /// Plays an exchange whose input are the first `len` bytes that are pending.
    fn play(&self, fits: &Fits, hit: &Hit, len: usize, exchange: &Exchange, at: Instant) {
        let mut playing = self.lock();
        let input: Vec<u8> = playing.pending.drain(..len).collect();
        let prompt = playing.prompt.prompt();
        if hit.state() != playing.state.fingerprint() {
            // Another place of the conversation: it goes on from there.
            playing.state = StateHash::after_line(hit.state());
        }
        playing.is_in_hidden = hit.is_hidden() && !ends_line(hit.input());
        if hit.is_hidden() {
            playing.state.feed_hidden();
        } else {
            playing.state.feed(&exchange.input.bytes);
        }
        if self.cue.may_leave && !input.is_empty() {
            playing.typed.push((prompt, input));
        }
        let echoed = std::mem::take(&mut playing.echoed);
        let output = || exchange.chunks.iter().flat_map(|chunk| &chunk.data);
        let skip = match echoed.len() <= output().count()
            && echoed.iter().eq(output().take(echoed.len()))
        {
            true => echoed.len(),
            false => 0,
        };
        for chunk in &exchange.chunks {
            playing.prompt.feed(&chunk.data);
        }
        let ordinal = playing.ordinal;
        playing.ordinal += 1;
        let tape = hit.tape.id.to_string();
        playing.at = Some((tape.clone(), hit.exchange));
        playing
            .played
            .entry(tape.clone())
            .or_default()
            .insert(hit.exchange..hit.exchange + 1);
        let mut acts = Acts::of(exchange, hit.meta(), &self.cue, ordinal, skip, at);
        let start = playing.queued_upto;
        playing.queued_upto += acts.bytes;
        let end = playing.queued_upto;
        let queued = Queued {
            tape: tape.clone(),
            exchange: hit.exchange,
            ordinal,
            start: start - skip as u64,
            end,
        };
        if end > start || acts.ends {
            let printed = start.saturating_sub(self.show.waiting_bytes());
            playing.queue.retain(|queued| queued.end >= printed);
            playing.queue.push_back(queued);
        }
        playing.has_ended = acts.ends;
        playing.uses.hits += 1;
        playing.uses.injected += u64::from(acts.injection.is_some());
        playing.injection = acts.injection;
        if !playing.uses.used.contains(&tape) {
            playing.uses.used.push(tape);
        }
        if !acts.ends {
            set_modes(&mut acts.acts, modes_next(fits, &playing));
        }
        self.show.hold(acts.acts);
        self.cue.root.played(&hit.tape.id, 1);
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Playing> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads an exchange from its file, beside the event loop if the disk has to be waited for.
async fn read(index: &Arc<Index>, hit: &Hit) -> io::Result<Exchange> {
    if let Some(exchange) = index.read_cached(hit) {
        return Ok(exchange);
    }
    let (index, hit) = (Arc::clone(index), hit.clone());
    let reading = tokio::task::spawn_blocking(move || index.read(&hit).map_err(io::Error::other));
    reading.await.map_err(io::Error::other).flatten()
}
