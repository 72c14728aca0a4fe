//! The commands of a line, if a shell could execute it.

use super::rule::Rule;
use super::tables::TABLES;
use super::{code, files, programs, sql};
use ccd_policy::shell::{ExecutedCommand, file_name, parts};

/// Maximum depth of lines in words of lines.
const MAX_DEPTH: usize = 3;

/// Maximum number of words that may each be a command.
const MAX_POSITIONS: usize = 2_000;

pub(super) fn refusal(line: &str) -> Option<Rule> {
    at_depth(line, 0)
}

/// Returns whether a line only asks a program to explain a command.
pub(super) fn asks_for_help(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default().to_lowercase();
    let is_question = TABLES.questions.contains(&first);
    let is_one_command = !line.contains([';', '|', '&', '`', '\n', '$', '>', '<']);
    is_one_command && (is_question || words.any(|word| matches!(word, "--help" | "-?" | "/?")))
}

fn at_depth(line: &str, depth: usize) -> Option<Rule> {
    if depth > MAX_DEPTH || asks_for_help(line) {
        return None;
    }
    let line = line.trim_start();
    let mut escapes = TABLES.escapes_to_shell.iter();
    let escaped = escapes.find_map(|escape| line.strip_prefix(escape.as_str()));
    let of_escaped = escaped.and_then(|inner| at_depth(unquoted(inner.trim()), depth + 1));
    of_escaped
        .or_else(|| judge_copy(line, depth))
        .or_else(|| match parts(line) {
            Ok(parts) => {
                // What a shell, `ssh` or a client of a database reads from elsewhere may be anything in the line.
                let reads = |part: &ExecutedCommand| {
                    parts.len() > 1 && part.words.first().is_some_and(|word| executes(&word.text))
                };
                let is_opaque = parts
                    .iter()
                    .any(|part| part.opaque.is_some() || reads(part));
                let found = parts.iter().find_map(|part| judge_part(part, depth));
                found.or_else(|| is_opaque.then(|| anywhere(line, depth)).flatten())
            }
            Err(_) => anywhere(line, depth),
        })
}

fn judge_part(part: &ExecutedCommand, depth: usize) -> Option<Rule> {
    let words: Vec<&str> = part.words.iter().map(|word| &*word.text).collect();
    // `$x -rf y`: whatever the program is, it is asked to act recursively or by force.
    let is_computed = part.words.first().is_some_and(|word| !word.known);
    if is_computed && programs::deletes_by_force(words.get(1..).unwrap_or_default()) {
        return Some(Rule::Deletion);
    }
    // Other languages than the shell's call a whole line: `(exec "rm -rf x")`.
    let line = words.first().filter(|word| word.contains(' '));
    judge_words(&words)
        .or_else(|| line.and_then(|line| at_depth(line, depth + 1)))
        .or_else(|| part.writes.iter().find_map(|file| files::written(file)))
        .or_else(|| judge_arguments(&words, depth))
}

/// Judges the command of `COPY users TO PROGRAM 'command'`, which PostgreSQL gives to a shell.
fn judge_copy(line: &str, depth: usize) -> Option<Rule> {
    let lower = line.to_ascii_lowercase();
    let start = lower
        .find(" program ")
        .filter(|_| lower.contains("copy "))?;
    let inner = line[start + " program ".len()..]
        .trim()
        .trim_end_matches(';');
    at_depth(unquoted(inner), depth + 1)
}

fn judge_words(words: &[&str]) -> Option<Rule> {
    let (program, arguments) = words.split_first()?;
    // `/shutdown` is a command of a chat, not a program.
    let is_path = program.rfind('/').is_some_and(|at| at > 0);
    if program.starts_with('/') && !is_path {
        return None;
    }
    let name = file_name(program).to_lowercase();
    let name = name.strip_suffix(".exe").unwrap_or(&name);
    // `-h` is not among them: `shutdown -h` halts the machine.
    if matches!(arguments, ["--help" | "--version" | "-V" | "-?" | "/?"]) {
        return None;
    }
    programs::refusal(name, arguments)
}

/// Judges code in the arguments of programs that execute it: `python -c CODE`, `psql -c STATEMENT`.
fn judge_arguments(words: &[&str], depth: usize) -> Option<Rule> {
    let (program, arguments) = words.split_first()?;
    if !executes(program) {
        return None;
    }
    arguments.iter().find_map(|text| {
        let found = sql::refusal(text).or_else(|| code::refusal(text));
        let is_line = text.contains(' ');
        found.or_else(|| is_line.then(|| anywhere(text, depth + 1)).flatten())
    })
}

/// Returns whether a program, in any version such as `python3.11`, executes what it is given.
fn executes(program: &str) -> bool {
    let name = file_name(program).to_lowercase();
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    TABLES.executing_programs.contains(name)
}

/// Judges a text in which each word may be a command.
fn anywhere(text: &str, depth: usize) -> Option<Rule> {
    let mut left = MAX_POSITIONS;
    for part in text.split([';', '|', '&', '\n', '{', '}']) {
        let is_blank = |c: char| c.is_whitespace() || "'\"`,()[]<>".contains(c);
        let words: Vec<&str> = part
            .split(is_blank)
            .filter(|word| !word.is_empty())
            .collect();
        for at in 0..words.len() {
            if left == 0 {
                return None;
            }
            left -= 1;
            if let Some(rule) = judge_words(&words[at..]) {
                return Some(rule);
            }
        }
        let mut files = part
            .split('>')
            .skip(1)
            .filter_map(|rest| rest.split(is_blank).find(|word| !word.is_empty()));
        if let Some(rule) = files.find_map(files::written) {
            return Some(rule);
        }
    }
    // Quotation marks in a statement are data.
    if sql::is_query(text) {
        return None;
    }
    let mut quoted = text.split(['\'', '"']).skip(1).step_by(2);
    quoted.find_map(|inner| {
        let is_line = inner.contains(' ');
        sql::refusal(inner).or_else(|| is_line.then(|| at_depth(inner, depth + 1)).flatten())
    })
}

/// Removes quotation marks around all of a text.
fn unquoted(text: &str) -> &str {
    let inner = |quote| {
        text.strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote))
    };
    inner('\'').or_else(|| inner('"')).unwrap_or(text)
}
