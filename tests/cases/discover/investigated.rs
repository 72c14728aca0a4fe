//! Investigations as tests run them: to their end, with the PATH and the home of the tests.

use crate::support::executable::write_script;
use crate::support::{Daemon, eventually_within};
use ccd_protocol::investigate::{
    InvestigationEnd, InvestigationReport, InvestigationResult, ProgramState,
};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Longest investigation or run on a busy machine.
const LIMIT: Duration = Duration::from_secs(600);

/// Starts an investigation; returns its job. `extra` has further parameters.
pub(super) fn started(daemon: &Daemon, argv: &[&str], extra: &Value) -> String {
    let started = daemon.ok("investigate.run", &params(argv, extra));
    started["job"].as_str().unwrap().to_owned()
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
    let params = json!({"job": job, "wait_ms": 20_000});
    let is_over = |record: &Value| record["state"] != "running";
    let ended = eventually_within(LIMIT, || {
        Some(daemon.ok("job.get", &params)).filter(is_over)
    });
    ended.unwrap_or_else(|| panic!("{job} takes too long"))
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

/// Writes a script to a file; returns its path.
pub(super) fn script(daemon: &Daemon, name: &str, text: &str) -> String {
    let path = daemon.home().join(name);
    write_script(&path, text);
    path.display().to_string()
}

/// Investigates a script, completely.
pub(super) fn investigate_script(daemon: &Daemon, name: &str, text: &str) -> Investigated {
    investigate(daemon, &[&script(daemon, name, text)])
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
    let notes = &found.report.safety_notes;
    assert_eq!(found.report.end, InvestigationEnd::Complete, "{notes:?}");
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
        assert_eq!(report.interactive, interactive, "{report:#?}");
        assert_eq!(report.full_screen, full_screen, "{report:#?}");
        assert_eq!(report.prompts, prompts, "{report:#?}");
        assert_eq!(report.entry_state_id.is_some(), interactive);
        self.is_sound();
    }

    /// Asserts that nothing is wrong with the program.
    #[track_caller]
    pub(super) fn is_sound(&self) {
        let findings = &self.report.findings;
        assert!(findings.is_empty(), "{findings:#?}");
    }

    /// Asserts that it is interactive and has a prompt first; a newer version may have more.
    #[track_caller]
    pub(super) fn begins_with(&self, prompt: &str) {
        let report = &self.report;
        assert!(report.interactive && !report.full_screen, "{report:#?}");
        assert_eq!(report.prompts[0], prompt);
        self.is_sound();
    }

    /// Returns the status with which a word or key ends the program.
    pub(super) fn exit(&self, command: &str) -> Option<i32> {
        let mut exits = self.report.exit_commands.iter();
        let exit = exits.find(|exit| exit.command == command)?;
        Some(exit.exit_status)
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

    /// Asserts that it has these options.
    #[track_caller]
    pub(super) fn has_flags(&self, flags: &[&str]) {
        for flag in flags {
            assert!(self.has_flag(flag), "{flag}");
        }
    }

    /// Asserts that these words or options print its help.
    #[track_caller]
    pub(super) fn helps(&self, forms: &[&str]) {
        let known = &self.report.help_commands;
        for form in forms {
            assert!(known.iter().any(|help| help == form), "{form}: {known:?}");
        }
    }

    #[track_caller]
    pub(super) fn version_starts(&self, start: &str) {
        let version = self.report.version.as_deref().unwrap_or_default();
        assert!(version.starts_with(start), "{version:?}");
    }

    pub(super) fn has_flag(&self, flag: &str) -> bool {
        let mut options = self.report.options.iter();
        options.any(|option| option.flags.iter().any(|other| other == flag))
    }

    pub(super) fn notes(&self, part: &str) -> bool {
        let mut notes = self.report.safety_notes.iter();
        notes.any(|note| note.contains(part))
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
            .unwrap_or_else(|| panic!("no sample: {command}"))
            .output
    }
}
