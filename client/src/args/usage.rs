//! Reports of mistakes on the command line, in one line, and `ccctl help`.

use super::definition::{Word, lines_of, words as all_words};
use super::line::{CommandLine, global_len, respelled};
use super::{Ccctl, Global, definition, whole_definition};
use ccd_base::nearest::nearest;
use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsString;

/// Returns clap's message about `words` in one line, without its leading `error:` and with the command that shows help.
pub(crate) fn explain(error: &clap::Error, words: &[OsString]) -> String {
    let words = &respelled(words.to_vec());
    if lacks_verb(error) {
        let command = command_of(words);
        return format!("{command}: the subcommand is missing; {command} --help lists them");
    }
    if error.kind() == ErrorKind::InvalidUtf8
        && let Some(word) = words.iter().find(|word| word.to_str().is_none())
    {
        return format!("the argument {word:?} is not UTF-8; give UTF-8 text");
    }
    let mut text = error.render().to_string();
    // The value came from the environment, not from the command line.
    if !words
        .iter()
        .any(|word| word.to_string_lossy().starts_with("--detach-keys"))
    {
        text = text.replace("'--detach-keys <KEYS>'", "$CCD_DETACH_KEYS");
    }
    let mistake = text
        .split_once("\nUsage: ")
        .map_or(&*text, |halves| halves.0);
    let hint = hint(error, words);
    let takes_text = command_of(words) == "ccctl send";
    let mut line = String::new();
    for part in mistake
        .lines()
        .map(str::trim)
        .filter(|part| !part.is_empty())
    {
        let part = part.strip_prefix("error: ").unwrap_or(part);
        let is_replaced = part.starts_with("tip: ") && hint.is_some();
        // Only the text of `ccctl send` may well start with a dash.
        let is_far_fetched = part.starts_with("tip: to pass") && !takes_text;
        if part.starts_with("For more information") || is_replaced || is_far_fetched {
            continue;
        }
        if !line.is_empty() {
            line.push_str(if part.starts_with("tip: ") { "; " } else { " " });
        }
        line.push_str(part.strip_prefix("tip: ").unwrap_or(part));
    }
    if let Some(hint) = hint {
        line.push_str("; ");
        line.push_str(&hint);
    }
    format!("{line}; {} --help shows more", command_of(words))
}

/// Returns the name or alias of a subcommand of a word from which `word` differs in case, in one letter, or by two that are swapped.
pub(crate) fn subcommand_like(noun: &str, word: &str) -> Option<String> {
    let lower = word.to_lowercase();
    let verbs = definition(noun)?;
    let names = verbs
        .get_subcommands()
        .flat_map(Command::get_name_and_visible_aliases);
    // `help` is an option where a word that is no subcommand means something else.
    let all = names.chain(["--help"]);
    let mut like = all.filter(|name| {
        let name = name.trim_start_matches('-');
        let distance = strsim::osa_distance(name, &lower);
        distance == 1 || (distance == 0 && (name == "help" || lower != word))
    });
    like.next().map(str::to_owned)
}

/// What clap does not know about a mistake, or puts less clearly.
fn hint(error: &clap::Error, words: &[OsString]) -> Option<String> {
    let wrong = |kind| match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word),
        _ => None,
    };
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let word = wrong(ContextKind::InvalidSubcommand)?;
            elsewhere(word, words).or_else(|| most_similar(error, word, words))
        }
        ErrorKind::MissingRequiredArgument => before_dashes(error, words),
        ErrorKind::UnknownArgument => {
            let word = wrong(ContextKind::InvalidArg)?;
            for_the_program(word, words).or_else(|| too_many(word, words))
        }
        _ => None,
    }
}

