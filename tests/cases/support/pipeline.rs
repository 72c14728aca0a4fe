//! A program in a pipeline, its result, and its tape.

use super::client::{Ccctl, Ran};
use super::daemon::Daemon;
use serde_json::Value;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A path without programs.
const NOWHERE: &str = "/nowhere";

/// The result of a program: its output as bytes, and its status as a shell reports it.
#[derive(PartialEq, Eq)]
pub(crate) struct Did {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    pub(crate) status: i32,
}

impl std::fmt::Debug for Did {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text =
            |bytes: &[u8]| String::from_utf8_lossy(&bytes[..bytes.len().min(500)]).into_owned();
        let (stdout, stderr) = (text(&self.stdout), text(&self.stderr));
        write!(out, "{} {stdout:?} {stderr:?}", self.status)
    }
}

impl Did {
    pub(crate) fn of(output: Output) -> Self {
        use std::os::unix::process::ExitStatusExt as _;
        let status = output.status;
        Self {
            stdout: output.stdout,
            stderr: output.stderr,
            status: status
                .code()
                .or(status.signal().map(|signal| 128 + signal))
                .unwrap(),
        }
    }

    /// Runs the command with this input, which is then closed.
    pub(crate) fn with_input(command: &mut Command, input: &[u8]) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        let typing = std::thread::spawn(move || {
            // A program that has exited does not read it.
            let _ = stdin.write_all(&input);
        });
        let output = child.wait_with_output().unwrap();
        typing.join().unwrap();
        Self::of(output)
    }
}

/// A daemon with one directory for tapes of programs over pipes, and another for their shims.
pub(crate) struct Pipeline {
    pub(crate) daemon: Daemon,
}

impl Pipeline {
    pub(crate) fn new() -> Self {
        Self {
            daemon: Daemon::start(),
        }
    }

    pub(crate) fn tapes(&self) -> PathBuf {
        self.daemon.home().join("t")
    }

    pub(crate) fn ccctl(&self, words: &[&str]) -> Command {
        let mut command = Ccctl::new(&self.daemon).command(words);
        command
            .env_remove("CI")
            .env("PAGER", "false")
            .current_dir(self.daemon.home());
        command
    }

    pub(crate) fn with_verb(&self, verb: &[&str], program: &[&str]) -> Command {
        let tapes = self.tapes();
        let tapes = ["--no-summary", "--tapes", tapes.to_str().unwrap(), "--"];
        self.ccctl(&[verb, &tapes, program].concat())
    }

    pub(crate) fn record(&self, program: &[&str], input: &[u8]) -> Did {
        Did::with_input(&mut self.with_verb(&["rec"], program), input)
    }

    pub(crate) fn play(&self, program: &[&str], input: &[u8]) -> Did {
        let mut command = self.with_verb(&["play", "--latency", "0"], program);
        Did::with_input(command.env("PATH", NOWHERE), input)
    }

    pub(crate) fn by_shim(&self, program: &[&str], input: &[u8]) -> Did {
        let (tapes, bin) = (self.tapes(), self.daemon.home().join("bin"));
        let options = [
            "--tapes",
            tapes.to_str().unwrap(),
            "--to",
            bin.to_str().unwrap(),
        ];
        let words = [
            &["tape", "shim", program[0], "--force", "--latency", "0"],
            &options[..],
        ];
        let made = self.ccctl(&words.concat()).output().unwrap();
        assert!(made.status.success(), "{made:?}");
        let mut command = Command::new(bin.join(program[0]));
        let environment = self.ccctl(&[]);
        for (name, value) in environment.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
            .args(&program[1..])
            .env("PATH", NOWHERE)
            .current_dir(self.daemon.home());
        Did::with_input(&mut command, input)
    }

    pub(crate) fn tape(&self, words: &[&str]) -> Ran {
        let tapes = self.tapes();
        let words = [&["tape"], words, &["--tapes", tapes.to_str().unwrap()]].concat();
        Ran::of(self.ccctl(&words).output().unwrap())
    }

    pub(crate) fn path_of(&self, id: &str) -> PathBuf {
        self.tapes().join(format!("{id}.json5"))
    }

    /// Returns the id of the only tape, and its text.
    pub(crate) fn only_tape(&self) -> (String, String) {
        let ran = self.tape(&["list", "--json"]);
        let reply: Value = serde_json::from_str(&ran.stdout).unwrap();
        let tapes = reply["tapes"].as_array().unwrap();
        assert_eq!(tapes.len(), 1, "{tapes:?}");
        let id = tapes[0]["tape_id"].as_str().unwrap().to_owned();
        let text = std::fs::read_to_string(self.path_of(&id)).unwrap();
        (id, text)
    }

    /// Asserts that the recorded program and its tape, with `play` and with a shim, do the same as the program in a
    /// pipeline.
    #[track_caller]
    pub(crate) fn plays_as_it_is(&self, program: &[&str], input: &[u8]) -> Did {
        let mut real = Command::new(program[0]);
        real.args(&program[1..])
            .env("PAGER", "false")
            .current_dir(self.daemon.home());
        let real = Did::with_input(&mut real, input);
        assert_eq!(self.record(program, input), real, "recording {program:?}");
        assert_eq!(self.play(program, input), real, "playing {program:?}");
        assert_eq!(
            self.by_shim(program, input),
            real,
            "the shim of {program:?}"
        );
        real
    }
}
