//! A conversation in a browser.

use crate::conversation::library::{Library, user};
use crate::support::client::Ran;
use crate::support::{Ccctl, assert_has, eventually};
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};

pub(super) const SESSION: &str = "5fc07b19-3c4e-4d18-a0f2-6b1f0d9a7e55";

pub(super) struct Desk {
    pub(super) library: Library,
}

impl Desk {
    pub(super) fn new() -> Self {
        let library = Library::new();
        library.write(&library.path(SESSION), &[user(SESSION, "u1", "Use cents")]);
        fs::create_dir(library.daemon.home().join("tmp")).unwrap();
        fs::create_dir(library.daemon.home().join("bin")).unwrap();
        Self { library }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.library.daemon.home().join(name)
    }

    /// Puts a program in the place of the system's opener.
    fn opener(&self, script: &str) {
        let file = self.path("bin/xdg-open");
        fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        fs::copy(&file, self.path("bin/open")).unwrap();
    }

    fn open(&self, more: &[&str]) -> Ran {
        Ran::of(self.command(more).output().unwrap())
    }

    fn command(&self, more: &[&str]) -> Command {
        let ccctl = Ccctl::new(&self.library.daemon);
        let mut command = ccctl.command(&[&["conversation", "open", SESSION], more].concat());
        command.env("TMPDIR", self.path("tmp"));
        let path = format!("{}:/usr/bin:/bin", self.path("bin").display());
        command.env("PATH", path).env("SEEN", self.path("seen"));
        command
    }

    /// Opens the conversation with `--follow`; returns what follows it, and the page.
    pub(super) fn follow(&self) -> (Child, PathBuf) {
        self.opener("exit 0");
        let mut command = self.command(&["--follow"]);
        let mut following = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut file = String::new();
        let mut printed = BufReader::new(following.stdout.take().unwrap());
        printed.read_line(&mut file).unwrap();
        (following, PathBuf::from(file.trim_end()))
    }

    fn pages(&self) -> Vec<PathBuf> {
        let folder = fs::read_dir(self.path("tmp")).unwrap().next().unwrap();
        let entries = fs::read_dir(folder.unwrap().path()).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_conversation_is_opened_in_a_browser() {
    let desk = Desk::new();
    a_page_is_private_stays_for_the_browser_and_is_removed_days_later(&desk);
    a_failing_opener_leaves_the_page_and_its_path(&desk);
    a_page_that_is_followed_is_written_again(&desk);
    a_browser_that_stays_is_not_waited_for(&desk);
    a_directory_of_somebody_else_is_not_used(&desk);
}

fn a_page_is_private_stays_for_the_browser_and_is_removed_days_later(desk: &Desk) {
    desk.opener("cp \"$1\" \"$SEEN\"");
    let ran = desk.open(&[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let file = PathBuf::from(ran.stdout.trim_end());
    assert_eq!(
        fs::read(&file).unwrap(),
        fs::read(desk.path("seen")).unwrap()
    );
    assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
    let hours = |hours: u64| SystemTime::now() - Duration::from_secs(hours * 3600);
    let open = File::options().write(true).open(&file).unwrap();
    open.set_modified(hours(23)).unwrap();
    desk.open(&[]);
    assert_eq!(desk.pages().len(), 2);
    open.set_modified(hours(25)).unwrap();
    let ran = desk.open(&["--json"]);
    let printed: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(Path::new(printed["file"].as_str().unwrap()).is_file());
    assert!(!file.exists() && desk.pages().len() == 2);
}

fn a_failing_opener_leaves_the_page_and_its_path(desk: &Desk) {
    desk.opener("exit 3");
    let ran = desk.open(&[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(Path::new(ran.stdout.trim_end()).is_file(), "{ran:?}");
    assert!(ran.stderr.contains("exit status: 3"), "{ran:?}");
    assert!(ran.stderr.contains("open the file above"), "{ran:?}");
}

fn a_page_that_is_followed_is_written_again(desk: &Desk) {
    let (mut following, file) = desk.follow();
    assert!(fs::read_to_string(&file).unwrap().contains("\"live\":true"));
    let path = desk.library.path(SESSION);
    desk.library
        .add(&path, user(SESSION, "u2", "And round once"));
    eventually("the page has the new prompt", || {
        let page = fs::read_to_string(&file).ok()?;
        page.contains("And round once").then_some(())
    });
    following.kill().unwrap();
    following.wait().unwrap();
}

fn a_browser_that_stays_is_not_waited_for(desk: &Desk) {
    desk.opener("echo $$ > \"$SEEN\"; exec sleep 60");
    let ran = desk.open(&[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let pid = fs::read_to_string(desk.path("seen")).unwrap();
    let pid = rustix::process::Pid::from_raw(pid.trim().parse().unwrap()).unwrap();
    // It still runs.
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

fn a_directory_of_somebody_else_is_not_used(desk: &Desk) {
    let pages = desk.pages();
    let folder = pages[0].parent().unwrap();
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    let ran = desk.open(&[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_has(&ran.stderr, ["not a private directory of yours"]);
    assert_eq!(desk.pages().len(), pages.len());
}
