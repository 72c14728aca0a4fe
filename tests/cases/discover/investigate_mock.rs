//! An investigation of the mock target: its states, its faults, and what safe mode keeps from it.

use super::MOCK_TARGET;
use super::investigated::{Investigated, report_of, started};
use crate::support::Daemon;
use ccd_protocol::investigate::{FindingKind, ProgramState};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn the_states_and_the_faults_of_the_mock_are_found_twice_in_the_same_way() {
    let daemon = Daemon::start();
    let log = daemon.home().join("log");
    let argv = [MOCK_TARGET, "--log", log.to_str().unwrap()];
    let jobs = [0, 1].map(|_| started(&daemon, &argv, &json!({})));
    let [first, second] = jobs.map(|job| report_of(&daemon, &job));
    check_facts(&first);
    check_states(&first);
    check_findings(&first);
    check_ids(&first);
    assert_eq!(comparable(&first), comparable(&second));
    assert_ne!(first.report.id, second.report.id);
    assert_ne!(first.path, second.path);

    let received = std::fs::read_to_string(log).unwrap();
    let has = |line: &str| received.lines().any(|received| received == line);
    assert!(has("whisper") && has("crash"));
    assert!(!has("zap") && !has("sesame"), "{received}");
    let commands = &first.report.commands;
    assert!(!commands["zap"].tested && commands["zap"].output_length.is_none());
    assert!(first.notes("refused zap (destructive_help)"));
}

fn check_facts(mock: &Investigated) {
    let report = &mock.report;
    assert!(report.interactive && !report.full_screen && report.safe_mode);
    assert_eq!(report.version.as_deref(), Some("mock_target 1.2.3"));
    assert_eq!(report.help_commands, ["--help", "-h", "help", "?"]);
    assert_eq!(report.usage, ["mock_target [OPTIONS]"]);
    assert!(mock.has_flag("--sound") && mock.has_flag("-V"));
    assert_eq!(report.data_formats, ["json"]);
    mock.ends_by(&["exit", "quit", "C-d"]);
    assert_eq!(mock.exit("C-c"), Some(130));
    assert_eq!(report.exit_commands.len(), 4);
    let described = |name: &str| &*report.commands[name].description;
    assert_eq!(described("json"), "Print the settings as JSON");
    assert_eq!(described("set"), "Change a setting");
    let commands = report.commands.iter();
    let untested = commands.filter(|(_, command)| !command.tested);
    assert_eq!(untested.map(|(name, _)| name).collect::<Vec<_>>(), ["zap"]);
    let name = mock.path.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("mock_target_"), "{name}");
    for (command, category, message) in [
        ("error", "permission_denied", "error: permission denied"),
        ("xyzzyq", "generic", "error: unknown command: xyzzyq"),
    ] {
        let mut errors = report.error_messages.iter();
        let error = errors.find(|error| error.command == command).unwrap();
        assert_eq!((&*error.category, &*error.message), (category, message));
    }
}

fn check_states(mock: &Investigated) {
    let states = &mock.report.states;
    let named = |state: &ProgramState| format!("{} {}", state.name, state.prompt.as_ref().unwrap());
    let names: Vec<String> = states.iter().map(named).collect();
    assert_eq!(
        names.join(", "),
        "main main>, config config>, data data>, stealth main>, password Password:"
    );
    let prompts = &mock.report.prompts;
    assert_eq!(*prompts, ["main>", "config>", "data>", "Password:"]);
    let to = |name: &str| mock.state(name).id.clone();
    let leads = |from: &str, expected: &[(&str, &str)]| {
        let expected = expected.iter();
        let expected = expected.map(|(command, name)| ((*command).to_owned(), to(name)));
        let expected: BTreeMap<_, _> = expected.collect();
        assert_eq!(mock.state(from).transitions, expected, "{from}");
    };
    let of_main = ["config", "data", "stealth"].map(|name| (name, name));
    leads("main", &[&of_main[..], &[("login", "password")]].concat());
    leads("config", &[("back", "main")]);
    leads("data", &[("back", "main")]);
    assert_eq!(mock.state("config").commands, ["set", "show", "back"]);
    assert_eq!(mock.state("stealth").commands, ["whisper", "back"]);
    assert!(mock.sample("stealth", "whisper").contains("psst"));
    assert!(mock.sample("config", "show").contains("\"version\": 1"));
    assert!(mock.notes("login asks for hidden input: nothing was typed there"));
}

fn check_findings(mock: &Investigated) {
    let main = Some(mock.state("main").id.clone());
    let [crash, hang, flood] = &mock.report.findings[..] else {
        panic!("{:#?}", mock.report.findings);
    };
    for (finding, kind, command) in [
        (crash, FindingKind::Crash, "crash"),
        (hang, FindingKind::Hang, "hang"),
        (flood, FindingKind::Flood, "flood"),
    ] {
        assert_eq!((finding.kind, &finding.state), (kind, &main));
        assert_eq!(finding.command.as_deref(), Some(command));
    }
    assert_eq!(crash.signal.as_deref(), Some("SIGSEGV"));
    assert_eq!(crash.exit_status, Some(139));
}

fn check_ids(mock: &Investigated) {
    let report = &mock.report;
    assert_eq!(report.entry_state_id, Some(report.states[0].id.clone()));
    let different: BTreeSet<_> = report.states.iter().map(|state| &state.id).collect();
    assert_eq!(different.len(), report.states.len());
    for state in &report.states {
        assert_eq!(state.report_id, report.id);
        let mut samples = state.output_samples.iter();
        assert!(samples.all(|sample| sample.output.chars().count() <= 500));
    }
}

/// Returns a report with names in place of ids, and without times.
fn comparable(mock: &Investigated) -> Value {
    let mut report = mock.report.clone();
    let states = report.states.iter();
    let ids = states.map(|state| (state.id.clone(), state.name.clone()));
    let ids: Vec<_> = ids.collect();
    report.started_at.clear();
    report.completed_at.clear();
    for finding in &mut report.findings {
        // A hang takes as long as a step may, and a little more on a busy machine.
        finding.message.retain(|c| !c.is_ascii_digit());
    }
    let mut text = serde_json::to_string(&report).unwrap();
    for (id, name) in ids.into_iter().chain([(report.id, "report".to_owned())]) {
        text = text.replace(&id, &name);
    }
    serde_json::from_str(&text).unwrap()
}
