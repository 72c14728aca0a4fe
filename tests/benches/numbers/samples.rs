//! Durations of one contender, and blocks that alternate between contenders.

use crate::Result;
use std::time::{Duration, Instant};

/// Durations in microseconds, in the order they were taken, and where each block of them ends.
#[derive(Debug, Clone, Default)]
pub(crate) struct Samples(Vec<f64>, Vec<usize>);

/// How long something takes, as a multiple of what it is compared with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ratio {
    /// Of the medians.
    pub(crate) of_all: f64,
    /// The quartiles of the same in single blocks.
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Ratio {
    /// Says whether the first of the two takes less time than the other, unless the scatter leaves that open.
    pub(crate) fn verdict(self) -> &'static str {
        match (self.low, self.high) {
            (_, high) if high < 1.0 => "ahead",
            (low, _) if low > 1.0 => "behind",
            _ => "level",
        }
    }

    /// Returns whether a goal is met: a goal within the scatter counts.
    pub(crate) fn meets(self, goal: f64) -> bool {
        self.of_all.min(self.low) <= goal
    }
}

impl std::fmt::Display for Ratio {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { of_all, low, high } = self;
        write!(out, "{of_all:.2} × ({low:.2} to {high:.2})")
    }
}

impl Samples {
    /// Adds how long `work` takes, and returns what it returns.
    pub(crate) fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let done = work();
        self.add(start.elapsed());
        done
    }

    pub(crate) fn add(&mut self, duration: Duration) {
        self.0.push(duration.as_secs_f64() * 1e6);
    }

    pub(crate) fn extend(&mut self, microseconds: impl IntoIterator<Item = f64>) {
        self.0.extend(microseconds);
    }

    /// Adds what another client has measured.
    pub(crate) fn append(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Ends a block.
    pub(crate) fn end_block(&mut self) {
        self.1.push(self.0.len());
    }

    /// Returns the value below which `share` (0 to 1) of all samples lie; NaN if there are none.
    pub(crate) fn quantile(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        let index = (last as f64 * share).round() as usize;
        sorted.get(index).copied().unwrap_or(f64::NAN)
    }

    /// Returns the ratio to samples with as many blocks, which were measured alternately.
    pub(crate) fn ratio_to(&self, other: &Self) -> Ratio {
        let of_blocks = self.blocks().zip(other.blocks());
        let ratios = of_blocks.map(|(own, other)| own.median() / other.median());
        let ratios = Self(ratios.collect(), Vec::new());
        Ratio {
            of_all: self.median() / other.median(),
            low: ratios.quantile(0.25),
            high: ratios.quantile(0.75),
        }
    }

    fn blocks(&self) -> impl Iterator<Item = Self> {
        let starts = [0].into_iter().chain(self.1.iter().copied());
        let blocks = starts.zip(&self.1);
        blocks.map(|(start, end)| Self(self.0[start..*end].to_vec(), Vec::new()))
    }

    pub(crate) fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// Formats median and 95th percentile as a cell of the table, in microseconds.
    pub(crate) fn p50_p95(&self) -> String {
        format!("{:.0} / {:.0} µs", self.median(), self.quantile(0.95))
    }

    /// Returns median and 99th percentile in milliseconds.
    pub(crate) fn p50_p99(&self) -> [f64; 2] {
        [0.5, 0.99].map(|share| self.quantile(share) / 1e3)
    }

    /// Formats median and 95th percentile as a cell of the table, in milliseconds.
    pub(crate) fn p50_p95_ms(&self) -> String {
        let [median, p95] = [self.median(), self.quantile(0.95)].map(|us| us / 1e3);
        format!("{median:.2} / {p95:.2} ms")
    }
}

/// Returns a contender that calls `round` for each round.
pub(crate) fn each<'a>(mut round: impl FnMut(&mut Samples) -> Result<()> + 'a) -> Contender<'a> {
    Box::new(move |rounds, samples: &mut Samples| (0..rounds).try_for_each(|_| round(samples)))
}

/// A function that does what is measured `rounds` times, and adds how long each took.
pub(crate) type Contender<'a> = Box<dyn FnMut(usize, &mut Samples) -> Result<()> + 'a>;

/// Runs the contenders in turn until each has had `blocks` blocks of its number of rounds.
///
/// The order is reversed every second time, so that no contender always follows the same other one. A first block is
/// not counted.
pub(crate) fn alternate(
    blocks: usize,
    contenders: &mut [(usize, Contender<'_>)],
) -> Result<Vec<Samples>> {
    let mut all = vec![Samples::default(); contenders.len()];
    for (rounds, contender) in contenders.iter_mut() {
        contender((*rounds).div_ceil(4), &mut Samples::default())?;
    }
    for block in 0..blocks {
        let mut order: Vec<usize> = (0..contenders.len()).collect();
        if block % 2 == 1 {
            order.reverse();
        }
        for index in order {
            let (rounds, contender) = &mut contenders[index];
            contender(*rounds, &mut all[index])?;
            all[index].end_block();
        }
    }
    Ok(all)
}
