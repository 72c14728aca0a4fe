//! The seed's rules for a memory that is valid.

use super::redact::{Found, all_secrets, has_secret};
use crate::file::{Parsed, parse, plain, write};
use crate::model::{
    MAX_BLOCKERS, MAX_BYTES, MAX_ERRORS, MAX_FAILURES, MAX_FILES, MAX_NEXT_TASKS, MAX_SERVERS,
    MAX_STEPS, MESSAGE_CHARS, Notes, TITLE_CHARS, is_time,
};
use ccd_protocol::memory::{MemoryValidateReply, SessionMemory, TestSuite};
use std::collections::HashSet;

/// What is wrong, and texts that the line with the mistake has.
struct Mistake {
    error: String,
    marks: Vec<String>,
}

/// Returns what is wrong with a memory.
#[must_use]
pub fn validate(memory: &SessionMemory) -> MemoryValidateReply {
    let mistakes = mistakes(memory).into_iter();
    let mut errors: Vec<String> = mistakes.map(|mistake| mistake.error).collect();
    let content = write(memory, &Default::default(), &Default::default());
    if content.len() > MAX_BYTES {
        errors.push(too_long());
    }
    // A path such as `/etc/passwd` looks like a secret, but that is not what is wrong with it.
    let mut inside = memory.clone();
    let tests = &mut inside.test_results;
    let failures = tests
        .unit
        .failures
        .iter_mut()
        .chain(&mut tests.e2e.failures);
    let files = inside.files_needing_attention.iter_mut();
    let paths = failures.map(|failure| &mut failure.file);
    let paths = paths.chain(files.map(|file| &mut file.path));
    for path in paths.chain([&mut inside.task_status.source_file]) {
        if !is_relative(path) {
            path.clear();
        }
    }
    let content = write(&inside, &Default::default(), &Default::default());
    if has_secret(&content, &inside) {
        errors.push("Sensitive data detected in serialized output".to_owned());
    }
    MemoryValidateReply {
        valid: errors.is_empty(),
        errors,
        warnings: Vec::new(),
    }
}

/// Returns what is wrong with a file, with the lines as far as they are known.
#[must_use]
pub fn validate_text(content: &str) -> MemoryValidateReply {
    let Parsed {
        memory,
        warnings,
        is_empty,
        has_sections,
        notes,
    } = parse(content);
    let (errors, warnings) = match (is_empty, has_sections) {
        (true, _) => (warnings, Vec::new()),
        (_, false) => {
            let error = "no section of a session memory is in it".to_owned();
            (vec![error], warnings)
        }
        _ => (in_file(content, &memory, &notes), warnings),
    };
    MemoryValidateReply {
        valid: errors.is_empty(),
        errors,
        warnings,
    }
}

fn in_file(content: &str, memory: &SessionMemory, notes: &Notes) -> Vec<String> {
    let lines: Vec<String> = content.lines().map(plain).collect();
    let line_of = |mark: &String| lines.iter().position(|line| line.contains(mark));
    let with_line = |Mistake { error, marks }| match marks.iter().find_map(line_of) {
        Some(at) => format!("line {}: {error}", at + 1),
        None => error,
    };
    let mut errors: Vec<String> = mistakes(memory).into_iter().map(with_line).collect();
    if content.len() > MAX_BYTES {
        errors.push(too_long());
    }
    // Words of the file itself may look like a secret, such as a command beside a name.
    let ours = write(memory, &Default::default(), notes);
    let ours: HashSet<String> = ours.lines().map(plain).collect();
    for found in all_secrets(content) {
        let line = lines.get(found.line - 1);
        let is_path = line.is_some_and(|line| {
            paths(memory)
                .iter()
                .any(|(_, path)| !is_relative(path) && line.contains(path))
        });
        let is_ours = line.is_some_and(|line| ours.contains(line));
        if !is_path && (!is_ours || found.is_in(memory)) {
            let Found { line, section, .. } = found;
            errors.push(format!(
                "line {line}: something there looks like a secret ({section})"
            ));
        }
    }
    errors
}

fn too_long() -> String {
    format!("the file exceeds {MAX_BYTES} bytes")
}

