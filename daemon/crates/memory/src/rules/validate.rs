//! The seed's rules for a memory that is valid.

use super::redact::has_secret;
use crate::file::write;
use crate::model::{
    MAX_BLOCKERS, MAX_BYTES, MAX_ERRORS, MAX_FAILURES, MAX_FILES, MAX_NEXT_TASKS, MAX_SERVERS,
    MAX_STEPS, MESSAGE_CHARS, TITLE_CHARS, is_time,
};
use ccd_protocol::memory::{MemoryValidateReply, SessionMemory};

/// Returns what is wrong with a memory.
#[must_use]
pub fn validate(memory: &SessionMemory) -> MemoryValidateReply {
    let mut errors = Vec::new();
    let mut check = |is_right: bool, error: &dyn Fn() -> String| {
        if !is_right {
            errors.push(error());
        }
    };
    for (name, time) in times(memory) {
        check(is_time(time), &|| format!("{name} must be ISO 8601 format"));
    }
    check(is_version(&memory.metadata.version), &|| {
        format!(
            "metadata.version must be N.N or N.N.N: {:?}",
            memory.metadata.version
        )
    });
    for (name, value) in percentages(memory) {
        check((0.0..=100.0).contains(&value), &|| {
            format!("{name} out of range: {value}")
        });
    }
    for (name, path) in paths(memory) {
        check(is_relative(path), &|| {
            format!("{name} must be a relative path: {path:?}")
        });
    }
    for (name, len, max) in lens(memory) {
        check(len <= max, &|| {
            format!("{name} array exceeds max length ({max})")
        });
    }
    for (name, text, max) in texts(memory) {
        check(text.chars().count() <= max, &|| {
            format!("{name} exceeds {max} characters")
        });
        check(!text.contains(['\n', '\r']), &|| {
            format!("{name} must be one line")
        });
    }
    let content = write(memory, &Default::default(), &Default::default());
    check(content.len() <= MAX_BYTES, &|| {
        format!("the file exceeds {MAX_BYTES} bytes")
    });
    check(!has_secret(&content, memory), &|| {
        "Sensitive data detected in serialized output".to_owned()
    });
    MemoryValidateReply {
        valid: errors.is_empty(),
        errors,
        warnings: Vec::new(),
    }
}

fn is_version(text: &str) -> bool {
    let parts: Vec<&str> = text.split('.').collect();
    matches!(parts.len(), 2 | 3) && parts.iter().all(|part| part.parse::<u32>().is_ok())
}

fn is_relative(path: &str) -> bool {
    let has_drive = path.as_bytes().get(1) == Some(&b':');
    !path.starts_with('/')
        && !has_drive
        && !path.contains('\\')
        && !path.split('/').any(|part| part == "..")
}

fn times(memory: &SessionMemory) -> Vec<(String, &str)> {
    let environment = &memory.environment;
    let mut times = vec![(
        "metadata.generatedAt".to_owned(),
        &*memory.metadata.generated_at,
    )];
    let optional = [
        ("testResults.lastRun", &memory.test_results.last_run),
        (
            "environment.dependencies.lastInstall",
            &environment.dependencies.last_install,
        ),
        ("environment.build.lastBuild", &environment.build.last_build),
    ];
    times.extend(
        optional
            .into_iter()
            .filter_map(|(name, time)| Some((name.to_owned(), time.as_deref()?))),
    );
    times.extend(
        memory
            .blockers
            .iter()
            .enumerate()
            .filter_map(|(at, blocker)| {
                Some((
                    format!("blockers[{at}].detectedAt"),
                    blocker.detected_at.as_deref()?,
                ))
            }),
    );
    times
}

fn percentages(memory: &SessionMemory) -> Vec<(&'static str, f64)> {
    let phases = memory
        .task_status
        .phases
        .iter()
        .map(|phase| ("phase.percentage", phase.percentage));
    let tests = &memory.test_results;
    phases
        .chain([
            ("testResults.unit.percentage", tests.unit.percentage),
            ("testResults.e2e.percentage", tests.e2e.percentage),
        ])
        .collect()
}

fn paths(memory: &SessionMemory) -> Vec<(&'static str, &str)> {
    let tests = &memory.test_results;
    let failures = tests.unit.failures.iter().chain(&tests.e2e.failures);
    let failures = failures.map(|failure| ("failure.file", &*failure.file));
    let files = memory
        .files_needing_attention
        .iter()
        .map(|file| ("file.path", &*file.path));
    let source = ("taskStatus.sourceFile", &*memory.task_status.source_file);
    failures.chain(files).chain([source]).collect()
}

fn lens(memory: &SessionMemory) -> [(&'static str, usize, usize); 8] {
    let (tests, environment) = (&memory.test_results, &memory.environment);
    [
        (
            "taskStatus.nextTasks",
            memory.task_status.next_tasks.len(),
            MAX_NEXT_TASKS,
        ),
        ("blockers", memory.blockers.len(), MAX_BLOCKERS),
        (
            "testResults.unit.failures",
            tests.unit.failures.len(),
            MAX_FAILURES,
        ),
        (
            "testResults.e2e.failures",
            tests.e2e.failures.len(),
            MAX_FAILURES,
        ),
        (
            "environment.servers",
            environment.servers.len(),
            MAX_SERVERS,
        ),
        (
            "environment.build.errors",
            environment.build.errors.as_ref().map_or(0, Vec::len),
            MAX_ERRORS,
        ),
        (
            "filesNeedingAttention",
            memory.files_needing_attention.len(),
            MAX_FILES,
        ),
        ("nextSteps", memory.next_steps.len(), MAX_STEPS),
    ]
}

/// Texts of one line with the number of characters that they may have.
fn texts(memory: &SessionMemory) -> Vec<(&'static str, &str, usize)> {
    let summary = &memory.summary;
    let mut texts = vec![
        (
            "summary.projectDescription",
            &*summary.project_description,
            usize::MAX,
        ),
        (
            "summary.completionStatus",
            &*summary.completion_status,
            usize::MAX,
        ),
        ("summary.currentPhase", &*summary.current_phase, usize::MAX),
        (
            "summary.majorBlocker",
            summary.major_blocker.as_deref().unwrap_or(""),
            usize::MAX,
        ),
        ("summary.nextAction", &*summary.next_action, usize::MAX),
    ];
    texts.extend(
        memory
            .blockers
            .iter()
            .map(|blocker| ("blocker.title", &*blocker.title, TITLE_CHARS)),
    );
    let tests = &memory.test_results;
    let failures = tests.unit.failures.iter().chain(&tests.e2e.failures);
    texts.extend(failures.filter_map(|failure| {
        Some((
            "failure.message",
            failure.message.as_deref()?,
            MESSAGE_CHARS,
        ))
    }));
    let errors = memory.environment.build.errors.iter().flatten();
    texts.extend(errors.map(|error| ("environment.build.error", &**error, MESSAGE_CHARS)));
    texts
}
