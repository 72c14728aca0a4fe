//! Investigations of programs that behave badly, each a script of a few lines.

use super::investigated::{
    Investigated, investigate_together, investigate_with, params, report_of, started,
};
use crate::support::executable::write_script;
use crate::support::session::{assert_error, lacks};
use crate::support::{Daemon, assert_has, eventually};
use ccd_protocol::ErrorCode;
use ccd_protocol::investigate::FindingKind;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Shows `$1` as its prompt, and has a help with two commands.
const READS: &str = r#"
while printf "$PROMPT" && IFS= read -r line; do
    case $line in
        help) printf 'Commands:\n  one  Say one\n  two  Say two\n' ;;
        one|two) echo "$line" ;;
        quit) exit 3 ;;
        *) echo "unknown command: $line" ;;
    esac
done
"#;

/// Starts an investigation of a script in a folder of the caller.
fn begin(daemon: &Daemon, name: &str, text: &str) -> String {
    let folder = daemon.home().join("scripts of a test");
    fs::create_dir_all(&folder).unwrap();
    write_script(&folder.join(name), &format!("#!/bin/sh\n{text}"));
    let argv = [&*format!("./scripts of a test/{name}")];
    started(daemon, &argv, &json!({"cwd": daemon.home()}))
}

fn known(found: &Investigated) {
    found.describes(&["one", "two"]);
    found.is_sound();
    assert!(found.report.commands["one"].tested);
    assert_eq!(found.exit("quit"), Some(3));
    assert_eq!(found.report.states.len(), 1, "{:?}", found.report.states);
}

#[test]
fn prompts_of_all_kinds_are_read() {
    let daemon = Daemon::start();
    let coloured = format!("PROMPT='\\033[1;32mgreen>\\033[0m '\n{READS}");
    let counting = READS.replace("printf \"$PROMPT\"", "n=$((n+1)) && printf \"In [$n]: \"");
    let broken = READS.replace("echo \"$line\"", "printf 'a\\377\\376b\\n'");
    let broken = format!("PROMPT='utf> '\n{broken}");
    let scripts = [
        ("coloured", &coloured),
        ("counting", &counting),
        ("broken", &broken),
    ];
    let jobs = scripts.map(|(name, text)| begin(&daemon, name, text));
    let [coloured, counting, broken] = jobs.map(|job| report_of(&daemon, &job));
    for (found, prompt) in [
        (&coloured, "green>"),
        (&counting, "In [1]:"),
        (&broken, "utf>"),
    ] {
        known(found);
        assert_eq!(found.report.prompts, [prompt]);
    }
    let name = coloured.path.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("coloured_"), "{name}");
    assert!(broken.sample("main", "one").starts_with("a\u{fffd}"));
}

#[test]
fn programs_that_do_not_talk_are_reported_as_such() {
    let daemon = Daemon::start();
    let log = daemon.home().join("typed");
    let password = format!(
        "[ $# = 0 ] || exit 1\nstty -echo\nprintf 'Password: '\nread -r x\necho \"$x\" >>{}\n",
        log.display()
    );
    let floods = begin(&daemon, "floods", "[ $# = 0 ] || exit 1\nexec yes\n");
    let password = begin(&daemon, "password", &password);
    let silent = begin(&daemon, "silent", "while IFS= read -r line; do :; done\n");
    let floods = report_of(&daemon, &floods);
    assert!(!floods.report.interactive && floods.report.prompts.is_empty());
    let kinds = floods.report.findings.iter().map(|found| found.kind);
    assert_eq!(kinds.collect::<Vec<_>>(), [FindingKind::Flood]);

    let password = report_of(&daemon, &password);
    password.is(true, false, &["Password:"]);
    assert!(password.notes("it asks for hidden input at its start"));
    assert!(!log.exists());

    let silent = report_of(&daemon, &silent);
    silent.is(true, false, &[]);
    silent.ends_by(&["C-d"]);
    assert!(silent.report.commands.is_empty() && silent.report.error_messages.is_empty());
    assert!(silent.report.help_commands.is_empty());
}

