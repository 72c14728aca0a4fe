//! The commands of ccctl with their arguments and options, as its help lists them: a new one is found by itself.

/// Commands that no help lists, because other programs call them.
const HIDDEN: [&str; 4] = ["call", "dial", "hook", "version"];

/// A command.
#[derive(Debug, Clone)]
pub(super) struct Verb {
    pub(super) words: Vec<String>,
    /// How many arguments it takes.
    pub(super) arguments: usize,
    /// Options with a value.
    pub(super) options: Vec<String>,
    /// Options without one.
    pub(super) flags: Vec<String>,
}

/// Returns all commands, `ccctl` itself included; `help` returns the help of one.
pub(super) fn verbs(help: &dyn Fn(&[String]) -> String) -> Vec<Verb> {
    let mut verbs = Vec::new();
    let mut open = vec![Vec::new()];
    while let Some(words) = open.pop() {
        let (verb, names) = read(&words, &help(&words));
        open.extend(names.into_iter().map(|name| [&*words, &[name]].concat()));
        verbs.push(verb);
    }
    verbs
}

/// Returns a command and the names of its own commands.
fn read(words: &[String], help: &str) -> (Verb, Vec<String>) {
    let mut verb = Verb {
        words: words.to_vec(),
        arguments: 0,
        options: Vec::new(),
        flags: Vec::new(),
    };
    let (mut section, mut names) = ("", Vec::new());
    if words.is_empty() {
        names.extend(HIDDEN.map(str::to_owned));
    }
    for line in help.lines() {
        if line.ends_with(':') && !line.starts_with(' ') {
            section = line;
            continue;
        }
        if let Some(more) = line.strip_prefix("More:") {
            section = "More:";
            names.extend(more.split_whitespace().map(str::to_owned));
            continue;
        }
        let entry = line.trim_start();
        let indent = line.len() - entry.len();
        let first = entry.split_whitespace().next().unwrap_or_default();
        match section {
            "Commands:" if indent == 2 => names.push(first.to_owned()),
            "More:" => names.extend(line.split_whitespace().map(str::to_owned)),
            "Arguments:" if indent == 2 => verb.arguments += 1,
            "Global options:" | "Examples:" | "Commands:" | "Arguments:" => {}
            _ if indent <= 6 && entry.starts_with('-') => option(entry, &mut verb),
            // A group of commands.
            _ if words.is_empty() && indent == 2 && section != "Options:" => {
                names.push(first.to_owned());
            }
            _ => {}
        }
    }
    (verb, names)
}

/// Reads a line such as `-k, --keys <KEY>  Press keys`.
fn option(entry: &str, verb: &mut Verb) {
    let spelling = entry.split("  ").next().unwrap_or_default();
    let Some(at) = spelling.find("--") else {
        return;
    };
    let mut words = spelling[at..].split([' ', '=']);
    let name = words.next().unwrap_or_default().to_owned();
    match words.next() {
        _ if name == "--help" || name == "--version" => {}
        Some(_) => verb.options.push(name.trim_end_matches('[').to_owned()),
        None => verb.flags.push(name),
    }
}
