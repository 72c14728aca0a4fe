//! What a text is.

use super::compiled::{Compiled, Place};
use super::lines::{Line, lines};
use super::{formats, help};
use crate::expect::Cleaned;
use ccd_protocol::pattern::{
    JsonFound, PatternClassifyReply, PatternMatch, PatternTestReply, PatternType, PromptFound,
    Span, TableFound,
};
use std::collections::BTreeSet;
use std::ops::Range;

/// Longest text that is looked at.
pub(crate) const MAX_TEXT_BYTES: usize = 1 << 20;

/// Most matches that are told, and most of one pattern in one line.
const MAX_MATCHES: usize = 1000;
const MAX_MATCHES_IN_LINE: usize = 20;

/// Longest text of a match that is told, in characters.
const MAX_MATCHED_CHARS: usize = 1000;

/// Matches in the order of the text.
struct Matches {
    list: Vec<PatternMatch>,
    is_cut: bool,
}

impl Compiled {
    /// Which patterns match a text, and where.
    ///
    /// With a type only those of it; without one not those that say nothing alone: signs of data formats, endings of
    /// prompts, lines of help.
    pub(crate) fn test(&self, raw: &str, only: Option<PatternType>) -> PatternTestReply {
        let text = Cleaned::of(raw);
        let lines = lines(text.text());
        let types = PatternType::ALL.into_iter();
        let types: Vec<PatternType> = types
            .filter(|pattern_type| only.is_none_or(|only| only == *pattern_type))
            .collect();
        let found = self.matches(&text, &lines, &types, |place| {
            only.is_some() || !(place.is_only_a_sign() || place.is_help_line())
        });
        PatternTestReply {
            matches: found.list,
            truncated: found.is_cut,
            warnings: self.warnings().to_vec(),
        }
    }

