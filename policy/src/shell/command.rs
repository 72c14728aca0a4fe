//! Keywords and assignments before a program.

use super::doubt::Doubt;
use super::word::Word;

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

/// Variables that decide which programs a shell or a program starts.
const DANGEROUS: &[&str] = &[
    "PATH",
    "IFS",
    "ENV",
    "BASH_ENV",
    "ZDOTDIR",
    "SHELL",
    "SHELLOPTS",
    "BASHOPTS",
    "PROMPT_COMMAND",
    "PS1",
    "PS4",
    "PROMPT",
    "HOME",
    "XDG_CONFIG_HOME",
    "CDPATH",
    "FPATH",
    "PAGER",
    "MANPAGER",
    "EDITOR",
    "VISUAL",
    "BROWSER",
    "LESSOPEN",
    "LESSCLOSE",
    "NODE_OPTIONS",
    "PERL5OPT",
    "PERL5LIB",
    "RUBYOPT",
    "PYTHONSTARTUP",
    "JAVA_TOOL_OPTIONS",
    "MAKEFLAGS",
    "SUDO_ASKPASS",
    "SSH_ASKPASS",
    "RUSTC_WRAPPER",
    "CC",
    "CXX",
    "LD",
    "TAR_OPTIONS",
    "RSYNC_RSH",
    "NULLCMD",
    "READNULLCMD",
    "GCONV_PATH",
    "TMPPREFIX",
    "EXECIGNORE",
    "HISTFILE",
];

/// What the names of further such variables start with.
const DANGEROUS_PREFIXES: &[&str] = &[
    "LD_",
    "DYLD_",
    "GIT_",
    "BASH_FUNC",
    "CARGO_",
    "NPM_CONFIG_",
    "npm_config_",
];

/// Files to which output may go everywhere.
const HARMLESS_FILES: &[&str] = &["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"];

impl Command {
    /// Returns the command of these words; `None` if they execute nothing.
    pub(super) fn of(words: Vec<Word>, writes: Vec<Word>) -> Result<Option<Self>, Doubt> {
        let mut words = words.into_iter().peekable();
        let is_one_of =
            |word: &Word, keywords: &[&str]| keywords.iter().any(|keyword| word.is_bare(keyword));
        while words
            .next_if(|word| is_one_of(word, BEFORE) || is_one_of(word, AFTER))
            .is_some()
        {}
        if words.peek().is_some_and(|word| word.is_bare("for")) {
            // The words of the list are no command; what is between `do` and `done` comes later.
            let words: Vec<Word> = words.collect();
            check_braces(&words)?;
            return Ok(None);
        }
        while let Some(word) = words.next_if(|word| word.assigned().is_some()) {
            check_assignment(&word)?;
        }
        let words: Vec<Word> = words.collect();
        if let Some(word) = words.first().filter(|word| is_one_of(word, NOT_UNDERSTOOD)) {
            return Err(format!("it has `{}`", word.text));
        }
        check_braces(&words)?;
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

/// Refuses assignments that could make a later command execute something else.
pub(super) fn check_assignment(word: &Word) -> Result<(), Doubt> {
    let name = word.assigned().unwrap_or_default();
    let is_dangerous = DANGEROUS.contains(&name)
        || DANGEROUS_PREFIXES
            .iter()
            .any(|prefix| name.starts_with(prefix))
        || name.ends_with("_COMMAND");
    if is_dangerous {
        return Err(format!(
            "it sets {name}, which decides what commands execute"
        ));
    }
    if word
        .text
        .split('=')
        .next()
        .is_some_and(|target| target.contains('['))
    {
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
