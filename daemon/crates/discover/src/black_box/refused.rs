//! Which made-up lines safe mode keeps from a program.
//! A line editor drops what it does not know, and programs take many bytes for a blank. So each reading of a line is judged.

use crate::help::HelpCommand;
use crate::safety::{refusal, refusal_of};

/// Returns whether safe mode refuses a line that a test has made up.
pub(super) fn is_unsafe(line: &[u8], commands: &[HelpCommand]) -> bool {
    let line = String::from_utf8_lossy(line);
    if is_unsafe_as_it_is(&line, commands) {
        return true;
    }
    let is_plain = |c: char| c.is_ascii() && !c.is_ascii_control();
    if line.chars().all(is_plain) {
        return false;
    }
    let without: String = line.chars().filter(|c| is_plain(*c)).collect();
    let with_blanks: String = line
        .chars()
        .map(|c| if is_plain(c) { c } else { ' ' })
        .collect();
    is_unsafe_as_it_is(&without, commands) || is_unsafe_as_it_is(&with_blanks, commands)
}

fn is_unsafe_as_it_is(line: &str, commands: &[HelpCommand]) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    // Many programs take the beginning of a command for the command.
    let is_meant = |name: &str| {
        let start = name.get(..word.len());
        !word.is_empty() && start.is_some_and(|start| start.eq_ignore_ascii_case(word))
    };
    let mut meant = commands
        .iter()
        .filter(|command| is_meant(&command.name) || command.aliases.iter().any(|it| is_meant(it)));
    // Made-up arguments must lead neither to other programs nor to files outside the throw-away folder.
    let is_dangerous = |command: &HelpCommand| {
        refusal_of(&command.name, command).is_some()
            || refusal_of(line, command).is_some()
            || runs_programs(command)
            || leads_out(line)
    };
    refusal(line).is_some() || meant.any(is_dangerous)
}

/// Returns whether a command of a program runs other programs.
fn runs_programs(command: &HelpCommand) -> bool {
    const NAMES: [&str; 8] = [
        "shell", "system", "sh", "exec", "spawn", "edit", "!", "pipe",
    ];
    let name = command.name.trim_start_matches(['.', '\\', ':']);
    let description = command.description.to_lowercase();
    let mut words = description.split(|c: char| !c.is_alphanumeric());
    NAMES.contains(&name) || words.any(|word| word == "shell")
}

/// Returns whether a word is the path of a file elsewhere.
fn leads_out(line: &str) -> bool {
    let mut words = line.split_whitespace().skip(1);
    words.any(|word| word.contains("..") || word.starts_with(['/', '~', '|', '"', '\'']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(name: &str, description: &str) -> HelpCommand {
        HelpCommand {
            name: name.to_owned(),
            description: description.to_owned(),
            ..HelpCommand::default()
        }
    }

    #[test]
    fn made_up_arguments_lead_neither_out_nor_to_programs() {
        let commands = [
            command(".output", "Send output to FILE"),
            command(".system", "Run CMD ARGS"),
            command("run", "Run CMD in a shell"),
            command("zap", "Delete all items"),
        ];
        for line in [
            ".output ../x",
            ".output /x",
            ".output |x",
            ".system x",
            "run x",
            "zap",
            "rm -rf x",
        ] {
            assert!(is_unsafe(line.as_bytes(), &commands), "{line}");
        }
        for line in [".output x", ".output", "../x", "", "xyz"] {
            assert!(!is_unsafe(line.as_bytes(), &commands), "{line}");
        }
    }

    #[test]
    fn a_line_is_judged_as_the_editor_and_the_program_may_read_it() {
        let commands = [
            command("factory_reset", "Restore factory settings"),
            command("wipe", "Wipe all data"),
            command("list", "List all items"),
        ];
        for line in [
            &b"\x1ewipe"[..],
            b"wipe\x1ex",
            b"wi\x01pe",
            b"wipe\xff",
            b"wi\xc2\x85pe",
            b"\xe2\x80\xa8wipe",
            b"WIPE",
            b"wip",
        ] {
            let shown = String::from_utf8_lossy(line);
            assert!(is_unsafe(line, &commands), "{shown:?}");
        }
        for line in [&b"\x1elist"[..], b"list wipe", b"swipe", b"\xff\xfe"] {
            let shown = String::from_utf8_lossy(line);
            assert!(!is_unsafe(line, &commands), "{shown:?}");
        }
    }
}
