//! Classifies a text.

use super::compiled::{Compiled, PlacedPattern};
use super::formats::{self, Document};
use super::help;
use super::lines::{Line, lines};
use super::seen::Seen;
use crate::expect::Cleaned;
use ccd_protocol::pattern::{
    JsonFound, PatternClassifyReply, PatternMatch, PatternTestReply, PatternType, PromptFound,
    Span, TableFound,
};
use std::collections::BTreeSet;
use std::ops::Range;

/// Maximum length of a text that is searched.
pub const MAX_TEXT_BYTES: usize = 1 << 20;

/// Maximum number of reported matches, and of those of one pattern in one line.
const MAX_MATCHES: usize = 1000;
const MAX_MATCHES_IN_LINE: usize = 20;

/// Maximum cost of searching for further matches in the same line, in the unit of [`LinePatterns::cost`]: about half a
/// second for a text. The first match of each pattern in a line is always reported.
///
/// [`LinePatterns::cost`]: crate::expect::LinePatterns::cost
const MAX_COST: u64 = 64 << 20;

/// Maximum length of the text of a reported match, in characters.
const MAX_MATCHED_CHARS: usize = 1000;

/// Matches in the order of the text.
struct Matches {
    list: Vec<PatternMatch>,
    is_cut: bool,
    /// The remaining part of [`MAX_COST`].
    cost_left: u64,
}

impl Compiled {
    /// Returns which patterns match a text, and where.
    /// With a type, only patterns of that type; without one, all except those that are not significant alone: signs of
    /// data formats, endings of prompts, lines of help.
    pub fn test(&self, raw: &str, only: Option<PatternType>) -> PatternTestReply {
        let text = Cleaned::new(raw);
        let lines = lines(text.text());
        let types = PatternType::ALL.into_iter();
        let types: Vec<PatternType> = types
            .filter(|pattern_type| only.is_none_or(|only| only == *pattern_type))
            .collect();
        let seen = Seen::search(self, &lines, &types);
        let found = self.matches(&text, &lines, &seen, &types, |place| {
            only.is_some() || !(place.is_only_a_sign() || place.is_help_line())
        });
        PatternTestReply {
            matches: found.list,
            truncated: found.is_cut,
            warnings: self.warnings().to_vec(),
        }
    }

    pub fn classify(&self, raw: &str) -> PatternClassifyReply {
        let text = Cleaned::new(raw);
        let lines = lines(text.text());
        let seen = Seen::search(self, &lines, &PatternType::ALL);
        let is_help = help::is_help(self, &lines, &seen);
        let found = self.matches(&text, &lines, &seen, &PatternType::ALL, |place| {
            let is_for_other = if is_help {
                place.is_summary()
            } else {
                place.is_help_line()
            };
            !place.is_only_a_sign() && !is_for_other
        });
        let signs = self.signs(&seen);
        let mut data = formats::find(text.text(), &lines, |format| signs.contains(format));
        if is_help {
            data.forget_aligned(); // options are aligned too
        }
        let own = found.list.iter();
        let own = own.filter(|found| found.pattern_type == PatternType::DataFormat);
        let own: BTreeSet<&str> = own.map(|found| found.category.as_str()).collect();
        let data_formats = data.formats.iter().copied().chain(own);
        let data_formats = data_formats.map(str::to_owned).collect();
        let commands = is_help.then(|| help::commands(self, &lines, &seen));
        let prompt = self.prompt(&text, &lines, &seen);
        let table_in_raw = |table: TableFound| TableFound {
            span: span_in(&text, table.span.start..table.span.end),
            ..table
        };
        let json_in_raw = |document: Document| JsonFound {
            span: span_in(&text, document.span),
            value: document.value,
        };
        PatternClassifyReply {
            is_error: self.is_error(is_help, &seen),
            is_help,
            commands: commands.unwrap_or_default(),
            state_transition: self.last_state(&lines, &seen),
            has_prompt: prompt.is_some(),
            prompt,
            has_table: !data.tables.is_empty(),
            has_json: !data.json.is_empty(),
            tables: data.tables.into_iter().map(table_in_raw).collect(),
            json: data.json.into_iter().map(json_in_raw).collect(),
            data_formats,
            matches: found.list,
            line_count: text.text().lines().count(),
            truncated: found.is_cut || data.is_cut,
            warnings: self.warnings().to_vec(),
        }
    }

