//! The commands of a line, with those that they execute.

use super::carriers::{SHELLS, Wrapper, is_evaluating, is_opaque};
use super::command::{
    BEFORE, NOT_UNDERSTOOD, check_assignment, check_variable, has_quoted_substitution,
};
use super::doubt::Doubt;
use super::git;
use super::options::{Executed, executed_by};
use super::scan::scan;
use super::word::{Word, file_name};

/// Maximum depth of `bash -c 'bash -c …'`, and of wrappers of wrappers.
const MAX_DEPTH: usize = 8;

/// Maximum number of parts of a line.
const MAX_PARTS: usize = 4096;

/// Maximum number of words in all commands of one `find`.
const MAX_FOUND_WORDS: usize = 1 << 16;

/// Directories whose programs are meant by their names.
const SYSTEM: &[&str] = &[
    "/bin/",
    "/usr/bin/",
    "/usr/local/bin/",
    "/sbin/",
    "/usr/sbin/",
    "/opt/homebrew/bin/",
];

/// One command that a line executes, directly or through another.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExecutedCommand {
    /// Empty if it only redirects.
    pub words: Vec<Word>,
    /// The command only starts another one, which is a part of its own.
    pub is_transparent: bool,
    /// A program that a rule may allow executes it because of an option.
    pub is_by_option: bool,
    /// Why it is not known what else the command executes.
    pub opaque: Option<String>,
    /// Files that its output goes to.
    pub writes: Vec<String>,
}

/// Returns every command that a line executes.
pub fn parts(line: &str) -> Result<Vec<ExecutedCommand>, Doubt> {
    let mut parts = Vec::new();
    add_line(line, 0, &mut parts)?;
    Ok(parts)
}

fn add_line(line: &str, depth: usize, parts: &mut Vec<ExecutedCommand>) -> Result<(), Doubt> {
    for command in scan(line)? {
        let first = parts.len();
        add(&command.words, depth, parts)?;
        if !command.writes.is_empty() {
            if parts.len() == first {
                parts.push(ExecutedCommand {
                    is_transparent: true,
                    ..ExecutedCommand::default()
                });
            }
            parts[first].writes = command.writes.into_iter().map(|file| file.text).collect();
        }
    }
    Ok(())
}

/// Adds the command of these words, and those that it executes.
fn add(words: &[Word], depth: usize, parts: &mut Vec<ExecutedCommand>) -> Result<(), Doubt> {
    let Some(program) = words.first() else {
        return Ok(());
    };
    if depth > MAX_DEPTH || parts.len() >= MAX_PARTS {
        return Err("it has too many commands in one another".into());
    }
    let inner = if !program.known {
        Carried::Opaque("the name of a program is computed".into())
    } else if program.text.contains('=') {
        // zsh takes `1=` for an assignment, other shells for a program.
        Carried::Opaque("the name of a program contains `=`".into())
    } else {
        inner(words)?
    };
    let (mut opaque, mut commands, mut line) = (None, Vec::new(), None);
    match inner {
        Carried::None => {}
        Carried::Opaque(reason) => opaque = Some(reason),
        Carried::Words(inner) => commands = inner,
        Carried::Line(inner) => line = Some(inner),
    }
    let is_carrier = line.is_some() || !commands.is_empty();
    let name = file_name(&program.text).to_ascii_lowercase();
    let changes_more = matches!(&*name, "sudo" | "doas" | "find");
    parts.push(ExecutedCommand {
        words: words.to_vec(),
        is_transparent: is_carrier && !changes_more && is_system(&program.text),
        is_by_option: false,
        opaque,
        writes: Vec::new(),
    });
    for command in commands {
        add(&command, depth + 1, parts)?;
    }
    line.map_or(Ok(()), |line| add_line(&line, depth + 1, parts))?;
    for executed in executed_by(&name, &words[1..]) {
        add_by_option(&name, executed, depth + 1, parts);
    }
    Ok(())
}

