//! What is to be done for an exchange that plays.

use super::cue::Cue;
use super::pace::{Injection, TapePace};
use super::show::Act;
use super::show::InputModes;
use crate::format::{Chunk, Exchange, Meta};
use crate::tools::with_returns;
use std::time::Instant;

/// What an exchange has to be done for it.
pub(super) struct Acts {
    pub(super) acts: Vec<Act>,
    pub(super) bytes: u64,
    /// The program ends behind it.
    pub(super) ends: bool,
    pub(super) injection: Option<Injection>,
}

impl Acts {
    /// What an exchange has printed, but for its first bytes: `skip` of them. It is the `ordinal`th that plays,
    /// asked for at `at`.
    pub(super) fn of(
        exchange: &Exchange,
        meta: &Meta,
        cue: &Cue,
        ordinal: u64,
        skip: usize,
        at: Instant,
    ) -> Self {
        let pace = &cue.pace;
        // The terminal of a session passes on what a tape says, so what had none needs its carriage returns here.
        let data_of = |chunk: &Chunk| match meta.pty.is_none() && !cue.is_piped {
            true => with_returns(&chunk.data).into_owned(),
            false => chunk.data.clone(),
        };
        let data: Vec<Vec<u8>> = exchange.chunks.iter().map(data_of).collect();
        let tape = TapePace {
            latency: meta.latency.as_ref(),
            error_rate: meta.error_rate,
            seed: meta.seed,
        };
        let recorded: Vec<u64> = exchange.chunks.iter().map(|chunk| chunk.delay_ms).collect();
        let delays = pace.delays(tape, ordinal, &recorded);
        let injection = pace.injection(tape, ordinal);
        let total: usize = data.iter().map(Vec::len).sum();
        let mut left = match injection {
            Some(Injection::Truncate(part)) => (total as f64 * part) as usize,
            _ => total,
        };
        if let Some(injection) = injection {
            tracing::info!(target: "tape", program = meta.program, exchange = ordinal, ?injection, "an error was injected");
        }
        let mut acts = vec![Act::Typed(at)];
        let (mut skip, mut bytes) = (skip, 0);
        for ((chunk, data), delay) in exchange.chunks.iter().zip(&data).zip(delays) {
            let data = &data[..data.len().min(left)];
            left -= data.len();
            let skipped = skip.min(data.len());
            skip -= skipped;
            let data = &data[skipped..];
            if !data.is_empty() {
                bytes += data.len() as u64;
                acts.push(Act::Print {
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
        acts.extend(exit.map(Act::End));
        Self {
            acts,
            bytes,
            ends: exit.is_some(),
            injection,
        }
    }
}

/// Switches the terminal before the last output: programs switch before they ask.
pub(super) fn set_modes(acts: &mut Vec<Act>, modes: InputModes) {
    let at = acts
        .iter()
        .rposition(|act| matches!(act, Act::Print { .. }));
    acts.insert(at.unwrap_or(acts.len()), Act::Modes(modes));
}
