//! What is kept about the user.

use super::style::Colour;
use super::{Printer, printable, size};
use ccd_protocol::data::{DataKept, DataSelected};
use std::io::{self, Write};

const NAME: usize = 14;

/// Writes a paragraph for each part that has something, and one line for the others.
pub(crate) fn data_kept(parts: &[DataKept], out: &mut Printer<'_>) -> io::Result<()> {
    let is_kept = |part: &&DataKept| {
        part.has.items > 0 || !part.has.left.is_empty() || !part.has.failed.is_empty()
    };
    for part in parts.iter().filter(is_kept) {
        let (has, places, kept, off) = (&part.has, &part.places, &part.kept, &part.off);
        let name = out.paint(Colour::Heading, &format!("{:NAME$}", has.part));
        let since = has.since.as_deref().and_then(|since| since.get(..10));
        let since = since.map(|day| format!(" since {day}")).unwrap_or_default();
        let failed = has.failed.iter().map(|failed| format!("failed: {failed}"));
        let others = has.left.iter().cloned().chain(failed);
        let own = (has.items > 0).then(|| format!("{}{since}", has.what));
        // What cannot be deleted now is kept, too.
        let mut lines = own.into_iter().chain(others);
        let (size, first) = (size(part.bytes), lines.next().unwrap_or_default());
        let first = printable(&format!("{first}; kept {kept}"));
        writeln!(out, "{name}{size:>5}  {first}")?;
        let others = lines.map(|line| format!("and {line}"));
        let places = places.iter().cloned();
        for line in others.chain(places).chain([format!("off: {off}")]) {
            writeln!(out, "{:NAME$}{}", "", printable(&line))?;
        }
    }
    let empty = parts.iter().filter(|part| !is_kept(part));
    let empty: Vec<&str> = empty.map(|part| part.has.part.name()).collect();
    match &*empty {
        [] => Ok(()),
        names => writeln!(out, "nothing found: {}", names.join(", ")),
    }
}

pub(crate) fn data_selected(
    parts: &[DataSelected],
    is_done: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (deleted, stays) = if is_done {
        ("deleted", "stays")
    } else {
        ("would delete", "would stay")
    };
    if parts.iter().all(|part| part.items == 0) {
        writeln!(out, "nothing to delete")?;
    }
    for part in parts.iter().filter(|part| part.items > 0) {
        let what = printable(&part.what);
        writeln!(out, "{:NAME$}{deleted} {what}", part.part)?;
    }
    for part in parts {
        for left in &part.left {
            writeln!(out, "{:NAME$}{stays}: {}", part.part, printable(left))?;
        }
        for failed in &part.failed {
            writeln!(out, "{:NAME$}failed: {}", part.part, printable(failed))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::printer::printed;
    use ccd_protocol::data::DataPart;

    #[test]
    fn parts_with_something_have_a_paragraph_and_the_others_a_name() {
        let since = Some("2026-11-03T10:00:00.000Z".to_owned());
        let name = ("ended session", "ended sessions");
        let has = DataSelected::of(DataPart::Sessions, 2, name, since);
        let kept = |has: DataSelected| DataKept {
            has,
            places: vec!["/base/sessions".into()],
            bytes: 5000,
            kept: "7 days".into(),
            off: "a key".into(),
        };
        let parts = [kept(has), kept(DataSelected::none(DataPart::Runs))];
        let expected = "sessions       4.9K  2 ended sessions since 2026-11-03; kept 7 days\n\
            \x20             /base/sessions\n\
            \x20             off: a key\n\
            nothing found: runs\n";
        assert_eq!(printed(|out| data_kept(&parts, out)), expected);
    }

    #[test]
    fn what_stays_follows_what_is_deleted() {
        let sessions = DataSelected::of(DataPart::Sessions, 1, ("session", "sessions"), None);
        let parts = [sessions.leaving(2, ("live session", "live sessions"), "why")];
        let expected = "sessions      would delete 1 session\n\
            sessions      would stay: 2 live sessions: why\n";
        assert_eq!(printed(|out| data_selected(&parts, false, out)), expected);
        let none = [DataSelected::none(DataPart::Logs)];
        let text = printed(|out| data_selected(&none, true, out));
        assert_eq!(text, "nothing to delete\n");
    }
}
