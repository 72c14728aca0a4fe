//! Precision and recall.

use super::labelled::LabelledSet;
use crate::detect::Detector;
use crate::patterns::PatternSet;
use crate::signal::SignalType;
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How good the detection is on a labelled set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evaluation {
    pub set: LabelledSet,
    pub cases: usize,
    pub types: Vec<TypeScore>,
    pub mistakes: Vec<Mistake>,
}

/// How good the detection of one kind of signal is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TypeScore {
    pub signal_type: SignalType,
    pub true_positives: usize,
    pub false_positives: usize,
    pub false_negatives: usize,
    /// Share of the signals that are right; 1 when there are none.
    pub precision: f64,
    /// Share of the labels that are found; 1 when there are none.
    pub recall: f64,
}

/// A case whose signals differ from its labels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mistake {
    pub text: String,
    pub expected: Vec<SignalType>,
    pub found: Vec<SignalType>,
}

/// Returns how good the detection with these patterns is.
pub fn evaluate(set: LabelledSet, patterns: &Arc<PatternSet>) -> Evaluation {
    let mut types = SignalType::ALL.map(TypeScore::new);
    let mut mistakes = Vec::new();
    let cases: Vec<_> = set.cases().into_iter().flatten().collect();
    for case in &cases {
        let mut detector = Detector::new(Arc::clone(patterns));
        let last = case
            .payloads()
            .iter()
            .map(|payload| detector.detect(payload))
            .last()
            .unwrap_or_default();
        let found: BTreeSet<_> = last
            .signals
            .iter()
            .map(|signal| signal.signal_type)
            .collect();
        let expected: BTreeSet<_> = case.expect.iter().copied().collect();
        for score in &mut types {
            score.count(
                expected.contains(&score.signal_type),
                found.contains(&score.signal_type),
            );
        }
        if expected != found {
            mistakes.push(Mistake {
                text: case.shown(),
                expected: expected.into_iter().collect(),
                found: found.into_iter().collect(),
            });
        }
    }
    let types = types.into_iter().map(TypeScore::with_shares).collect();
    Evaluation {
        set,
        cases: cases.len(),
        types,
        mistakes,
    }
}

impl TypeScore {
    fn new(signal_type: SignalType) -> Self {
        Self {
            signal_type,
            true_positives: 0,
            false_positives: 0,
            false_negatives: 0,
            precision: 1.0,
            recall: 1.0,
        }
    }

    fn count(&mut self, is_expected: bool, is_found: bool) {
        match (is_expected, is_found) {
            (true, true) => self.true_positives += 1,
            (false, true) => self.false_positives += 1,
            (true, false) => self.false_negatives += 1,
            (false, false) => {}
        }
    }

    fn with_shares(self) -> Self {
        Self {
            precision: share(self.true_positives, self.false_positives),
            recall: share(self.true_positives, self.false_negatives),
            ..self
        }
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "there are some hundreds of cases"
)]
fn share(right: usize, wrong: usize) -> f64 {
    if right + wrong == 0 {
        1.0
    } else {
        right as f64 / (right + wrong) as f64
    }
}