/// Adds what a program executes because of an option; what is not understood may be allowed together with the program.
fn add_by_option(name: &str, executed: Executed, depth: usize, parts: &mut Vec<ExecutedCommand>) {
    let first = parts.len();
    let added = match executed {
        Executed::Line(line) => add_line(&line, depth, parts),
        Executed::Words(words) => add(&words, depth, parts),
        Executed::Unknown => Err(format!("what an option of `{name}` executes is not known")),
        Executed::Computed => Err(format!(
            "an expansion without quotation marks can be an option of `{name}`"
        )),
    };
    parts.extend(added.err().map(|doubt| ExecutedCommand {
        opaque: Some(doubt),
        ..ExecutedCommand::default()
    }));
    let added = parts.iter_mut().skip(first);
    added.for_each(|part| part.is_by_option = true);
}

/// What a command executes.
enum Carried {
    None,
    Words(Vec<Vec<Word>>),
    Line(String),
    Opaque(String),
}

fn is_system(program: &str) -> bool {
    !program.contains('/')
        || SYSTEM
            .iter()
            .any(|folder| program.strip_prefix(folder) == Some(file_name(program)))
}

fn inner(words: &[Word]) -> Result<Carried, Doubt> {
    let name = file_name(&words[0].text).to_ascii_lowercase();
    let arguments = &words[1..];
    let opaque = || {
        Ok(Carried::Opaque(format!(
            "what `{name}` executes is not known"
        )))
    };
    if let Some(wrapper) = Wrapper::find(&name) {
        return wrapped(&wrapper, arguments);
    }
    if is_opaque(&name) && !is_evaluating(&name) {
        return opaque();
    }
    if SHELLS.contains(&&*name) {
        return Ok(match shell_line(arguments) {
            Some(line) => Carried::Line(line),
            None => Carried::Opaque(format!("what `{name}` executes is not in the command line")),
        });
    }
    if is_evaluating(&name) {
        // Even a rule that allows the builtin does not allow commands in its arguments.
        return if evaluates(&name, arguments)? {
            Err(format!("what `{name}` executes is not known"))
        } else {
            Ok(Carried::None)
        };
    }
    match &*name {
        "eval" | "trap" => evaluated(&name, arguments),
        "find" => found(arguments),
        "fd" | "fdfind" if arguments.iter().any(|word| is_fd_exec(&word.text)) => opaque(),
        "git" if git::executes(arguments) => opaque(),
        _ => Ok(Carried::None),
    }
}

/// Returns whether a builtin evaluates one of its arguments.
fn evaluates(name: &str, arguments: &[Word]) -> Result<bool, Doubt> {
    if is_opaque(name) {
        let lists = |word: &Word| matches!(&*word.text, "-p" | "-r" | "-l" | "-L");
        return Ok(matches!(name, "fc" | "r") || !arguments.iter().all(lists));
    }
    let is_declaring = !matches!(
        name,
        "test" | "[" | "printf" | "print" | "set" | "jobs" | "wait"
    );
    let is_comparing = matches!(name, "test" | "[" | "printf" | "jobs" | "wait");
    for word in arguments {
        if word.assigned().is_some() {
            check_assignment(word)?;
        } else if (!is_comparing && check_variable(&word.text, None).is_err())
            || has_quoted_substitution(word)
            || (is_declaring && word.text.contains('['))
        {
            return Ok(true);
        }
    }
    let has = |letters: &[char]| {
        let has = |text: &str| text.starts_with(['-', '+']) && text.contains(letters);
        arguments.iter().any(|word| has(&word.text))
    };
    Ok(match name {
        "printf" | "test" | "[" => {
            // `printf "$x" PS4 …` is `printf -v PS4 …` if x is `-v`.
            let is_part = |c: char| c.is_ascii_alphanumeric() || "_…".contains(c);
            let may_be_option = |word: &Word| {
                let name = word.text.strip_prefix('$');
                name.is_some_and(|name| !word.known && name.chars().all(is_part))
            };
            let first = arguments.first().filter(|_| arguments.len() > 2);
            arguments.iter().any(|word| word.text.starts_with("-v"))
                || (name == "printf" && first.is_some_and(may_be_option))
        }
        "print" => has(&['v', 'R', 'P']),
        "set" if changes_syntax(arguments) => true,
        // zsh computes their argument, but variables in it are innocent.
        "shift" | "break" | "continue" | "return" | "exit" => false,
        "mapfile" | "readarray" => has(&['C']),
        "jobs" => has(&['x']),
        "wait" => has(&['p']),
        // Their values are arithmetic, now and whenever they are assigned.
        "integer" | "float" => true,
        "declare" | "typeset" | "local" | "export" | "readonly" if has(&['i', 'E', 'F']) => true,
        // Other names of variables.
        "declare" | "typeset" | "local" if has(&['n', 'T']) => true,
        _ => arguments
            .iter()
            .any(|word| !word.known && word.assigned().is_none()),
    })
}

