//! A hostile text in every field of every record, from a daemon that has nothing else.

use super::commands::{Verb, verbs};
use super::fake::{Answers, Fake};
use super::terminal::on_terminal;
use super::{Findings, HOSTILE, alone_in, each};
use crate::support::client::CCCTL;
use crate::support::{Connection, Daemon};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Commands that pass the terminal of a program through, and such that start or end something or are not for people.
const OTHERS: &str = "run,rec,play,investigate learn,attach,agents attach,tape play,demo,mcp,dial,\
                      daemon start,daemon stop,daemon restart,daemon upgrade";

/// Flags after which output is passed through.
const RAW_FLAGS: [&str; 2] = ["--raw", "--attach"];

/// Results and entries of jobs, which the schema does not describe; other commands show the same records.
const JOB_RESULTS: [&str; 4] = [
    "tape.verify: the reply cannot be read",
    "expected struct TestJobResult",
    "expected struct InvestigationResult",
    "job.subscribe: the reply cannot be read",
];

/// Forms of the records: each has other alternatives, and other values of what is true or false.
const FORMS: usize = 3;

/// What an argument may have to look like.
const ARGUMENTS: [&str; 4] = ["a", "1", "{}", "."];

/// Runs commands in a home of their own.
struct Stage<'a> {
    folder: &'a Path,
    document: Arc<Value>,
    runs: AtomicUsize,
    called: Mutex<BTreeSet<String>>,
    findings: Findings,
    unread: Mutex<Vec<String>>,
}

impl Stage<'_> {
    /// Runs a command line; false if it called nothing.
    fn run(&self, line: &[String], answers: Answers) -> bool {
        let number = self.runs.fetch_add(1, Ordering::Relaxed);
        let socket = self.folder.join(format!("s{number}"));
        let fake = Fake::start(&socket, Arc::clone(&self.document), answers);
        let output = on_terminal(self.command(line, &fake.socket));
        let called = fake.end();
        let has_called = !called.is_empty();
        self.called.lock().unwrap().extend(called);
        self.findings.look(&self.command(line, &socket), &output);
        let text = String::from_utf8_lossy(&output);
        let is_known = JOB_RESULTS.iter().any(|known| text.contains(known));
        if text.contains("the reply cannot be read") && !is_known {
            let unread = format!("{line:?} {answers:?}: {text}");
            self.unread.lock().unwrap().push(unread);
        }
        has_called
    }

    fn command(&self, line: &[String], socket: &Path) -> Command {
        let mut command = Command::new(CCCTL);
        command
            .args(line)
            .env_remove("CCD_HOST")
            .env("CCD_SOCKET", socket)
            .env("CCD_HOME", self.folder.join("home"))
            .env("CCD_NO_START", "1")
            .env("TMPDIR", self.folder)
            .env("PAGER", "cat -");
        alone_in(self.folder, &mut command);
        command
    }

    /// Runs a command in all its forms.
    fn run_all(&self, verb: &Verb) {
        let line = |argument: &str, more: &[&str]| {
            let arguments = vec![argument.to_owned(); verb.arguments];
            let more = more.iter().map(|&word| word.to_owned()).collect();
            [verb.words.clone(), arguments, more].concat()
        };
        let good = ARGUMENTS
            .into_iter()
            .find(|argument| self.run(&line(argument, &[]), Answers::Records(0)));
        let Some(argument) = good else { return };
        for form in 0..FORMS {
            for more in [&["-v"][..], &["--json"]] {
                self.run(&line(argument, more), Answers::Records(form));
            }
        }
        for more in [&["-v"][..], &["--json"]] {
            self.run(&line(argument, more), Answers::Errors);
        }
        let flags = verb.flags.iter().map(String::as_str);
        for flag in flags.filter(|flag| !RAW_FLAGS.contains(flag)) {
            self.run(&line(argument, &[flag]), Answers::Records(0));
        }
    }
}

#[test]
fn no_field_of_any_record_controls_the_terminal() {
    let daemon = Daemon::start();
    let mut connection = Connection::open(&daemon.socket());
    let document = connection.ok("rpc.discover", &json!({}));
    let folder = tempfile::tempdir().unwrap();
    let stage = Stage {
        folder: folder.path(),
        document: Arc::new(document),
        runs: AtomicUsize::new(0),
        called: Mutex::default(),
        findings: Findings::default(),
        unread: Mutex::default(),
    };
    let logs = folder.path().join("home/logs");
    std::fs::create_dir_all(&logs).unwrap();
    std::fs::write(logs.join("ccd.log"), HOSTILE).unwrap();
    let help = |words: &[String]| {
        let line = [words, &["--help".to_owned()]].concat();
        let output = stage.command(&line, Path::new("/")).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let mut verbs = verbs(&help);
    verbs.retain(|verb| {
        let name = verb.words.join(" ");
        OTHERS.split(',').all(|other| other != name)
    });
    each(&verbs, |verb| stage.run_all(verb));
    stage.findings.assert_none(300);
    let unread = stage.unread.into_inner().unwrap();
    assert!(unread.is_empty(), "{unread:#?}");
    let called = stage.called.into_inner().unwrap();
    assert!(called.len() > 80, "only {}: {called:?}", called.len());
}
