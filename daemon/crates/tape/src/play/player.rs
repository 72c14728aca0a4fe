//! Replays tapes: typed input is matched, and the recorded answer is printed with its delays.

use super::options::{PlaceOfPlay, PlayError, ReplayOptions};
use super::pace::Injection;
use super::playback::{Playback, PlaybackStep};
use super::playing::{Playing, Queued};
use super::search::{InputMatch, find, find_start, modes_next, next_on_tape, read};
use super::steps::{ExchangeSteps, set_modes};
use crate::format::Exchange;
use crate::index::{Fits, Hit, Index};
use crate::key::{Context, StateHash, ends_line, input_steps, prompt_steps};
use crate::telemetry::telemetry;
use ccd_protocol::tape::TapeUse;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Maximum number of typed bytes that wait for the rest of an input.
const MAX_PENDING_BYTES: usize = 16 << 20;

/// How often a tape that has just been changed is looked up again, and the time in between.
const MAX_LOOKS: usize = 5;
const LOOK_PAUSE: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub struct Player {
    pub(super) options: ReplayOptions,
    pub(super) context: Context,
    /// The tapes that fit, from the index that was asked last.
    fits: Mutex<Option<Arc<Fits>>>,
    playback: Arc<Playback>,
    pub(super) state: Mutex<Playing>,
    /// False until the answers that an earlier worker left unprinted are in the queue.
    goes_on: AtomicBool,
}

/// A replay as it is handed to the next worker.
#[derive(Debug, Serialize, Deserialize)]
pub struct KeptPlayer(Playing);

impl ReplayOptions {
    /// Logs which exchange answers, and why.
    fn log_answer(&self, hit: &Hit, input_bytes: usize, rule: &str) {
        let (tape, exchange) = (&*hit.tape.id, hit.exchange);
        telemetry!(
            self.debug,
            tape,
            exchange,
            input_bytes,
            rule,
            "a tape answers"
        );
    }

    /// Logs which steps changed the prompt and the typed bytes for the comparison.
    fn log_steps(&self, playing: &Playing) {
        if self.debug || tracing::enabled!(target: "tape", tracing::Level::DEBUG) {
            let prompt = prompt_steps(&playing.prompt.prompt());
            let input = input_steps(&playing.pending);
            telemetry!(self.debug, prompt, input, "normalised for the comparison");
        }
    }
}

impl Player {
    pub fn new(options: ReplayOptions) -> Self {
        Self::with(options, Playing::default())
    }

    fn with(options: ReplayOptions, playing: Playing) -> Self {
        Self {
            context: options.rules.context_of(&options.invocation),
            options,
            fits: Mutex::default(),
            playback: Arc::default(),
            state: Mutex::new(playing),
            goes_on: AtomicBool::new(true),
        }
    }

    /// Returns a player in the state of an earlier worker's; [`Self::go_on`] prints the rest of its answers.
    pub fn resumed(options: ReplayOptions, kept: KeptPlayer) -> Self {
        Self {
            goes_on: AtomicBool::new(false),
            ..Self::with(options, kept.0)
        }
    }

    /// Prints what an earlier worker left unprinted; the session has printed `printed` bytes so far.
    pub async fn go_on(&self, printed: u64) {
        let queue: Vec<Queued> = self.state.lock().queue.iter().cloned().collect();
        let mut steps = Vec::new();
        for queued in queue.iter().filter(|queued| queued.end >= printed) {
            match self.rest_of(queued, printed).await {
                Ok(rest) => steps.extend(rest),
                Err(error) => {
                    tracing::error!(tape = queued.tape, %error, "the rest of an answer cannot be read");
                }
            }
        }
        let fits = self.fits();
        let mut playing = self.state.lock();
        let missing = playing.queued_upto.saturating_sub(printed);
        let missing = usize::try_from(missing).unwrap_or(0);
        if missing > 0 && missing <= playing.echoed.len() {
            let from = playing.echoed.len() - missing;
            steps.push(PlaybackStep::echo(playing.echoed[from..].to_vec()));
        }
        playing.queued_upto = playing.queued_upto.max(printed);
        if !playing.has_ended {
            set_modes(&mut steps, modes_next(&fits, &playing));
        }
        self.playback.add(steps);
        self.goes_on.store(true, Ordering::Release);
    }

    async fn rest_of(&self, queued: &Queued, printed: u64) -> io::Result<Vec<PlaybackStep>> {
        let index = self.options.root.index();
        let hit = index.exchange(&queued.tape, queued.exchange);
        let hit = hit.ok_or(io::ErrorKind::NotFound)?;
        let exchange = read(&index, &hit).await?;
        let done = usize::try_from(printed.saturating_sub(queued.start)).unwrap_or(usize::MAX);
        let at = Instant::now();
        let (meta, ordinal) = (hit.meta(), queued.ordinal);
        Ok(ExchangeSteps::new(&exchange, meta, &self.options, ordinal, done, at).steps)
    }

