//! Small charts of one bar per week.

/// Bars by height; the first one is an empty week.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

const MARK: char = '│';
const ASCII_MARK: char = '|';

/// Draws weeks before and after a mark, in at most `columns` columns if there are at least two.
/// If there are too many weeks for that, a bar is the average of several. In ASCII, each bar is a digit, and `+` stands
/// for ten or more.
pub(super) fn chart(before: &[u64], after: &[u64], columns: usize, is_utf8: bool) -> Chart {
    let room = columns.saturating_sub(1).max(2);
    let per_bar = (1..=before.len() + after.len())
        .find(|&size| before.len().div_ceil(size) + after.len().div_ceil(size) <= room)
        .unwrap_or(1);
    // The incomplete groups are the oldest and the newest one, away from the mark.
    let before: Vec<f64> = before.rchunks(per_bar).rev().map(average).collect();
    let after: Vec<f64> = after.chunks(per_bar).map(average).collect();
    let most = before.iter().chain(&after).copied().fold(0.0, f64::max);
    let bar = |&value: &f64| {
        if is_utf8 {
            BARS[height(value, most)]
        } else {
            digit(value)
        }
    };
    let mark = if is_utf8 { MARK } else { ASCII_MARK };
    let bars = before.iter().map(bar);
    Chart {
        text: bars.chain([mark]).chain(after.iter().map(bar)).collect(),
        weeks_per_bar: per_bar,
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Chart {
    pub(super) text: String,
    pub(super) weeks_per_bar: usize,
}

fn average(weeks: &[u64]) -> f64 {
    weeks.iter().map(|&count| count as f64).sum::<f64>() / weeks.len() as f64
}

/// The index of a bar: 0 only for 0, the last one only for the highest value.
fn height(value: f64, most: f64) -> usize {
    let top = BARS.len() - 1;
    if value > 0.0 {
        ((value / most * top as f64).ceil() as usize).clamp(1, top)
    } else {
        0
    }
}

fn digit(value: f64) -> char {
    // An average above 0 is not shown as 0.
    let digit = value.ceil() as u32;
    char::from_digit(digit, 10).unwrap_or('+')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn weeks_are_bars_around_the_mark() {
        let drawn = chart(&[3, 0, 7, 1], &[0, 0, 1], 80, true);
        assert_eq!(drawn.text, "▄▁█▂│▁▁▂");
        assert_eq!(drawn.weeks_per_bar, 1);
        assert_eq!(chart(&[3, 0, 70, 1], &[0], 80, false).text, "30+1|0");
        assert_eq!(chart(&[], &[], 80, true).text, "│");
        assert_eq!(chart(&[], &[0, 0], 80, true).text, "│▁▁");
    }

    #[test]
    fn many_weeks_share_bars_but_not_across_the_mark() {
        let drawn = chart(&[9, 2, 2, 4, 4], &[0, 0, 0], 6, false);
        // The oldest and the newest bar are of one week each.
        assert_eq!(drawn.text, "924|00");
        assert_eq!(drawn.weeks_per_bar, 2);
    }

    proptest! {
        #[test]
        fn a_chart_fits(
            before in prop::collection::vec(0..u64::MAX, 0..60),
            after in prop::collection::vec(0..u64::MAX, 0..60),
            columns in 3..90_usize,
            is_utf8: bool,
        ) {
            let drawn = chart(&before, &after, columns, is_utf8);
            prop_assert!(drawn.text.chars().count() <= columns);
        }
    }
}
