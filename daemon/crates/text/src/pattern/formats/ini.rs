//! INI: sections with settings, as in the files of systemd, git and many others.

use super::super::lines::{Line, span_of};
use std::ops::Range;

/// Returns the sections that have settings; consecutive ones are one span.
pub(super) fn find(lines: &[Line<'_>]) -> Vec<Range<usize>> {
    let regions = lines.split(|line| !belongs(line.text));
    let with_settings = regions.filter_map(|region| {
        let first = region.iter().position(|line| is_section(line.text))?;
        let last = region.iter().rposition(|line| !line.is_blank())?;
        let region = &region[first..=last];
        let count = |sign| {
            let settings = region.iter().filter(|line| is_setting(line.text, sign));
            settings.count()
        };
        (count('=') >= 1 || count(':') >= 2).then(|| span_of(region))
    });
    with_settings.collect()
}

fn belongs(line: &str) -> bool {
    let text = line.trim();
    text.is_empty()
        || text.starts_with(['#', ';'])
        || is_section(line)
        || is_setting(line, '=')
        || is_setting(line, ':')
}

/// `[name]`, and nothing else on the line.
fn is_section(line: &str) -> bool {
    let name = line
        .trim()
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    name.is_some_and(|name| !name.trim().is_empty() && !name.contains(['[', ']']))
}

fn is_setting(line: &str, sign: char) -> bool {
    let text = line.trim();
    if text.starts_with(['#', ';', '[']) {
        return false;
    }
    text.split_once(sign).is_some_and(|(key, _)| {
        let key = key.trim();
        !key.is_empty()
            && key.len() <= 64
            && key.split_whitespace().count() <= 4
            && !key.contains(['{', '}', '(', '"', '=', ':', '<', '>'])
    })
}
