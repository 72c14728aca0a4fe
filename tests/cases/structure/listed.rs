//! What only some files may do, and which they are: opening files, writing to standard streams, using a library.
//!
//! In the daemon, files of ccd are opened by `store:own_file.rs` alone, which waits for no named pipe and follows no link;
//! the client opens few. In the client, one file writes to standard output and standard error, which lets no text of others
//! control the terminal.

use super::sources::{line_of, root, sources};

/// What is written in the code, as words or parts of them, and the files that may: each row has the reason, a directory, and
/// files in it
/// without `.rs`, or all below a directory.
struct Rule {
    folders: &'static [&'static str],
    words: &'static [&'static str],
    /// Whether a word counts, by what is before it and after it.
    counts: fn(&str, &str) -> bool,
    files: &'static [(&'static str, &'static str, &'static str)],
}

const OPENERS: Rule = Rule {
    folders: &[
        "client/src",
        "daemon/src",
        "daemon/crates/store/src",
        "daemon/crates/session/src",
        "daemon/crates/coach/src",
        "daemon/crates/exec/src",
        "daemon/crates/conversation/src",
    ],
    words: &[
        "File::open(",
        "File::create(",
        "File::create_new(",
        "File::options(",
        "OpenOptions::new(",
        "fs::read(",
        "fs::read_to_string(",
        "fs::write(",
        "fs::copy(",
        "fs::open(",
        "openat(",
        " Mode::empty())",
    ],
    // `own_file::read(` does not end with `fs::read(`, but `OwnFile::open(` with `File::open(`.
    counts: |before, _| !before.ends_with(is_word),
    files: &[
        ("the opener", "daemon/crates/store/src", "own_file"),
        (
            "what the client opens beside the socket: in a directory that it has checked, no links, no waiting",
            "client/src/call",
            "start_files processes",
        ),
        (
            "files of ccd that the client reads or writes in directories of this user alone",
            "client/src",
            "demo/home doctor/daemon doctor/databases hook/memory hook/spool hooks/recording verb/logs",
        ),
        (
            "files that the user names or edits, and the terminal",
            "client/src",
            "ask hooks/file man named_file tape/shim verb/coach/editor verb/conversation/all whole_file",
        ),
        (
            "directories, and a file without a name that tells a used-up quota",
            "daemon/crates/store/src",
            "error folder",
        ),
        (
            "files of the system, in /proc, /dev and /etc",
            "client/src/doctor",
            "limits processes",
        ),
        (
            "the same",
            "daemon/crates/session/src",
            "peer live/attach/viewers live/output/thread live/run/target live/shell/integration \
             live/shell/wrap live/start/environment live/tape/far_side",
        ),
        ("the same", "daemon/src", "life/lock"),
        (
            "named pipes that ccd makes for readers",
            "daemon/crates/session/src",
            "live/pipe/fifo",
        ),
        ("the build that takes over", "daemon/src", "upgrade/look"),
        (
            "documents of the user: configuration, memory; checked to be regular files where the daemon reads them unasked",
            "daemon/src",
            "config/read rpc/memory",
        ),
        (
            "prices, files of Claude Code and their copies",
            "daemon/crates/conversation/src",
            "price/source task_list source/archive source/files source/loaded source/older_agent source/stamp \
             follow/growing import/imports index/feed index/follow index/search",
        ),
    ],
};

const STREAMS: Rule = Rule {
    folders: &["client/src", "daemon/src"],
    words: &[
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
    ],
    // Whether a stream is a terminal may be asked anywhere.
    counts: |before, after| {
        let is_question = after.trim_start().starts_with(".is_terminal()");
        !before.ends_with(is_word) && !before.ends_with("fn ") && !is_question
    },
    files: &[
        ("the writers", "client/src", "writer"),
        ("the writers", "daemon/src", "lib log"),
        (
            "the size of the terminal, whom it belongs to, whether somebody reads",
            "client/src",
            "terminal fullscreen/guard hook/policy verb/exec/live/screen verb/logs",
        ),
        (
            "control sequences of ccctl itself, beside text that the writer has made visible",
            "client/src",
            "fullscreen/screen attach/screen",
        ),
        (
            "programs whose terminal is passed through, and --raw",
            "client/src",
            "run/stream context",
        ),
        (
            "a command of the user, beside JSON",
            "client/src",
            "verb/chain/hit_command",
        ),
    ],
};