/// Returns whether `set` with these arguments may change how a shell reads words.
fn changes_syntax(arguments: &[Word]) -> bool {
    const LETTERS: &[u8] = b"abCeEfhmnoTuvx";
    const NAMES: &[&str] = &[
        "allexport",
        "errexit",
        "noclobber",
        "noglob",
        "nounset",
        "pipefail",
        "posix",
        "verbose",
        "xtrace",
    ];
    let mut is_name = false;
    for word in arguments {
        match word.text.strip_prefix(['-', '+']) {
            _ if std::mem::take(&mut is_name) => {
                if !NAMES.contains(&&*word.text) {
                    return true;
                }
            }
            Some("" | "-") | None => return false,
            Some(letters) if letters.bytes().all(|letter| LETTERS.contains(&letter)) => {
                is_name = letters.ends_with('o');
            }
            Some(_) => return true,
        }
    }
    false
}

/// Returns what a wrapper executes: the words after its options, assignments and operands.
fn wrapped(wrapper: &Wrapper, arguments: &[Word]) -> Result<Carried, Doubt> {
    if wrapper.name == "command"
        && arguments
            .first()
            .is_some_and(|word| matches!(&*word.text, "-v" | "-V"))
    {
        return Ok(Carried::None); // it asks whether there is such a command
    }
    let mut at = 0;
    let mut replaced = None;
    while let Some(word) = arguments.get(at).filter(|word| word.text.starts_with('-')) {
        if word.text == "--" {
            at += 1;
            break;
        }
        if wrapper.name == "xargs" && word.text.starts_with("-I") {
            replaced = match &word.text[2..] {
                "" => arguments.get(at + 1).map(|word| word.text.clone()),
                text => Some(text.to_owned()),
            };
        }
        match wrapper.option_len(&word.text).filter(|_| word.known) {
            Some(len) => at += len,
            // Even a rule that allows the wrapper does not allow a command that cannot be found.
            None => {
                return Err(format!(
                    "the option {} of `{}` is not known",
                    word.text, wrapper.name
                ));
            }
        }
    }
    at += assignments(wrapper, &arguments[at.min(arguments.len())..])?;
    at += usize::from(wrapper.name == "timeout"); // the time
    let skipped = &arguments[..at.min(arguments.len())];
    if skipped.iter().any(|word| word.splits) {
        // `timeout $x ls` executes rm if x is `5 rm`.
        return Err(format!(
            "an expansion decides what `{}` executes",
            wrapper.name
        ));
    }
    let mut command: Vec<Word> = arguments.get(at..).unwrap_or_default().to_vec();
    let keywords = [BEFORE, NOT_UNDERSTOOD].concat();
    let is_keyword = |word: &Word| keywords.iter().any(|text| word.is_bare(text));
    if command.first().is_some_and(is_keyword) {
        return Err(format!("a keyword follows `{}`", wrapper.name)); // `time if rm x; then …` is valid
    }
    if wrapper.name == "xargs" {
        if command.is_empty() {
            return Ok(Carried::None);
        }
        for word in &mut command {
            word.known &= !replaced
                .as_ref()
                .is_some_and(|text| word.text.contains(&**text));
        }
        command.push(Word::unknown());
    }
    Ok(if command.is_empty() {
        Carried::None
    } else {
        Carried::Words(vec![command])
    })
}

/// Returns how many assignments follow the options of a wrapper that accepts them.
fn assignments(wrapper: &Wrapper, words: &[Word]) -> Result<usize, Doubt> {
    let is_program = matches!(wrapper.name, "env" | "sudo");
    if !is_program && !matches!(wrapper.name, "time" | "noglob" | "nocorrect" | "-") {
        return Ok(0);
    }
    let mut count = 0;
    for word in words {
        match word.assigned() {
            Some(_) => check_assignment(word)?,
            // A program takes any word with `=` for an assignment, a shell only those with a name.
            None if is_program && word.text.contains('=') => {
                return Err(format!(
                    "an assignment of `{}` has no plain name",
                    wrapper.name
                ));
            }
            None => break,
        }
        count += 1;
    }
    Ok(count)
}

