//! The completions at each place of a command line that need no daemon.

use super::*;
use clap::ValueEnum as _;

/// Passes the line before the last word, and that word, to `ask`.
fn on_line<T>(words: &str, ask: impl FnOnce(&TypedLine<'_>, &str) -> T) -> T {
    let mut command = whole_definition();
    command.build();
    let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
    let (current, before) = words.split_last().unwrap();
    ask(
        &TypedLine::read(&command, &args::spelled_out(before)[1..]),
        current,
    )
}

/// Returns the completions of the last word, without descriptions.
fn at(words: &str) -> Vec<String> {
    let offers = on_line(words, offers).into_iter();
    let value = |offer: String| offer.split('\t').next().unwrap_or_default().to_owned();
    offers.map(value).collect()
}

/// Returns the kind of the value at the last word.
fn kind_at(words: &str) -> Offered {
    on_line(words, |line, current| match line.wanted(current) {
        Wanted::Value(arg) => Offered::of(arg, 0),
        Wanted::Anything => match line.positional() {
            Some((arg, nth)) => Offered::of(arg, nth),
            None => Offered::Nothing,
        },
        Wanted::Option => panic!("an option"),
    })
}

#[test]
fn every_shell_has_a_script() {
    for &shell in Shell::value_variants() {
        let script = String::from_utf8(script(&shell.to_string())).unwrap();
        assert!(script.contains("ccctl"), "{shell}");
    }
}

#[test]
fn words_are_offered_as_far_as_they_fit() {
    for (line, offered) in [
        ("ccctl sess", "session"),
        ("ccctl session re", "resize rename read"),
        ("ccctl session sh", "show"),
        ("ccctl --socket /s daemon sto", "stop"),
        ("ccctl send py --no-", "--no-newline --no-start"),
        ("ccctl ls --al", "--all"),
        // The words that follow belong to a program.
        ("ccctl run -- ls --", ":files"),
        ("ccctl run ls --", ":files"),
        ("ccctl send py -- --", ""),
        ("ccctl session signal py US", "USR1 USR2"),
        ("ccctl daemon log-level de", "debug"),
        ("ccctl top --sort id", "idle"),
        ("ccctl top --sort = id", "idle"),
        ("ccctl completions fi", "fish"),
        ("ccctl rec --record n", "new"),
        ("ccctl coach mute USER", "USER_CORRECTION"),
        ("ccctl coach ledger --status app", "approved"),
        ("ccctl coach approve x --scope ", "global project"),
        (
            "ccctl tape export a --format asc",
            "asciicast-v2 asciicast-v3",
        ),
        (
            "ccctl call session.re",
            "session.read session.rename session.resize",
        ),
        ("ccctl play --ignore-env CARGO_PKG_NAM", "CARGO_PKG_NAME"),
        ("ccctl exec --permission-mode acc", "acceptEdits"),
        ("ccctl send py --keys Pa", "PageUp PageDown"),
        ("ccctl send py --keys Up,C-c,Ent", "Up,C-c,Enter"),
    ] {
        assert_eq!(at(line).join(" "), offered, "{line}");
    }
    for (line, word, is_offered) in [
        ("ccctl ", "session", true),
        ("ccctl ", "top", true),
        ("ccctl ", "complete", false),
        ("ccctl nothing ", "signal", false),
        ("ccctl ls ", "--all", true),
        ("ccctl send py --keys C-", "C-c", true),
        ("ccctl send py --keys S-", "S-Up", true),
        ("ccctl send py --keys ", "C-", true),
    ] {
        assert_eq!(
            at(line).iter().any(|offer| offer == word),
            is_offered,
            "{line}"
        );
    }
}

#[test]
fn values_are_known_by_their_argument() {
    let named = |name| Offered::Named(Offer(name));
    let live = named("live");
    for (line, kind) in [
        ("ccctl send p", live.clone()),
        ("ccctl session --json send ", live.clone()),
        ("ccctl send --expect a ", live.clone()),
        ("ccctl send -e a -v ", live),
        ("ccctl send py ", Offered::Nothing),
        ("ccctl send py -vk ", named("keys")),
        ("ccctl investigate diff aaaa ", named("investigations")),
        ("ccctl tape play --speed 2 ", named("tapes")),
        ("ccctl play --tapes t ", Offered::Programs),
        ("ccctl play --ignore-env ", named("variables")),
        ("ccctl rec bc ", Offered::Files),
        ("ccctl new --name x cat ", Offered::Files),
        ("ccctl new --name=x --cwd ", Offered::Folders),
        ("ccctl pattern set error ", named("categories")),
        ("ccctl conversation show ", named("transcript_or_file")),
    ] {
        assert_eq!(kind_at(line), kind, "{line}");
    }
}

proptest::proptest! {
    #[test]
    fn no_line_is_too_strange(words in proptest::collection::vec("(--?[a-z]{0,4}=?|[a-z]{0,5}|session|send|\\PC{0,3})", 0..6), index in 0..8_usize) {
        let words: Vec<String> = std::iter::once("ccctl".to_owned()).chain(words).collect();
        let mut command = whole_definition();
        command.build();
        let before = words.get(1..index.min(words.len())).unwrap_or_default();
        let line = TypedLine::read(&command, before);
        let _ = (line.wanted("-"), line.wanted(""), line.positional());
    }
}
