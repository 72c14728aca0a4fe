//! A fast parser for the commands that scripts call most, in place of the whole definition.
//!
//! Building the definition takes longer than the call itself. A command line parsed here means exactly what the definition
//! says; a test compares both. Anything unusual (help, mistakes, `--name=value`, joined letters) is left to the definition.

use super::hook::HookArgs;
use super::session::SessionVerb;
use super::session_input::{SendArgs, SendInput};
use super::session_wait::ExpectArgs;
use super::value::{count, timeout};
use super::{Ccctl, Global, Noun};
use ccd_protocol::Timeout;
use std::ffi::OsString;
use std::path::Path;

/// Options with a value, of any of these commands, each with its letter or an empty text.
const VALUES: [(&str, &str); 10] = [
    ("--socket", ""),
    ("--host", "-H"),
    ("--expect", "-e"),
    ("--keys", "-k"),
    ("--file", "-f"),
    ("--timeout", ""),
    ("--from", ""),
    ("--timeout-ms", ""),
    ("--spool-bytes", ""),
    ("--policy", ""),
];

/// Options without a value, each with its letter or an empty text.
const FLAGS: [(&str, &str); 11] = [
    ("--json", ""),
    ("--no-start", ""),
    ("--verbose", "-v"),
    ("--no-newline", ""),
    ("--paste", ""),
    ("--secret", ""),
    ("--exact", ""),
    ("--raw", ""),
    ("--no-memory", ""),
    ("--stdin", ""),
    ("--eof", ""),
];

/// Options that may also come before the command.
const GLOBAL_VALUES: [&str; 3] = ["--socket", "--host", "-H"];
const GLOBAL_FLAGS: [&str; 4] = ["--json", "--no-start", "--verbose", "-v"];

/// Parses a plain command line of one of these commands; `None` for any other.
pub(super) fn parse(words: &[OsString]) -> Option<Ccctl> {
    let words = words.get(1..)?;
    let (first, words) = words.split_at(global_len(words));
    let (command, rest) = Command::of(words)?;
    let mut line = PlainLine::of(first.iter().chain(rest))?;
    let global = Global {
        socket: line.value("--socket")?,
        host: line.value("--host")?,
        json: line.flag("--json"),
        no_start: line.flag("--no-start"),
        verbose: line.flag("--verbose"),
    };
    // Only one of them may be given.
    if global.socket.is_some() && global.host.is_some() {
        return None;
    }
    let noun = match command {
        Command::Send => Noun::Session(SessionVerb::Send(line.send()?)),
        Command::Expect => Noun::Session(SessionVerb::Expect(line.expect()?)),
        Command::Hook => Noun::Hook(line.hook()?),
        Command::Mcp => Noun::Mcp,
    };
    line.is_used_up().then_some(Ccctl { global, noun })
}

/// True if the command is `hook`, whatever else the words are. It must not fail, even if it does not understand them:
/// the settings file may have been written by a newer version, and Claude Code takes a usage error for a refusal.
pub(crate) fn names_hook(words: &[OsString]) -> bool {
    let words = words.get(1..).unwrap_or_default();
    words
        .get(global_len(words))
        .is_some_and(|word| word == "hook")
}

/// True for the words of `hook --policy`, whatever else they are: it must not succeed if it does not understand them.
pub(crate) fn names_policy(words: &[OsString]) -> bool {
    let is_option = |word: &OsString| {
        let word = word.as_encoded_bytes();
        word == b"--policy" || word.starts_with(b"--policy=")
    };
    names_hook(words) && words.iter().any(is_option)
}

/// The commands that are parsed here.
enum Command {
    Send,
    Expect,
    Hook,
    Mcp,
}

