//! A program in a pipeline, its result, and its tape.

use super::client::{Ccctl, Ran};
use super::daemon::Daemon;
use super::executable::with_input;
use serde_json::Value;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Command, Output};

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
        Self::of(with_input(command, input))
    }
}

/// A daemon with one directory for tapes of programs over pipes, and another for their shims.
pub(crate) struct Pipeline {
    pub(crate) daemon: Daemon,
}

impl Pipeline {
    pub(crate) fn new() -> Self {
        Self::with_config("{}")
    }

    pub(crate) fn with_config(text: &str) -> Self {
        Self {
            daemon: Daemon::with_config(text),
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
        let words = [
            "shim",
            program[0],
            "--force",
            "--latency",
            "0",
            "--to",
            "bin",
        ];
        let made = self.tape(&words);
        assert_eq!(made.code, Some(0), "{made:?}");
        let mut command = self.in_its_environment(self.daemon.home().join("bin").join(program[0]));
        Did::with_input(command.args(&program[1..]).env("PATH", NOWHERE), input)
    }

    /// Returns a command of a program that finds the daemon as `ccctl` does.
    pub(crate) fn in_its_environment(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        for (name, value) in self.ccctl(&[]).get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.current_dir(self.daemon.home());
        command
    }

    pub(crate) fn tape(&self, words: &[&str]) -> Ran {
        let tapes = self.tapes();
        let words = [&["tape"], words, &["--tapes", tapes.to_str().unwrap()]].concat();
        Ran::of(self.ccctl(&words).output().unwrap())
    }

    pub(crate) fn path_of(&self, id: &str) -> PathBuf {
        self.tapes().join(format!("{id}.json5"))
    }

    /// Runs a verb such as `rec` with a program and this input, and with its summary.
    pub(crate) fn ran(&self, verb: &[&str], program: &[&str], input: &str) -> Ran {
        let tapes = self.tapes();
        let tapes = ["--tapes", tapes.to_str().unwrap(), "--"];
        Ran::with_input(&mut self.ccctl(&[verb, &tapes, program].concat()), input)
    }

    pub(crate) fn ids(&self) -> Vec<String> {
        let ran = self.tape(&["list", "--json"]);
        let reply: Value = serde_json::from_str(&ran.stdout).unwrap();
        let tapes = reply["tapes"].as_array().unwrap();
        let id = |tape: &Value| tape["tape_id"].as_str().unwrap().to_owned();
        tapes.iter().map(id).collect()
    }

    /// Returns the id of the only tape, and its text.
    #[track_caller]
    pub(crate) fn only_tape(&self) -> (String, String) {
        let mut ids = self.ids();
        assert_eq!(ids.len(), 1, "{ids:?}");
        let id = ids.remove(0);
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
