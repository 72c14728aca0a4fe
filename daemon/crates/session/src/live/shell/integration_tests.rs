//! Integrated shells on real terminals, with a user's start files.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::driver_tests::{Given, LiveShell, find};
use super::integrated;
use super::integration::Integration;

const PROMPT_START: &str = "\x1b]133;A\x07";
/// Without its end: shells whose line editor takes commands print more.
const PROMPT_END: &str = "\x1b]133;B";

/// Integrates `program` for a user with the environment `env` and start files in `home`.
fn integrate(program: &Path, args: &[&str], env: &[(&str, &str)], home: &Path) -> Integration {
    let args: Vec<OsString> = args.iter().map(OsString::from).collect();
    let lookup = |name: &str| {
        let (_, value) = env.iter().find(|(known, _)| *known == name)?;
        Some(OsString::from(value))
    };
    integrated(program, &args, lookup, &home.join("rc dir"), home).unwrap()
}

/// A user with start files and an integrated shell.
struct User {
    home: tempfile::TempDir,
    env: Vec<(&'static str, String)>,
}

impl User {
    fn with(files: &[(&str, &str)]) -> Self {
        let home = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = home.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self {
            home,
            env: Vec::new(),
        }
    }

    fn path(&self, name: &str) -> String {
        self.home.path().join(name).display().to_string()
    }

    /// Starts the shell, or prints that it is not installed.
    fn start(&self, program: &str, args: &[&str]) -> Option<LiveShell> {
        let Some(path) = find(program) else {
            eprintln!("skipped: {program} is not installed");
            return None;
        };
        let env: Vec<(&str, &str)> = self.env.iter().map(|(k, v)| (*k, v.as_str())).collect();
        let integration = integrate(&path, args, &env, self.home.path());
        let own = env.iter().map(|(name, value)| (name.into(), value.into()));
        let env: Vec<_> = own.chain(integration.env).collect();
        let home = self.home.path();
        Some(LiveShell::start(&path, &integration.args, &env, home))
    }

