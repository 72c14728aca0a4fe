//! Statements that destroy data or change users.

use super::rule::Rule;
use super::tables::TABLES;

/// Maximum number of words of a statement that are looked at.
const MAX_WORDS: usize = 4_096;

/// Returns the rule against a line of SQL; none if no statement of it is dangerous.
pub(super) fn refusal(line: &str) -> Option<Rule> {
    statements(line)
        .iter()
        .find_map(|words| judge_statement(words))
}

/// Returns whether a line starts as a statement that reads or adds data.
pub(super) fn is_query(line: &str) -> bool {
    let first = line
        .split_whitespace()
        .next()
        .unwrap_or_default()
        .to_lowercase();
    matches!(
        &*first,
        "select" | "insert" | "update" | "values" | "replace" | "show" | "explain"
    )
}

fn judge_statement(words: &[String]) -> Option<Rule> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let first = *words.first()?;
    // `EXPLAIN ANALYZE` executes the statement, `EXPLAIN` does not.
    let executes = first == "explain" && words.contains(&"analyze");
    if TABLES.questions.contains(first) && !executes {
        return None;
    }
    let starts = |start: &[&str]| words.starts_with(start);
    let has_pair = |left: &str, is_right: fn(&str) -> bool| {
        let mut pairs = words.windows(2);
        pairs.any(|pair| pair[0] == left && is_right(pair[1]))
    };
    let is_command = matches!(
        first,
        "drop" | "alter" | "with" | "explain" | "begin" | "do" | "exec" | "execute"
    );
    if is_command && has_pair("drop", |word| TABLES.dropped_objects.contains(word)) {
        return Some(Rule::Database);
    }
    let is_data = is_command || first == "delete";
    if is_data && has_pair("delete", |word| word == "from") && !words.contains(&"where") {
        return Some(Rule::Database);
    }
    // `truncate -s 0 file` is a command of a shell.
    let truncates = first == "truncate" && words.get(1).is_some_and(|word| !word.starts_with('-'));
    if truncates || starts(&["flushall"]) || starts(&["flushdb"]) || starts(&["reset", "master"]) {
        return Some(Rule::Database);
    }
    let user = ["user", "role", "login", "group"];
    let is_user = matches!(first, "create" | "alter" | "rename")
        && words.get(1).is_some_and(|word| user.contains(word));
    let grants = matches!(first, "grant" | "revoke")
        && words
            .iter()
            .any(|word| matches!(*word, "on" | "to" | "from"));
    (is_user || grants || starts(&["set", "password"]) || first == "\\password")
        .then_some(Rule::Credentials)
}

/// Splits a line into statements in lower case, without comments, strings, and quotes of names.
fn statements(line: &str) -> Vec<Vec<String>> {
    let mut statements = vec![Vec::new()];
    let mut count = 0;
    let mut word = String::new();
    let mut rest = line.chars().peekable();
    while let Some(character) = rest.next() {
        let is_comment = character == '-' && word.is_empty() && rest.peek() == Some(&'-');
        let is_block = character == '/' && rest.peek() == Some(&'*');
        match character {
            '\'' => {
                while rest.next().is_some_and(|next| next != '\'') {}
                word.push('\'');
            }
            // `--help` is an option of a command line.
            '-' if is_comment && rest.clone().nth(1).is_none_or(char::is_whitespace) => {
                while rest.next().is_some_and(|next| next != '\n') {}
            }
            '/' if is_block => {
                while rest
                    .next()
                    .is_some_and(|next| !(next == '*' && rest.peek() == Some(&'/')))
                {
                }
                rest.next();
                end_word(&mut word, &mut statements);
            }
            '"' | '`' | '[' | ']' => {}
            ';' => {
                end_word(&mut word, &mut statements);
                statements.push(Vec::new());
            }
            _ if character.is_whitespace() || "(),".contains(character) => {
                end_word(&mut word, &mut statements);
                count += 1;
                if count > MAX_WORDS {
                    break;
                }
            }
            _ => word.extend(character.to_lowercase()),
        }
    }
    end_word(&mut word, &mut statements);
    statements
}

fn end_word(word: &mut String, statements: &mut [Vec<String>]) {
    if !word.is_empty()
        && let Some(statement) = statements.last_mut()
    {
        statement.push(std::mem::take(word));
    }
}
