//! What another user can do with a socket, or beside one, in a directory in which both may write. Needs root.

use super::peers::{OTHER_UID, as_other_user, cannot_run};
use crate::support::Daemon;
use crate::support::client::{Installation, Ran};
use crate::support::executable::copy_program;
use std::fs::{self, Permissions};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use tempfile::TempDir;

/// Listens at `fake` in a directory, puts things of all kinds in the places of a daemon's files, and takes them away
/// again, until its input ends. Prints how many bytes it was sent.
const ATTACKER: &str = r#"
import os, random, select, socket, sys
folder, canary, swaps = sys.argv[1:]
os.chdir(folder)
os.umask(0)
fake = socket.socket(socket.AF_UNIX)
fake.bind("fake")
fake.listen(100)
fake.setblocking(False)
os.mkdir("own")
os.link("fake", "own/s")
os.mkfifo("own/s.lock")
for name in "s.start", "s.start.log":
    os.symlink(canary + "/document", "own/" + name)
clients, heard = [], 0

def attempt(what, *args):
    try:
        return what(*args)
    except OSError:
        pass

def hear():
    global heard
    while client := attempt(fake.accept):
        clients.append(client[0])
    for client in clients[:]:
        got = attempt(client.recv, 1 << 20)
        if got is not None:
            heard += len(got)
            attempt(client.send, b'{"jsonrpc":"2.0","id":1,"result":{}}\n')
            client.close()
            clients.remove(client)
        else:
            client.setblocking(False)

kinds = [
    lambda name: os.link("fake", name),
    os.mkfifo,
    os.mkdir,
    lambda name: os.symlink(canary + "/document", name),
    lambda name: os.symlink(canary, name),
    lambda name: open(name, "x").close(),
]
names = ["s", "s.lock", "s.start", "s.start.log", "s.rings", "s.hooks", "s.exec", "run"]
name = "run"
if swaps == "no":
    os.link("fake", "s")
print("ready", flush=True)
while not select.select([sys.stdin], [], [], 0.001)[0]:
    if swaps == "yes":
        attempt(os.unlink, name)
        attempt(os.rmdir, name)
        attempt(os.rename, "run", "own")
        name = random.choice(names)
        attempt(random.choice(kinds), name)
        if random.random() < 0.5:
            attempt(os.rename, "own", "run")
    hear()
hear()
print(heard, flush=True)
"#;

/// A directory for everybody, such as `/tmp`, and another user in it.
struct SharedFolder {
    folder: TempDir,
    /// A directory of this user, with a document, that the other one only knows by name.
    canary: TempDir,
    attacker: Child,
    output: BufReader<ChildStdout>,
}

impl SharedFolder {
    fn new(swaps: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o1777)).unwrap();
        let canary = tempfile::tempdir().unwrap();
        fs::write(canary.path().join("document"), "precious").unwrap();
        let mut attacker = as_other_user(Path::new("/usr/bin/env"))
            .args(["python3", "-c", ATTACKER])
            .args([folder.path(), canary.path(), Path::new(swaps)])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(attacker.stdout.take().unwrap());
        let mut ready = String::new();
        output.read_line(&mut ready).unwrap();
        assert_eq!(ready, "ready\n");
        Self {
            folder,
            canary,
            attacker,
            output,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Ends the attack, and asserts that nothing of this user was sent or changed.
    #[track_caller]
    fn assert_harmless(mut self) {
        drop(self.attacker.stdin.take());
        let mut heard = String::new();
        self.output.read_to_string(&mut heard).unwrap();
        assert!(self.attacker.wait().unwrap().success());
        assert_eq!(heard, "0\n", "bytes were sent to the other user");
        let names = fs::read_dir(self.canary.path()).unwrap();
        assert_eq!(names.count(), 1);
        let document = self.canary.path().join("document");
        assert_eq!(fs::read_to_string(document).unwrap(), "precious");
    }
}

#[test]
fn the_daemon_of_another_user_is_sent_nothing() {
    if cannot_run() {
        return;
    }
    let installation = Installation::new();
    let shared = SharedFolder::new("no");
    let socket = shared.path("s");
    for words in [
        &["session", "list"][..],
        &["session", "create", "cat"],
        &["session", "send", "x", "--secret", "hunter2"],
        &["session", "tail", "x"],
        &["run", "true"],
        &["daemon", "stop", "--force"],
        &["daemon", "start"],
    ] {
        let mut command = installation.ccctl(words);
        let ran = Ran::of(command.env("CCD_SOCKET", &socket).output().unwrap());
        assert_eq!(ran.code, Some(3), "{words:?}: {ran:?}");
        let whose = format!("it belongs to user {OTHER_UID}, not to user 0");
        assert!(ran.stderr.contains(&whose), "{words:?}: {ran:?}");
        assert!(ran.stderr.contains(socket.to_str().unwrap()), "{ran:?}");
    }
    let mut hook = installation.ccctl(&["hook"]);
    hook.env("CCD_SOCKET", &socket).stdin(Stdio::piped());
    let mut hook = hook.spawn().unwrap();
    let payload = br#"{"session_id": "s", "cwd": "/", "hook_event_name": "UserPromptSubmit", "prompt": "secret"}"#;
    hook.stdin.take().unwrap().write_all(payload).unwrap();
    assert!(hook.wait_with_output().unwrap().status.success());
    shared.assert_harmless();
}

