//! Every command that the documents and the help show is one that the parser accepts.

use super::{Ccctl, only_conversation};
use ccd_policy::shell::{ExecutedCommand, file_name, parts};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders with documents. Those in the root count as well.
const FOLDERS: [&str; 4] = [".github", "client/plugin", "docs", "examples"];

/// Commands that one place of a document shows.
#[derive(Debug, PartialEq, Eq)]
struct Shown {
    line: usize,
    script: String,
    /// It is part of a sentence, which may name a command without its arguments.
    is_named: bool,
}

fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders: Vec<PathBuf> = FOLDERS.iter().map(|folder| root.join(folder)).collect();
    let mut entries: Vec<PathBuf> = entries_of(&root);
    while let Some(folder) = folders.pop() {
        let (inner, files) = entries_of(&folder)
            .into_iter()
            .partition(|path| path.is_dir());
        let (inner, files): (Vec<PathBuf>, Vec<PathBuf>) = (inner, files);
        folders.extend(inner);
        entries.extend(files);
    }
    entries.retain(|path| path.extension().is_some_and(|end| end == "md"));
    entries.push(root.join("client/src/args/help.txt"));
    entries.sort();
    entries
}

fn entries_of(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// Returns the commands that a document shows: in blocks, in indented lines, and in code spans.
fn shown(document: &str) -> Vec<Shown> {
    let mut all = Vec::new();
    // The language of the block that the line is in.
    let mut block: Option<&str> = None;
    let mut lines = document.lines().enumerate().peekable();
    while let Some((at, line)) = lines.next() {
        let text = line.trim_start();
        if let Some(language) = text.strip_prefix("```") {
            block = block.is_none().then_some(language);
            continue;
        }
        let is_script = matches!(block, Some("sh" | "bash"));
        let command = text.strip_prefix("$ ").or_else(|| {
            let is_code = block.is_some() || line.starts_with("  ");
            (is_code && is_whole(text)).then_some(text)
        });
        let mut script = command.unwrap_or(text).to_owned();
        if is_script || command.is_some() {
            // A script continues to the end of its block, another command while its lines end in a backslash.
            while let Some((_, more)) = lines.next_if(|(_, more)| {
                let is_end = more.trim_start().starts_with("```");
                !is_end && (is_script || script.ends_with('\\'))
            }) {
                script = format!("{script}\n{}", more.trim_start());
            }
            all.push(Shown {
                line: at + 1,
                script,
                is_named: false,
            });
        }
        if block.is_none() && command.is_none() {
            let spans = text.split('`').skip(1).step_by(2);
            all.extend(spans.filter(|span| is_whole(span)).map(|span| Shown {
                line: at + 1,
                script: span.to_owned(),
                is_named: true,
            }));
        }
    }
    all
}

/// True for a command without an ellipsis, a line of a drawing or a placeholder such as `<name>`.
fn is_whole(text: &str) -> bool {
    let is_placeholder = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphabetic());
    let has_placeholder = text.split('<').skip(1).any(is_placeholder);
    text.starts_with("ccctl ")
        && !has_placeholder
        && !text.contains(['…', '─'])
        && !text.contains("...")
}

/// Returns what the parser says about the calls of `ccctl` in a script.
fn mistakes(shown: &Shown) -> Vec<String> {
    if !shown.script.contains("ccctl") {
        return Vec::new();
    }
    let one = |script| {
        parts(script).map(|commands| {
            let mistakes = commands.iter();
            let mistakes = mistakes.filter_map(|command| mistake(command, shown.is_named));
            mistakes.collect::<Vec<_>>()
        })
    };
    // `parts` refuses what a policy cannot rely on, such as an assignment to PATH: then each line counts alone.
    let lines = || {
        let lines = shown.script.lines().filter(|line| line.contains("ccctl"));
        let unreadable = |doubt, line| vec![format!("cannot be read: {doubt}: {line}")];
        let mistakes = lines.map(|line| one(line).unwrap_or_else(|doubt| unreadable(doubt, line)));
        mistakes.flatten().collect()
    };
    one(&shown.script).unwrap_or_else(|_| lines())
}

fn mistake(command: &ExecutedCommand, is_named: bool) -> Option<String> {
    let (program, arguments) = command.words.split_first()?;
    if file_name(&program.text) != "ccctl" {
        return None;
    }
    let mut words = vec![OsString::from("ccctl")];
    words.extend(arguments.iter().map(|word| OsString::from(&word.text)));
    let error = Ccctl::parse_words(&words).err()?;
    let is_bare = words.len() == 1 || only_conversation(&error, &words).is_some();
    let value_of = |kind| match error.get(kind) {
        Some(ContextValue::String(value)) => value.as_str(),
        _ => "",
    };
    let is_fine = match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => true,
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        | ErrorKind::MissingRequiredArgument
        | ErrorKind::MissingSubcommand => is_named || is_bare,
        ErrorKind::InvalidSubcommand => is_placeholder(value_of(ContextKind::InvalidSubcommand)),
        // An option that is named without its value has an empty one.
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            let value = value_of(ContextKind::InvalidValue);
            is_placeholder(value) || (is_named && value.is_empty())
        }
        _ => false,
    };
    (!is_fine).then(|| format!("{words:?}: {error}"))
}

/// True for a word such as `DAYS`.
fn is_placeholder(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_uppercase() || c == '-')
}

#[test]
fn every_command_in_the_documents_and_the_help_parses() {
    let mut count = 0;
    let mut found = Vec::new();
    for document in documents() {
        for shown in shown(&fs::read_to_string(&document).unwrap()) {
            count += 1;
            let place = format!("{}:{}", document.display(), shown.line);
            found.extend(
                mistakes(&shown)
                    .iter()
                    .map(|mistake| format!("{place}: {mistake}")),
            );
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(count > 500, "only {count} places were found");
}

#[test]
fn commands_are_found_and_wrong_ones_are_reported() {
    let document = "\
Text with `ccctl send`, `ccctl nothing`, `ccctl new …`, `ccctl exec cleanup --older-than DAYS` and `ls`.

```sh
cd /tmp && id=$(ccctl new -- \\
  cat | head -n 1); ccctl sned \"$id\"
```
```sh
export PATH=$PWD:$PATH
ccctl ls --al
```

1. In a list:
   ```console
   $ ccctl send a b --expct c
   ccctl: an error
   ```

    ccctl close
";
    let found = shown(document);
    let lines: Vec<usize> = found.iter().map(|shown| shown.line).collect();
    assert_eq!(lines, [1, 1, 1, 4, 8, 14, 18]);
    let mistakes: Vec<usize> = found.iter().map(|shown| mistakes(shown).len()).collect();
    assert_eq!(mistakes, [0, 1, 0, 1, 1, 1, 1]);
}
