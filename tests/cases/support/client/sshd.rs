//! Another host: a real sshd on the loopback with keys of its own, and an installation that its commands find.

use super::{Installation, Ran};
use crate::support::executable::write_script;
use crate::support::{eventually, processes};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// A host that only `ssh` reaches; ends with the test.
pub(crate) struct OtherHost {
    sshd: Child,
    port: u16,
    /// Keys, configurations and log of `sshd` and `ssh`, and the home of the caller.
    folder: TempDir,
    pub(crate) installation: Installation,
}

impl OtherHost {
    /// Starts one; `None` if there is no sshd, or if it lets nobody in.
    pub(crate) fn start() -> Option<Self> {
        let installation = Installation::new();
        let path = format!(
            "{}:/usr/local/bin:/usr/bin:/bin",
            installation.bin().display()
        );
        Self::with_path(installation, &path)
    }

    /// Starts one whose commands get this `PATH`.
    pub(crate) fn with_path(installation: Installation, path: &str) -> Option<Self> {
        let Some(program) = program("sshd") else {
            eprintln!("skipped: sshd is not installed");
            return None;
        };
        let folder = tempfile::Builder::new()
            .prefix("ccd-ssh-")
            .tempdir()
            .unwrap();
        let port = free_port();
        write_configurations(folder.path(), &installation, path, port);
        if rustix::process::geteuid().is_root() {
            fs::create_dir_all("/run/sshd").unwrap();
        }
        let sshd = Command::new(program)
            .arg("-D")
            .arg("-E")
            .arg(folder.path().join("log"))
            .arg("-f")
            .arg(folder.path().join("sshd_config"))
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut host = Self {
            sshd,
            port,
            folder,
            installation,
        };
        eventually("sshd listens", || {
            let ended = host.sshd.try_wait().unwrap();
            assert!(ended.is_none(), "{}", host.log());
            TcpStream::connect(("127.0.0.1", port)).ok()
        });
        let ran = Ran::of(host.ssh(&["true"]).output().unwrap());
        if ran.code == Some(0) {
            return Some(host);
        }
        eprintln!("skipped: sshd lets this account not in: {}", ran.stderr);
        None
    }

    /// The value of `--host`.
    pub(crate) fn url(&self) -> String {
        format!("ssh://127.0.0.1:{}", self.port)
    }

    /// Runs a command over there.
    pub(crate) fn ssh(&self, words: &[&str]) -> Command {
        let mut ssh = Command::new(self.bin().join("ssh"));
        ssh.args(["-p", &self.port.to_string(), "127.0.0.1"])
            .args(words);
        ssh
    }

    /// A directory for `PATH` with an `ssh` that has this host's configuration.
    pub(crate) fn bin(&self) -> PathBuf {
        self.folder.path().join("bin")
    }

    /// The home of the caller, where no daemon is running.
    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// Returns `ccctl` of this host for the daemon of the other one.
    pub(crate) fn ccctl(&self, args: &[&str]) -> Command {
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = self.installation.ccctl(args);
        command
            .env("HOME", self.home())
            .env("CCD_HOME", self.home())
            .env("CCD_HOST", self.url())
            .env("PATH", format!("{}:{path}", self.bin().display()))
            .current_dir(self.folder.path());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        Ran::of(self.ccctl(args).output().unwrap())
    }

    /// Runs `ccctl`, asserts that it succeeds, and returns its standard output.
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let ran = self.run(args);
        assert_eq!(ran.code, Some(0), "ccctl {args:?}: {ran:?}");
        ran.stdout
    }

    /// How many connections were let in.
    pub(crate) fn connections(&self) -> usize {
        self.log().matches("Accepted publickey").count()
    }

    /// The processes that connect clients with the daemon.
    pub(crate) fn dials(&self) -> Vec<i32> {
        let home = format!("CCD_HOME={}", self.installation.home().display());
        let dials = processes::with_command_line(" dial");
        let over_there = processes::with_variable(&home);
        dials
            .into_iter()
            .filter(|pid| over_there.contains(pid))
            .collect()
    }

    /// Ends sshd and all its connections.
    pub(crate) fn break_down(&mut self) {
        let mut all = vec![Pid::from_child(&self.sshd).as_raw_nonzero().get()];
        let mut at = 0;
        while at < all.len() {
            let pid = all[at];
            let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
            let children = children.unwrap_or_default();
            all.extend(children.split_whitespace().flat_map(str::parse::<i32>));
            at += 1;
        }
        for pid in all {
            let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
            if name.starts_with("sshd") {
                let _ = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL);
            }
        }
        let _ = self.sshd.wait();
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }
}

impl Drop for OtherHost {
    fn drop(&mut self) {
        self.break_down();
    }
}

/// The path of a program; administrators' programs are not on every user's `PATH`.
fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain(["/usr/sbin".into(), "/usr/local/sbin".into()])
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    listener.local_addr().unwrap().port()
}

fn write_configurations(folder: &Path, installation: &Installation, path: &str, port: u16) {
    let file = |name: &str| folder.join(name).display().to_string();
    for key in ["host", "user"] {
        let made = Command::new("ssh-keygen")
            .args(["-q", "-t", "ed25519", "-N", "", "-f", &file(key)])
            .status();
        assert!(made.unwrap().success());
    }
    let server = [
        format!("Port {port}"),
        "ListenAddress 127.0.0.1".to_owned(),
        format!("HostKey {}", file("host")),
        format!("AuthorizedKeysFile {}", file("user.pub")),
        "PidFile none".to_owned(),
        "UsePAM no".to_owned(),
        "StrictModes no".to_owned(),
        "PasswordAuthentication no".to_owned(),
        "KbdInteractiveAuthentication no".to_owned(),
        format!(
            "SetEnv \"PATH={path}\" \"HOME={0}\" \"CCD_HOME={1}\"",
            installation.home().parent().unwrap().display(),
            installation.home().display()
        ),
    ];
    fs::write(file("sshd_config"), server.join("\n") + "\n").unwrap();
    let key = fs::read_to_string(file("host.pub")).unwrap();
    fs::write(file("known_hosts"), format!("[127.0.0.1]:{port} {key}")).unwrap();
    let client = [
        format!("IdentityFile {}", file("user")),
        "IdentitiesOnly yes".to_owned(),
        format!("UserKnownHostsFile {}", file("known_hosts")),
        "StrictHostKeyChecking yes".to_owned(),
        "BatchMode yes".to_owned(),
        "ControlPath none".to_owned(),
    ];
    fs::write(file("ssh_config"), client.join("\n") + "\n").unwrap();
    fs::create_dir(folder.join("bin")).unwrap();
    fs::create_dir(folder.join("home")).unwrap();
    let ssh = program("ssh").unwrap();
    let script = format!(
        "#!/bin/sh\nexec {} -F {} \"$@\"\n",
        ssh.display(),
        file("ssh_config")
    );
    write_script(&folder.join("bin/ssh"), &script);
}