/// The rule that a crate starts a path in these files of the daemon alone.
const fn library(
    words: &'static [&'static str],
    files: &'static [(&'static str, &'static str, &'static str)],
) -> Rule {
    Rule {
        folders: &["daemon/src"],
        words,
        counts: |before, _| !before.ends_with(is_word) && !before.ends_with(':'),
        files,
    }
}

const LIBRARIES: [Rule; 6] = [
    library(&["clap::"], &[("", "daemon/src", "life/args lib")]),
    library(&["directories::"], &[("", "daemon/src", "config/")]),
    library(&["jsonrpsee::"], &[("", "daemon/src", "rpc/")]),
    library(
        &["sd_notify::"],
        &[("", "daemon/src", "life/service life/socket")],
    ),
    library(&["tracing_subscriber::"], &[("", "daemon/src", "log log/")]),
    // Handles of git are a matter of clippy.toml.
    Rule {
        folders: &["daemon/crates/repository/src"],
        ..library(
            &["Command::new("],
            &[("", "daemon/crates/repository/src", "program")],
        )
    },
];

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

impl Rule {
    /// Returns the lines of `code` to which it applies.
    fn lines(&self, code: &str) -> Vec<usize> {
        let found = self.words.iter().flat_map(|word| {
            let places = code.match_indices(word);
            places.filter(|&(at, _)| (self.counts)(&code[..at], &code[at + word.len()..]))
        });
        let mut lines: Vec<usize> = found.map(|(at, _)| line_of(code, at)).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    /// Asserts that only the listed files do it, and that each of them does.
    #[track_caller]
    fn assert_holds(&self) {
        let rows = self.files.iter();
        let listed = rows.flat_map(|(_, folder, names)| {
            let names = names.split_whitespace();
            names.map(move |name| {
                let end = if name.ends_with('/') { "" } else { ".rs" };
                format!("{folder}/{name}{end}")
            })
        });
        let listed: Vec<String> = listed.collect();
        let mut unused = listed.clone();
        let mut found = Vec::new();
        for folder in self.folders {
            for source in sources(&root().join(folder)) {
                let path = format!("{folder}/{}", source.path.display());
                let lines = self.lines(&source.code);
                let is_listed = listed.iter().any(|listed| path.starts_with(listed));
                if !is_listed {
                    found.extend(lines.iter().map(|line| format!("{path}:{line}")));
                } else if !lines.is_empty() {
                    unused.retain(|listed| !path.starts_with(listed));
                }
            }
        }
        let words = self.words;
        assert!(found.is_empty(), "{words:?}: {found:#?} are not listed");
        assert!(unused.is_empty(), "{words:?}: {unused:#?} do it no more");
    }
}

#[test]
fn whoever_opens_files_is_listed() {
    OPENERS.assert_holds();
}

#[test]
fn only_the_writer_writes_to_standard_streams() {
    STREAMS.assert_holds();
}

#[test]
fn each_library_of_the_daemon_is_known_to_its_folder_alone_and_git_is_started_in_one_place() {
    for rule in LIBRARIES {
        rule.assert_holds();
    }
}

#[test]
fn an_opening_a_writer_and_a_library_are_found() {
    let code = "fn f() {\n    let a = File::open(p);\n    std::fs::read(p)?;\n    own_file::read(p)?;\n    OwnFile::open(p);\n\
                rustix::fs::open(\n    p)\n}\n";
    assert_eq!(OPENERS.lines(code), [2, 3, 6]);
    let code = "fn f() {\n    io::stdout().write_all(b);\n    rustix::stdio::stderr();\n    println!(\n    );\n\
                writer::raw_stdout()\n.write(b);\n    if io::stdout()\n.is_terminal() {}\n    stdout(true);\n\
                command.stdout(null);\n    context.write_raw(b);\n}\nfn stdout() {}\n";
    assert_eq!(STREAMS.lines(code), [2, 3, 4, 6, 12]);
    let code = "use clap::Parser;\nuse my_clap::X;\nuse x::clap::Y;\n";
    assert_eq!(LIBRARIES[0].lines(code), [1]);
}
