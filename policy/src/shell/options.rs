//! Programs that execute something because of an option, or of a command of their own.

use super::word::Word;

/// Programs, with commas between them, and what makes them execute something: an option with a command line as its value;
/// with `?`, an option with something in another language; with `:`, a word, or nothing, before a command; with `*`, the start
/// of an argument. A letter alone is one of the first argument without a dash. The table cannot be complete.
const OPTIONS: &str = include_str!("options.txt");

/// What a program executes.
pub(super) enum Executed {
    Line(String),
    Words(Vec<Word>),
    Unknown,
    /// Whatever an expansion makes of it.
    Computed,
}

/// Returns what a program with these arguments executes.
pub(super) fn executed_by(name: &str, arguments: &[Word]) -> Vec<Executed> {
    let mut rows = OPTIONS.lines().filter_map(|row| row.split_once(' '));
    let Some((_, options)) = rows.find(|(names, _)| names.split(',').any(|one| one == name)) else {
        return Vec::new();
    };
    let mut executed = Vec::new();
    if arguments.iter().any(may_be_option) {
        executed.push(Executed::Computed);
    }
    for option in options.split(' ') {
        if option == ":" {
            executed.extend(commands(arguments));
        }
        let of_argument = |at| executed_at(option, arguments, at);
        executed.extend((0..arguments.len()).flat_map(of_argument));
    }
    executed
}

/// Returns whether an expansion decides which option a word is: `--$x`, and `$x`, which becomes as many words as x has. One in
/// quotation marks is taken for an operand.
fn may_be_option(word: &Word) -> bool {
    let text = &*word.text;
    let is_computed = match (text.strip_prefix("--"), text.strip_prefix('-')) {
        (Some(long), _) => long
            .split('=')
            .next()
            .is_some_and(|name| name.contains('$')),
        (None, Some(short)) => short.starts_with('$'),
        (None, None) => word.splits && text.starts_with('$'),
    };
    is_computed && !word.known
}

/// Returns what the argument at `at` makes a program execute, if it is `option`.
fn executed_at(option: &str, arguments: &[Word], at: usize) -> Vec<Executed> {
    let text = &*arguments[at].text;
    let (name, kind) = option.split_at(option.len() - 1);
    let found = match kind {
        ":" if !name.is_empty() && text == name => return commands(&arguments[at + 1..]),
        ":" => None,
        "*" => text.starts_with(name).then_some(None),
        "?" if name.len() == 1 && name != "+" => {
            (at == 0 && !text.starts_with('-') && text.contains(name)).then_some(None)
        }
        "?" => value_of(name, text),
        _ => value_of(option, text),
    };
    let Some(value) = found else {
        return Vec::new();
    };
    let next = arguments.get(at + 1);
    let known = match value {
        Some(value) => arguments[at].known.then_some(value),
        None => next.filter(|word| word.known).map(|word| &*word.text),
    };
    let line = known.filter(|_| !matches!(kind, "?" | "*"));
    vec![line.map_or(Executed::Unknown, |line| Executed::Line(line.to_owned()))]
}

/// Returns the value of an option if a word is one, `Some(None)` if the value is the next word. Long options may be
/// abbreviated, short ones may follow others.
fn value_of<'t>(option: &str, text: &'t str) -> Option<Option<&'t str>> {
    if option == "+" {
        return text.starts_with('+').then_some(None);
    }
    if option.starts_with("--") || option.len() > 2 {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let is_short_for = option.starts_with("--") && name.len() > 3 && option.starts_with(name);
        return (name == option || is_short_for).then_some(value);
    }
    let flags = text
        .strip_prefix('-')
        .filter(|flags| !flags.starts_with('-'))?;
    let at = flags.find(&option[1..])?;
    let is_flag = flags[..at].bytes().all(|byte| byte.is_ascii_alphanumeric());
    let value = &flags[at + 1..];
    is_flag.then(|| (!value.is_empty()).then_some(value))
}

/// Returns the commands that words can be: the first word that is no option may be the value of the option before it.
fn commands(words: &[Word]) -> Vec<Executed> {
    let mut commands = Vec::new();
    let mut may_be_value = true;
    let mut at = 0;
    while may_be_value {
        let is_option = |word: &&Word| word.text.starts_with('-');
        let options = words[at..].iter().take_while(is_option).count();
        may_be_value = options > 0 && words[at + options - 1].text != "--";
        at += options;
        if at == words.len() {
            break;
        }
        commands.push(Executed::Words(words[at..].to_vec()));
        at += 1;
    }
    commands
}
