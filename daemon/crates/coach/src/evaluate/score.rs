//! Precision and recall.

use super::labelled::LabelledSet;
use crate::detect::Detector;
use crate::patterns::PatternSet;
use crate::signal::SignalType;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What the detector finds in a labelled set.
pub(super) struct Evaluation {
    pub(super) cases: usize,
    pub(super) types: [TypeScore; 8],
    /// The cases whose signals differ from their labels.
    pub(super) mistakes: Vec<String>,
}

/// How good the detection of one kind of signal is.
#[derive(Debug, Clone, Copy)]
pub(super) struct TypeScore {
    pub(super) signal_type: SignalType,
    pub(super) hits: u32,
    pub(super) false_alarms: u32,
    pub(super) misses: u32,
}

impl TypeScore {
    /// Share of the signals that are right; 1 when there are none.
    pub(super) fn precision(&self) -> f64 {
        share(self.hits, self.false_alarms)
    }

    /// Share of the labels that are found; 1 when there are none.
    pub(super) fn recall(&self) -> f64 {
        share(self.hits, self.misses)
    }
}

fn share(right: u32, wrong: u32) -> f64 {
    match right + wrong {
        0 => 1.0,
        all => f64::from(right) / f64::from(all),
    }
}

/// Returns how good the detection with these patterns is.
pub(super) fn evaluate(set: LabelledSet, patterns: &Arc<PatternSet>) -> Evaluation {
    let mut types = SignalType::ALL.map(|signal_type| TypeScore {
        signal_type,
        hits: 0,
        false_alarms: 0,
        misses: 0,
    });
    let mut mistakes = Vec::new();
    let cases: Vec<_> = set.cases().into_iter().flatten().collect();
    for case in &cases {
        let mut detector = Detector::new(Arc::clone(patterns));
        let payloads = case.payloads();
        let detected = payloads.iter().map(|payload| detector.detect(payload));
        let signals = detected.last().unwrap_or_default().signals;
        let found: BTreeSet<_> = signals.iter().map(|signal| signal.signal_type).collect();
        let expected: BTreeSet<_> = case.expect.iter().copied().collect();
        for score in &mut types {
            let is_in = |set: &BTreeSet<_>| set.contains(&score.signal_type);
            match (is_in(&expected), is_in(&found)) {
                (true, true) => score.hits += 1,
                (false, true) => score.false_alarms += 1,
                (true, false) => score.misses += 1,
                (false, false) => {}
            }
        }
        if expected != found {
            mistakes.push(format!("+{found:?} -{expected:?}: {}", case.shown()));
        }
    }
    Evaluation {
        cases: cases.len(),
        types,
        mistakes,
    }
}