#[test]
fn programs_that_die_or_delete_are_asked_in_copies() {
    let daemon = Daemon::start();
    // It dies at the second input.
    let dies = READS.replace(
        "case $line",
        "n=$((n+1)); [ $n -lt 2 ] || kill -SEGV $$; case $line",
    );
    let dies = begin(&daemon, "dies", &format!("PROMPT='dies> '\n{dies}"));
    let text = READS.replace("help)", "help) rm -f ./*.txt;");
    let text = format!("case $1 in --help) rm -f ./*.txt; exit ;; esac\n{text}");
    fs::write(daemon.home().join("notes.txt"), "mine").unwrap();
    let deletes = begin(&daemon, "deletes", &format!("PROMPT='deletes> '\n{text}"));

    let dies = report_of(&daemon, &dies);
    dies.describes(&["one", "two"]);
    assert_eq!(dies.report.prompts, ["dies>"]);
    let deletes = report_of(&daemon, &deletes);
    known(&deletes);
    let notes = fs::read_to_string(daemon.home().join("notes.txt"));
    assert_eq!(notes.unwrap(), "mine");
}

#[test]
fn nothing_more_is_typed_where_the_input_is_hidden() {
    let daemon = Daemon::start();
    let log = daemon.home().join("typed");
    // Each word is a name, after which a password is asked for.
    let text = format!(
        "printf 'name? '\nread -r name\nstty -echo\nprintf 'Password: '\nread -r x && echo \"$x\" >>{}\n",
        log.display()
    );
    let asks = begin(&daemon, "asks", &format!("[ $# = 0 ] || exit 1\n{text}"));
    let asks = report_of(&daemon, &asks);
    assert_eq!(asks.report.prompts[0], "name?");
    assert!(!log.exists(), "{:?}", fs::read_to_string(&log));
}

#[test]
fn a_help_that_is_too_long_is_read_in_part_and_the_report_says_so() {
    let daemon = Daemon::start();
    let text = "[ \"$1\" = --help ] || exit 1\necho Commands:\nseq -f '  run%.0f  Say it' 3000\n";
    let found = report_of(&daemon, &begin(&daemon, "long", text));
    assert_eq!(found.report.commands.len(), 2000);
    assert!(found.notes("no more than 2000 commands of --help were read"));
}

#[test]
fn secrets_in_answers_are_masked_in_the_report() {
    let daemon = Daemon::start();
    let secret = "sk-ant-api03-Qm9vCg7xYzB4kLmNpRsTuVwXyZ0123456789abcdefg";
    let text = READS
        .replace("echo \"$line\"", &format!("echo 'error: api_key={secret}'"))
        .replace("Say one", &format!("Say one, as with {secret}"));
    let help = format!(
        "printf 'Usage: leaks\\n\\nOptions:\\n  --key K  Such as {secret}\\n  -v  More\\n'"
    );
    let start = format!("PROMPT='leaks> '\n[ \"$1\" != --help ] || {{ {help}; exit; }}\n");
    let job = begin(&daemon, "leaks", &format!("{start}{text}"));
    let found = report_of(&daemon, &job);
    found.describes(&["one", "two"]);
    assert!(found.sample("main", "one").contains("api_key=") && found.has_flag("--key"));
    let text = fs::read_to_string(&found.path).unwrap();
    assert!(!text.contains(secret), "{text}");
}

#[test]
fn programs_are_found_as_the_caller_names_them() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let here = json!({"cwd": daemon.home()});
    fs::write(daemon.home().join("plain"), "no program").unwrap();
    for program in ["no-such-program-4711", "./missing", "/", ".", "", "./plain"] {
        for method in ["investigate.run", "investigate.probe"] {
            let error = connection.error(method, &params(&[program], &here));
            assert_error(&error, ErrorCode::TargetNotFound);
            assert_eq!(error["code"], 4001);
            assert_eq!(error["data"]["program"], program);
        }
    }
    if lacks(&["python3"]) {
        return;
    }
    let text = r#"
import sys
if '--help' in sys.argv:
    sys.exit(print('Usage: mock [OPTIONS]\n\nOptions:\n  --level N  Set the level\n  --help     Print help'))
while True:
    print('no such command:', input('py$ '))