    fn matches(
        &self,
        text: &Cleaned,
        lines: &[Line<'_>],
        seen: &Seen,
        types: &[PatternType],
        counts: impl Fn(&PlacedPattern<'_>) -> bool,
    ) -> Matches {
        let mut found = Matches {
            list: Vec::new(),
            is_cut: false,
            cost_left: MAX_COST,
        };
        for line in lines {
            let (head, is_cut) = line.head();
            found.is_cut |= is_cut;
            if line.is_blank() {
                continue;
            }
            let mut in_line = Vec::new();
            for &pattern_type in types {
                for index in seen.matching(pattern_type, line) {
                    if let Some(place) = self.place(pattern_type, index).filter(&counts) {
                        for range in self.spans(pattern_type, index, head, &mut found) {
                            in_line.push((line.start + range.start..line.start + range.end, place));
                        }
                    }
                }
            }
            in_line.sort_by_key(|(range, _)| range.start);
            for (range, place) in in_line {
                if found.list.len() == MAX_MATCHES {
                    found.is_cut = true;
                    return found;
                }
                found.list.push(PatternMatch {
                    pattern_type: place.entry.pattern_type,
                    category: place.entry.category.clone(),
                    pattern: place.pattern.to_owned(),
                    line: line.number,
                    matched: matched(text.text(), &range),
                    span: span_in(text, range),
                });
            }
        }
        found
    }

    /// Returns where a pattern matches in a line, within the limit of the cost.
    fn spans(
        &self,
        pattern_type: PatternType,
        index: usize,
        head: &str,
        found: &mut Matches,
    ) -> Vec<Range<usize>> {
        let patterns = self.lines(pattern_type);
        let cost = patterns.cost(index, head).max(1);
        let affordable = usize::try_from(found.cost_left / cost).unwrap_or(usize::MAX);
        let most = affordable.clamp(1, MAX_MATCHES_IN_LINE);
        let spans = patterns.spans(index, head, most);
        let further = spans.len().saturating_sub(1) as u64;
        found.cost_left = found.cost_left.saturating_sub(cost.saturating_mul(further));
        found.is_cut |= most < MAX_MATCHES_IN_LINE && spans.len() == most;
        spans
    }

    /// Returns the last line if it is a prompt; the first pattern of the library that matches identifies the program.
    fn prompt(&self, text: &Cleaned, lines: &[Line<'_>], seen: &Seen) -> Option<PromptFound> {
        let line = lines.last()?;
        let (head, _) = line.head();
        let place = self.prompt_place(seen.matching(PatternType::Prompt, line))?;
        let start = line.start + (head.len() - head.trim_start().len());
        let shown = head.trim();
        Some(PromptFound {
            category: place.entry.category.clone(),
            text: shown.chars().take(MAX_MATCHED_CHARS).collect(),
            span: span_in(text, start..start + shown.len()),
        })
    }

    fn is_error(&self, is_help: bool, seen: &Seen) -> bool {
        let mut places = seen
            .all(PatternType::Error)
            .iter()
            .filter_map(|&(_, index)| self.place(PatternType::Error, index));
        places.any(|place| !is_help || !place.is_summary())
    }

    /// Returns the name of the state in the last line that contains one.
    fn last_state(&self, lines: &[Line<'_>], seen: &Seen) -> Option<String> {
        let patterns = self.lines(PatternType::State);
        lines.iter().rev().find_map(|line| {
            let mut found = seen.matching(PatternType::State, line);
            found.find_map(|index| {
                let name = patterns.group(index, line.head().0, "state")?;
                Some(name.chars().take(MAX_MATCHED_CHARS).collect())
            })
        })
    }

    /// Returns the data formats that are not decided by patterns alone, and of which a line has signs.
    fn signs(&self, seen: &Seen) -> BTreeSet<&str> {
        let found = seen.all(PatternType::DataFormat).iter();
        let known: BTreeSet<usize> = found.map(|&(_, index)| index).collect();
        let places = known
            .into_iter()
            .filter_map(|index| self.place(PatternType::DataFormat, index));
        let signs = places.filter(PlacedPattern::is_only_a_sign);
        signs.map(|place| place.entry.category.as_str()).collect()
    }
}

fn matched(text: &str, range: &Range<usize>) -> String {
    let bytes = text.as_bytes().get(range.clone()).unwrap_or_default();
    let text = String::from_utf8_lossy(bytes);
    text.chars().take(MAX_MATCHED_CHARS).collect()
}

/// Returns the position in the original text of a range of the cleaned text.
fn span_in(text: &Cleaned, range: Range<usize>) -> Span {
    let start = text.raw(range.start);
    Span {
        start,
        end: text.raw_end(range.end).max(start),
    }
}
