//! The seed's nominal case and its five edge cases.

use super::{assert_lossless, parse, write};
use crate::rules::{shorten, validate_text};
use crate::store_tests::memory;
use ccd_protocol::memory::{
    BlockerEntry, ExecutiveSummary, PhaseStatus, Priority, SessionMemory, TaskReference, TestStatus,
};

fn text(text: &str) -> String {
    text.to_owned()
}

fn nominal() -> SessionMemory {
    let mut memory = memory("ElectroMate");
    memory.metadata.generated_at = text("2025-12-25T14:30:00Z");
    memory.metadata.branch = text("001-session-memory-file");
    memory.metadata.session_duration = Some(text("2h 15m"));
    memory.summary = ExecutiveSummary {
        project_description: text("ElectroMate - electrical engineering calculation platform"),
        completion_status: text("60/155 tasks complete (38.7%)"),
        current_phase: text("Core Development"),
        major_blocker: Some(text("Database setup blocked: missing .env.local")),
        next_action: text("Create .env.local and configure NEON_DATABASE_URL"),
    };
    memory.blockers = vec![BlockerEntry {
        priority: Priority::High,
        task_id: Some(text("T032")),
        title: text("Missing .env.local file"),
        description: text("Database connection requires NEON_DATABASE_URL"),
        required_action: text("Create .env.local from .env.local.example"),
        detected_at: None,
    }];
    memory
}

fn file(memory: &SessionMemory) -> String {
    write(memory, &Default::default(), &Default::default())
}

#[test]
fn nominal_case() {
    assert_lossless(&nominal());
    assert_eq!(
        validate_text(&file(&nominal())).errors,
        Vec::<String>::new()
    );
}

#[test]
fn empty_project_generates_minimal_valid_markdown() {
    let mut memory = memory("empty");
    memory.metadata.branch = text("unknown");
    memory.summary.completion_status = text("0/0 tasks complete (0.0%)");
    assert_lossless(&memory);
    assert!(validate_text(&file(&memory)).valid);
}

#[test]
fn all_tests_passing_has_no_failures_and_a_pass_rate_of_100() {
    let mut memory = nominal();
    let unit = &mut memory.test_results.unit;
    unit.status = TestStatus::Passed;
    (unit.passed, unit.total, unit.percentage) = (47, 47, 100.0);
    assert_lossless(&memory);
    let file = file(&memory);
    assert!(
        file.contains("47/47 passed (100.0%)") && !file.contains("Failures"),
        "{file}"
    );
}

#[test]
fn no_blockers_has_null_in_the_summary() {
    let mut memory = nominal();
    memory.summary.major_blocker = None;
    memory.blockers.clear();
    assert_lossless(&memory);
    let file = file(&memory);
    assert!(file.contains("4. No critical blockers\n"), "{file}");
}

#[test]
fn large_project_truncates_next_tasks_to_5() {
    let mut memory = nominal();
    let task = |number| TaskReference {
        id: format!("T{number:03}"),
        title: text("Do it"),
        phase: text("Core"),
    };
    memory.task_status.next_tasks = (1..=200).map(task).collect();
    let cuts = shorten(&mut memory);
    assert_eq!(memory.task_status.next_tasks.len(), 5);
    assert_eq!(cuts["taskStatus.nextTasks"], 195);
    assert!(write(&memory, &cuts, &Default::default()).contains("... and 195 more tasks"));
    assert_lossless(&memory);
}

#[test]
fn corrupted_markdown_gives_partial_data_with_warnings() {
    let file = file(&nominal());
    let (start, rest) = file.split_once("## Blockers").unwrap();
    let (_, end) = rest.split_once("## Environment State").unwrap();
    let broken = format!("{start}## Environment State{end}");
    let broken = broken.replace("2025-12-25T14:30:00Z", "yesterday");
    let broken = broken.replace("**Current Task**", "| half a | row\n**Current Task**");
    let parsed = parse(&broken);
    assert_eq!(parsed.memory.summary, nominal().summary);
    assert_eq!(parsed.memory.metadata.generated_at, "unknown");
    assert_eq!(parsed.memory.blockers, []);
    for part in [
        "\"Blockers\" is missing",
        "\"Test Results\" is missing",
        "yesterday",
        "not a line of the section \"Task Status\"",
    ] {
        assert!(
            parsed.warnings.iter().any(|warning| warning.contains(part)),
            "{part}: {:?}",
            parsed.warnings
        );
    }
}

#[test]
fn an_empty_file_is_no_session_data_and_another_document_has_no_sections() {
    let empty = parse(" \n\n");
    assert!(empty.is_empty);
    assert_eq!(empty.memory.summary.project_description, "No session data");
    let other = parse("# Readme\n\n## Install\n\nRun it.\n");
    assert!(!other.has_sections && !other.is_empty);
}

#[test]
fn a_file_that_a_formatter_changed_is_read() {
    let mut memory = nominal();
    memory.task_status.phases = vec![PhaseStatus {
        name: text("Setup"),
        completed: 2,
        total: 4,
        percentage: 50.0,
    }];
    let file = file(&memory).replace(
        "| Setup | 2 | 4 | 50.0% |",
        "| Setup    | 2         | 4     | 50.0%      |",
    );
    let file = file.replace(
        "*Generated by Claude Code Session Memory v1.0*",
        "_Generated by Claude Code Session Memory v1.0_",
    );
    let parsed = parse(&file);
    assert_eq!((parsed.memory, parsed.warnings), (memory, Vec::new()));
}

#[test]
fn sentences_that_moved_are_not_taken_for_others() {
    let file = file(&nominal());
    let line = "2. 60/155 tasks complete (38.7%)\n3. Current phase";
    let parsed = parse(&file.replace(line, "2. Current phase"));
    let expected = ExecutiveSummary {
        completion_status: String::new(),
        ..nominal().summary
    };
    assert_eq!(parsed.memory.summary, expected);
    assert_eq!(parsed.warnings, ["the line \"2. …\" is missing"]);
    let parsed = parse(&file.replace("### High Priority", "### Urgent"));
    assert!(
        parsed.warnings[0].contains("### High Priority"),
        "{:?}",
        parsed.warnings
    );
}

#[test]
fn the_shorter_forms_of_the_seed_are_read() {
    let parsed = parse(
        "# Session Memory: x\n**Generated**: 2025-12-25T14:30:00Z\n**Branch**: main\n\n## Task Status\n\n**Source**: tasks.md\n\n**Current Task**: T032\n\n**Next Tasks**: T033, T034\n",
    );
    let tasks = parsed.memory.task_status;
    assert_eq!(tasks.current_task.unwrap().id, "T032");
    let ids: Vec<&str> = tasks.next_tasks.iter().map(|task| &*task.id).collect();
    assert_eq!(ids, ["T033", "T034"]);
}

#[test]
fn no_text_is_an_import() {
    let mut memory = nominal();
    memory.metadata.project_name = text("@~/.ssh/id_rsa");
    memory.summary.next_action = text("see @.env and (@/etc/passwd) of ann@example.org");
    memory.blockers[0].title = text("@a @b");
    assert_lossless(&memory);
    let file = file(&memory);
    let mut words = file.split_whitespace();
    assert!(!words.any(|word| word.starts_with('@')), "{file}");
    assert!(file.contains("ann@example.org"), "{file}");
}
