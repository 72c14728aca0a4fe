//! The seed's limits.

use ccd_protocol::memory::MemoryFact;
use std::collections::BTreeMap;

pub const MAX_BYTES: usize = 51_200;
pub(crate) const MAX_NEXT_TASKS: usize = 5;
pub(crate) const MAX_BLOCKERS: usize = 50;
pub(crate) const MAX_FAILURES: usize = 20;
/// Failures of one run that are kept while it is read: enough for the file, its blockers and its steps.
pub(crate) const READ_FAILURES: usize = 200;
pub(crate) const MAX_FILES: usize = 50;
pub(crate) const MAX_STEPS: usize = 10;
pub(crate) const MAX_SERVERS: usize = 20;
pub(crate) const MAX_ERRORS: usize = 10;

/// How many entries of a list were left out, by the list's path in JSON (`testResults.unit.failures`).
pub type Cuts = BTreeMap<String, u64>;

/// Where facts are from, by their path in JSON (`testResults.unit`).
pub type Provenance = BTreeMap<String, MemoryFact>;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Notes {
    pub provenance: Provenance,
    /// What a save left out of the memory, and why.
    pub warnings: Vec<String>,
}

/// Returns how much of `total` `part` is, with one decimal; halves away from zero. Nothing of nothing is 0.
pub(crate) fn percentage(part: u64, total: u64) -> f64 {
    if total == 0 {
        return 0.0;
    }
    let (part, total) = (u128::from(part), u128::from(total));
    let tenths = (part * 2000 + total) / (total * 2);
    tenths as f64 / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_rounded_away_from_zero() {
        assert_eq!(percentage(1, 16), 6.3);
        assert_eq!(percentage(60, 155), 38.7);
        assert_eq!(percentage(2, 3), 66.7);
        assert_eq!(percentage(0, 0), 0.0);
        assert_eq!(percentage(7, 7), 100.0);
    }
}
