//! Tables: columns shown by rulers, or by aligned blanks.

use super::super::lines::{Line, runs, span_of};
use ccd_protocol::pattern::{Span, TableFound, TableKind};
use std::ops::Range;

/// Maximum number of screen columns that are checked for blanks.
const MAX_WIDTH: usize = 512;

/// Characters between cells.
const BARS: [char; 4] = ['|', '│', '┃', '║'];

/// Returns the tables of a text.
pub(super) fn find(lines: &[Line<'_>]) -> Vec<TableFound> {
    let blocks = runs(lines, 2, |line| !line.is_blank()).into_iter();
    let table = |block| {
        let ruled = ruled(block).or_else(|| ruled_by_dashes(block));
        ruled.or_else(|| aligned(block))
    };
    blocks.filter_map(table).collect()
}

/// `---+---`, `+---+---+`, `|---|---|`, `├───┼───┤`
fn ruled(block: &[Line<'_>]) -> Option<TableFound> {
    if !block.iter().any(|line| is_ruler(line.text)) {
        return None;
    }
    let bars = |line: &Line<'_>| line.text.matches(BARS).count();
    let is_row = |line: &Line<'_>| bars(line) > 0 || is_ruler(line.text);
    let table = runs(block, 1, is_row).into_iter().next()?;
    let rows: Vec<&Line<'_>> = table.iter().filter(|line| !is_ruler(line.text)).collect();
    let head = rows.first()?;
    let is_even = rows.iter().all(|row| bars(row) == bars(head));
    if rows.len() < 2 || rows.len() == table.len() || !is_even {
        return None;
    }
    let text = head.text.trim();
    let is_boxed = text.starts_with(BARS) && text.ends_with(BARS);
    let columns = bars(head) + 1 - 2 * usize::from(is_boxed);
    let is_table = columns >= 1 && bars(head) > 0;
    is_table.then(|| found(TableKind::Ruled, columns, rows.len(), table))
}

fn is_ruler(line: &str) -> bool {
    let text = line.trim();
    let is_line = |c: char| matches!(c, '-' | '=' | '─' | '━' | '═' | '╌');
    let is_joint = |c: char| matches!(c, '+' | '|' | ':' | '\u{2500}'..='\u{257f}') && !is_line(c);
    text.chars().filter(|&c| is_line(c)).count() >= 2
        && text.chars().any(is_joint)
        && text.chars().all(|c| is_line(c) || is_joint(c) || c == ' ')
}

/// `----  -----` under the names of columns.
fn ruled_by_dashes(block: &[Line<'_>]) -> Option<TableFound> {
    let ruler = block.iter().position(|line| groups(line.text).is_some())?;
    let columns = groups(block[ruler].text)?;
    let begin = ruler.checked_sub(1)?;
    let starts: Vec<usize> = columns.iter().map(|group| group.0).collect();
    // Every cell starts where its dashes start, or ends where they end.
    let fits = |line: &&Line<'_>| {
        let chars: Vec<char> = line.text.chars().take(MAX_WIDTH).collect();
        starts[1..]
            .iter()
            .all(|&start| start > chars.len() || start == 0 || chars[start - 1].is_whitespace())
    };
    let rows = block[ruler + 1..].iter().take_while(fits).count();
    if rows == 0 || !fits(&&block[begin]) {
        return None;
    }
    let lines = &block[begin..=ruler + rows];
    Some(found(TableKind::Ruled, columns.len(), rows + 1, lines))
}

/// Returns the positions of groups of dashes, if the line consists of at least two.
fn groups(line: &str) -> Option<Vec<(usize, usize)>> {
    let mut groups: Vec<(usize, usize)> = Vec::new();
    for (at, c) in line.trim_end().chars().enumerate().take(MAX_WIDTH) {
        match c {
            '-' | '=' | '─' => match groups.last_mut() {
                Some((_, end)) if *end == at => *end = at + 1,
                _ => groups.push((at, at + 1)),
            },
            ' ' => {}
            _ => return None,
        }
    }
    let is_wide = groups.iter().all(|(start, end)| end - start >= 2);
    (groups.len() >= 2 && is_wide).then_some(groups)
}

/// Returns columns of blanks that run through all lines; the first line may differ, as in `ls -l`.
fn aligned(block: &[Line<'_>]) -> Option<TableFound> {
    [block, block.get(1..)?].into_iter().find_map(|rows| {
        let gutters = gutters(rows)?;
        let wide = gutters.iter().filter(|width| **width >= 2).count();
        let columns = gutters.len() + 1;
        if rows.iter().any(|row| is_option(row.text)) || is_code(rows) {
            return None;
        }
        let is_named = rows.first().is_some_and(|row| is_head(row.text));
        let is_table = match columns {
            0..=1 => false,
            2 => is_named && wide == 1 && rows.len() >= 2,
            3..=4 => (wide >= 1 && rows.len() >= 3) || (wide >= 2 && is_named),
            // Words of a sentence may be aligned too, but only columns are padded with blanks.
            _ => (rows.len() >= 3 && is_filled_up(rows)) || (is_named && rows.len() >= 2),
        };
        is_table.then(|| found(TableKind::Aligned, columns, rows.len(), rows))
    })
}

fn found(kind: TableKind, columns: usize, rows: usize, lines: &[Line<'_>]) -> TableFound {
    let Range { start, end } = span_of(lines);
    TableFound {
        kind,
        columns,
        rows,
        span: Span { start, end },
    }
}

/// Returns whether blanks pad a column.
fn is_filled_up(rows: &[Line<'_>]) -> bool {
    rows.iter().any(|row| row.text.trim().contains("  "))
}

/// Statements, each with its terminator.
fn is_code(rows: &[Line<'_>]) -> bool {
    rows.iter().all(|row| row.text.trim_end().ends_with(';'))
}

/// `-a, --all  …` of a help text.
pub(super) fn is_option(line: &str) -> bool {
    let mut chars = line.trim_start().chars();
    chars.next() == Some('-')
        && match (chars.next(), chars.next()) {
            (Some('-'), Some(c)) => c.is_alphabetic(),
            (Some(c), Some(' ' | '\t' | ',' | '=')) => c.is_alphanumeric(),
            _ => false,
        }
}

/// Returns whether all words are names of columns: in capitals, or starting with one.
fn is_head(line: &str) -> bool {
    let words = line.split_whitespace();
    let mut words = words.filter(|word| word.contains(char::is_alphabetic));
    words.clone().count() >= 2
        && words.all(|word| !word.contains(|c: char| c.is_alphabetic() && !c.is_uppercase()))
}

/// Returns the widths of the columns of blanks between the first and the last text; `None` if a line is indented or too
/// short.
fn gutters(rows: &[Line<'_>]) -> Option<Vec<usize>> {
    if rows.len() < 2 {
        return None;
    }
    let mut is_text = [false; MAX_WIDTH];
    let mut shortest = MAX_WIDTH;
    for row in rows {
        let mut width = 0;
        for (at, c) in row.text.trim_end().chars().take(MAX_WIDTH).enumerate() {
            if c == '\t' {
                return None;
            }
            is_text[at] |= c != ' ';
            width = at + 1;
        }
        shortest = shortest.min(width);
    }
    let begin = is_text.iter().position(|text| *text)?;
    let mut widths = Vec::new();
    let mut width = 0;
    for (at, text) in is_text.iter().enumerate().skip(begin) {
        match (*text, width) {
            (false, _) => width += 1,
            (true, 0) => {}
            // After the end of the shortest line, a gutter is only chance.
            (true, _) if at > shortest => break,
            (true, _) => widths.push(std::mem::take(&mut width)),
        }
    }
    Some(widths)
}

#[cfg(test)]
mod tests {
    use super::super::super::lines::lines;
    use super::*;

    fn found(text: &str) -> Vec<(TableKind, usize, usize)> {
        let tables = find(&lines(text));
        tables
            .iter()
            .map(|table| (table.kind, table.columns, table.rows))
            .collect()
    }

    #[test]
    fn rulers_show_columns() {
        let psql = " id | name \n----+------\n  1 | a\n  2 | b\n(2 rows)\n";
        assert_eq!(found(psql), [(TableKind::Ruled, 2, 3)]);
        let mysql = "+----+------+\n| id | name |\n+----+------+\n|  1 | a    |\n+----+------+\n1 row in set\n";
        assert_eq!(found(mysql), [(TableKind::Ruled, 2, 2)]);
        let drawn = "┌────┬──────┐\n│ id │ name │\n├────┼──────┤\n│ 1  │ a    │\n└────┴──────┘\n";
        assert_eq!(found(drawn), [(TableKind::Ruled, 2, 2)]);
        let markdown = "text\n\n| a | b | c |\n|---|:-:|--:|\n| 1 | 2 | 3 |\n";
        assert_eq!(found(markdown), [(TableKind::Ruled, 3, 2)]);
        let sqlite = "id  name\n--  ----\n1   a b \n2   c\n";
        assert_eq!(found(sqlite), [(TableKind::Ruled, 2, 3)]);
    }

    #[test]
    fn blanks_below_each_other_show_columns() {
        let docker = "CONTAINER ID   IMAGE     STATUS\n0123456789ab   nginx     Up 2 hours\nba9876543210   redis:7   Exited (0)\n";
        assert_eq!(found(docker), [(TableKind::Aligned, 3, 3)]);
        let ls = "total 12\n-rw-r--r-- 1 root root  120 Jan  1 10:00 a\n-rw-r--r-- 1 root root 4096 Jan 12 11:30 longer\ndrwxr-xr-x 2 me   me    512 Feb  3 09:05 b\n";
        assert_eq!(found(ls).len(), 1, "{:?}", found(ls));
    }
}