    /// What a text is.
    pub(crate) fn classify(&self, raw: &str) -> PatternClassifyReply {
        let text = Cleaned::of(raw);
        let lines = lines(text.text());
        let is_help = self.is_help(&lines);
        let found = self.matches(&text, &lines, &PatternType::ALL, |place| {
            !place.is_only_a_sign() && (is_help || !place.is_help_line())
        });
        let signs = self.signs(&lines);
        let mut data = formats::find(text.text(), &lines, |format| signs.contains(format));
        if is_help {
            data.forget_aligned(); // options stand below each other, too
        }
        let mut data_formats: Vec<String> = data.formats.iter().map(|&f| f.to_owned()).collect();
        let of_ones_own: BTreeSet<&str> = found
            .list
            .iter()
            .filter(|found| found.pattern_type == PatternType::DataFormat)
            .map(|found| found.category.as_str())
            .collect();
        data_formats.extend(of_ones_own.into_iter().map(str::to_owned));
        let prompt = self.prompt(&text, &lines);
        let span = |range: Range<usize>| span_in(&text, range);
        PatternClassifyReply {
            is_error: self.is_error(&found, &lines),
            is_help,
            commands: match is_help {
                true => help::commands(self, &lines),
                false => Vec::new(),
            },
            state_transition: self.last_state(&lines),
            has_prompt: prompt.is_some(),
            prompt,
            has_table: !data.tables.is_empty(),
            has_json: !data.json.is_empty(),
            tables: data
                .tables
                .into_iter()
                .map(|table| TableFound {
                    kind: table.kind,
                    columns: table.columns,
                    rows: table.rows,
                    span: span(table.span),
                })
                .collect(),
            json: data
                .json
                .into_iter()
                .map(|document| JsonFound {
                    span: span(document.span),
                    value: document.value,
                })
                .collect(),
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
        types: &[PatternType],
        counts: impl Fn(&Place<'_>) -> bool,
    ) -> Matches {
        let mut found = Matches {
            list: Vec::new(),
            is_cut: false,
        };
        for line in lines {
            let (head, is_cut) = line.head();
            found.is_cut |= is_cut;
            if line.is_blank() {
                continue;
            }
            let is_last = line.start == lines.last().map_or(0, |last| last.start);
            let mut in_line = Vec::new();
            // A prompt is where the cursor is.
            for &pattern_type in types {
                if pattern_type != PatternType::Prompt || is_last {
                    self.matches_in(line, head, pattern_type, &counts, &mut in_line);
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

    fn matches_in<'p>(
        &'p self,
        line: &Line<'_>,
        head: &str,
        pattern_type: PatternType,
        counts: &impl Fn(&Place<'_>) -> bool,
        found: &mut Vec<(Range<usize>, Place<'p>)>,
    ) {
        let patterns = self.lines(pattern_type);
        for index in patterns.matching(head) {
            let place = || {
                self.place(pattern_type, index)
                    .filter(|place| counts(place))
            };
            if place().is_none() {
                continue;
            }
            for range in patterns.spans(index, head, MAX_MATCHES_IN_LINE) {
                let range = line.start + range.start..line.start + range.end;
                found.extend(place().map(|place| (range, place)));
            }
        }
    }

    /// The last line, when it is a prompt: what comes first of the library says of which program.
    fn prompt(&self, text: &Cleaned, lines: &[Line<'_>]) -> Option<PromptFound> {
        let line = lines.last()?;
        let (head, _) = line.head();
        let place = self.prompt_place(head)?;
        let start = line.start + (head.len() - head.trim_start().len());
        let shown = head.trim();
        Some(PromptFound {
            category: place.entry.category.clone(),
            text: shown.chars().take(MAX_MATCHED_CHARS).collect(),
            span: span_in(text, start..start + shown.len()),
        })
    }

    /// Name of the state that the last line tells of that tells of one.
    fn last_state(&self, lines: &[Line<'_>]) -> Option<String> {
        let patterns = self.lines(PatternType::State);
        lines.iter().rev().find_map(|line| {
            let (head, _) = line.head();
            let mut found = patterns.matching(head).into_iter();
            found.find_map(|index| {
                let name = patterns.group(index, head, "state")?;
                Some(name.chars().take(MAX_MATCHED_CHARS).collect())
            })
        })
    }

    fn is_help(&self, lines: &[Line<'_>]) -> bool {
        let patterns = self.lines(PatternType::Help);
        let says_so = |line: &Line<'_>| {
            let places = patterns.matching(line.head().0).into_iter();
            places
                .filter_map(|index| self.place(PatternType::Help, index))
                .any(|place| !place.is_help_line())
        };
        lines.iter().any(says_so) || help::is_list_of_commands(self, lines)
    }

    fn is_error(&self, found: &Matches, lines: &[Line<'_>]) -> bool {
        let is_error = |found: &PatternMatch| found.pattern_type == PatternType::Error;
        found.list.iter().any(is_error)
            || (found.is_cut && lines.iter().any(|line| self.is_error_line(line.head().0)))
    }

    /// The data formats that are decided by more than patterns, and whose signs a line has.
    fn signs(&self, lines: &[Line<'_>]) -> BTreeSet<&str> {
        let patterns = self.lines(PatternType::DataFormat);
        let (mut known, mut signs) = (BTreeSet::new(), BTreeSet::new());
        for line in lines.iter().filter(|line| !line.is_blank()) {
            for index in patterns.matching(line.head().0) {
                if known.insert(index) {
                    let place = self.place(PatternType::DataFormat, index);
                    let sign = place.filter(Place::is_only_a_sign);
                    signs.extend(sign.map(|place| place.entry.category.as_str()));
                }
            }
        }
        signs
    }
}

fn matched(text: &str, range: &Range<usize>) -> String {
    let bytes = text.as_bytes().get(range.clone()).unwrap_or_default();
    let text = String::from_utf8_lossy(bytes);
    text.chars().take(MAX_MATCHED_CHARS).collect()
}

/// Where a range of the cleaned text stands in the text as it was given.
fn span_in(text: &Cleaned, range: Range<usize>) -> Span {
    let start = text.raw(range.start);
    Span {
        start,
        end: text.raw_end(range.end).max(start),
    }
}