impl Command {
    /// The command that the words start with, and the rest of them.
    fn of(words: &[OsString]) -> Option<(Self, &[OsString])> {
        let (noun, rest) = words.split_first()?;
        if noun == "hook" {
            return Some((Self::Hook, rest));
        }
        if noun == "mcp" {
            return Some((Self::Mcp, rest));
        }
        let (verb, rest) = rest.split_first()?;
        match verb.to_str()? {
            _ if noun != "session" => None,
            "send" => Some((Self::Send, rest)),
            "expect" => Some((Self::Expect, rest)),
            _ => None,
        }
    }
}

/// Returns how many of the words are global options and their values, before the first other word.
fn global_len(words: &[OsString]) -> usize {
    let is_in = |list: &[&str], word: &OsString| list.iter().any(|option| word == option);
    let mut len = 0;
    while let Some(word) = words.get(len) {
        len += match word {
            word if is_in(&GLOBAL_FLAGS, word) => 1,
            word if is_in(&GLOBAL_VALUES, word) && len + 1 < words.len() => 2,
            _ => break,
        };
    }
    len
}

/// The words, sorted by kind. Methods remove those that they understand.
#[derive(Debug, Default)]
struct PlainLine {
    flags: Vec<&'static str>,
    values: Vec<(&'static str, String)>,
    /// The last one is first.
    positionals: Vec<String>,
}

impl PlainLine {
    fn of<'a>(words: impl Iterator<Item = &'a OsString>) -> Option<Self> {
        let mut line = Self::default();
        let mut words = words.map(|word| word.to_str());
        let mut is_plain = false;
        while let Some(word) = words.next() {
            let word = word?;
            if is_plain || !word.starts_with('-') {
                line.positionals.push(word.to_owned());
            } else if word == "--" {
                is_plain = true;
            } else if let Some(name) = named(&FLAGS, word) {
                // A flag given twice is a mistake.
                if line.flags.contains(&name) {
                    return None;
                }
                line.flags.push(name);
            } else {
                let name = named(&VALUES, word)?;
                let value = words.next()??;
                if value.starts_with('-') {
                    return None;
                }
                line.values.push((name, value.to_owned()));
            }
        }
        line.positionals.reverse();
        Some(line)
    }

    fn flag(&mut self, name: &str) -> bool {
        let at = self.flags.iter().position(|flag| *flag == name);
        at.map(|at| self.flags.swap_remove(at)).is_some()
    }

    fn all(&mut self, name: &str) -> Vec<String> {
        let values = self.values.extract_if(.., |(option, _)| *option == name);
        values.map(|(_, value)| value).collect()
    }

    /// The value of an option that may be given once; `None` if it is given more often.
    fn value(&mut self, name: &str) -> Option<Option<String>> {
        let mut all = self.all(name);
        let value = all.pop();
        all.is_empty().then_some(value)
    }

    fn timeout(&mut self) -> Option<Option<Timeout>> {
        match self.value("--timeout")? {
            Some(text) => timeout(&text).ok().map(Some),
            None => Some(None),
        }
    }

    fn count(&mut self, name: &str) -> Option<Option<u64>> {
        match self.value(name)? {
            Some(text) => count(&text).ok().map(Some),
            None => Some(None),
        }
    }

    fn is_used_up(&self) -> bool {
        self.flags.is_empty() && self.values.is_empty() && self.positionals.is_empty()
    }

    fn send(&mut self) -> Option<SendArgs> {
        let session = self.positionals.pop()?;
        let keys = self.all("--keys");
        let args = SendArgs {
            session,
            input: SendInput {
                text: self.positionals.pop(),
                keys: keys
                    .iter()
                    .flat_map(|keys| keys.split(','))
                    .map(str::to_owned)
                    .collect(),
                file: self.value("--file")?.map(Into::into),
                stdin: self.flag("--stdin"),
                eof: self.flag("--eof"),
            },
            no_newline: self.flag("--no-newline"),
            paste: self.flag("--paste"),
            secret: self.flag("--secret"),
            expect: self.all("--expect"),
            exact: self.flag("--exact"),
            raw: self.flag("--raw"),
            timeout: self.timeout()?,
        };
        let input = &args.input;
        let inputs = [
            input.text.is_some(),
            !input.keys.is_empty(),
            input.file.is_some(),
            input.stdin,
            input.eof,
        ];
        let is_one = inputs.into_iter().filter(|given| *given).count() == 1;
        let of_expect = args.exact || args.raw || args.timeout.is_some();
        let fits = (!args.paste || input.keys.is_empty())
            && (!of_expect || !args.expect.is_empty())
            && input.file.as_deref() != Some(Path::new(""));
        (is_one && fits).then_some(args)
    }

