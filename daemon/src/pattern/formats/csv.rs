//! CSV: lines with the same number of fields, which are no prose.

use super::super::lines::{Line, span_of};
use std::ops::Range;

const SEPARATORS: [char; 3] = [',', ';', '\t'];

/// Longest field of the first line, which names the columns or is a record like the others.
const MAX_NAME_BYTES: usize = 64;

/// Returns runs of lines that are records.
pub(super) fn find(lines: &[Line<'_>]) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let longest = SEPARATORS
            .into_iter()
            .map(|separator| (run_len(&lines[at..], separator), separator))
            .max_by_key(|&(len, _)| len);
        match longest {
            Some((len, separator)) if len >= 2 => {
                let run = &lines[at..at + len];
                if is_csv(run, separator) {
                    spans.push(span_of(run));
                }
                at += len;
            }
            _ => at += 1,
        }
    }
    spans
}

/// How many lines from the first one on have as many fields as it.
fn run_len(lines: &[Line<'_>], separator: char) -> usize {
    let Some(count) = lines
        .first()
        .and_then(|line| field_count(line.text, separator))
    else {
        return 0;
    };
    lines
        .iter()
        .take_while(|line| field_count(line.text, separator) == Some(count))
        .count()
}

/// How many fields a line has; `None` with fewer than two, or with a quote that is not closed.
fn field_count(line: &str, separator: char) -> Option<usize> {
    let mut count = 1;
    let mut is_quoted = false;
    for c in line.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            c if c == separator && !is_quoted => count += 1,
            _ => {}
        }
    }
    (count >= 2 && !is_quoted).then_some(count)
}

fn is_csv(run: &[Line<'_>], separator: char) -> bool {
    let Some(first) = run.first() else {
        return false;
    };
    let names: Vec<&str> = first.text.split(separator).map(str::trim).collect();
    let named = names.iter().all(|name| {
        !name.is_empty() && name.len() <= MAX_NAME_BYTES && !name.contains(['{', '}', '('])
    });
    // A list that goes on in the next line: `a, b,`.
    let goes_on = run.iter().all(|line| line.text.ends_with(separator));
    if !named || goes_on {
        return false;
    }
    if separator == '\t' {
        return names.len() >= 3 || run.len() >= 3;
    }
    if run
        .iter()
        .any(|line| line.text.ends_with(['{', '}', '(']) || line.text.ends_with(");"))
    {
        return false; // code
    }
    // Behind the comma of a sentence stands a blank; between records none, or few words.
    let fields = || {
        run.iter()
            .flat_map(|line| line.text.split(separator).skip(1))
    };
    let is_spaced = fields().any(|field| field.starts_with(' '));
    let is_terse = || {
        let mut all = run.iter().flat_map(|line| line.text.split(separator));
        all.all(|field| field.split_whitespace().count() <= 4 && !field.trim_end().ends_with('.'))
    };
    match (names.len(), is_spaced) {
        (2, true) => false,
        (2, false) => run.len() >= 3 && !are_thousands(run, separator),
        (_, true) => run.len() >= 3 && is_terse(),
        (_, false) => true,
    }
}

/// `1,234 files`: the comma is part of a number.
fn are_thousands(run: &[Line<'_>], separator: char) -> bool {
    separator == ','
        && run.iter().all(|line| {
            line.text
                .split_once(separator)
                .is_some_and(|(before, behind)| {
                    let is_digit = |c: char| c.is_ascii_digit();
                    before.ends_with(is_digit) && behind.starts_with(is_digit)
                })
        })
}

#[cfg(test)]
mod tests {
    use super::super::super::lines::lines;
    use super::*;

    fn count(text: &str) -> usize {
        find(&lines(text)).len()
    }

    #[test]
    fn records_are_csv() {
        for text in [
            "name,age,city\nAda,36,London\n",
            "id;name;note\n1;\"a;b\";x\n2;c;\n",
            "a\tb\tc\n1\t2\t3\n",
            "x,1\ny,2\nz,3\n",
            "name, age, city\nAda, 36, London\nBob, 40, New York\n",
            "Result:\nid,a,b\n1,2,3\n\n2 rows\n",
        ] {
            assert_eq!(count(text), 1, "{text:?}");
        }
    }

    #[test]
    fn commas_in_sentences_and_code_are_no_csv() {
        for text in [
            "one, two, three\n",
            "Hello, world\nGoodbye, world\n",
            "First, we look, then act.\nNext, we wait, and so on.\nLast, we leave, happily.\n",
            "1,234 files\n5,678 folders\n9,012 links\n",
            "f(a, b, c);\ng(d, e, f);\n",
            "\tmodified:   a\n\tmodified:   b\n\tmodified:   c\n",
            "a,\nb,\nc,\n",
            "",
        ] {
            assert_eq!(count(text), 0, "{text:?}");
        }
    }
}
