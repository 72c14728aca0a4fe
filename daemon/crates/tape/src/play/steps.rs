//! The steps that replay one exchange.

use super::options::ReplayOptions;
use super::pace::Injection;
use super::playback::InputModes;
use super::playback::PlaybackStep;
use crate::format::{Chunk, Exchange, Meta};
use crate::tools::with_returns;
use std::time::Instant;

/// The steps of an exchange, and what is known of them.
pub(super) struct ExchangeSteps {
    pub(super) steps: Vec<PlaybackStep>,
    pub(super) bytes: u64,
    /// The program ends after it.
    pub(super) ends: bool,
    pub(super) injection: Option<Injection>,
}

impl ExchangeSteps {
    /// Returns the steps that print an exchange's output without its first `skip` bytes. It is the `ordinal`th exchange
    /// to be played, and was requested at `at`.
    pub(super) fn new(
        exchange: &Exchange,
        meta: &Meta,
        options: &ReplayOptions,
        ordinal: u64,
        skip: usize,
        at: Instant,
    ) -> Self {
        let pace = &options.pace;
        // A session's terminal passes on the bytes of a tape as they are, so a tape that was recorded with pipes needs
        // carriage returns here.
        let data_of = |chunk: &Chunk| {
            if meta.pty.is_none() && !options.is_piped {
                with_returns(&chunk.data).into_owned()
            } else {
                chunk.data.clone()
            }
        };
        let data: Vec<Vec<u8>> = exchange.chunks.iter().map(data_of).collect();
        let recorded: Vec<u64> = exchange.chunks.iter().map(|chunk| chunk.delay_ms).collect();
        let delays = pace.delays(meta, ordinal, &recorded);
        let injection = pace.injection(meta, ordinal);
        let total: usize = data.iter().map(Vec::len).sum();
        let mut left = match injection {
            Some(Injection::Truncate(part)) => (total as f64 * part) as usize,
            _ => total,
        };
        if let Some(injection) = injection {
            tracing::info!(target: "tape", program = meta.program, exchange = ordinal, ?injection, "an error was injected");
        }
        let mut steps = vec![PlaybackStep::Typed(at)];
        let (mut skip, mut bytes) = (skip, 0);
        for ((chunk, data), delay) in exchange.chunks.iter().zip(&data).zip(delays) {
            let data = &data[..data.len().min(left)];
            left -= data.len();
            let skipped = skip.min(data.len());
            skip -= skipped;
            let data = &data[skipped..];
            if !data.is_empty() {
                bytes += data.len() as u64;
                steps.push(PlaybackStep::Print {
                    delay,
                    bytes: data.to_vec(),
                    stream: chunk.stream,
                });
            }
        }
        let exit = match injection {
            Some(Injection::Exit(exit)) => Some(exit),
            _ => exchange.exit,
        };
        steps.extend(exit.map(PlaybackStep::End));
        Self {
            steps,
            bytes,
            ends: exit.is_some(),
            injection,
        }
    }
}

/// Switches the modes of the terminal before the last output, because programs switch before they show a prompt.
pub(super) fn set_modes(steps: &mut Vec<PlaybackStep>, modes: InputModes) {
    let at = steps
        .iter()
        .rposition(|step| matches!(step, PlaybackStep::Print { .. }));
    steps.insert(at.unwrap_or(steps.len()), PlaybackStep::Modes(modes));
}
