//! Options that only a usage line names:
//!
//! ```text
//! git [-v | --version] [-C <path>] [--exec-path[=<path>]] [-p | --paginate | -P | --no-pager] <command>
//! ssh [-46AaCf] [-D [bind_address:]port] destination
//! ```

use super::flags;
use ccd_protocol::investigate::OptionFound;

/// Returns the options in brackets of usage lines, without duplicates.
pub(super) fn options(usage: &[String]) -> Vec<OptionFound> {
    let mut options = Vec::new();
    for line in usage {
        add_groups(line, &mut options);
    }
    options
}

fn add_groups(text: &str, options: &mut Vec<OptionFound>) {
    let mut rest = text;
    while let Some((before, group, after)) = group(rest) {
        // `--list[-full]` is one word.
        if before.is_empty() || before.ends_with([' ', '(']) {
            add_group(group, options);
        }
        rest = after;
    }
}

/// Returns what is before the first pair of brackets, its content, and what follows it.
fn group(text: &str) -> Option<(&str, &str, &str)> {
    let start = text.find('[')? + 1;
    let mut depth = 1;
    for (at, c) in text[start..].char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let end = start + at;
            return Some((&text[..start - 1], &text[start..end], &text[end + 1..]));
        }
    }
    None
}

fn add_group(group: &str, options: &mut Vec<OptionFound>) {
    // `(-m | --message) <message>`
    let group = match group
        .strip_prefix('(')
        .and_then(|text| text.split_once(')'))
    {
        Some((flags, value)) => format!("{flags}{value}"),
        None => group.to_owned(),
    };
    if !group.starts_with('-') {
        add_groups(&group, options);
        return;
    }
    if let Some(letters) = cluster(&group) {
        letters.for_each(|letter| add(options, vec![format!("-{letter}")], ""));
        return;
    }
    // The short spelling of the next alternative.
    let mut short: Option<String> = None;
    for alternative in group.split(" | ") {
        let Some(term) = flags::read(alternative, None) else {
            continue;
        };
        let is_short = term.flags.iter().all(|flag| !flag.starts_with("--"));
        let mut flags: Vec<String> = short.take().into_iter().collect();
        if is_short {
            add(options, std::mem::take(&mut flags), "");
        }
        flags.extend(term.flags);
        match &*flags {
            [flag] if is_short && term.value.is_empty() => short = Some(flag.clone()),
            _ => add(options, flags, &term.value),
        }
        add_groups(term.description, options);
    }
    add(options, short.into_iter().collect(), "");
}

/// Returns the letters of `-46AaCf`: options of one letter each, in the order of the alphabet.
fn cluster(group: &str) -> Option<std::str::Chars<'_>> {
    let letters = group.strip_prefix('-')?;
    let is_sorted = letters
        .bytes()
        .is_sorted_by_key(|byte| byte.to_ascii_lowercase());
    let is_plain = letters.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_mixed = letters.bytes().any(|byte| !byte.is_ascii_lowercase());
    (letters.len() > 1 && is_sorted && is_plain && is_mixed).then(|| letters.chars())
}

fn add(options: &mut Vec<OptionFound>, flags: Vec<String>, value: &str) {
    let is_known = |flag| options.iter().any(|known| known.flags.contains(flag));
    if flags.is_empty() || flags.iter().any(is_known) {
        return;
    }
    options.push(OptionFound {
        flags,
        value: (!value.is_empty()).then(|| value.to_owned()),
        description: String::new(),
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Vec<String> {
        let options = options(&[line.to_owned()]).into_iter();
        let text = |option: OptionFound| {
            let value = option.value.map(|value| format!(" {value}"));
            option.flags.join(",") + &value.unwrap_or_default()
        };
        options.map(text).collect()
    }

    #[test]
    fn alternatives_values_and_clusters_are_read() {
        assert_eq!(
            read(
                "git [-v | --version] [-C <path>] [-p | --paginate | -P | --no-pager] <command> [<args>]"
            ),
            [
                "-v,--version",
                "-C <path>",
                "-p,--paginate",
                "-P,--no-pager"
            ]
        );
        assert_eq!(
            read("x [--exec-path[=<path>]] [-c <name>=<value>] [--bare]"),
            ["--exec-path [=<path>]", "-c <name>=<value>", "--bare"]
        );
        assert_eq!(
            read(
                "ssh [-4Aa] [-D [bind_address:]port] [-p port] [-readonly] [command [argument ...]]"
            ),
            [
                "-4",
                "-A",
                "-a",
                "-D [bind_address:]port",
                "-p port",
                "-readonly"
            ]
        );
        assert_eq!(
            read(
                "s [push [-p | --patch] [-k | --[no-]keep-index] [(-m | --message) <message>] [--from=<file> [--nul]]] [-q | -v"
            ),
            [
                "-p,--patch",
                "-k,--keep-index,--no-keep-index",
                "-m,--message <message>",
                "--from <file>",
                "--nul"
            ]
        );
        assert_eq!(read("x [-a | -b] FILE"), ["-a", "-b"]);
        assert_eq!(read("x -e FILE [OPTIONS] --list[-full]"), [""; 0]);
    }
}
