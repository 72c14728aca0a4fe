//! Who writes to standard output and standard error: in the client one file, which lets no text of others control the
//! terminal.

use super::sources::{line_of, root, sources};

/// The packages whose files are checked.
const FOLDERS: [&str; 2] = ["client/src", "daemon/src"];

/// What gets hold of a standard stream, or writes to it.
const STREAMS: [&str; 12] = [
    "stdout()",
    "stderr()",
    "raw_stdout()",
    "raw_stderr()",
    "write_raw(",
    "println!(",
    "print!(",
    "eprintln!(",
    "eprint!(",
    "dbg!(",
    ".print()",
    "print_help()",
];

/// Whether a stream is a terminal may be asked anywhere.
const QUESTION: &str = ".is_terminal()";

/// Files that may, and why.
const EXCEPTIONS: [(&str, &[&str]); 6] = [
    (
        "the writers",
        &[
            "client/src/writer.rs",
            "daemon/src/lib.rs",
            "daemon/src/log.rs",
        ],
    ),
    (
        "the size of the terminal, whom it belongs to, whether somebody reads",
        &[
            "client/src/terminal.rs",
            "client/src/fullscreen/guard.rs",
            "client/src/hook/policy.rs",
            "client/src/verb/exec/live/screen.rs",
            "client/src/verb/logs.rs",
        ],
    ),
    (
        "control sequences of ccctl itself, beside text that the writer has made visible",
        &[
            "client/src/fullscreen/screen.rs",
            "client/src/attach/screen.rs",
        ],
    ),
    (
        "programs whose terminal is passed through",
        &["client/src/run/stream.rs", "client/src/attach/screen.rs"],
    ),
    ("--raw", &["client/src/context.rs"]),
    (
        "a command of the user, beside JSON",
        &["client/src/verb/chain/hit_command.rs"],
    ),
];

/// Returns the lines of `code` that get hold of a standard stream.
fn uses(code: &str) -> Vec<usize> {
    let found = STREAMS.iter().flat_map(|stream| {
        let places = code.match_indices(stream);
        places.filter(|&(at, _)| {
            let before = &code[..at];
            let is_longer = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
            let is_made_here = before.ends_with("fn ");
            let is_question = code[at + stream.len()..].trim_start().starts_with(QUESTION);
            !is_longer && !is_made_here && !is_question
        })
    });
    let mut lines: Vec<usize> = found.map(|(at, _)| line_of(code, at)).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

#[test]
fn only_the_writer_writes_to_standard_streams() {
    let listed = || EXCEPTIONS.iter().flat_map(|(_, files)| *files).copied();
    let (mut found, mut used) = (Vec::new(), Vec::new());
    for folder in FOLDERS {
        for source in sources(&root().join(folder)) {
            let path = format!("{folder}/{}", source.path.display());
            let lines = uses(&source.code);
            if !listed().any(|listed| listed == path) {
                found.extend(lines.iter().map(|line| format!("{path}:{line}")));
            } else if !lines.is_empty() {
                used.push(path);
            }
        }
    }
    assert!(
        found.is_empty(),
        "use crate::writer or crate::context, or say why not: {found:#?}"
    );
    let unused: Vec<_> = listed()
        .filter(|path| !used.iter().any(|used| used == path))
        .collect();
    assert!(unused.is_empty(), "these write nothing: {unused:#?}");
}

#[test]
fn a_writer_is_found() {
    let code = "fn f() {\n    io::stdout().write_all(b);\n    rustix::stdio::stderr();\n    println!(\n    );\n\
                writer::raw_stdout()\n.write(b);\n    if io::stdout()\n.is_terminal() {}\n    stdout(true);\n\
                command.stdout(null);\n    context.write_raw(b);\n}\nfn stdout() {}\n";
    assert_eq!(uses(code), [2, 3, 4, 6, 12]);
}