"#;
    fs::write(daemon.home().join("a mock.py"), text).unwrap();
    fs::write(daemon.home().join("mute.py"), "input('mute$ ')\n").unwrap();
    fs::write(daemon.home().join("mock.sh"), READS).unwrap();
    let env = json!({"cwd": daemon.home(), "env": {"PROMPT": "sh> "}});
    let programs = [
        &["python3", "a mock.py"][..],
        &["python3", "mute.py"],
        &["sh", "mock.sh"],
    ];
    let [found, mute, sh] = investigate_together(&daemon, programs, &env);
    found.is(true, false, &["py$"]);
    assert_eq!(found.report.args, ["a mock.py"]);
    // The script is asked, and not the interpreter.
    assert!(found.has_flag("--level") && !found.has_flag("-c"));
    assert_eq!(found.report.usage, ["mock [OPTIONS]"]);

    // Nor is the interpreter's manual read, if the script has no help.
    assert!(mute.report.options.is_empty() && mute.report.help_commands.is_empty());

    known(&sh);
    assert_eq!(sh.report.prompts, ["sh>"]);
}

#[test]
fn a_sandbox_is_bubblewrap() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let bin = daemon.home().join("bin");
    fs::create_dir(&bin).unwrap();
    // Without it.
    let without = json!({"sandbox": true, "env": {"PATH": bin}});
    let cat = params(&["/bin/cat"], &without);
    let error = connection.error("investigate.run", &cat);
    assert_error(&error, ErrorCode::SandboxUnavailable);
    // With one that fails.
    let bwrap = bin.join("bwrap");
    write_script(&bwrap, "#!/bin/sh\necho 'no namespaces' >&2\nexit 1\n");
    let error = connection.error("investigate.run", &cat);
    assert_error(&error, ErrorCode::SandboxUnavailable);
    assert_has(&error, ["no namespaces"]);
    // With a stand-in that says how it was called.
    let log = daemon.home().join("log");
    let stand_in = format!(
        "#!/bin/sh\necho \"$@\" >>{}\nwhile [ \"$1\" != -- ]; do shift; done\nshift\nexec \"$@\"\n",
        log.display()
    );
    write_script(&bwrap, &stand_in);
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let with = json!({"sandbox": true, "env": {"PATH": path}});
    investigate_with(&daemon, &["/bin/cat"], &with).ends_by(&["C-d"]);
    let calls = fs::read_to_string(&log).unwrap();
    for call in calls.lines() {
        assert!(call.starts_with("--ro-bind / / "), "{call}");
        assert!(call.contains("--unshare-all"), "{call}");
    }
    let is_help = |call: &str| call.ends_with("-- /bin/cat --help");
    assert!(calls.lines().any(is_help), "{calls}");
    a_probe_is_sandboxed_if_the_configuration_says_so(&daemon, &log, &with["env"]);
    // Where the kernel allows no namespaces, it cannot be tried.
    let trial = "--ro-bind / / --dev /dev --proc /proc --unshare-all true";
    let status = Command::new("bwrap").args(trial.split(' ')).status();
    if !status.is_ok_and(|status| status.success()) {
        return;
    }
    let real = investigate_with(&daemon, &["/bin/cat"], &json!({"sandbox": true}));
    real.is(true, false, &[]);
    real.ends_by(&["C-d"]);
    // Of /tmp, the sandbox shows nothing else.
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    let program = folder.path().join("of_tmp");
    write_script(&program, "#!/bin/sh\nexec cat\n");
    let program = program.to_str().unwrap();
    let of_tmp = investigate_with(&daemon, &[program], &json!({"sandbox": true}));
    of_tmp.is(true, false, &[]);
    of_tmp.ends_by(&["C-d"]);
    eventually("no folder is left", || {
        let mut left = fs::read_dir(daemon.home().join("run/discover")).unwrap();
        left.next().is_none().then_some(())
    });
}

fn a_probe_is_sandboxed_if_the_configuration_says_so(daemon: &Daemon, log: &Path, env: &Value) {
    let calls = || fs::read_to_string(log).unwrap().lines().count();
    let probe = || {
        let params = params(&["/bin/cat"], &json!({ "env": env }));
        let reply = daemon.ok("investigate.probe", &params);
        assert_eq!(reply["interactive"], true, "{reply}");
    };
    let before = calls();
    probe();
    assert_eq!(calls(), before);
    fs::write(daemon.config_path(), "{ investigation: { sandbox: true } }").unwrap();
    daemon.ok("daemon.reload", &json!({}));
    probe();
    assert!(calls() > before);
}
