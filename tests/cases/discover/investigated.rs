//! Investigations as tests run them: to their end, with the PATH and the home of the tests.

use crate::support::Daemon;
use ccd_protocol::investigate::{InvestigationReport, InvestigationResult, ProgramState};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Starts an investigation; returns its job. `extra` has further parameters.
pub(super) fn started(daemon: &Daemon, argv: &[&str], extra: &Value) -> String {
    let reply = daemon.call_value("investigate.run", &params(argv, extra));
    reply.unwrap()["job"].as_str().unwrap().to_owned()
}

/// Returns the parameters of a call for a command line.
pub(super) fn params(argv: &[&str], extra: &Value) -> Value {
    let variable = |name| std::env::var(name).unwrap_or_default();
    let mut params = json!({
        "program": argv[0],
        "args": argv[1..],
        "caller_env": {"PATH": variable("PATH"), "HOME": variable("HOME")},
    });
    let fields = params.as_object_mut().unwrap();
    fields.extend(extra.as_object().unwrap().clone());
    params
}

/// Waits for the end of a job, and returns its record.
pub(super) fn ended(daemon: &Daemon, job: &str) -> Value {
    let mut connection = daemon.connect();
    let params = json!({"job": job, "wait_ms": 20_000});
    loop {
        let record = connection.call_value("job.get", &params).unwrap();
        if record["state"] != "running" {
            return record;
        }
    }
}

/// Waits for the end of an investigation, and returns its report, which is also in a file.
pub(super) fn report_of(daemon: &Daemon, job: &str) -> Investigated {
    let record = ended(daemon, job);
    let result: InvestigationResult = serde_json::from_value(record["result"].clone())
        .unwrap_or_else(|error| panic!("{error}: {record}"));
    let path = PathBuf::from(&result.path);
    assert_eq!(path.parent().unwrap(), folder(daemon));
    assert_eq!(saved(&path), result.report);
    Investigated {
        report: result.report,
        path,
    }
}

/// Investigates a program, completely.
pub(super) fn investigate(daemon: &Daemon, argv: &[&str]) -> Investigated {
    investigate_with(daemon, argv, &json!({}))
}

pub(super) fn investigate_with(daemon: &Daemon, argv: &[&str], extra: &Value) -> Investigated {
    let [found] = investigate_together(daemon, [argv], extra);
    found
}

/// Investigates several programs at the same time, because most of that is waiting for them.
pub(super) fn investigate_together<const N: usize>(
    daemon: &Daemon,
    programs: [&[&str]; N],
    extra: &Value,
) -> [Investigated; N] {
    let jobs = programs.map(|argv| started(daemon, argv, extra));
    jobs.map(|job| complete(daemon, &job))
}

fn complete(daemon: &Daemon, job: &str) -> Investigated {
    let found = report_of(daemon, job);
    let end = serde_json::to_value(found.report.end).unwrap();
    assert_eq!(end, "complete", "{:?}", found.report.safety_notes);
    found
}

/// Returns the directory of the reports.
pub(super) fn folder(daemon: &Daemon) -> PathBuf {
    daemon.home().join("investigations")
}

/// Reads a report from its file.
pub(super) fn saved(path: &Path) -> InvestigationReport {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Returns whether a program that a test needs is missing on the PATH of the tests, and prints it.
pub(super) fn is_missing(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    if !is_there {
        eprintln!("skipped: {program} is not installed");
    }
    !is_there
}

/// A report, and the questions of tests.
pub(super) struct Investigated {
    pub(super) report: InvestigationReport,
    pub(super) path: PathBuf,
}

impl Investigated {
    /// Asserts what the program is.
    #[track_caller]
    pub(super) fn is(&self, interactive: bool, full_screen: bool, prompts: &[&str]) {
        let report = &self.report;
        assert_eq!(
            (report.interactive, report.full_screen, &*report.prompts),
            (
                interactive,
                full_screen,
                &*prompts.iter().map(|p| (*p).to_owned()).collect::<Vec<_>>()
            ),
            "{report:#?}"
        );
        assert_eq!(report.entry_state_id.is_some(), interactive);
        let findings = &report.findings;
        assert!(findings.is_empty(), "{findings:#?}");
    }

    /// Returns the status with which a word or key ends the program.
    pub(super) fn exit(&self, command: &str) -> Option<i32> {
        let mut exits = self.report.exit_commands.iter();
        exits
            .find(|exit| exit.command == command)
            .map(|exit| exit.exit_status)
    }

    /// Asserts that each of these ends the program with status 0.
    #[track_caller]
    pub(super) fn ends_by(&self, commands: &[&str]) {
        for command in commands {
            let exits = &self.report.exit_commands;
            assert_eq!(self.exit(command), Some(0), "{command}: {exits:?}");
        }
    }

    /// Asserts that these commands are in the report, with descriptions.
    #[track_caller]
    pub(super) fn describes(&self, names: &[&str]) {
        for name in names {
            let command = self.report.commands.get(*name);
            let is_described = command.is_some_and(|command| !command.description.is_empty());
            let known: Vec<_> = self.report.commands.keys().collect();
            assert!(is_described, "{name} of {known:?}");
        }
    }

    #[track_caller]
    pub(super) fn version_starts(&self, start: &str) {
        let version = self.report.version.as_deref().unwrap_or_default();
        assert!(version.starts_with(start), "{version:?}");
    }

    pub(super) fn helps(&self, form: &str) -> bool {
        self.report.help_commands.iter().any(|help| help == form)
    }

    pub(super) fn has_flag(&self, flag: &str) -> bool {
        let mut options = self.report.options.iter();
        options.any(|option| option.flags.iter().any(|other| other == flag))
    }

    pub(super) fn notes(&self, part: &str) -> bool {
        self.report
            .safety_notes
            .iter()
            .any(|note| note.contains(part))
    }

    #[track_caller]
    pub(super) fn state(&self, name: &str) -> &ProgramState {
        let mut states = self.report.states.iter();
        let found = states.find(|state| state.name == name);
        found.unwrap_or_else(|| panic!("no state {name}: {:#?}", self.report.states))
    }

    /// Returns what a command printed in a state, at most 500 characters.
    #[track_caller]
    pub(super) fn sample(&self, state: &str, command: &str) -> &str {
        let mut samples = self.state(state).output_samples.iter();
        let found = samples.find(|sample| sample.command == command);
        &found
            .unwrap_or_else(|| panic!("no sample of {command}"))
            .output
    }
}