    fn bash(&self, args: &[&str]) -> LiveShell {
        self.start("bash", args).expect("bash is needed")
    }
}

fn output(shell: &mut LiveShell, command: &str) -> String {
    String::from_utf8(shell.run(command.as_bytes(), Given::File).output).unwrap()
}

/// Types `line` as a person does, and returns the terminal's output until the next prompt.
fn typed(shell: &mut LiveShell, line: &str) -> String {
    // The first prompt may not have arrived yet.
    shell.wait_for(0, PROMPT_END);
    let start = shell.seen.len();
    shell.send(format!("{line}\r").as_bytes());
    shell.wait_for(start, PROMPT_END);
    String::from_utf8(shell.seen[start..].to_vec()).unwrap()
}

/// Checks that the marks of one typed command appear in this order.
fn check_marks(shown: &str, expected: &[&str]) {
    let mut rest = shown;
    for mark in expected {
        let Some(at) = rest.find(mark) else {
            panic!("no {mark:?} in {rest:?} of {shown:?}")
        };
        rest = &rest[at + mark.len()..];
    }
}

const ROUND: [&str; 5] = [
    "\x1b]133;C\x07",
    "hello\r\n",
    "\x1b]133;D;3\x07",
    "\x1b]133;A\x07",
    PROMPT_END,
];

#[test]
fn bash_prints_marks_around_commands_and_prompts() {
    let user = User::with(&[(".bashrc", "PS1='mine> '; PROMPT_COMMAND='status=$?;'")]);
    let mut shell = user.bash(&[]);
    shell.wait_for(0, PROMPT_END);
    let prompt = "\x1b]133;A\x07mine> \x1b]133;B;ccd\x07";
    assert!(shell.shown_text().ends_with(prompt), "{}", shell.shown());
    check_marks(&typed(&mut shell, "echo hello; (exit 3)"), &ROUND);
    assert_eq!(output(&mut shell, "echo $status"), "3\n");
    assert!(!shell.shown_text().contains(['\x01', '\x02']));
}

#[test]
fn bash_prints_nothing_of_ours_at_its_start() {
    let user = User::with(&[(".bashrc", "PS1=x")]);
    let mut shell = user.bash(&[]);
    shell.wait_for(0, PROMPT_END);
    let shown = shell.shown_text().replace("\x1b[?2004h", "");
    assert_eq!(shown, "\x1b]133;D;0\x07\x1b]133;A\x07x\x1b]133;B;ccd\x07");
}

#[test]
fn bash_keeps_lines_with_a_space_out_of_its_history() {
    let user = User::with(&[(".bashrc", "HISTCONTROL=erasedups")]);
    let mut shell = user.bash(&[]);
    typed(&mut shell, " echo hidden");
    typed(&mut shell, "echo kept");
    let history = output(&mut shell, "history; echo $HISTCONTROL");
    let is_kept = |word| history.contains(word);
    assert!(is_kept("echo kept") && !is_kept("hidden"), "{history}");
    assert!(history.ends_with("ignorespace:erasedups\n"), "{history}");
}

#[test]
fn bash_takes_a_list_of_prompt_commands() {
    let rc = "first() { seen=$?; }; second() { PS1=\"<$seen> \"; }; PROMPT_COMMAND=(first second)";
    let user = User::with(&[(".bashrc", rc)]);
    let mut shell = user.bash(&[]);
    let shown = typed(&mut shell, "echo hello; (exit 3)");
    check_marks(&shown, &ROUND);
    let prompt = "\x1b]133;A\x07<3> \x1b]133;B;ccd\x07";
    assert!(shown.contains(prompt), "{shown:?}");
}

#[test]
fn bash_survives_errors_in_start_files() {
    for rc in [
        "if then\n",
        "no_such_command_at_all\nreturn 4\n",
        "set -u\n",
        "PS1=\n",
    ] {
        let user = User::with(&[(".bashrc", rc)]);
        let mut shell = user.bash(&[]);
        check_marks(&typed(&mut shell, "echo hello; (exit 3)"), &ROUND);
    }
}

#[test]
fn a_login_bash_reads_the_login_files_alone() {
    let files = [(".bash_profile", "from=profile"), (".bashrc", "from=rc")];
    let user = User::with(&files);
    let mut shell = user.bash(&["-l"]);
    let state = output(&mut shell, "echo $from ${CCD_SHELL_LOGIN-gone}");
    assert_eq!(state, "profile gone\n");
    check_marks(&typed(&mut shell, "echo hello; (exit 3)"), &ROUND);
}

#[test]
fn zsh_reads_the_files_of_the_user_and_prints_marks() {
    let rc = "rc_from=own; precmd() { PS1='mine> ' }; return 3";
    let mut user = User::with(&[("own/.zshenv", "env_from=own"), ("own/.zshrc", rc)]);
    let dir = user.path("own");
    user.env.push(("ZDOTDIR", dir.clone()));
    let Some(mut shell) = user.start("zsh", &[]) else {
        return;
    };
    check_marks(&typed(&mut shell, "echo hello; (exit 3)"), &ROUND);
    let state = output(
        &mut shell,
        "echo $env_from $rc_from $ZDOTDIR ${CCD_ZDOTDIR-gone} $options[histignorespace]",
    );
    assert_eq!(state, format!("own own {dir} gone on\n"));
}

#[test]
fn zsh_without_a_folder_of_its_own_reads_the_home() {
    let user = User::with(&[(".zshrc", "if then ]] (\n"), (".zshenv", "env_from=home")]);
    let Some(mut shell) = user.start("zsh", &[]) else {
        return;
    };
    check_marks(&typed(&mut shell, "echo hello; (exit 3)"), &ROUND);
    let state = output(&mut shell, "echo $env_from ${ZDOTDIR-none}");
    assert_eq!(state, "home none\n");
}

#[test]
fn posix_shells_mark_their_prompt_and_give_env_back() {
    for (program, args) in [
        ("dash", &[][..]),
        ("sh", &[]),
        ("mksh", &[]),
        ("ksh", &[]),
        ("busybox", &["sh"]),
    ] {
        let mut user = User::with(&[("my env", "from=env; PS1='mine> '")]);
        let path = user.path("my env");
        user.env.push(("ENV", path.clone()));
        let Some(mut shell) = user.start(program, args) else {
            continue;
        };
        let shown = typed(&mut shell, "echo hello");
        check_marks(&shown, &["hello\r\n", PROMPT_START, "mine> ", PROMPT_END]);
        let state = output(&mut shell, "echo \"$from $ENV ${CCD_ENV-gone}\"");
        assert_eq!(state, format!("env {path} gone\n"), "{program}");
    }
}

#[test]
fn posix_shells_survive_errors_in_the_file_of_the_user() {
    for program in ["dash", "mksh", "ksh"] {
        let mut user = User::with(&[("env", "if then fi ((\n")]);
        let path = user.path("env");
        user.env.push(("ENV", path));
        let Some(mut shell) = user.start(program, &[]) else {
            continue;
        };
        let written = output(&mut shell, "echo works ${CCD_ENV-gone}");
        assert_eq!(written, "works gone\n", "{program}");
    }
}

#[test]
fn what_cannot_be_integrated_is_started_as_it_is() {
    let home = tempfile::tempdir().unwrap();
    for (program, args) in [
        ("/bin/bash", &["-c", "x"][..]),
        ("/bin/bash", &["--posix"]),
        ("/bin/zsh", &["-f"]),
        ("/bin/sh", &["script"]),
        ("/usr/bin/fish", &["--no-config"]),
        ("/usr/bin/yash", &[]),
        ("/usr/bin/python3", &["-i"]),
    ] {
        let integration = integrate(Path::new(program), args, &[], home.path());
        assert_eq!(integration.args, *args);
        assert!(integration.env.is_empty(), "{program}");
    }
    assert!(!home.path().join("rc dir").exists());
}

#[test]
fn start_files_are_private_and_written_once() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let home = tempfile::tempdir().unwrap();
    let file_of = || PathBuf::from(&integrate(Path::new("bash"), &[], &[], home.path()).args[1]);
    let first = fs::metadata(file_of()).unwrap();
    assert_eq!(first.permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(file_of()).unwrap().ino(), first.ino());
    fs::write(file_of(), "changed").unwrap();
    assert_ne!(fs::read(file_of()).unwrap(), b"changed");
}