#[test]
fn what_another_user_puts_in_the_way_of_a_start_neither_hangs_nor_misleads_it() {
    if cannot_run() {
        return;
    }
    let installation = Installation::new();
    let shared = SharedFolder::new("yes");
    for round in 0..40 {
        let name = if round % 2 == 0 { "s" } else { "run/s" };
        let socket = shared.path(name);
        let mut daemon = Command::new("timeout");
        daemon
            .arg("30")
            .arg(env!("CARGO_BIN_EXE_ccd_under_test"))
            .arg("--socket")
            .arg(&socket)
            .env("HOME", installation.home())
            .env("CCD_HOME", installation.home())
            .env("CCD_TEST_ENDS_WITH_STDIN", "1")
            .stdin(Stdio::null());
        let ran = Ran::of(daemon.output().unwrap());
        assert!(matches!(ran.code, Some(0 | 1)), "ccd: {ran:?}");
        for words in [&["session", "list"][..], &["daemon", "stop", "--force"]] {
            let client = installation.ccctl(words);
            let mut command = Command::new("timeout");
            command.arg("30").arg(client.get_program());
            let envs = client.get_envs();
            command.args(client.get_args()).env_clear();
            command.envs(envs.filter_map(|(name, value)| Some((name, value?))));
            command.env("CCD_SOCKET", &socket).stdin(Stdio::null());
            let ran = Ran::of(command.output().unwrap());
            assert!(matches!(ran.code, Some(0 | 3)), "{words:?}: {ran:?}");
        }
        // The daemon's own directory, if it got so far.
        let _ = fs::remove_dir_all(shared.path("run"));
    }
    shared.assert_harmless();
}

#[test]
fn the_other_user_is_told_whose_daemon_it_is() {
    if cannot_run() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    let (socket, ccctl) = (folder.path().join("s"), folder.path().join("ccctl"));
    copy_program(env!("CARGO_BIN_EXE_ccctl_under_test"), &ccctl);
    let _daemon = Daemon::builder().socket(&socket).start();
    let refused = |words: &[&str]| {
        let mut command = as_other_user(&ccctl);
        command.arg("--no-start").args(words);
        command.env("CCD_SOCKET", &socket).stdin(Stdio::null());
        let ran = Ran::of(command.output().unwrap());
        assert_eq!(ran.code, Some(3), "{words:?}: {ran:?}");
        ran.stderr
    };
    let said = refused(&["session", "list"]);
    assert!(said.contains("a daemon serves only its own user"), "{said}");
    fs::set_permissions(&socket, Permissions::from_mode(0o666)).unwrap();
    for words in [
        &["session", "list"][..],
        &["session", "wait", "x", "--exit"],
        &["session", "tail", "x"],
        &["run", "true"],
        &["rec", "true"],
        &["job", "tail", "x"],
        &["dial"],
        &["daemon", "stop", "--force"],
    ] {
        let said = refused(words);
        let whose = format!("it belongs to user 0, not to user {OTHER_UID}");
        assert!(said.contains(&whose), "{words:?}: {said}");
        assert!(!said.contains("closed the connection"), "{words:?}: {said}");
    }
}

#[test]
fn a_directory_of_another_user_on_the_way_is_named_with_its_owner_and_what_to_do() {
    if cannot_run() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (ccctl, home) = (path("ccctl"), path("home"));
    copy_program(env!("CARGO_BIN_EXE_ccctl_under_test"), &ccctl);
    copy_program(env!("CARGO_BIN_EXE_ccd_under_test"), &path("ccd"));
    fs::create_dir(&home).unwrap();
    chown(&home, Some(OTHER_UID), Some(OTHER_UID)).unwrap();
    let runtime = path("runtime");
    fs::create_dir(&runtime).unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    let shown = runtime.display();
    let choose = "set XDG_RUNTIME_DIR to a directory of yours, or unset it";
    let (us, third) = (OTHER_UID, OTHER_UID + 1);
    for (owner, mode, problem) in [
        (0, 0o700, format!("belongs to user 0, not to user {us}")),
        (
            third,
            0o700,
            format!("belongs to user {third}, not to user {us}"),
        ),
        (
            third,
            0o755,
            format!("above it belongs to user {third}, not to user {us} or root"),
        ),
        (
            0,
            0o777,
            "above it is writable by others (mode 0777)".to_owned(),
        ),
    ] {
        let told = format!("the directory {shown} {problem}; {choose}");
        chown(&runtime, Some(owner), None).unwrap();
        fs::set_permissions(&runtime, Permissions::from_mode(mode)).unwrap();
        for words in [["daemon", "start"], ["doctor", "--verbose"]] {
            let mut command = as_other_user(&ccctl);
            command.args(words).stdin(Stdio::null()).env("HOME", &home);
            command.env_remove("CCD_HOME").env_remove("CCD_SOCKET");
            command.env("XDG_RUNTIME_DIR", &runtime);
            let ran = Ran::of(command.output().unwrap());
            let said = format!("{}{}", ran.stdout, ran.stderr);
            assert!(said.contains(&told), "{words:?}: {told}: {said}");
        }
    }
}
