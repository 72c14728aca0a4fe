//! The programs in `examples/`, each with a daemon of its own.

use crate::support::client::Ran;
use crate::support::executable::with_input;
use crate::support::session::{lacks, program};
use crate::support::{Ccctl, Daemon, assert_has};
use ccd_protocol::session::SessionCreateParams;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn example(name: &str) -> PathBuf {
    repository().join("examples").join(name)
}

/// A daemon, and a directory for the `PATH` with `ccctl`.
struct Stage {
    daemon: Daemon,
    bin: TempDir,
}

impl Stage {
    fn new() -> Self {
        let bin = tempfile::tempdir().unwrap();
        let ccctl = env!("CARGO_BIN_EXE_ccctl_under_test");
        symlink(ccctl, bin.path().join("ccctl")).unwrap();
        let daemon = Daemon::start();
        Self { daemon, bin }
    }

    /// Returns a command whose `ccctl` uses the daemon.
    fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        for (name, value) in Ccctl::new(&self.daemon).command(&[]).get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let path = std::env::var("PATH").unwrap();
        command.env("PATH", format!("{}:{path}", self.bin.path().display()));
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        command
    }

    /// Runs a command with this input, and asserts that no session is left; returns its output.
    #[track_caller]
    fn ok(&self, command: &mut Command, input: &str) -> String {
        let ran = Ran::of(with_input(command, input.as_bytes()));
        assert_eq!(ran.code, Some(0), "{command:?}: {}", ran.printed());
        let left = self.daemon.listed(false);
        assert!(left.is_empty(), "{command:?} leaves {left:?}");
        ran.stdout
    }

    /// Runs the part of an editor that uses a plugin, with the session `py`, in which Python runs; returns what both print.
    #[track_caller]
    fn edit(&self, editor: &mut Command, plugin: &str) -> (String, String) {
        let python = self.daemon.open_with(&SessionCreateParams {
            name: Some("py".to_owned()),
            ..program(&self.daemon, "/usr/bin/python3", &["-q"])
        });
        python.expect(">>> ");
        editor.env("PLUGIN", example(plugin));
        let ran = Ran::of(with_input(editor, b""));
        let shown = python.screen().lines.join("\n");
        python.close();
        assert_eq!(ran.code, Some(0), "{}{shown}", ran.printed());
        (ran.printed(), shown)
    }
}

const BC: &str = "output: ['2', '^', '64', '18446744073709551616']\nended: closed\n";

#[test]
fn scripts_print_what_they_are_for() {
    let in_javascript = BC.replace("['2'", "[ '2'").replace("']", "' ]");
    let in_python = format!("answer: 42\nscreen: ['6 * 7', '42']\n{BC}");
    let scripts: [(&str, &[&str], &str); 4] = [
        (
            "bash/sqlite.sh",
            &["bash", "sqlite3"],
            "173087\nChur\nBern\n",
        ),
        ("python/json_rpc.py", &["python3", "bc"], &in_python),
        (
            "node/http.js",
            &["node", "bc"],
            "answer: 42\nscreen: [ '6 * 7', '42' ]\n",
        ),
        ("node/websocket.js", &["node", "bc"], &in_javascript),
    ];
    let stage = Stage::new();
    for (script, needs, expected) in scripts {
        if !lacks(needs) {
            let printed = stage.ok(&mut stage.command(example(script)), "");
            assert_eq!(printed, expected, "{script}");
        }
    }
}

#[test]
fn a_script_waits_until_a_server_is_ready() {
    if lacks(&["bash", "curl", "python3"]) {
        return;
    }
    let stage = Stage::new();
    let printed = stage.ok(&mut stage.command(example("bash/wait_ready.sh")), "");
    assert_has(&printed, ["\"GET / HTTP/1.1\" 200"]);
    assert_eq!(printed.lines().count(), 1, "{printed}");
}

#[test]
fn a_script_answers_a_password_prompt_and_exits_as_the_program_does() {
    if lacks(&["bash", "python3"]) {
        return;
    }
    let stage = Stage::new();
    let asking =
        "import getpass; exit(getpass.getpass('[sudo] password for me: ') != 'tr0ub4dor&3')";
    for (password, code) in [("tr0ub4dor&3", 0), ("wrong", 1)] {
        let mut script = stage.command(example("bash/password.sh"));
        script.args(["/usr/bin/python3", "-c", asking]);
        let ran = Ran::with_input(&mut script, &format!("{password}\n"));
        assert_eq!(ran.code, Some(code), "{ran:?}");
        assert_eq!(ran.stdout.trim(), "[sudo] password for me:");
    }
    assert!(stage.daemon.listed(false).is_empty());
}

#[test]
fn the_prompt_counts_sessions_that_wait() {
    let stage = Stage::new();
    let count = || {
        let ran = Ran::of(
            stage
                .command(example("prompt/waiting.sh"))
                .output()
                .unwrap(),
        );
        assert_eq!((ran.code, &ran.stderr[..]), (Some(0), ""));
        ran.stdout
    };
    assert_eq!(count(), "");
    let cats = [(); 2].map(|()| stage.daemon.open("cat", &[]));
    for cat in &cats {
        cat.ask("x", "x\nx\n");
        cat.wait(ccd_protocol::session::WaitFor::Input);
    }
    assert_eq!(count(), "2 wait ");
}