/// Says which commands have this name, in the singular or the plural: those at the same place, or else all others.
fn elsewhere(word: &str, words: &[OsString]) -> Option<String> {
    /// How many commands are named.
    const MOST: usize = 4;
    let here = command_of(words);
    let whole = format!("{here} {word}");
    if let Some(hint) = told("words of other programs", whole.strip_prefix("ccctl ")?) {
        return Some(hint.to_owned());
    }
    fn collect(path: &str, command: &Command, word: &str, found: &mut Vec<String>) {
        let stem = |name: &str| name.trim_end_matches('s').to_owned();
        for inner in command
            .get_subcommands()
            .filter(|inner| !inner.is_hide_set())
        {
            let path = format!("{path} {}", inner.get_name());
            let mut names = inner.get_name_and_visible_aliases().into_iter();
            if names.any(|name| stem(name) == stem(word)) {
                found.push(path.clone());
            }
            collect(&path, inner, word, found);
        }
    }
    let mut found = Vec::new();
    collect("ccctl", &whole_definition(), word, &mut found);
    let is_here = |path: &String| {
        path.rsplit_once(' ')
            .is_some_and(|(parent, _)| parent == here)
    };
    if found.iter().any(is_here) {
        found.retain(is_here);
    }
    let more = if found.len() > MOST { ", …" } else { "" };
    found.truncate(MOST);
    match &*found {
        [] => {
            // A verb of daily use needs no noun.
            let is_like = |known: &Word| strsim::osa_distance(known.name, word) == 1;
            let like = all_words().find(is_like).filter(|_| here != "ccctl");
            like.map(|known| format!("did you mean ccctl {}?", known.name))
        }
        [one] => Some(format!("the command is {one}")),
        several => Some(format!("there are {}{more}", several.join(", "))),
    }
}

/// Returns what a list of the definition says about a name.
fn told(list: &str, name: &str) -> Option<&'static str> {
    lines_of(list).find_map(|(one, told)| (one == name).then_some(told))
}

/// Names the subcommand that is most like the wrong one.
fn most_similar(error: &clap::Error, word: &str, words: &[OsString]) -> Option<String> {
    let ContextValue::Strings(all) = error.get(ContextKind::SuggestedSubcommand)? else {
        return None;
    };
    let like = nearest(word, all.iter().map(String::as_str))?;
    Some(format!("did you mean {} {like}?", command_of(words)))
}

/// Says where a word belongs that a command does not take, or how its own option is called.
fn too_many(word: &str, words: &[OsString]) -> Option<String> {
    let (names, command) = command_and_name(words);
    if !word.starts_with('-') {
        return told("words too many", names.strip_prefix("ccctl ")?).map(str::to_owned);
    }
    let name = told("options of other programs", word)?;
    let mut options = command.get_arguments();
    let has_it = options.any(|option| option.get_long() == name.strip_prefix("--"));
    has_it.then(|| format!("the option is {name}"))
}

/// Says how to pass a word to the program, if the command takes the program's words only after `--`.
fn for_the_program(word: &str, words: &[OsString]) -> Option<String> {
    let (names, command) = command_and_name(words);
    let mut positionals = command.get_positionals();
    let takes_words = positionals.any(clap::Arg::is_last_set);
    takes_words.then(|| format!("words for a program follow --: {names} … -- {word}"))
}

/// Says where the program belongs if it follows the `--` that only its own words follow.
fn before_dashes(error: &clap::Error, words: &[OsString]) -> Option<String> {
    let missing = match error.get(ContextKind::InvalidArg)? {
        ContextValue::Strings(missing) => missing.first()?,
        _ => return None,
    };
    let mut after = words.iter().skip_while(|word| *word != "--").skip(1);
    let program = after.next().filter(|_| missing.contains("PROGRAM"))?;
    let rest = if after.next().is_some() {
        " -- …"
    } else {
        ""
    };
    let (names, program) = (command_of(words), program.to_string_lossy());
    Some(format!(
        "the program comes before --: {names} {program}{rest}"
    ))
}

fn lacks_verb(error: &clap::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand
    )
}

/// The global options, if the command line contains nothing else than `conversation`.
pub(crate) fn only_conversation(error: &clap::Error, words: &[OsString]) -> Option<Global> {
    if !lacks_verb(error) {
        return None;
    }
    let whole = words.iter().cloned().chain([OsString::from("list")]);
    let parsed = Ccctl::parse_words(&whole.collect::<Vec<_>>()).ok()?;
    (parsed.given.command == "conversation list").then_some(parsed.global)
}

fn command_of(words: &[OsString]) -> String {
    command_and_name(words).0
}

