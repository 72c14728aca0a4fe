//! Durations of one contender, and blocks that alternate between contenders.

use crate::Result;
use std::time::Duration;

/// Durations in microseconds, in the order they were taken.
#[derive(Debug, Clone, Default)]
pub(crate) struct Samples(Vec<f64>);

impl Samples {
    pub(crate) fn add(&mut self, duration: Duration) {
        self.0.push(duration.as_secs_f64() * 1e6);
    }

    pub(crate) fn extend(&mut self, microseconds: impl IntoIterator<Item = f64>) {
        self.0.extend(microseconds);
    }

    /// Returns the value below which `share` (0 to 1) of all samples lie; NaN if there are none.
    pub(crate) fn quantile(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        let index = (last as f64 * share).round() as usize;
        sorted.get(index).copied().unwrap_or(f64::NAN)
    }

    /// Returns samples that were measured in pairs.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = &[f64]> {
        self.0.chunks(2)
    }

    pub(crate) fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// Formats median and 95th percentile as a cell of the table, in microseconds.
    pub(crate) fn p50_p95(&self) -> String {
        format!("{:.0} / {:.0} µs", self.median(), self.quantile(0.95))
    }

    /// Formats median and 95th percentile as a cell of the table, in milliseconds.
    pub(crate) fn p50_p95_ms(&self) -> String {
        let [median, p95] = [self.median(), self.quantile(0.95)].map(|us| us / 1e3);
        format!("{median:.2} / {p95:.2} ms")
    }
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
        }
    }
    Ok(all)
}
