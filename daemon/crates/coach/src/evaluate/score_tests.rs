use super::{LabelledSet, evaluate};
use crate::patterns::PatternSet;
use std::sync::Arc;

/// What the specification asks for of each kind of signal.
const MIN_PRECISION: f64 = 0.95;
const MIN_RECALL: f64 = 0.85;

/// Prints the tables of COACH, and checks them.
#[test]
fn each_set_of_cases_is_detected_as_well_as_asked_for() {
    for set in [
        LabelledSet::Tuned,
        LabelledSet::HeldOut,
        LabelledSet::Others,
    ] {
        let cases: Vec<_> = set.cases().into_iter().collect::<Result<_, _>>().unwrap();
        assert!(cases.len() >= 200);
        assert!(cases.iter().all(|case| !case.payloads().is_empty()));
        let evaluation = evaluate(set, &Arc::new(PatternSet::built_in()));
        println!(
            "{} cases\nsignal, precision, recall, hits, false alarms, misses",
            evaluation.cases
        );
        for score in &evaluation.types {
            let (precision, recall) = (score.precision(), score.recall());
            println!(
                "{:?} {precision:.3} {recall:.3} {} {} {}",
                score.signal_type, score.hits, score.false_alarms, score.misses
            );
            let is_good = precision >= MIN_PRECISION && recall >= MIN_RECALL;
            assert!(
                is_good && score.hits > 0,
                "{score:?}\n{}",
                evaluation.mistakes.join("\n")
            );
        }
    }
}
