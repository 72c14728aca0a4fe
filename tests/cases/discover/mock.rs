//! Tests that the mock target breaks in the ways that its help lists.

use crate::support::{eventually, eventually_within};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(crate) const MOCK_TARGET: &str = env!("CARGO_BIN_EXE_mock_target");

/// The mock on a terminal of its own, killed when it goes out of scope.
struct Mock {
    child: Child,
    terminal: File,
    output: Arc<Mutex<Vec<u8>>>,
}

impl Mock {
    fn start(args: &[&str]) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let slave: OwnedFd = File::options()
            .read(true)
            .write(true)
            .open(name.to_str().unwrap())
            .unwrap()
            .into();
        let side = || Stdio::from(slave.try_clone().unwrap());
        let mut command = Command::new(MOCK_TARGET);
        command
            .args(args)
            .stdin(side())
            .stdout(side())
            .stderr(side());
        let child = command.spawn().unwrap();
        drop(command);
        drop(slave);
        let terminal = File::from(master);
        let output = Arc::new(Mutex::new(Vec::new()));
        let (mut reader, sink) = (terminal.try_clone().unwrap(), Arc::clone(&output));
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // The read fails when the program has ended.
            while let Ok(len @ 1..) = reader.read(&mut buffer) {
                let mut output = sink.lock().unwrap();
                if output.len() < 1 << 20 {
                    output.extend_from_slice(&buffer[..len]);
                }
            }
        });
        Self {
            child,
            terminal,
            output,
        }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.output.lock().unwrap()).into_owned()
    }

    /// Types a line and returns what is printed up to the given end.
    fn ask(&mut self, line: &str, end: &str) -> String {
        let before = self.text().len();
        self.terminal
            .write_all(format!("{line}\n").as_bytes())
            .unwrap();
        self.answer(before, end)
    }

    /// Waits until what was printed after `before` ends as given.
    fn answer(&self, before: usize, end: &str) -> String {
        eventually(end, || {
            let text = self.text().get(before..)?.to_owned();
            text.ends_with(end).then_some(text)
        })
    }

    fn status(&mut self) -> ExitStatus {
        eventually("the mock has ended", || self.child.try_wait().unwrap())
    }

    /// Returns whether it still runs after a while.
    fn stays(&mut self) -> bool {
        let ended = || self.child.try_wait().unwrap();
        eventually_within(Duration::from_millis(200), ended).is_none()
    }

    fn memory_kb(&self) -> u64 {
        let path = format!("/proc/{}/statm", self.child.id());
        let text = std::fs::read_to_string(path).unwrap();
        text.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn started() -> Mock {
    let mock = Mock::start(&[]);
    mock.answer(0, "commands.\r\nmain> ");
    mock
}

#[test]
fn the_mock_documents_itself() {
    let printed = |arg: &str| {
        let output = Command::new(MOCK_TARGET).arg(arg).output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    let (status, help) = printed("--help");
    assert_eq!(status, Some(0));
    assert!(help.contains("Usage: mock_target [OPTIONS]") && help.contains("--sound"));
    assert_eq!(
        printed("--version"),
        (Some(0), "mock_target 1.2.3\n".to_owned())
    );
    assert_eq!(printed("--nonsense").0, Some(2));
}

#[test]
fn the_mock_has_three_prompts_and_a_state_without_one_of_its_own() {
    let mut mock = started();
    assert!(
        mock.ask("help", "main> ")
            .contains("crash    End by SIGSEGV")
    );
    assert!(
        mock.ask("nonsense", "main> ")
            .contains("error: unknown command: nonsense")
    );
    mock.ask("config", "config> ");
    assert!(mock.ask("set a b", "config> ").contains("a = b"));
    mock.ask("back", "main> ");
    assert!(
        mock.ask("json", "main> ")
            .contains("{\"version\": 1, \"settings\": {\"a\": \"b\"}}")
    );
    mock.ask("data", "data> ");
    mock.ask("add x", "data> ");
    assert!(mock.ask("list", "data> ").contains("id,item\r\n0,x"));
    mock.ask("back", "main> ");
    assert!(
        mock.ask("stealth", "main> ")
            .contains("Entering stealth mode")
    );
    assert!(mock.ask("whisper", "main> ").contains("psst"));
    assert!(mock.ask("json", "main> ").contains("unknown command: json"));
    mock.ask("quit", "");
    assert_eq!(mock.status().code(), Some(0));
}

#[test]
fn the_mock_crashes_hangs_floods_and_leaks() {
    let mut crashing = started();
    crashing.ask("crash", "");
    assert_eq!(crashing.status().signal(), Some(libc::SIGSEGV));

    let mut hanging = started();
    hanging.ask("hang", "hang\r\n");
    hanging.terminal.write_all(b"json\n").unwrap();
    assert!(hanging.stays() && !hanging.text().contains("version\""));

    let mut flooding = started();
    flooding.ask("flood", "");
    eventually("a flood", || {
        (flooding.text().len() > 100_000).then_some(())
    });
    assert!(flooding.stays());

    let mut leaking = started();
    leaking.ask("help", "main> ");
    let before = leaking.memory_kb();
    (0..10).for_each(|_| drop(leaking.ask("help", "main> ")));
    assert!(leaking.memory_kb() >= before + 2_500);
}

#[test]
fn the_password_of_the_mock_is_not_echoed() {
    let mut mock = started();
    let echoes = |mock: &Mock| {
        let modes = tcgetattr(mock.terminal.as_fd()).unwrap();
        modes.local_modes.contains(LocalModes::ECHO)
    };
    let before = mock.text().len();
    mock.terminal.write_all(b"login\n").unwrap();
    mock.answer(before, "Password: ");
    eventually("the echo is off", || (!echoes(&mock)).then_some(()));
    let answer = mock.ask("sesame", "main> ");
    assert!(
        answer.contains("welcome") && !answer.contains("sesame"),
        "{answer}"
    );
    assert!(echoes(&mock));
}

#[test]
fn a_sound_mock_breaks_in_no_way_and_logs_what_it_reads() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let mut child = Command::new(MOCK_TARGET)
        .args(["--sound", "--log", log.to_str().unwrap()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input
        .write_all(b"crash\nhang\nflood\n\xff\nlogin\nsesame\n")
        .unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text.matches("error: unknown command").count(), 4);
    assert!(text.contains("Password: \nwelcome"));
    assert_eq!(
        std::fs::read(log).unwrap(),
        b"crash\nhang\nflood\n\xff\nlogin\nsesame\n"
    );
}
