//! A comparison: the baseline of the machine, ccd in one or more ways, and the comparable tools that are installed.

use crate::Result;
use crate::report::Line;
use crate::samples::{Contender, Ratio, Samples, alternate};

/// The contenders: the baseline first, then ccd, then the comparable tools.
#[derive(Default)]
pub(crate) struct Contest<'a> {
    names: Vec<&'static str>,
    contenders: Vec<(usize, Contender<'a>)>,
}

/// What was measured.
pub(crate) struct Measured {
    names: Vec<&'static str>,
    samples: Vec<Samples>,
}

impl<'a> Contest<'a> {
    /// Adds a contender that has this many rounds in each block.
    pub(crate) fn add(&mut self, name: &'static str, rounds: usize, contender: Contender<'a>) {
        self.names.push(name);
        self.contenders.push((rounds, contender));
    }

    pub(crate) fn run(mut self, blocks: usize) -> Result<Measured> {
        Ok(Measured {
            names: self.names,
            samples: alternate(blocks, &mut self.contenders)?,
        })
    }
}

impl Measured {
    pub(crate) fn of(&self, name: &str) -> Option<&Samples> {
        let place = self.names.iter().position(|other| *other == name)?;
        self.samples.get(place)
    }

    pub(crate) fn baseline(&self) -> &Samples {
        &self.samples[0]
    }

    /// Returns how long the contender at this place takes, as a multiple of the baseline.
    pub(crate) fn ratio(&self, ccd: usize) -> Ratio {
        self.samples[ccd].ratio_to(&self.samples[0])
    }

    /// Returns the same as a multiple of a comparable tool, if it is installed.
    pub(crate) fn ratio_to(&self, ccd: usize, name: &str) -> Option<Ratio> {
        Some(self.samples[ccd].ratio_to(self.of(name)?))
    }

    /// Returns a line without a goal about the contender at the place `ccd`; the first comparable tool is at `peers`.
    pub(crate) fn line(
        &self,
        what: String,
        (ccd, peers): (usize, usize),
        cell: impl Fn(&Samples) -> String,
    ) -> Line {
        let peers = || self.names.iter().zip(&self.samples).skip(peers);
        let shown = peers().map(|(name, samples)| format!("{name} {}", cell(samples)));
        let against = peers().map(|(name, peer)| (*name, self.samples[ccd].ratio_to(peer)));
        Line {
            what,
            bare: cell(&self.samples[0]),
            peers: shown.collect::<Vec<_>>().join(", "),
            ccd: cell(&self.samples[ccd]),
            ratio: self.ratio(ccd).to_string(),
            against: against.collect(),
            ..Line::default()
        }
    }
}
