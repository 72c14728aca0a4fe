//! Passwords in statements that set one: `IDENTIFIED BY '…'`, `ALTER ROLE me PASSWORD '…'`, `PRAGMA key = '…'`.

use super::placeholder::is_placeholder;
use super::scan::is_one_of;
use super::statement::{Statement, begins_line, words_before};
use super::word::begins_word;
use crate::redact::engine::{Judge, Rule, Shown, TwoSecrets};
use crate::words::{WordList, words};
use std::ops::Range;

/// A literal must follow, or the words around it must be those of a statement, which distinguishes them from prose.
pub(super) const RULE: Rule = Rule {
    anchors: &[
        "identified by ",
        "identified with ",
        "identified via ",
        "with password ",
        "encrypted password ",
        "pragma key",
        "pragma rekey",
        "pragma hexkey",
        "pragma hexrekey",
        " key '",
    ],
    judge: Judge::Two(judge),
};

/// Words of statements that set the password of somebody.
static STATEMENTS: WordList = WordList::new(|| words(include_str!("words/statements.txt")));

/// Words before a literal that is a password, at the end of what precedes `PASSWORD`.
const VERBS: &[&str] = &["set", "with", "encrypted", "unencrypted"];

/// Words in place of a password.
const NO_PASSWORDS: &[&str] = &["externally", "globally", "random", "values", "password"];

fn judge(shown: Shown<'_>, anchor: Range<usize>) -> TwoSecrets {
    let rest = Statement::after(shown, anchor.end);
    let bytes = shown.text.as_bytes();
    let word = shown.text[anchor.clone()].to_ascii_lowercase();
    match word.as_str() {
        "identified by " => identified_by(shown, anchor, rest),
        "identified with " | "identified via " => {
            let password = rest.word().and_then(|(_, rest)| {
                let by = ["by", "as", "using"];
                by.iter().find_map(|by| rest.skip(by)?.password())
            });
            secrets(bytes, password)
        }
        " key '" => {
            let is_attach = words_before(shown, anchor.start).contains("attach ");
            let password = Statement::after(shown, anchor.end - 1).literal();
            secrets(bytes, password.filter(|_| is_attach))
        }
        _ if word.starts_with("pragma") => {
            secrets(bytes, rest.skip("=").unwrap_or(rest).password())
        }
        _ => secrets(bytes, rest.literal()),
    }
}

/// Judges `PASSWORD` in a text in which no separator follows it.
pub(super) fn after_password(shown: Shown<'_>, start: usize) -> TwoSecrets {
    let bytes = shown.text.as_bytes();
    let rest = Statement::after(shown, start).skip("password");
    let clause = rest
        .filter(|_| begins_word(shown, start))
        .and_then(password_clause);
    let Some((password, end, more)) = clause else {
        return TwoSecrets::default();
    };
    let before = words_before(shown, start);
    let is_set = before.ends_with("set") || before.contains("set password");
    let is_verb = VERBS.iter().any(|verb| before.ends_with(verb));
    let is_call = bytes[password.start - 2] == b'(';
    let is_secret = if is_call {
        let verbs = ["select", "update ", "insert "];
        is_set || verbs.iter().any(|verb| before.contains(verb))
    } else {
        end.ends()
            && (is_verb || is_statement(&before) || (begins_line(shown, start) && end.is_over()))
    };
    if !is_secret {
        return TwoSecrets::default();
    }
    both(bytes, Some(password), more)
}

/// Returns the literal after `PASSWORD`, what follows it, and a second literal.
fn password_clause(
    rest: Statement<'_>,
) -> Option<(Range<usize>, Statement<'_>, Option<Range<usize>>)> {
    if let Some((password, end)) = rest.password() {
        return Some((password, end, None));
    }
    // ALTER CURRENT USER SET PASSWORD FROM 'old' TO 'new'
    if let Some((old, rest)) = rest.skip("from").and_then(Statement::literal) {
        let new = rest.skip("to").and_then(Statement::literal);
        let end = new.as_ref().map_or(rest, |(_, end)| *end);
        return Some((old, end, new.map(|(new, _)| new)));
    }
    // SET PASSWORD FOR 'me'@'localhost' = '…'
    let mut rest = rest.skip("for")?;
    loop {
        let bracket = || rest.skip("(").or_else(|| rest.skip(")"));
        let word = rest.literal().or_else(|| rest.word());
        rest = word.map(|(_, rest)| rest).or_else(bracket)?;
        if let Some(value) = rest.skip("=") {
            let (password, end) = value.password()?;
            return Some((password, end, None));
        }
    }
}

/// Judges what follows `IDENTIFIED BY`, where Oracle needs no quotes.
fn identified_by(shown: Shown<'_>, anchor: Range<usize>, rest: Statement<'_>) -> TwoSecrets {
    let bytes = shown.text.as_bytes();
    let skipped = rest.skip("values").or_else(|| rest.skip("password"));
    if let Some((password, rest)) = skipped.unwrap_or(rest).literal() {
        let old = rest.skip("replace").and_then(Statement::literal);
        return both(bytes, Some(password), old.map(|(old, _)| old));
    }
    let Some((password, end)) = rest.word() else {
        return TwoSecrets::default();
    };
    let before = words_before(shown, anchor.start);
    let is_statement = is_statement(&before);
    let is_line = begins_line(shown, anchor.start) && end.is_over();
    let is_other = is_one_of(&bytes[password.clone()], NO_PASSWORDS);
    let is_grant = before.contains("grant ") && bytes.get(password.end) == Some(&b';');
    if is_other || !(is_grant || (is_statement && end.ends()) || is_line) {
        return TwoSecrets::default();
    }
    let old = end.skip("replace").and_then(Statement::word);
    both(bytes, Some(password), old.map(|(old, _)| old))
}

/// Returns whether these are the words of a statement, and not of a message, in which a colon may follow them.
fn is_statement(before: &str) -> bool {
    let mut found = STATEMENTS.iter().filter_map(|words| before.rfind(words));
    found.any(|at| !before[at..].contains(':'))
}

fn secrets(bytes: &[u8], password: Option<(Range<usize>, Statement<'_>)>) -> TwoSecrets {
    both(bytes, password.map(|(password, _)| password), None)
}

/// Returns those of the two passwords that are not placeholders.
fn both(bytes: &[u8], first: Option<Range<usize>>, second: Option<Range<usize>>) -> TwoSecrets {
    let is_secret = |password: &Range<usize>| !is_placeholder(&bytes[password.clone()]);
    [first, second].map(|password| password.filter(is_secret))
}