    /// Returns the state for the next worker.
    pub fn kept(&self) -> KeptPlayer {
        let mut playing = self.state.lock().clone();
        if self.goes_on.load(Ordering::Acquire) {
            let waiting = self.playback.waiting_bytes();
            let printed = playing.queued_upto.saturating_sub(waiting);
            playing.queue.retain(|queued| queued.end >= printed);
        }
        KeptPlayer(playing)
    }

    pub fn playback(&self) -> Arc<Playback> {
        Arc::clone(&self.playback)
    }

    pub fn uses(&self) -> TapeUse {
        self.state.lock().uses.clone()
    }

    pub fn place(&self) -> PlaceOfPlay {
        let playing = self.state.lock();
        PlaceOfPlay {
            queued_upto: playing.queued_upto,
            state: playing.state.clone(),
            typed: playing.typed.clone(),
            prompt: playing.prompt.prompt(),
        }
    }

    /// True when everything was printed, so that the recorded program would wait for input.
    pub fn is_waiting(&self) -> bool {
        self.playback.is_over()
    }

    /// True when the next exchange on the tape has this input.
    pub fn expects(&self, input: &[u8]) -> bool {
        let fits = self.fits();
        let next = next_on_tape(&fits, &self.state.lock());
        next.is_some_and(|hit| hit.input() == input)
    }

    /// Returns the rest of an input whose first lines were typed; `None` if no input is expected, or if a line is being
    /// typed.
    pub fn awaited(&self) -> Option<Vec<u8>> {
        let fits = self.fits();
        let playing = self.state.lock();
        if !ends_line(&playing.pending) {
            return None;
        }
        match find(&fits, &self.options, &playing) {
            InputMatch::Part(Some(hit)) if !hit.is_hidden() => {
                let typed = playing.pending.len().min(hit.input().len());
                Some(hit.input()[typed..].to_vec())
            }
            _ => None,
        }
    }

    /// Returns the error that was injected into the answer to the last input.
    pub fn injection(&self) -> Option<Injection> {
        self.state.lock().injection
    }

    /// Counts inputs that were sent to the real program.
    pub fn note_proxied(&self, inputs: u64) {
        self.state.lock().uses.proxied += inputs;
    }

    pub async fn start(&self) -> Result<(), PlayError> {
        let started = self.answer(true, Instant::now()).await;
        self.playback.begin();
        started
    }

