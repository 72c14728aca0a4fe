//! Parses one pattern into the form from which the search engine is built.

use regex_syntax::hir::{Capture, Class, Hir, HirKind, Look, Repetition};
use regex_syntax::{Error, ParserBuilder};

#[derive(Debug)]
pub(super) struct SyntaxError {
    /// Its position, in bytes from the start of the pattern.
    pub(super) at: usize,
    pub(super) message: String,
}

/// Returns the parsed `pattern`, which may match any bytes; `raw` turns Unicode off.
/// Word boundaries are those of ASCII: whether a Unicode word ends cannot be decided from one byte, as a search byte by
/// byte requires. Lines end at `\r` too, as on a screen, where a redrawn prompt starts a line.
pub(super) fn parse(pattern: &str, raw: bool) -> Result<Hir, SyntaxError> {
    let parsed = ParserBuilder::new()
        .utf8(false)
        .unicode(!raw)
        .build()
        .parse(pattern);
    let (at, message) = match parsed {
        Ok(hir) if raw => return Ok(hir),
        Ok(hir) => return Ok(terminal_looks(hir)),
        Err(Error::Parse(error)) => (error.span().start.offset, error.kind().to_string()),
        Err(Error::Translate(error)) => (error.span().start.offset, error.kind().to_string()),
        Err(error) => (0, error.to_string()),
    };
    Err(SyntaxError { at, message })
}

pub(super) fn memory_bytes(hir: &Hir) -> usize {
    let below = match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 0,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Class(Class::Unicode(class)) => size_of_val(class.ranges()),
        HirKind::Class(Class::Bytes(class)) => size_of_val(class.ranges()),
        HirKind::Repetition(repetition) => memory_bytes(&repetition.sub),
        HirKind::Capture(capture) => memory_bytes(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(memory_bytes).sum()
        }
    };
    below + size_of::<Hir>()
}

fn terminal_looks(hir: Hir) -> Hir {
    // The parser limits the depth of a pattern, and so of this recursion.
    match hir.into_kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(class) => Hir::class(class),
        HirKind::Look(look) => Hir::look(terminal_look(look)),
        HirKind::Repetition(repetition) => Hir::repetition(Repetition {
            sub: Box::new(terminal_looks(*repetition.sub)),
            ..repetition
        }),
        HirKind::Capture(capture) => Hir::capture(Capture {
            sub: Box::new(terminal_looks(*capture.sub)),
            ..capture
        }),
        HirKind::Concat(parts) => Hir::concat(parts.into_iter().map(terminal_looks).collect()),
        HirKind::Alternation(parts) => {
            Hir::alternation(parts.into_iter().map(terminal_looks).collect())
        }
    }
}

fn terminal_look(look: Look) -> Look {
    match look {
        Look::StartLF => Look::StartCRLF,
        Look::EndLF => Look::EndCRLF,
        Look::WordUnicode => Look::WordAscii,
        Look::WordUnicodeNegate => Look::WordAsciiNegate,
        Look::WordStartUnicode => Look::WordStartAscii,
        Look::WordEndUnicode => Look::WordEndAscii,
        Look::WordStartHalfUnicode => Look::WordStartHalfAscii,
        Look::WordEndHalfUnicode => Look::WordEndHalfAscii,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_boundaries_become_ascii_wherever_they_stand() {
        let pattern = r"(a\b|\Bb)+\b{start}c\b{end}(?:d\b{start-half}|e\b{end-half})*";
        let hir = parse(pattern, false).unwrap();
        let looks = hir.properties().look_set();
        assert!(looks.contains_word_ascii() && !looks.contains_word_unicode());
        assert_eq!(hir.properties().explicit_captures_len(), 1);
    }

    #[test]
    fn a_line_begins_behind_a_carriage_return_but_a_dot_matches_it() {
        let looks = parse("(?m)^a.b$", false).unwrap().properties().look_set();
        assert!(looks.contains_anchor_crlf() && !looks.contains_anchor_lf());
        let looks = parse("(?m)^a.b$", true).unwrap().properties().look_set();
        assert!(looks.contains_anchor_lf());
    }

    #[test]
    fn a_mistake_has_its_place() {
        let error = parse("ab(c", false).unwrap_err();
        assert_eq!((error.at, error.message.as_str()), (2, "unclosed group"));
        assert_eq!(parse(r"é\p{Nope}", false).unwrap_err().at, 2);
    }

    #[test]
    fn memory_grows_with_classes() {
        let one = memory_bytes(&parse(r"\pL", false).unwrap());
        let many = memory_bytes(&parse(&r"\pL.".repeat(10), false).unwrap());
        assert!(one > 1000 && many > 10 * one);
    }
}