/// Returns the line of `bash -c LINE`; `None` if the shell reads its commands from elsewhere.
fn shell_line(arguments: &[Word]) -> Option<String> {
    let mut has_line = false;
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        let text = word.known.then_some(&*word.text)?;
        match text {
            "--" | "-" => {
                at += 1;
                break;
            }
            "+" => return None,
            "--norc" | "--noprofile" | "--login" | "--posix" => {}
            _ if text.starts_with("--") => return None,
            _ if text.len() > 1 && text.starts_with(['-', '+']) => {
                has_line |= text.starts_with('-') && text.contains('c');
                if text.contains('s') {
                    return None;
                }
                let rest = &text[..text.len() - 1];
                if rest.contains(['o', 'O']) {
                    return None; // the next word is a name, wherever the letter is
                }
                if text.ends_with(['o', 'O']) {
                    at += 1;
                    arguments.get(at).filter(|word| !word.splits)?;
                }
            }
            _ => break,
        }
        at += 1;
    }
    let line = arguments.get(at).filter(|word| has_line && word.known)?;
    Some(line.text.clone())
}

/// Returns what `eval WORDS` or `trap LINE SIGNALS` executes.
fn evaluated(name: &str, arguments: &[Word]) -> Result<Carried, Doubt> {
    let skipped = usize::from(arguments.first().is_some_and(|word| word.text == "--"));
    let arguments = &arguments[skipped..];
    let words = if name == "trap" {
        &arguments[..arguments.len().min(1)]
    } else {
        arguments
    };
    if words.iter().any(|word| !word.known) {
        return Err(format!("what `{name}` executes is computed"));
    }
    let line: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let is_option = |line: &&str| skipped == 0 && matches!(*line, "-l" | "-p" | "-lp" | "-P");
    if name == "trap"
        && line
            .first()
            .is_some_and(|line| *line == "-" || is_option(line))
    {
        Ok(Carried::None)
    } else {
        Ok(Carried::Line(line.join(" ")))
    }
}

/// Returns what `find … -exec COMMAND ;` executes.
fn found(arguments: &[Word]) -> Result<Carried, Doubt> {
    let is_action = |word: &Word| matches!(&*word.text, "-exec" | "-execdir" | "-ok" | "-okdir");
    let begins = |word: &Word| match &*word.text {
        ";" | "+" => Some(false),
        _ => is_action(word).then_some(true),
    };
    // Of each word, from the last one on: whether an action begins or ends next.
    let mut next = None;
    let nexts = arguments.iter().rev().map(|word| {
        next = begins(word).or(next);
        next
    });
    let nexts: Vec<Option<bool>> = nexts.collect();
    let mut is_inside = false;
    for (word, next) in arguments.iter().zip(nexts.into_iter().rev()) {
        // An expansion can become such an action, and what ends one.
        if word.splits || !word.known && next == Some(is_inside) {
            return Err("an expansion decides what `find` executes".into());
        }
        is_inside = begins(word).unwrap_or(is_inside);
    }
    let mut commands = Vec::new();
    let mut room = MAX_FOUND_WORDS;
    for (index, word) in arguments.iter().enumerate() {
        if !is_action(word) {
            continue;
        }
        let rest = &arguments[index + 1..];
        let is_end = |at: &usize| match &*rest[*at].text {
            ";" => true,
            "+" => *at > 0 && rest[at - 1].text == "{}",
            _ => false,
        };
        let len = (0..rest.len()).find(is_end).unwrap_or(rest.len());
        // A command may have `-exec` in it, which counts as the start of another one.
        room = room.checked_sub(len).ok_or("`find` has too many words")?;
        let mut command = rest[..len].to_vec();
        for word in &mut command {
            word.known &= !word.text.contains("{}");
        }
        commands.push(command);
    }
    Ok(Carried::Words(commands))
}

fn is_fd_exec(option: &str) -> bool {
    option.starts_with("-x") || option.starts_with("-X") || option.starts_with("--exec")
}
