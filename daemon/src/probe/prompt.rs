//! Whether a line of output looks like a prompt.

/// Signs that end a prompt when blanks follow them: of shells, interpreters and database clients.
const SIGNS: [char; 10] = ['$', '#', '>', '%', '❯', '❱', '➜', '»', '›', 'λ'];

/// Whole lines, without the blanks around them, that are prompts although nothing in their shape
/// says so.
const LINES: [&str; 5] = ["...", "?-", ":", "--More--", "(END)"];

/// What a question ends in, in lower case.
const CHOICES: [&str; 8] = [
    "(y/n)",
    "[y/n]",
    "(yes/no)",
    "[yes/no]",
    "y/n",
    "(yes/no/[fingerprint])",
    "[y/n/q]",
    "[y/n/a]",
];

/// Returns whether a program that printed `last_line` and then fell silent probably waits for
/// input.
///
/// `last_line` is the text from the start of the line to the cursor, blanks at its end included,
/// without control sequences. This is a guess, for programs whose state cannot be seen; ask it only
/// about a terminal that has been quiet.
pub(crate) fn prompt_like(last_line: &str) -> bool {
    let text = last_line.trim();
    if text.is_empty() {
        return false;
    }
    let blank_follows = last_line.ends_with([' ', '\u{a0}']);
    LINES.contains(&text)
        || (blank_follows && (ends_in_sign(text) || is_debugger(text)))
        || asks(text)
        || asks_for_a_key(&text.to_lowercase())
}

/// A percent sign or number sign after a digit is a figure, not a shell.
fn ends_in_sign(text: &str) -> bool {
    let mut chars = text.chars().rev();
    let Some(sign) = chars.next().filter(|sign| SIGNS.contains(sign)) else {
        return false;
    };
    !(sign == '%' && chars.next().is_some_and(|before| before.is_ascii_digit()))
}

/// `(gdb)`, `(Pdb)`, `(lldb)`: one word in parentheses.
fn is_debugger(text: &str) -> bool {
    let word = text
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'));
    word.is_some_and(|word| {
        !word.is_empty()
            && word
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
    })
}

/// `Password:`, `Continue?`, `Name [default]:`; two colons are a path in many languages.
fn asks(text: &str) -> bool {
    (text.ends_with([':', '：']) && !text.ends_with("::")) || text.ends_with(['?', '？'])
}

fn asks_for_a_key(text: &str) -> bool {
    let presses = ["press ", "hit "].iter().any(|verb| text.contains(verb));
    let keys = ["key", "enter", "return", "space"]
        .iter()
        .any(|key| text.contains(key));
    CHOICES.iter().any(|choice| text.ends_with(choice)) || (presses && keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_are_recognised() {
        let prompts = [
            "$ ",
            "# ",
            "% ",
            "> ",
            "user@host:~/src$ ",
            "[root@host /]# ",
            "host% ",
            "❯ ",
            "~/src ❯ ",
            "➜ ",
            "λ ",
            ">>> ",
            "... ",
            "In [12]: ",
            "sqlite> ",
            "   ...> ",
            "mysql> ",
            "    -> ",
            "db=# ",
            "db=> ",
            "?- ",
            "127.0.0.1:6379> ",
            "irb(main):001:0> ",
            "iex(1)> ",
            ">> ",
            "(gdb) ",
            "(Pdb) ",
            "(lldb) ",
            "  DB<1> ",
            "Password: ",
            "Password:",
            "[sudo] password for me: ",
            "login: ",
            "Enter passphrase (empty for none): ",
            "Name [none]: ",
            "Overwrite? ",
            "Proceed?",
            "Continue (y/n)",
            "Continue? [Y/n] ",
            "Remove it [y/N] ",
            "Are you sure (yes/no/[fingerprint])? ",
            "--More--",
            "(END)",
            ":",
            "Press any key to continue",
            "Press ENTER or type command to continue",
            "Hit <Return> to go on",
            "パスワード：",
        ];
        for line in prompts {
            assert!(prompt_like(line), "{line:?} is a prompt");
        }
    }

    #[test]
    fn other_output_is_not_taken_for_a_prompt() {
        let others = [
            "",
            "   ",
            "done",
            "done.",
            "100%",
            " 45% ",
            "progress 45 % done ",
            "Loading... ",
            "Compiling ccd v0.1.0",
            "std::",
            "http://host/path",
            "12:30:45",
            "warning: unused variable",
            "<html>",
            "a -> b",
            "cost 5$",
            "(see the manual)",
            "(1 of 3) ",
            "( ) ",
            "key pressed",
            "[####      ]",
            "Resolving deltas: 37",
            "y/nothing",
        ];
        for line in others {
            assert!(!prompt_like(line), "{line:?} is no prompt");
        }
    }
}
