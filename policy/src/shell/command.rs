//! Keywords and assignments before a program.

use super::doubt::Doubt;
use super::word::Word;
use crate::glob;

/// A command without keywords, assignments and redirections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Command {
    /// Empty if it only redirects.
    pub(super) words: Vec<Word>,
    /// Files that its output goes to.
    pub(super) writes: Vec<Word>,
}

/// Keywords before a command.
pub(super) const BEFORE: &[&str] = &[
    "if", "then", "elif", "else", "while", "until", "do", "!", "{",
];

/// Keywords that end a compound command.
const AFTER: &[&str] = &["fi", "done", "}"];

/// Keywords of compound commands that are not taken apart, in bash and zsh.
pub(super) const NOT_UNDERSTOOD: &[&str] = &[
    "[[", "case", "esac", "function", "coproc", "select", "repeat", "foreach", "end", "let",
    "always",
];

/// Variables that decide which programs a shell or a program starts, some of them only with such a value; `*` stands for any
/// characters.
const DANGEROUS: &str = include_str!("dangerous.txt");

/// Variables whose values a shell computes, which executes what a subscript in them says.
const COMPUTED: &str = "OPTIND SECONDS RANDOM HISTSIZE SAVEHIST HISTCMD LINENO COLUMNS LINES";

/// Files to which output may go everywhere.
const HARMLESS_FILES: &[&str] = &["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"];

impl Command {
    /// Returns the command of these words; `None` if they execute nothing.
    pub(super) fn from_words(words: Vec<Word>, writes: Vec<Word>) -> Result<Option<Self>, Doubt> {
        let mut words = words.into_iter().peekable();
        let is_one_of =
            |word: &Word, keywords: &[&str]| keywords.iter().any(|keyword| word.is_bare(keyword));
        while words
            .next_if(|word| is_one_of(word, BEFORE) || is_one_of(word, AFTER))
            .is_some()
        {}
        if words.peek().is_some_and(|word| word.is_bare("for")) {
            // The words of the list are no command; what is between `do` and `done` comes later, unless there is no list.
            let mut words: Vec<Word> = words.collect();
            check_braces(&words)?;
            if let Some(name) = words.get(1) {
                check_variable(&name.text, None)?;
            }
            if words.iter().any(has_quoted_substitution) {
                return Err("a word of `for` contains a command".into());
            }
            // The second word is the variable, whatever its name is.
            let first = |keyword| (2..words.len()).find(|at| words[*at].is_bare(keyword));
            return match (first("do"), first("in")) {
                (Some(at), list) if list.is_none_or(|list| at < list) => {
                    Self::from_words(words.split_off(at), writes)
                }
                _ => Ok(None),
            };
        }
        while let Some(word) = words.next_if(|word| word.assigned().is_some()) {
            check_assignment(&word)?;
        }
        let words: Vec<Word> = words.collect();
        if let Some(word) = words.first().filter(|word| is_one_of(word, NOT_UNDERSTOOD)) {
            return Err(format!("it has `{}`", word.text));
        }
        check_braces(&words)?;
        if words
            .first()
            .is_some_and(|word| word.has_brace && word.text.starts_with('{'))
        {
            return Err("it has a brace before a command".into()); // `{rm x}` is a block in zsh
        }
        let is_harmless = |file: &Word| file.known && HARMLESS_FILES.contains(&&*file.text);
        let writes: Vec<Word> = writes
            .into_iter()
            .filter(|file| !is_harmless(file))
            .collect();
        Ok((!words.is_empty() || !writes.is_empty()).then_some(Self { words, writes }))
    }
}

/// Refuses braces that a shell could read as a block: zsh has `if [ a ] { b }` and `for x { b }`.
fn check_braces(words: &[Word]) -> Result<(), Doubt> {
    let is_brace = |word: &Word| word.is_bare("{") || word.is_bare("}");
    if words.iter().any(is_brace) {
        Err("it has a brace after a word".into())
    } else {
        Ok(())
    }
}

/// Refuses to set such a variable; a computed one may get a number. Without a value, it can be anything.
pub(super) fn check_variable(name: &str, value: Option<&str>) -> Result<(), Doubt> {
    let is_number = |value: &str| value.bytes().all(|byte| byte.is_ascii_digit());
    let has_number = value.is_some_and(|value| !value.is_empty() && is_number(value));
    let is_computed = COMPUTED.split(' ').any(|computed| computed == name) && !has_number;
    if is_computed || is_dangerous(name, value) {
        return Err(format!(
            "it sets {name}, which decides what commands execute"
        ));
    }
    Ok(())
}

fn is_dangerous(name: &str, value: Option<&str>) -> bool {
    let mut patterns = DANGEROUS.lines();
    patterns.any(|pattern| {
        let (names, values) = pattern.split_once('=').unwrap_or((pattern, "*"));
        glob::matches(names, name) && value.is_none_or(|value| glob::matches(values, value))
    })
}

/// Refuses assignments that could make a later command execute something else.
pub(super) fn check_assignment(word: &Word) -> Result<(), Doubt> {
    let name = word.assigned().unwrap_or_default();
    let (target, value) = word.text.split_once('=').unwrap_or_default();
    check_variable(name, word.known.then_some(value))?;
    if target.contains('[') {
        return Err("it assigns to an element of an array".into());
    }
    if has_quoted_substitution(word) {
        Err(format!("the value of {name} contains a command"))
    } else {
        Ok(())
    }
}

/// Returns whether a word's text contains a substitution that was quoted: some commands evaluate it later.
pub(super) fn has_quoted_substitution(word: &Word) -> bool {
    word.text.contains("$(") || word.text.contains('`') || word.text.contains("${")
}
