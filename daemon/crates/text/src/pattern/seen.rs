//! Which patterns match which lines: looked up once, however often it is asked for.

use super::compiled::Compiled;
use super::lines::Line;
use ccd_protocol::pattern::PatternType;
use std::collections::BTreeMap;

/// The patterns that match, by type: where the line begins and the place of the pattern, in their order.
pub(super) struct Seen {
    by_type: BTreeMap<PatternType, Vec<(usize, usize)>>,
}

impl Seen {
    /// Looks at all lines that are not blank; of type prompt only at the last one, where the cursor is.
    pub(super) fn of(compiled: &Compiled, lines: &[Line<'_>], types: &[PatternType]) -> Self {
        let by_type = types.iter().map(|&pattern_type| {
            let patterns = compiled.lines(pattern_type);
            let lines = match pattern_type {
                PatternType::Prompt => lines.last_chunk::<1>().map_or(&[][..], |last| last),
                _ => lines,
            };
            let mut found = Vec::new();
            for line in lines.iter().filter(|line| !line.is_blank()) {
                let matching = patterns.matching(line.head().0);
                found.extend(matching.into_iter().map(|index| (line.start, index)));
            }
            (pattern_type, found)
        });
        Self {
            by_type: by_type.collect(),
        }
    }

    /// The patterns of a type that match a line, by their places.
    pub(super) fn matching(
        &self,
        pattern_type: PatternType,
        line: &Line<'_>,
    ) -> impl Iterator<Item = usize> + '_ {
        let found = self.all(pattern_type);
        let first = found.partition_point(|&(start, _)| start < line.start);
        let start = line.start;
        let of_line = found[first..]
            .iter()
            .take_while(move |&&(at, _)| at == start);
        of_line.map(|&(_, index)| index)
    }

    /// All matches of a type: where the line begins, and the place of the pattern.
    pub(super) fn all(&self, pattern_type: PatternType) -> &[(usize, usize)] {
        self.by_type.get(&pattern_type).map_or(&[], Vec::as_slice)
    }
}
