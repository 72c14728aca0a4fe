//! The seed's rules for a memory that is valid.

use super::redact::{FileSecret, all_secrets, has_secret};
use super::table::{Rule, change, each_rule};
use crate::file::{Parsed, parse, plain, write};
use crate::model::{MAX_BYTES, Notes, is_time};
use ccd_protocol::memory::{MemoryValidateReply, SessionMemory};
use serde_json::{Value, json, to_value};
use std::collections::HashSet;

#[must_use]
pub fn validate(memory: &SessionMemory) -> MemoryValidateReply {
    let mistakes = mistakes(memory).into_iter();
    let mut errors: Vec<String> = mistakes.map(|mistake| mistake.error).collect();
    let content = write(memory, &Default::default(), &Default::default());
    errors.extend(too_long(&content));
    // A path such as `/etc/passwd` looks like a secret, but that is not what is wrong with it.
    let mut inside = memory.clone();
    change(&mut inside, |value| {
        each_rule(value, |rule, _, path| {
            if rule == Rule::RelativePath && !is_relative(path.as_str().unwrap_or_default()) {
                *path = json!("");
            }
        });
    });
    let content = write(&inside, &Default::default(), &Default::default());
    if has_secret(&content, &inside) {
        errors.push("Sensitive data detected in serialized output".to_owned());
    }
    reply(errors, Vec::new())
}

fn reply(errors: Vec<String>, warnings: Vec<String>) -> MemoryValidateReply {
    MemoryValidateReply {
        valid: errors.is_empty(),
        errors,
        warnings,
    }
}

/// Returns what is wrong with a file, with the lines as far as they are known.
#[must_use]
pub fn validate_text(content: &str) -> MemoryValidateReply {
    let parsed = parse(content);
    let Parsed { memory, notes, .. } = &parsed;
    match (parsed.is_empty, parsed.has_sections) {
        (true, _) => reply(parsed.warnings, Vec::new()),
        (_, false) => {
            let error = "no section of a session memory is in it".to_owned();
            reply(vec![error], parsed.warnings)
        }
        _ => reply(in_file(content, memory, notes), parsed.warnings),
    }
}

fn in_file(content: &str, memory: &SessionMemory, notes: &Notes) -> Vec<String> {
    let lines: Vec<String> = content.lines().map(plain).collect();
    let mistakes = mistakes(memory);
    let mut errors = Vec::new();
    for Mistake { error, mark, .. } in &mistakes {
        let line = lines
            .iter()
            .position(|line| !mark.is_empty() && line.contains(mark));
        errors.push(match line {
            Some(at) => format!("line {}: {error}", at + 1),
            None => error.clone(),
        });
    }
    errors.extend(too_long(content));
    let bad_paths = mistakes
        .iter()
        .filter(|mistake| mistake.rule == Rule::RelativePath);
    // Words of the file itself may look like a secret, such as a command beside a name.
    let ours = write(memory, &Default::default(), notes);
    let ours: HashSet<String> = ours.lines().map(plain).collect();
    for found in all_secrets(content) {
        let line = lines.get(found.line - 1).map_or("", String::as_str);
        let is_path = bad_paths
            .clone()
            .any(|mistake| line.contains(&mistake.mark));
        let is_ours = ours.contains(line);
        if !is_path && (!is_ours || found.is_in(memory)) {
            let FileSecret { line, section, .. } = found;
            errors.push(format!(
                "line {line}: something there looks like a secret ({section})"
            ));
        }
    }
    errors
}

fn too_long(content: &str) -> Option<String> {
    (content.len() > MAX_BYTES).then(|| format!("the file exceeds {MAX_BYTES} bytes"))
}

/// What is wrong, and a text that the line with the mistake has.
struct Mistake {
    rule: Rule,
    error: String,
    mark: String,
}

fn mistakes(memory: &SessionMemory) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    let mut value = to_value(memory).unwrap_or_default();
    each_rule(&mut value, |rule, name, value| {
        let found = mistake(rule, name, value);
        mistakes.extend(found.map(|(error, mark)| Mistake { rule, error, mark }));
    });
    mistakes
}

fn mistake(rule: Rule, name: &str, value: &Value) -> Option<(String, String)> {
    let text = value.as_str().unwrap_or_default();
    let (is_right, error, mark) = match rule {
        Rule::Time => (
            is_time(text),
            "must be ISO 8601 format".to_owned(),
            String::new(),
        ),
        Rule::Version => (
            is_version(text),
            format!("must be N.N or N.N.N: {text:?}"),
            format!("Session Memory v{text}"),
        ),
        Rule::Percentage => {
            let value = value.as_f64().unwrap_or_default();
            let is_right = (0.0..=100.0).contains(&value);
            (
                is_right,
                format!("out of range: {value}"),
                format!("{value:.1}%"),
            )
        }
        Rule::Counts => counts(value),
        Rule::RelativePath => {
            let error = format!("must be a relative path: {text:?}");
            (is_relative(text), error, text.to_owned())
        }
        Rule::Entries(max) => {
            let is_right = value.as_array().is_none_or(|list| list.len() <= max);
            (
                is_right,
                format!("array exceeds max length ({max})"),
                String::new(),
            )
        }
        Rule::Line(_) if text.contains(['\n', '\r']) => {
            (false, "must be one line".to_owned(), String::new())
        }
        Rule::Line(max) => {
            let is_right = text.chars().count() <= max;
            (
                is_right,
                format!("exceeds {max} characters"),
                text.to_owned(),
            )
        }
    };
    // The seed's word for it.
    let name = if name.starts_with("taskStatus.phases") {
        "phase.percentage"
    } else {
        name
    };
    (!is_right).then(|| (format!("{name} {error}"), mark))
}

fn counts(suite: &Value) -> (bool, String, String) {
    let count = |name: &str| suite[name].as_u64().unwrap_or_default();
    let [passed, failed, total] = ["passed", "failed", "total"].map(count);
    (
        passed.checked_add(failed).is_some_and(|ran| ran <= total),
        format!("says {passed} passed and {failed} failed of {total} tests"),
        format!("{passed}/{total} passed"),
    )
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
        let expected =
            format!("line {line}: testResults.unit says 99 passed and 0 failed of 47 tests");
        assert_eq!(errors(&bad), [expected]);
        let bad = text.replace("src/a.rs", "/etc/passwd");
        let line = line_of(&bad, "/etc/passwd");
        let expected = format!(
            "line {line}: filesNeedingAttention[0].path must be a relative path: \"/etc/passwd\""
        );
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
