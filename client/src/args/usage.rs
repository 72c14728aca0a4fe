//! Mistakes on the command line, told in one line.

/// Returns what clap has to say as one line without its leading `error:`, with where help is found.
pub(crate) fn explain(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let (mistake, usage) = text.split_once("\nUsage: ").unwrap_or((&text, ""));
    let mut line = String::new();
    for part in mistake
        .lines()
        .map(str::trim)
        .filter(|part| !part.is_empty())
    {
        let part = part.strip_prefix("error: ").unwrap_or(part);
        if part.starts_with("For more information") {
            continue;
        }
        if !line.is_empty() {
            line.push_str(if part.starts_with("tip: ") { "; " } else { " " });
        }
        line.push_str(part.strip_prefix("tip: ").unwrap_or(part));
    }
    let command: Vec<&str> = usage
        .split_whitespace()
        .take_while(|word| word.starts_with(|c: char| c.is_ascii_lowercase()))
        .collect();
    let command = if command.is_empty() {
        "ccctl".to_owned()
    } else {
        command.join(" ")
    };
    format!("{line}; {command} --help shows more")
}

#[cfg(test)]
mod tests {
    use crate::args::Ccctl;
    use clap::Parser as _;

    fn explain(words: &[&str]) -> String {
        super::explain(&Ccctl::try_parse_from(words).unwrap_err())
    }

    #[test]
    fn a_mistake_is_one_line_with_the_place_of_help() {
        let line = explain(&["ccctl", "session", "list", "--al"]);
        assert!(
            line.starts_with("unexpected argument '--al' found; "),
            "{line}"
        );
        assert!(line.contains("'--all'"), "{line}");
        assert!(
            line.ends_with("; ccctl session list --help shows more"),
            "{line}"
        );
        assert!(!line.contains('\n'));
    }

    #[test]
    fn what_is_missing_is_named() {
        let line = explain(&["ccctl", "session", "signal", "py"]);
        assert!(line.contains("<SIGNAL>"), "{line}");
        assert!(!line.contains('\n'));
        let line = explain(&["ccctl", "session", "resize", "py", "big"]);
        assert!(line.contains("give ROWSxCOLS"), "{line}");
    }
}