/// The command that the words name, or the start of one.
fn command_and_name(words: &[OsString]) -> (String, Command) {
    let line = CommandLine::of(words);
    let Some((noun, command)) = line.noun.and_then(|noun| Some((noun, definition(noun)?))) else {
        return ("ccctl".to_owned(), whole_definition());
    };
    let mut after = line.after[global_len(line.after)..].iter();
    let verb = after.find(|word| !word.as_encoded_bytes().starts_with(b"-"));
    match verb.and_then(|verb| command.find_subcommand(verb)) {
        Some(verb) => (format!("ccctl {noun} {}", verb.get_name()), verb.clone()),
        None => (format!("ccctl {noun}"), command),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    fn explain(line: &str) -> String {
        let words = words(&format!("ccctl {line}"));
        let line = super::explain(&Ccctl::parse_words(&words).unwrap_err(), &words);
        assert!(!line.contains('\n'), "{line}");
        line
    }

    #[test]
    fn a_mistake_is_one_line_that_names_the_command_for_help() {
        for (line, part, verb) in [
            ("session list --al", "'--all'", "ls"),
            ("session signal py", "<SIGNAL>", "session signal"),
            (
                "--socket s session resize py big",
                "give COLUMNSxROWS",
                "session resize",
            ),
        ] {
            let said = explain(line);
            let end = format!("; ccctl {verb} --help shows more");
            assert!(said.contains(part) && said.ends_with(&end), "{said}");
        }
        let said = explain("session list --al");
        assert!(
            said.starts_with("unexpected argument '--al' found; "),
            "{said}"
        );
    }

    #[test]
    fn a_command_at_another_place_is_named() {
        for (line, hint) in [
            ("pipe py", "the command is ccctl session pipe"),
            ("upgrade", "the command is ccctl daemon upgrade"),
            ("session sned py x", "did you mean ccctl send?"),
            ("conversations", "the command is ccctl conversation"),
            ("sessions list", "the command is ccctl session"),
            ("session upgrade", "the command is ccctl daemon upgrade"),
            ("daemon doctor", "the command is ccctl doctor"),
            ("session screens", "the command is ccctl screen"),
            ("create", "the command is ccctl new"),
            ("diff", "there are ccctl tape diff, ccctl investigate diff"),
            ("list", "ccctl ls lists sessions; "),
            ("job rename", "the command is ccctl session rename"),
            (
                "map python3 app.py",
                "follow --: ccctl investigate map … -- app.py",
            ),
            (
                "map python3 -c 1",
                "follow --: ccctl investigate map … -- -c",
            ),
            ("map -- bc -q", "before --: ccctl investigate map bc -- …"),
            ("map -- bc", "before --: ccctl investigate map bc;"),
            ("ps", "the command is ccctl ls"),
            ("kill py", "ccctl close ends"),
            ("update", "then run ccctl daemon upgrade"),
            ("record bc", "the command is ccctl rec"),
            ("stop", "ccctl daemon stop stops"),
            ("status", "ccctl daemon status shows"),
            ("start bc", "ccctl new starts a program"),
            ("tape import x.cast bc", "ccctl tape import … -- bc"),
            ("spawn bc", "the command is ccctl new"),
            ("config set max_sessions 3", "ccctl config path prints"),
            ("sned py x", "did you mean ccctl send?"),
            ("send py x Enter", "--keys presses keys"),
            ("wait py 42", "ccctl expect waits for output"),
            ("session run sh ls /", "one argument in quotes"),
            ("new --dir /tmp bc", "the option is --cwd"),
        ] {
            let said = explain(line);
            assert!(said.contains(hint), "{line:?}: {said}");
            assert!(!said.contains("similar"), "{said}");
        }
        assert!(!explain("session update").contains("newer version"));
        assert!(!explain("tape import -- bc").contains("before --"));
        assert!(!explain("session list x").contains("follow --"));
    }

    #[test]
    fn a_negative_number_is_refused_with_the_allowed_range() {
        for line in [
            "run --timeout -1 ls",
            "session wait py --idle -5",
            "session read py --since -1",
            "session expect py x --from -1",
            "session tail py --lines -1",
            "session close py --grace -0.5",
            "job list --limit -1",
        ] {
            let line = explain(line);
            assert!(line.contains("0 or more"), "{line}");
        }
    }

    #[test]
    fn a_word_that_is_almost_a_subcommand_is_found() {
        let exec = |word| subcommand_like("exec", word);
        for (word, like) in [
            ("lits", "list"),
            ("sessons", "sessions"),
            ("gett", "get"),
            ("help", "--help"),
            ("hlep", "--help"),
            ("LIST", "list"),
            ("Clenup", "cleanup"),
            ("cancle", "cancel"),
        ] {
            assert_eq!(exec(word).as_deref(), Some(like));
        }
        for word in ["list", "ls", "x", "", "refactor", "list them"] {
            assert_eq!(exec(word), None, "{word}");
        }
        let test = subcommand_like("test", "shw");
        assert_eq!(test.as_deref(), Some("show"));
        let investigate = subcommand_like("investigate", "lsit");
        assert_eq!(investigate.as_deref(), Some("list"));
    }
}
