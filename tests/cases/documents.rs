//! The commands that the documents show, run as one script per page in an empty home.
//!
//! A block of a page is run if `<!-- run PROGRAM… -->` precedes it, which names the programs that it needs. Its lines after `$ `
//! are commands, those after `> ` continue one, and the others are what it prints: `…` stands for any text, alone in a line for
//! any lines, and an id for any id.

use crate::support::client::Installation;
use crate::support::session::lacks;
use std::fs;
use std::path::Path;
use std::process::Command;

const MARK: &str = "<!-- run";

/// Separates the output of commands.
const SEPARATOR: char = '\u{1e}';

#[derive(Debug, Default)]
struct Shown<'a> {
    command: String,
    output: Vec<&'a str>,
}

/// Returns the programs that a page needs, and the commands that it shows.
fn shown(page: &str) -> (Vec<&str>, Vec<Shown<'_>>) {
    let (mut programs, mut commands) = (Vec::new(), Vec::<Shown<'_>>::new());
    for marked in page.split(MARK).skip(1) {
        let (needed, rest) = marked.split_once("-->").unwrap();
        programs.extend(needed.split_whitespace());
        let block = rest.trim_start().strip_prefix("```console\n");
        let block = block.unwrap_or_else(|| panic!("a console block follows {MARK}{needed}-->"));
        for line in block.split("\n```").next().unwrap().lines() {
            if let Some(command) = line.strip_prefix("$ ") {
                commands.push(Shown {
                    command: command.into(),
                    output: Vec::new(),
                });
                continue;
            }
            let last = commands.last_mut().expect("a block begins with a command");
            match line.strip_prefix("> ") {
                Some(more) if last.output.is_empty() => {
                    last.command.push('\n');
                    last.command.push_str(more);
                }
                _ => last.output.push(line),
            }
        }
    }
    (programs, commands)
}

fn is_id(line: &str) -> bool {
    let is_of_id = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    line.len() == 12 && line.chars().all(is_of_id)
}

fn is_line(shown: &str, printed: &str) -> bool {
    let mut parts = shown.trim_end().split('…');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = printed.trim_end().strip_prefix(first) else {
        return is_id(shown) && is_id(printed);
    };
    let mut is_open = false;
    for part in parts {
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
        is_open = part.is_empty();
    }
    is_open || rest.is_empty() || is_id(shown) && is_id(printed)
}

fn is_output(shown: &[&str], printed: &[&str]) -> bool {
    match (shown.split_first(), printed.split_first()) {
        (None, None) => true,
        (Some((&"…", rest)), _) => {
            (0..=printed.len()).any(|skipped| is_output(rest, &printed[skipped..]))
        }
        (Some((line, shown)), Some((print, printed))) => {
            is_line(line, print) && is_output(shown, printed)
        }
        _ => false,
    }
}

/// Runs what a page shows, and compares what it prints.
fn run(page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(page);
    let text = fs::read_to_string(path).unwrap();
    let (programs, commands) = shown(&text);
    assert!(!commands.is_empty(), "{page} shows nothing that is run");
    if lacks(&programs) {
        return;
    }
    let installation = Installation::new();
    let work = installation.home().with_file_name("work");
    fs::create_dir(&work).unwrap();
    let steps = commands.iter().map(|shown| {
        let command = &shown.command;
        format!("printf '{SEPARATOR}'\n{command}\n")
    });
    let script: String = steps.collect();
    let path = std::env::var("PATH").unwrap();
    let mut bash = Command::new("timeout");
    bash.args(["300", "bash", "-c", &format!("exec 2>&1\n{script}")]);
    bash.env_clear()
        .envs([("SHELL", "/bin/bash"), ("PASSWORD", "correct horse")])
        .env("HOME", work.parent().unwrap())
        .env("CCD_HOME", installation.home())
        .env("PATH", format!("{}:{path}", installation.bin().display()))
        .current_dir(work)
        .stdin(std::process::Stdio::null());
    let printed = String::from_utf8(bash.output().unwrap().stdout).unwrap();
    let printed: Vec<&str> = printed.split(SEPARATOR).skip(1).collect();
    for (shown, printed) in commands.iter().zip(&printed) {
        let lines: Vec<&str> = printed.lines().collect();
        let is_as_shown = is_output(&shown.output, &lines);
        let Shown { command, output } = shown;
        assert!(
            is_as_shown,
            "{page}: {command}\nshows  {output:#?}\nprints {lines:#?}"
        );
    }
    assert_eq!(printed.len(), commands.len(), "{page}: {printed:?}");
}

#[test]
fn the_readme_prints_what_it_shows() {
    run("README.md");
}

#[test]
fn the_tutorial_prints_what_it_shows() {
    run("docs/START.md");
}

#[test]
fn the_cookbook_prints_what_it_shows() {
    run("docs/COOKBOOK.md");
}

#[test]
fn output_is_compared_with_ids_and_gaps() {
    for (shown, printed) in [
        ("f3u0o2c1x8k9", "s9v423zgeauw"),
        ("recorded as … in …", "recorded as a in /b"),
        ("a\n…\nd", "a\nb\nc\nd"),
        ("…", ""),
    ] {
        let (shown, printed): (Vec<_>, Vec<_>) =
            (shown.lines().collect(), printed.lines().collect());
        assert!(is_output(&shown, &printed), "{shown:?}");
    }
    for (shown, printed) in [
        ("42", "43"),
        ("a … b", "a c"),
        ("a", "a\nb"),
        ("f3u0o2c1x8k9", "no such thing"),
    ] {
        let (shown, printed): (Vec<_>, Vec<_>) =
            (shown.lines().collect(), printed.lines().collect());
        assert!(!is_output(&shown, &printed), "{shown:?}");
    }
}