    /// Matches typed bytes, and queues the answers. On an error, typed bytes that are not an input are forgotten.
    pub async fn typed(&self, bytes: &[u8]) -> Result<(), PlayError> {
        let at = Instant::now();
        self.playback.room().await;
        {
            let mut playing = self.state.lock();
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

    /// Plays all exchanges whose inputs are pending. Their delays count from `at`, the time of typing, so the time to
    /// read a tape does not slow the replay down.
    async fn answer(&self, is_start: bool, at: Instant) -> Result<(), PlayError> {
        let (mut looks, mut has_waited) = (0, false);
        loop {
            let fits = self.fits();
            let found = {
                let playing = self.state.lock();
                if !is_start && (playing.pending.is_empty() || playing.has_ended) {
                    return Ok(());
                }
                self.options.log_steps(&playing);
                if is_start {
                    find_start(&fits)
                } else {
                    find(&fits, &self.options, &playing)
                }
            };
            let (hit, len) = match found {
                InputMatch::Answer { hit, len, rule } => {
                    self.options.log_answer(&hit, len, rule);
                    (hit, len)
                }
                InputMatch::Part(None) | InputMatch::Open | InputMatch::Nothing
                    if self.goes_on_hidden() =>
                {
                    return Ok(());
                }
                InputMatch::Open => return Ok(()),
                InputMatch::Part(hit) => {
                    self.echo(&fits.index, hit, at).await;
                    return Ok(());
                }
                InputMatch::Nothing if !has_waited && self.has_other_index(&fits.index).await => {
                    has_waited = true;
                    continue;
                }
                InputMatch::Nothing => return Err(self.miss(&fits)),
            };
            match read(&fits.index, &hit).await {
                Ok(exchange) => {
                    self.play(&fits, &hit, len, &exchange, at);
                    if is_start {
                        // Nobody prints yet, so no room would ever be made.
                        return Ok(());
                    }
                    self.playback.room().await;
                }
                Err(error) if looks == MAX_LOOKS => return Err(PlayError::Read(error)),
                // The tape was changed a moment ago.
                Err(_) => {
                    looks += 1;
                    let root = Arc::clone(&self.options.root);
                    let path = fits.index.path(&hit.tape.id);
                    let _ = tokio::task::spawn_blocking(move || root.refresh(&path)).await;
                    tokio::time::sleep(LOOK_PAUSE).await;
                }
            }
        }
    }

    /// Treats the pending bytes as more of a hidden input without a line end, if that was typed last.
    fn goes_on_hidden(&self) -> bool {
        let mut playing = self.state.lock();
        if playing.is_in_hidden {
            playing.pending.clear();
        }
        playing.is_in_hidden
    }

    /// Returns the tapes that fit the session now.
    fn fits(&self) -> Arc<Fits> {
        let index = self.options.root.index();
        let mut known = self.fits.lock();
        match &*known {
            Some(fits) if Arc::ptr_eq(&fits.index, &index) => Arc::clone(fits),
            _ => {
                let fits = Arc::new(index.fits(&self.options.rules, &self.context));
                *known = Some(Arc::clone(&fits));
                fits
            }
        }
    }

    /// Prints the echo of an incomplete input if the answer of its exchange starts with it, so that people see what
    /// they type.
    async fn echo(&self, index: &Arc<Index>, hit: Option<Hit>, at: Instant) {
        let Some(hit) = hit else { return };
        let Ok(exchange) = read(index, &hit).await else {
            return;
        };
        let mut playing = self.state.lock();
        let (pending, echoed) = (&playing.pending, &playing.echoed);
        let mut output = exchange.output();
        let begins_so = pending.iter().all(|byte| output.next() == Some(*byte));
        if !begins_so || !pending.starts_with(echoed) || pending.len() == echoed.len() {
            return;
        }
        let new = pending[echoed.len()..].to_vec();
        playing.queued_upto += new.len() as u64;
        playing.echoed = playing.pending.clone();
        let steps = [PlaybackStep::Typed(at), PlaybackStep::echo(new)];
        self.playback.hold(steps);
    }

    /// Plays an exchange whose input is the first `len` pending bytes.
    fn play(&self, fits: &Fits, hit: &Hit, len: usize, exchange: &Exchange, at: Instant) {
        let mut playing = self.state.lock();
        let input: Vec<u8> = playing.pending.drain(..len).collect();
        let prompt = playing.prompt.prompt();
        if hit.state() != playing.state.fingerprint() {
            // The exchange is at another position of the conversation, which continues from there.
            playing.state = StateHash::after_line(hit.state());
        }
        playing.is_in_hidden = hit.is_hidden() && !ends_line(hit.input());
        let input_bytes = &exchange.input.bytes;
        playing.state.follow(hit.is_hidden(), input_bytes);
        if self.options.may_leave && !input.is_empty() {
            playing.typed.push((prompt, input));
        }
        let echoed = std::mem::take(&mut playing.echoed);
        let start = exchange.output().take(echoed.len());
        let is_echoed = start.eq(echoed.iter().copied());
        let skip = if is_echoed { echoed.len() } else { 0 };
        for chunk in &exchange.chunks {
            playing.prompt.feed(&chunk.data);
        }
        let ordinal = playing.ordinal;
        playing.ordinal += 1;
        let tape = hit.tape.id.to_string();
        playing.at = Some((tape.clone(), hit.exchange));
        let played = playing.played.entry(tape.clone()).or_default();
        played.insert(hit.exchange..hit.exchange + 1);
        let mut steps = ExchangeSteps::new(exchange, hit.meta(), &self.options, ordinal, skip, at);
        let start = playing.queued_upto;
        playing.queued_upto += steps.bytes;
        let end = playing.queued_upto;
        let queued = Queued {
            tape: tape.clone(),
            exchange: hit.exchange,
            ordinal,
            start: start - skip as u64,
            end,
        };
        if end > start || steps.ends {
            let printed = start.saturating_sub(self.playback.waiting_bytes());
            playing.queue.retain(|queued| queued.end >= printed);
            playing.queue.push_back(queued);
        }
        playing.has_ended = steps.ends;
        playing.uses.hits += 1;
        playing.uses.injected += u64::from(steps.injection.is_some());
        playing.injection = steps.injection;
        if !playing.uses.used.contains(&tape) {
            playing.uses.used.push(tape);
        }
        if !steps.ends {
            set_modes(&mut steps.steps, modes_next(fits, &playing));
        }
        self.playback.hold(steps.steps);
        self.options.root.played(&hit.tape.id, 1);
    }
}