#[test]
fn the_converted_script_differs_in_one_line_and_prints_the_same() {
    let read = |name| fs::read_to_string(example(name)).unwrap();
    let original = read("pexpect/original.py");
    let converted = original.replace("\nimport pexpect\n", "\nimport ccd_pexpect as pexpect\n");
    assert_eq!(read("pexpect/converted.py"), converted);
    if lacks(&["python3", "sqlite3"]) {
        return;
    }
    let stage = Stage::new();
    let mut python = stage.command("python3");
    python.env("PYTHONPATH", repository().join("docs"));
    let printed = stage.ok(python.arg(example("pexpect/converted.py")), "");
    let expected = "42\nno such column: answer\n1099511627776\nsqlite3 has exited\nstatus 1\n";
    assert_eq!(printed, expected);
    let original = Ran::of(
        Command::new("python3")
            .arg(example("pexpect/original.py"))
            .output()
            .unwrap(),
    );
    if original.stderr.contains("No module named 'pexpect'") {
        eprintln!("skipped in part: pexpect is not installed");
        return;
    }
    assert_eq!(original.stdout, expected, "{}", original.stderr);
}

/// Returns the commands of a step of the workflow.
fn commands_of(step: &str) -> String {
    let workflow = fs::read_to_string(example("github/replay-tapes.yml")).unwrap();
    let head = format!("- name: {step}\n        run: |\n");
    let (_, rest) = workflow.split_once(&head).unwrap();
    let lines = rest
        .lines()
        .map_while(|line| line.strip_prefix("          "));
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_workflow_tests_a_script_without_its_database() {
    if lacks(&["bash"]) {
        return;
    }
    let stage = Stage::new();
    let home = tempfile::tempdir().unwrap();
    let project = home.path().join("project");
    let copied = Command::new("cp")
        .arg("-r")
        .arg(example("github"))
        .arg(&project)
        .status();
    assert!(copied.unwrap().success());
    let commands = commands_of("Test");
    let test = || {
        let mut shell = stage.command("bash");
        shell.args(["-e", "-c", &commands]).current_dir(&project);
        let shell = shell.env("CI", "true").env_remove("LC_ALL");
        Ran::of(shell.output().unwrap())
    };
    let tested = test();
    assert_eq!(tested.code, Some(0), "{tested:?}");
    assert!(!project.join("shop.db").exists(), "sqlite3 ran");
    // A question that is on no tape.
    let script = project.join("report.sh");
    let changed = fs::read_to_string(&script)
        .unwrap()
        .replace("sum(price) from", "max(price) from");
    fs::write(&script, changed).unwrap();
    let tested = test();
    assert_eq!(tested.code, Some(1), "{tested:?}");
    assert_has(
        &tested.stderr,
        ["no tape of sqlite3 answers \"select max(price) from sale;\""],
    );
}

#[test]
fn systemd_accepts_the_limits() {
    let home = tempfile::tempdir().unwrap();
    let (bin, units) = (home.path().join(".local/bin"), home.path().join("units"));
    let drop_ins = units.join("ccd.service.d");
    for folder in [&bin, &drop_ins] {
        fs::create_dir_all(folder).unwrap();
    }
    symlink(env!("CARGO_BIN_EXE_ccd_under_test"), bin.join("ccd")).unwrap();
    symlink(env!("CARGO_BIN_EXE_ccctl_under_test"), bin.join("ccctl")).unwrap();
    for unit in ["ccd.service", "ccd.socket"] {
        fs::copy(repository().join("systemd").join(unit), units.join(unit)).unwrap();
    }
    fs::copy(example("systemd/limits.conf"), drop_ins.join("limits.conf")).unwrap();
    let output = Command::new("systemd-analyze")
        .args(["--user", "--man=no", "verify", "ccd.service"])
        .current_dir(&units)
        .env("HOME", home.path())
        .env("XDG_RUNTIME_DIR", home.path())
        .env("SYSTEMD_UNIT_PATH", format!("{}:", units.display()))
        .output();
    let Ok(output) = output else {
        eprintln!("skipped: systemd-analyze cannot be run: {output:?}");
        return;
    };
    // It exits with 0 even if it finds an unknown key.
    assert_eq!(Ran::of(output).printed(), "");
}

#[test]
fn neovim_types_paragraphs_and_shows_the_screen() {
    if lacks(&["nvim", "python3"]) {
        return;
    }
    let stage = Stage::new();
    let mut editor = stage.command("nvim");
    let script = repository().join("tests/fixtures/examples/neovim.lua");
    editor.args(["--headless", "--clean", "-S"]).arg(script);
    let (printed, shown) = stage.edit(&mut editor, "neovim");
    assert_has(&printed, ["no session is shown; use :CcdScreen NAME", "ok"]);
    assert_has(&shown, ["\ngot 42\n>>> x = ", "\nfrom line 1\n"]);
}

#[test]
fn the_extension_types_the_selection_and_shows_the_screen() {
    if lacks(&["node", "python3"]) {
        return;
    }
    let stage = Stage::new();
    let mut editor = stage.command("node");
    editor.arg(repository().join("tests/fixtures/examples/vscode.js"));
    let (printed, shown) = stage.edit(&mut editor, "vscode/extension.js");
    assert_has(
        &printed,
        ["path: 'py'", "shown got 42\nshown and 1024\nerrors []\n"],
    );
    assert_has(&shown, ["\ngot 42\n", "\nand 1024\n"]);
}

#[test]
fn the_table_of_examples_lists_each_directory() {
    let table = fs::read_to_string(example("README.md")).unwrap();
    for entry in fs::read_dir(example("")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            name == "README.md" || table.contains(&format!("({name}/")),
            "{name}"
        );
    }
}
