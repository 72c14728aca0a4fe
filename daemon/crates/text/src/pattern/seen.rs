//! Which patterns match which lines; each line is searched only once.

use super::compiled::Compiled;
use super::lines::Line;
use ccd_protocol::pattern::PatternType;
use std::collections::BTreeMap;

/// The matching patterns, by type: the start of the line and the index of the pattern, in order.
pub(super) struct Seen {
    by_type: BTreeMap<PatternType, Vec<(usize, usize)>>,
}

impl Seen {
    /// Searches all lines that are not blank; for type prompt only the last line, where the cursor is.
    pub(super) fn search(compiled: &Compiled, lines: &[Line<'_>], types: &[PatternType]) -> Self {
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

    /// Returns the indexes of the patterns of a type that match a line.
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

    /// Returns all matches of a type: the start of the line, and the index of the pattern.
    pub(super) fn all(&self, pattern_type: PatternType) -> &[(usize, usize)] {
        self.by_type.get(&pattern_type).map_or(&[], Vec::as_slice)
    }
}