    fn hook(&mut self) -> Option<HookArgs> {
        let args = HookArgs {
            timeout_ms: self.count("--timeout-ms")?,
            spool_bytes: self.count("--spool-bytes")?,
            no_memory: self.flag("--no-memory"),
            policy: self.value("--policy")?.map(Into::into),
        };
        let of_daemon = args.timeout_ms.or(args.spool_bytes).is_some() || args.no_memory;
        let fits = match &args.policy {
            Some(file) => !of_daemon && file != Path::new(""),
            None => true,
        };
        fits.then_some(args)
    }

    fn expect(&mut self) -> Option<ExpectArgs> {
        let session = self.positionals.pop()?;
        let mut patterns = std::mem::take(&mut self.positionals);
        patterns.reverse();
        let args = ExpectArgs {
            session,
            patterns,
            exact: self.flag("--exact"),
            eof: self.flag("--eof"),
            from: self.count("--from")?,
            raw: self.flag("--raw"),
            timeout: self.timeout()?,
        };
        (args.eof || !args.patterns.is_empty()).then_some(args)
    }
}

/// The long name of an option that is given by its name or letter.
fn named(options: &[(&'static str, &str)], word: &str) -> Option<&'static str> {
    let is_it = |(name, letter): &&(&'static str, &str)| *name == word || *letter == word;
    options.iter().find(is_it).map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;
    use proptest::prelude::*;

    fn parse(line: &[&str]) -> Option<Ccctl> {
        let words: Vec<OsString> = line.iter().map(OsString::from).collect();
        super::parse(&words)
    }

    /// Checks that the words are parsed here as the definition parses them, or not at all.
    fn check(line: &[&str]) -> Option<Ccctl> {
        let hot = parse(line)?;
        let whole = Ccctl::try_parse_from(line);
        let whole = whole.unwrap_or_else(|error| panic!("{line:?} was read as {hot:?}: {error}"));
        assert_eq!(format!("{hot:?}"), format!("{whole:?}"), "{line:?}");
        Some(hot)
    }

    #[test]
    fn what_scripts_write_is_read_here() {
        for line in [
            &["send", "py", "1 + 1", "--expect", "2", "--json"][..],
            &["send", "--no-start", "py", "--keys", "C-c,Up"],
            &["send", "-H", "ssh://h", "py", "x"],
            &["send", "py", "-k", "C-c", "-k", "Enter", "-v"],
            &["send", "py", "--", "-x"],
            &["send", "py", ""],
            &["send", "py", "--file", "f", "--no-newline"],
            &["send", "py", "--eof"],
            &[
                "send",
                "py",
                "x",
                "-e",
                "a",
                "-e",
                "b",
                "--exact",
                "--raw",
                "--timeout",
                "1.5",
            ],
            &["expect", "py", "a", "b", "--timeout", "none", "-v"],
            &["expect", "py", "--eof", "--from", "12"],
        ] {
            let line = [&["ccctl", "session"], line].concat();
            assert!(check(&line).is_some(), "{line:?}");
        }
        for line in [
            &["ccctl", "--json", "session", "send", "py", "x"][..],
            &[
                "ccctl", "--socket", "/s", "-v", "session", "expect", "py", "x",
            ],
            &["ccctl", "mcp"],
            &["ccctl", "--socket", "/s", "mcp", "--no-start"],
            &["ccctl", "hook"],
            &["ccctl", "hook", "--spool-bytes", "1048576"],
            &["ccctl", "hook", "--no-memory"],
            &["ccctl", "hook", "--policy", "/run/it's"],
            &[
                "ccctl",
                "--socket",
                "/s",
                "hook",
                "--timeout-ms",
                "50",
                "--json",
            ],
        ] {
            assert!(check(line).is_some(), "{line:?}");
        }
    }

    #[test]
    fn the_rest_is_left_to_the_whole_definition() {
        for line in [
            &["ccctl"][..],
            &["ccctl", "session", "list"],
            &["ccctl", "--json", "session", "send", "--json", "py", "x"],
            &["ccctl", "--socket"],
            &["ccctl", "session", "send", "--help"],
            &["ccctl", "session", "send", "py"],
            &["ccctl", "session", "send", "py", "x", "y"],
            &["ccctl", "session", "send", "py", "x", "--from", "1"],
            &["ccctl", "session", "send", "py", "--file", ""],
            &["ccctl", "session", "send", "py", "x", "--timeout", "1"],
            &["ccctl", "session", "expect", "py", "a", "--timeout", "soon"],
            &["ccctl", "hook", "--timeout-ms", "soon"],
            &["ccctl", "hook", "--new-option"],
            &["ccctl", "hook", "--policy"],
            &["ccctl", "hook", "--policy", ""],
            &["ccctl", "hook", "--policy", "p", "--timeout-ms", "50"],
            &["ccctl", "hook", "--policy", "p", "--policy", "q"],
            &["ccctl", "hook", "x"],
            &["ccctl", "hook", "--help"],
            &["ccctl", "mcp", "x"],
        ] {
            assert!(parse(line).is_none(), "{line:?}");
        }
    }

    #[test]
    fn a_hook_is_known_by_its_name_alone() {
        let names_hook = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            names_hook(&words)
        };
        assert!(names_hook("ccctl --socket /s hook --new-option x"));
        assert!(!names_hook("ccctl hooks status"));
        assert!(!names_hook("ccctl run hook"));
        assert!(!names_hook("ccctl"));
    }

    #[test]
    fn a_policy_is_known_by_its_option_alone() {
        let names_policy = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            names_policy(&words)
        };
        assert!(names_policy("ccctl hook --policy"));
        assert!(names_policy("ccctl --json hook --new-option --policy=x"));
        assert!(!names_policy("ccctl hook --new-option"));
        assert!(!names_policy("ccctl run --policy"));
    }

    /// Words with a meaning, and some without.
    const WORDS: [&str; 34] = [
        "--policy",
        "--timeout-ms",
        "--host",
        "-H",
        "--socket",
        "py",
        "x = 1",
        "",
        "-",
        "--",
        "-1",
        "-x",
        "--help",
        "-h",
        "--json",
        "--no-start",
        "--verbose",
        "-v",
        "--no-newline",
        "--paste",
        "--secret",
        "--expect",
        "-e",
        "--exact",
        "--raw",
        "--timeout",
        "1",
        "none",
        "--keys",
        "C-c,,Up",
        "--file",
        "--stdin",
        "--eof",
        "--from",
    ];

    const COMMANDS: [&[&str]; 4] = [
        &["session", "send"],
        &["session", "expect"],
        &["hook"],
        &["mcp"],
    ];

    /// How lines start; anything may follow.
    const STARTS: [&[&str]; 4] = [&[], &["py"], &["py", "x"], &["py", "x", "-e", "a"]];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        #[test]
        fn every_line_means_what_the_whole_definition_says(
            command in prop::sample::select(&COMMANDS[..]),
            first in prop::collection::vec(prop::sample::select(&["--json", "-v", "--socket", "-H", "py", "session"][..]), 0..3),
            start in 0..STARTS.len(),
            words in prop::collection::vec(prop::sample::select(&WORDS[..]), 0..6),
        ) {
            let mut line = vec!["ccctl"];
            line.extend(first);
            line.extend(command);
            if command[0] == "session" {
                line.extend(STARTS[start]);
            }
            line.extend(words);
            check(&line);
        }
    }
}
