//! Tests that any text is read, with limits.

use super::{HelpText, parse};
use ccd_text::pattern::Compiled;
use proptest::prelude::*;
use std::sync::LazyLock;

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
