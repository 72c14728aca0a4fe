//! The completions at each place of a command line that need no daemon.

use super::*;
use crate::names::NameKind;
use clap::ValueEnum as _;

/// Passes the line before the last word, and that word, to `ask`.
fn on_line<T>(words: &str, ask: impl FnOnce(&TypedLine<'_>, &str) -> T) -> T {
    let mut command = Ccctl::command();
    command.build();
    let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
    let (current, before) = words.split_last().unwrap();
    ask(&TypedLine::read(&command, &before[1..]), current)
}

/// Returns the completions of the last word, without descriptions.
fn at(words: &str) -> Vec<String> {
    let offers = on_line(words, offers).into_iter();
    let value = |offer: String| offer.split('\t').next().unwrap_or_default().to_owned();
    offers.map(value).collect()
}

/// Returns the kind of the value at the last word.
fn kind_at(words: &str) -> ValueKind {
    on_line(words, |line, current| match line.wanted(current) {
        Wanted::Value(arg) => kind::of(&line.path, arg, 0),
        Wanted::Anything => match line.positional() {
            Some((arg, nth)) => kind::of(&line.path, arg, nth),
            None => ValueKind::Nothing,
        },
        Wanted::Option => panic!("an option"),
    })
}

#[test]
fn every_shell_has_a_script() {
    for &shell in Shell::value_variants() {
        let script = String::from_utf8(script(shell)).unwrap();
        assert!(script.contains("ccctl"), "{shell}");
    }
}

#[test]
fn words_are_offered_as_far_as_they_fit() {
    for (line, offered) in [
        ("ccctl sess", "session"),
        ("ccctl session re", "read resize"),
        ("ccctl session sh", "show"),
        ("ccctl --socket /s daemon sto", "stop"),
        ("ccctl session send py --no-", "--no-newline --no-start"),
        ("ccctl session list --al", "--all"),
        // The words that follow belong to a program.
        ("ccctl run -- ls --", ":files"),
        ("ccctl run ls --", ":files"),
        ("ccctl session send py -- --", ""),
        ("ccctl session signal py US", "USR1 USR2"),
        ("ccctl daemon log --level de", "debug"),
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
        ("ccctl call session.re", "session.read session.resize"),
        ("ccctl session send py --keys Pa", "PageUp PageDown"),
        ("ccctl session send py --keys Up,C-c,Ent", "Up,C-c,Enter"),
    ] {
        assert_eq!(at(line).join(" "), offered, "{line}");
    }
    for (line, word, is_offered) in [
        ("ccctl ", "session", true),
        ("ccctl ", "top", true),
        ("ccctl ", "complete", false),
        ("ccctl nothing ", "send", false),
        ("ccctl session list ", "--all", true),
        ("ccctl session send py --keys C-", "C-c", true),
        ("ccctl session send py --keys S-", "S-Up", true),
        ("ccctl session send py --keys ", "C-", true),
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
    for (line, kind) in [
        (
            "ccctl session send ",
            ValueKind::Names(NameKind::LiveSessions),
        ),
        (
            "ccctl session send p",
            ValueKind::Names(NameKind::LiveSessions),
        ),
        (
            "ccctl session --json send ",
            ValueKind::Names(NameKind::LiveSessions),
        ),
        (
            "ccctl investigate show ",
            ValueKind::Names(NameKind::Investigations),
        ),
        (
            "ccctl investigate diff aaaa ",
            ValueKind::Names(NameKind::Investigations),
        ),
        ("ccctl test show ", ValueKind::Names(NameKind::TestReports)),
        (
            "ccctl test --baseline ",
            ValueKind::Names(NameKind::TestReports),
        ),
        ("ccctl test --html ", ValueKind::Files),
        ("ccctl investigate ", ValueKind::Programs),
        ("ccctl map ", ValueKind::Programs),
        (
            "ccctl session send --expect a ",
            ValueKind::Names(NameKind::LiveSessions),
        ),
        (
            "ccctl session send -e a -v ",
            ValueKind::Names(NameKind::LiveSessions),
        ),
        ("ccctl session send py ", ValueKind::Nothing),
        ("ccctl session send py --keys ", ValueKind::Keys),
        ("ccctl session send py -vk ", ValueKind::Keys),
        ("ccctl session send py --file ", ValueKind::Files),
        ("ccctl session show ", ValueKind::Names(NameKind::Sessions)),
        ("ccctl session read ", ValueKind::Names(NameKind::Sessions)),
        (
            "ccctl session close ",
            ValueKind::Names(NameKind::LiveSessions),
        ),
        ("ccctl job cancel ", ValueKind::Names(NameKind::Jobs)),
        ("ccctl config get ", ValueKind::Names(NameKind::ConfigKeys)),
        ("ccctl tape show ", ValueKind::Names(NameKind::Tapes)),
        (
            "ccctl tape play --speed 2 ",
            ValueKind::Names(NameKind::Tapes),
        ),
        ("ccctl tape diff a ", ValueKind::Names(NameKind::Tapes)),
        ("ccctl tape list --tapes ", ValueKind::Folders),
        ("ccctl tape import ", ValueKind::Files),
        ("ccctl tape shim ", ValueKind::Programs),
        ("ccctl rec ", ValueKind::Programs),
        ("ccctl play --tapes t ", ValueKind::Programs),
        ("ccctl play --ignore-env ", ValueKind::Variables),
        ("ccctl rec bc ", ValueKind::Files),
        ("ccctl session create -- ", ValueKind::Programs),
        ("ccctl session create --name x cat ", ValueKind::Files),
        ("ccctl session create --cwd ", ValueKind::Folders),
        ("ccctl session create --name=x --cwd ", ValueKind::Folders),
        ("ccctl run --script a --with ", ValueKind::Programs),
        ("ccctl pattern test --type ", kind_at("ccctl pattern set ")),
        (
            "ccctl pattern set error ",
            ValueKind::Names(NameKind::Categories),
        ),
        ("ccctl session run sh ", ValueKind::Nothing),
        (
            "ccctl coach approve ",
            ValueKind::Names(NameKind::PendingCandidates),
        ),
        ("ccctl coach show ", ValueKind::Names(NameKind::Candidates)),
        ("ccctl coach forget --session ", ValueKind::Nothing),
        ("ccctl coach events --project ", ValueKind::Folders),
        ("ccctl coach import ", ValueKind::Files),
        ("ccctl conversation show ", ValueKind::TranscriptOrFile),
        ("ccctl conversation export a --markdown ", ValueKind::Files),
        ("ccctl conversation export a --json ", ValueKind::Files),
        (
            "ccctl conversation search x --session ",
            ValueKind::Names(NameKind::Transcripts),
        ),
        ("ccctl conversation list --project ", ValueKind::Folders),
    ] {
        assert_eq!(kind_at(line), kind, "{line}");
    }
}

proptest::proptest! {
    #[test]
    fn no_line_is_too_strange(words in proptest::collection::vec("(--?[a-z]{0,4}=?|[a-z]{0,5}|session|send|\\PC{0,3})", 0..6), index in 0..8_usize) {
        let words: Vec<String> = std::iter::once("ccctl".to_owned()).chain(words).collect();
        let mut command = Ccctl::command();
        command.build();
        let before = words.get(1..index.min(words.len())).unwrap_or_default();
        let line = TypedLine::read(&command, before);
        let _ = (line.wanted("-"), line.wanted(""), line.positional());
    }
}
