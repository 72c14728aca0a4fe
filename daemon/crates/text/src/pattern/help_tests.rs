//! Tests which texts are help, with the output of real programs.

use super::Compiled;
use super::classify_tests::printed;
use crate::test_lines::lines;

#[test]
fn a_banner_or_a_single_heading_is_no_help() {
    let library = Compiled::built_in();
    for text in &lines("no_help") {
        let found = library.classify(text);
        assert!(!found.is_help && found.commands.is_empty(), "{text}");
    }
}

#[test]
fn lists_of_commands_are_help_in_all_their_shapes() {
    let library = Compiled::built_in();
    #[rustfmt::skip]
    let rows = [
        ("help: Show help\nlist: List items", "list", "List items"),
        ("* help - x\n* list - y", "list", "y"),
        ("• help - x\n• list - y", "help", "x"),
        ("help - Show help\nquit - Leave\n", "quit", "Leave"),
        ("help – Show help\nquit – Leave\n", "quit", "Leave"),
        (".help   Show it\n.quit   Leave\n", ".quit", "Leave"),
        ("Available commands:\n  help - Show help\n  set NAME VALUE - Set it\n", "set NAME VALUE", "Set it"),
        ("Commands:\n  • go  - Do it\n", "go", "Do it"),
        ("Commands:\n[go] Do it\n", "go", "Do it"),
        ("Commands:\n  go      Do it\n", "go", "Do it"),
        ("Commands:\n  go: Do it\n", "go", "Do it"),
        (
            "You are using psql, the command-line interface to PostgreSQL.\nType:  \\copyright for distribution terms\n       \\h for help with SQL commands\n       \\? for help with psql commands\n       \\g or terminate with semicolon to execute query\n       \\q to quit\n",
            "\\?",
            "help with psql commands",
        ),
        ("Options:\n  --verbose\n  --quiet\n", "--quiet", ""),
        ("Usage: x [-a]\n", "", ""),
    ];
    for (text, name, description) in rows {
        let found = library.classify(text);
        assert!(found.is_help, "{text}");
        let mut commands = found.commands.iter();
        let is_there = commands.any(|c| c.name == name && c.description == description);
        assert!(name.is_empty() || is_there, "{found:#?}");
    }
}

#[test]
fn what_programs_print_for_help_is_help_with_its_commands() {
    let library = Compiled::built_in();
    let cases: &[(&str, &[&str], &str, usize)] = &[
        ("sqlite3", &[":memory:", ".help"], ".backup ?DB? FILE", 50),
        ("bash", &["-c", "help"], "", 0),
        ("bash", &["--help"], "--init-file", 10),
        ("jq", &["--help"], "-c", 5),
        ("vim", &["--help"], "-v", 15),
        ("bc", &["--help"], "-h  --help", 0),
        ("gdb", &["-batch", "-ex", "help"], "data", 8),
        ("git", &["--help"], "clone", 10),
        ("python3", &["--help"], "", 5),
        ("tar", &["--help"], "", 50),
    ];
    for (program, args, name, least) in cases {
        let Some(text) = printed(program, args, "") else {
            continue;
        };
        let found = library.classify(&text);
        assert!(found.is_help, "{program} {args:?} printed\n{text}");
        let names: Vec<&str> = found.commands.iter().map(|c| &*c.name).collect();
        let is_there = name.is_empty() || *least == 0 || names.contains(name);
        assert!(is_there, "{program} {args:?}: {names:?}");
        assert!(names.len() >= *least, "{program} {args:?}: {names:?}");
    }
}

#[test]
fn banners_of_installed_programs_are_no_help() {
    let library = Compiled::built_in();
    let cases: &[(&str, &[&str])] = &[
        ("python3", &["-i"]),
        ("node", &["-i"]),
        ("sqlite3", &["-interactive", ":memory:"]),
        ("bc", &["-i"]),
        ("ls", &["--nope"]),
        ("git", &["nope"]),
    ];
    for (program, args) in cases {
        if let Some(text) = printed(program, args, "") {
            let found = library.classify(&text);
            assert!(!found.is_help, "{program} printed\n{text}");
        }
    }
}