fn mistakes(memory: &SessionMemory) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    let mut check = |is_right: bool, error: &dyn Fn() -> String, marks: &[&str]| {
        if !is_right {
            mistakes.push(Mistake {
                error: error(),
                marks: marks
                    .iter()
                    .filter(|mark| !mark.is_empty())
                    .map(|mark| (*mark).to_owned())
                    .collect(),
            });
        }
    };
    for (name, time) in times(memory) {
        let error = || format!("{name} must be ISO 8601 format");
        check(is_time(time), &error, &[]);
    }
    let version = &*memory.metadata.version;
    let error = || format!("metadata.version must be N.N or N.N.N: {version:?}");
    check(
        is_version(version),
        &error,
        &[&format!("Session Memory v{version}")],
    );
    for (name, value) in percentages(memory) {
        let error = || format!("{name} out of range: {value}");
        let marks = [&*format!("{value:.1}%"), &format!("{value}%")];
        check((0.0..=100.0).contains(&value), &error, &marks);
    }
    for (name, suite) in suites(memory) {
        let TestSuite {
            passed,
            failed,
            total,
            ..
        } = suite;
        let error = || format!("{name}: {passed} passed and {failed} failed of {total} tests");
        let is_right = passed.checked_add(*failed).is_some_and(|ran| ran <= *total);
        check(is_right, &error, &[&format!("{passed}/{total} passed")]);
    }
    for (name, path) in paths(memory) {
        let error = || format!("{name} must be a relative path: {path:?}");
        check(is_relative(path), &error, &[path]);
    }
    for (name, len, max) in lens(memory) {
        let error = || format!("{name} array exceeds max length ({max})");
        check(len <= max, &error, &[]);
    }
    for (name, text, max) in texts(memory) {
        let error = || format!("{name} exceeds {max} characters");
        check(text.chars().count() <= max, &error, &[text]);
        let error = || format!("{name} must be one line");
        check(!text.contains(['\n', '\r']), &error, &[]);
    }
    mistakes
}

fn suites(memory: &SessionMemory) -> [(&'static str, &TestSuite); 2] {
    let tests = &memory.test_results;
    [
        ("testResults.unit", &tests.unit),
        ("testResults.e2e", &tests.e2e),
    ]
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store_tests::memory;
    use ccd_protocol::memory::FileReference;

    fn errors(content: &str) -> Vec<String> {
        validate_text(content).errors
    }

    #[test]
    fn mistakes_in_a_file_have_their_lines() {
        let mut memory = memory("lamp");
        let suite = &mut memory.test_results.unit;
        (suite.passed, suite.total) = (46, 47);
        memory.files_needing_attention.push(FileReference {
            path: "src/a.rs".to_owned(),
            reason: "Failing test".to_owned(),
            ..FileReference::default()
        });
        let text = write(&memory, &Default::default(), &Default::default());
        assert_eq!(errors(&text), Vec::<String>::new());
        let line_of =
            |text: &str, mark: &str| text.lines().position(|line| line.contains(mark)).unwrap() + 1;
        let bad = text.replace("46/47 passed", "99/47 passed");
        let line = line_of(&bad, "99/47");
        let expected = format!("line {line}: testResults.unit: 99 passed and 0 failed of 47 tests");
        assert_eq!(errors(&bad), [expected]);
        let bad = text.replace("src/a.rs", "/etc/passwd");
        let line = line_of(&bad, "/etc/passwd");
        let expected = format!("line {line}: file.path must be a relative path: \"/etc/passwd\"");
        assert_eq!(errors(&bad), [expected]);
        let key = ["sk_", "live_", "4eC39HqLyjWDarjtT1zdp7dc"].concat();
        let bad = format!("{text}\n## Notes\n\nAPI_KEY={key}\n");
        let line = line_of(&bad, "API_KEY");
        let expected = format!("line {line}: something there looks like a secret (Notes)");
        assert_eq!(errors(&bad), [expected]);
        let bad = format!("{text}\n## Notes\n\n{}\n", "long ".repeat(12_000));
        assert_eq!(errors(&bad), ["the file exceeds 51200 bytes"]);
    }
}
