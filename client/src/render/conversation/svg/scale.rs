//! The axis of a chart.

/// Values along an axis, from 0 to at least the largest value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scale {
    pub(super) ticks: Vec<f64>,
    end: f64,
    length: f64,
}

impl Scale {
    /// Makes an axis of about `marks` marks: 1, 2 or 5 times a power of ten apart.
    pub(super) fn of(most: f64, marks: usize, length: f64) -> Self {
        let most = if most > 0.0 { most } else { 1.0 };
        let rough = most / marks.max(1) as f64;
        let power = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .map(|factor| factor * power)
            .find(|step| *step >= rough * 0.999)
            .unwrap_or(10.0 * power);
        let count = (most / step - 1e-9).ceil().max(1.0) as usize;
        Self {
            ticks: (0..=count).map(|mark| mark as f64 * step).collect(),
            end: count as f64 * step,
            length,
        }
    }

    /// Returns how far from the start of the axis a value is.
    pub(super) fn at(&self, value: f64) -> f64 {
        value / self.end * self.length
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn marks_are_round_numbers() {
        assert_eq!(
            Scale::of(9.0, 5, 1.0).ticks,
            [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
        );
        assert_eq!(Scale::of(1.0, 2, 1.0).ticks, [0.0, 0.5, 1.0]);
        assert_eq!(Scale::of(0.0, 2, 1.0).ticks, [0.0, 0.5, 1.0]);
    }

    proptest! {
        #[test]
        fn every_value_is_on_the_axis(most in 0.0001..1e15_f64, marks in 1..8_usize) {
            let scale = Scale::of(most, marks, 100.0);
            prop_assert!(scale.at(most) <= 100.1, "{scale:?}");
            prop_assert!(scale.ticks.len() <= marks + 2, "{scale:?}");
        }
    }
}
