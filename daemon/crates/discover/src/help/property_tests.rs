//! Tests that any text is read, with limits.

use super::{HelpText, parse};
use ccd_text::pattern::Compiled;
use proptest::prelude::*;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

static LIBRARY: LazyLock<Compiled> = LazyLock::new(Compiled::built_in);

fn check(text: &str) {
    let help = parse(text, &LIBRARY);
    let HelpText {
        usage,
        options,
        commands,
        ..
    } = &help;
    assert!(usage.len() <= 50 && options.len() <= 2_000 && commands.len() <= 2_000);
    let is_short = |text: &str, chars: usize| text.chars().count() <= chars;
    assert!(usage.iter().all(|line| is_short(line, 500)));
    for option in options {
        assert!(!option.flags.is_empty() && option.flags.len() <= 32);
        assert!(
            option
                .flags
                .iter()
                .all(|flag| flag.starts_with('-') && is_short(flag, 80))
        );
        assert!(is_short(&option.description, 500));
    }
    for command in commands {
        assert!(!command.name.is_empty() && !command.name.starts_with('-'));
        assert!(is_short(&command.description, 500) && is_short(&command.arguments, 500));
    }
}

proptest! {
    #[test]
    fn any_text_is_read(text in "(?s).{0,400}") {
        check(&text);
    }

    #[test]
    fn any_lines_of_help_are_read(
        lines in prop::collection::vec("[ \t]{0,9}(Usage:|usage: x|Commands:|options:|-[a-z]|--[a-z\\[\\]=<>]{1,9}|\\.[a-z]{2}|\\\\[a-z]|a -- b|[a-z (),:|é.]{0,12})[ \t]{0,4}[a-zA-Z<>\\[\\]=(),.é-]{0,9}", 0..40),
    ) {
        check(&lines.join("\n"));
    }
}

/// Texts of about `bytes` bytes that are hard in different ways.
fn hard_texts(bytes: usize) -> Vec<(&'static str, String)> {
    let repeated = |piece: &str| piece.repeat(bytes / piece.len());
    vec![
        ("options", repeated("  -a, --all   do all\n")),
        ("one line of flags", repeated("-a, ")),
        ("brackets", format!("usage: x\n  --x={}", repeated("[<{("))),
        ("headings", repeated("Commands:\n add  Add\n")),
        ("stairs", stairs(bytes)),
        ("usage", format!("usage: x\n{}", repeated("  x [-a]\n"))),
        ("names", format!("Commands:\n  {}", repeated("name, "))),
        ("columns", repeated("aa   bb   cc\n")),
        ("choices", repeated("usage: x\n  {a,b}\n")),
        ("overstrikes", repeated("a\u{8}")),
        ("blanks", repeated(" ")),
        ("lines", repeated("\n")),
        (
            "prose",
            repeated("some words of a sentence without any end and \n"),
        ),
        ("dashes", repeated("a -- b\n")),
        ("no line end", repeated("x")),
    ]
}

/// Headings, each below the one before.
fn stairs(bytes: usize) -> String {
    let mut text = String::new();
    for step in 0.. {
        if text.len() >= bytes {
            break;
        }
        text.push_str(&" ".repeat(step % 500));
        text.push_str("Commands:\n");
    }
    text
}

#[test]
#[ignore = "takes its time, and figures of a loaded machine mean nothing"]
fn a_text_of_a_mebibyte_is_read_in_time_that_grows_with_its_length() {
    let time = |text: &str| {
        let start = Instant::now();
        check(text);
        start.elapsed()
    };
    check(""); // compiles the pattern library
    for ((name, short), (_, long)) in hard_texts(128 << 10).into_iter().zip(hard_texts(1 << 20)) {
        // Eight times the text; quadratic time would be 64 times as long. A busy machine gets three tries.
        let tries = std::iter::repeat_with(|| (time(&short), time(&long))).take(3);
        let is_linear =
            |(short, long): (Duration, Duration)| long <= short * 24 + Duration::from_millis(500);
        assert!(tries.into_iter().any(is_linear), "{name}");
    }
}
