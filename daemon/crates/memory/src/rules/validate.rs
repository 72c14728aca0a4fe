//! The seed's rules for a memory that is valid.

use super::redact::{FileSecret, all_secrets};
use super::table::{Rule, each_rule};
use crate::file::{Parsed, parse, plain, write};
use crate::model::{MAX_BYTES, Notes, is_time};
use ccd_protocol::memory::{MemoryValidateReply, SessionMemory};
use serde_json::{Value, to_value};
use std::collections::HashSet;

/// Returns what is wrong with a memory and its file.
pub(crate) fn errors(memory: &SessionMemory, content: &str) -> Vec<String> {
    let mistakes = mistakes(memory).into_iter();
    let mut errors: Vec<String> = mistakes.map(|mistake| mistake.error).collect();
    errors.extend(too_long(content));
    // A path such as `/etc/passwd` looks like a secret, but that is not what is wrong with it.
    if errors.is_empty() && all_secrets(content).iter().any(|found| found.is_in(memory)) {
        errors.push("Sensitive data detected in serialized output".to_owned());
    }
    errors
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
    let is_path = |mistake: &&Mistake| mistake.rule == Rule::RelativePath;
    let bad_paths: Vec<&Mistake> = mistakes.iter().filter(is_path).collect();
    // Words of the file itself may look like a secret, such as a command beside a name.
    let ours = write(memory, &Default::default(), notes);
    let ours: HashSet<String> = ours.lines().map(plain).collect();
    for found in all_secrets(content) {
        let line = lines.get(found.line - 1).map_or("", String::as_str);
        let is_path = bad_paths.iter().any(|path| line.contains(&path.mark));
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
        mistakes.extend(mistake(rule, name, value));
    });
    mistakes
}

fn mistake(rule: Rule, name: &str, value: &Value) -> Option<Mistake> {
    let text = value.as_str().unwrap_or_default();
    let share = value.as_f64().unwrap_or_default();
    let count = |name: &str| value[name].as_u64().unwrap_or_default();
    let [passed, failed, total] = ["passed", "failed", "total"].map(count);
    let is_one_line = !text.contains(['\n', '\r']);
    let is_right = match rule {
        Rule::Time => is_time(text),
        Rule::Version => is_version(text),
        Rule::Percentage => (0.0..=100.0).contains(&share),
        Rule::Counts => passed.checked_add(failed).is_some_and(|ran| ran <= total),
        Rule::RelativePath => is_relative(text),
        Rule::Entries(max) => value.as_array().is_none_or(|list| list.len() <= max),
        Rule::Line(max) => is_one_line && text.chars().count() <= max,
    };
    if is_right {
        return None;
    }
    let error = match rule {
        Rule::Time => "must be ISO 8601 format".to_owned(),
        Rule::Version => format!("must be N.N or N.N.N: {text:?}"),
        Rule::Percentage => format!("out of range: {share}"),
        Rule::Counts => format!("says {passed} passed and {failed} failed of {total} tests"),
        Rule::RelativePath => format!("must be a relative path: {text:?}"),
        Rule::Entries(max) => format!("array exceeds max length ({max})"),
        Rule::Line(max) if is_one_line => format!("exceeds {max} characters"),
        Rule::Line(_) => "must be one line".to_owned(),
    };
    let mark = match rule {
        Rule::Version => format!("Session Memory v{text}"),
        Rule::Percentage => format!("{share:.1}%"),
        Rule::Counts => format!("{passed}/{total} passed"),
        Rule::RelativePath => text.to_owned(),
        Rule::Line(_) if is_one_line => text.to_owned(),
        Rule::Time | Rule::Entries(_) | Rule::Line(_) => String::new(),
    };
    // The seed's word for it.
    let name = if name.starts_with("taskStatus.phases") {
        "phase.percentage"
    } else {
        name
    };
    let error = format!("{name} {error}");
    Some(Mistake { rule, error, mark })
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

    fn mistakes_in(content: &str) -> Vec<String> {
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
        assert_eq!(mistakes_in(&text), Vec::<String>::new());
        let line_of =
            |text: &str, mark: &str| text.lines().position(|line| line.contains(mark)).unwrap() + 1;
        let bad = text.replace("46/47 passed", "99/47 passed");
        let line = line_of(&bad, "99/47");
        let expected =
            format!("line {line}: testResults.unit says 99 passed and 0 failed of 47 tests");
        assert_eq!(mistakes_in(&bad), [expected]);
        let bad = text.replace("src/a.rs", "/etc/passwd");
        let line = line_of(&bad, "/etc/passwd");
        let expected = format!(
            "line {line}: filesNeedingAttention[0].path must be a relative path: \"/etc/passwd\""
        );
        assert_eq!(mistakes_in(&bad), [expected]);
        let key = ["sk_", "live_", "4eC39HqLyjWDarjtT1zdp7dc"].concat();
        let bad = format!("{text}\n## Notes\n\nAPI_KEY={key}\n");
        let line = line_of(&bad, "API_KEY");
        let expected = format!("line {line}: something there looks like a secret (Notes)");
        assert_eq!(mistakes_in(&bad), [expected]);
        let bad = format!("{text}\n## Notes\n\n{}\n", "long ".repeat(12_000));
        assert_eq!(mistakes_in(&bad), ["the file exceeds 51200 bytes"]);
    }
}
