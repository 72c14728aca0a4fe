//! The verbs that scripts call most: parsed without building the definition of all others.
//!
//! Building that takes longer than the call itself.

use super::session::SessionVerb;
use super::session_input::SendArgs;
use super::session_wait::ExpectArgs;
use super::{Ccctl, Global, Noun};
use clap::{Args, Parser};
use std::ffi::OsString;

/// The same options as below the whole definition.
#[derive(Debug, Parser)]
#[command(name = "ccctl")]
struct Hot<A: Args> {
    #[command(flatten)]
    global: Global,
    #[command(flatten)]
    args: A,
}

/// Returns what the words ask for when they are one of the hot verbs without a mistake.
///
/// `None` leaves everything else to the whole definition, help and mistakes too.
pub(super) fn parse(words: &[OsString]) -> Option<Ccctl> {
    let (noun, verb) = (words.get(1)?, words.get(2)?);
    if noun != "session" {
        return None;
    }
    let rest = &words[2..];
    let (global, verb) = match verb.to_str()? {
        "send" => {
            let hot = Hot::<SendArgs>::try_parse_from(rest).ok()?;
            (hot.global, SessionVerb::Send(hot.args))
        }
        "expect" => {
            let hot = Hot::<ExpectArgs>::try_parse_from(rest).ok()?;
            (hot.global, SessionVerb::Expect(hot.args))
        }
        _ => return None,
    };
    Some(Ccctl {
        global,
        noun: Noun::Session(verb),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &[&str]) -> Option<Ccctl> {
        let words: Vec<OsString> = line.iter().map(OsString::from).collect();
        super::parse(&words)
    }

    #[test]
    fn hot_verbs_mean_what_the_whole_definition_says() {
        for line in [
            &[
                "ccctl", "session", "send", "py", "1 + 1", "--expect", "2", "--json",
            ][..],
            &[
                "ccctl",
                "session",
                "send",
                "--no-start",
                "py",
                "--keys",
                "C-c,Up",
            ],
            &["ccctl", "session", "send", "py", "--", "-x"],
            &[
                "ccctl",
                "session",
                "expect",
                "py",
                "a",
                "b",
                "--timeout",
                "none",
                "-v",
            ],
        ] {
            let whole = Ccctl::try_parse_from(line).unwrap();
            let hot = parse(line).unwrap();
            assert_eq!(format!("{hot:?}"), format!("{whole:?}"));
        }
    }

    #[test]
    fn the_rest_is_left_to_the_whole_definition() {
        for line in [
            &["ccctl"][..],
            &["ccctl", "session", "list"],
            &["ccctl", "--json", "session", "send", "py", "x"],
            &["ccctl", "session", "send", "--help"],
            &["ccctl", "session", "send", "py"],
            &["ccctl", "session", "expect", "py", "a", "--timeout", "soon"],
        ] {
            assert!(parse(line).is_none(), "{line:?}");
        }
    }
}
