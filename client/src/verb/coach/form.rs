//! The words of a candidate as a text that people edit.
//! Each word has a line, `title: Use pnpm`. Indented lines after it continue it; lines that start with `#` are ignored.

use crate::fields::Fields as _;
use ccd_protocol::coach::CandidateType;
use serde_json::{Value, json};

const HELP: &str = "
# Change the words of this candidate, then save and quit.
# A text continues on the next line if that is indented. Lines that start with # are ignored.
# Types: rule, checklist, snippet, skill, antipattern.
";

const INDENT: &str = "  ";

/// The names of the words, and their members in a candidate.
const WORDS: [(&str, &str); 4] = [
    ("title", "title"),
    ("type", "candidate_type"),
    ("trigger", "trigger_condition"),
    ("action", "action"),
];

pub(super) fn form(candidate: &Value) -> String {
    let mut text = String::new();
    for (name, member) in WORDS {
        let value = cleaned(candidate.text(member));
        let value = value.replace('\n', &format!("\n{INDENT}"));
        text += &format!("{name}: {value}\n");
    }
    text.replace(&format!("\n{INDENT}\n"), "\n\n") + HELP
}

/// Returns the words that differ from the candidate's; `None` if none do. The error is the mistake, as a fragment.
pub(super) fn changes(candidate: &Value, text: &str) -> Result<Option<Value>, String> {
    let mut words = json!({});
    for (name, value) in parse(text)? {
        let member = WORDS.iter().find(|(known, _)| *known == name);
        let member = member.map_or(name, |(_, member)| *member);
        if value == cleaned(candidate.text(member)) {
            continue;
        }
        words[member] = match name {
            _ if value.is_empty() => return Err(format!("{name}: the text is empty")),
            "type" => {
                let known = CandidateType::named(&value);
                let known = known.ok_or_else(|| format!("type: there is no type {value:?}"))?;
                known.name().into()
            }
            _ => value.into(),
        };
    }
    Ok(Some(words).filter(|words| words.has(".")))
}

fn parse(text: &str) -> Result<Vec<(&str, String)>, String> {
    let mut found: Vec<(&str, String)> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let is_more = line.trim().is_empty() || line.starts_with([' ', '\t']);
        match found.last_mut() {
            Some((_, value)) if is_more => {
                let more = line.strip_prefix(INDENT);
                *value += &format!("\n{}", more.unwrap_or_else(|| line.trim_start()));
            }
            None if line.trim().is_empty() => {}
            _ => {
                let (name, value) = line.split_once(':').unwrap_or_default();
                let name = name.trim();
                if !WORDS.iter().any(|(known, _)| *known == name) {
                    return Err(format!(
                        "{line:?} does not start with title:, type:, trigger: or action:"
                    ));
                }
                if found.iter().any(|(known, _)| *known == name) {
                    return Err(format!("{name}: it occurs twice"));
                }
                found.push((name, value.to_owned()));
            }
        }
    }
    for (_, value) in &mut found {
        *value = cleaned(value);
    }
    Ok(found)
}

/// Returns a text without control characters, and without spaces at its ends and at the ends of its lines.
fn cleaned(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let lines = text.split('\n').map(|line| {
        let line: String = line
            .chars()
            .filter(|&c| c == '\t' || !c.is_control())
            .collect();
        line.trim_end().to_owned()
    });
    let lines: Vec<String> = lines.collect();
    lines.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::candidate_tests::sample;
    use proptest::prelude::*;

    #[test]
    fn the_words_are_lines_that_can_be_changed() {
        let candidate = sample("3f2a91bc", "Use pnpm");
        let text = form(&candidate);
        assert!(
            text.starts_with(
                "title: Use pnpm\ntype: rule\ntrigger: When installing packages\naction: Use pnpm\n  Never npm\n\n#"
            ),
            "{text}"
        );
        let edited = text
            .replace("type: rule", "type: Skill")
            .replace("  Never npm\n", "\n\tNever yarn\n");
        let words = changes(&candidate, &edited).unwrap().unwrap();
        let expected = json!({"candidate_type": "skill", "action": "Use pnpm\n\nNever yarn"});
        assert_eq!(words, expected);
    }

    #[test]
    fn missing_words_are_unchanged() {
        let candidate = sample("3f2a91bc", "Use pnpm");
        assert_eq!(changes(&candidate, ""), Ok(None));
        assert_eq!(changes(&candidate, "# nothing\n\n"), Ok(None));
        assert_eq!(changes(&candidate, "title: Use pnpm"), Ok(None));
    }

    #[test]
    fn mistakes_are_named() {
        let candidate = sample("3f2a91bc", "Use pnpm");
        for (text, mistake) in [
            ("title:", "title: the text is empty"),
            ("type: law", "type: there is no type \"law\""),
            ("title: a\ntitle: b", "title: it occurs twice"),
            (
                "  hello",
                "\"  hello\" does not start with title:, type:, trigger: or action:",
            ),
        ] {
            assert_eq!(changes(&candidate, text), Err(mistake.to_owned()), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_text_that_was_not_edited_changes_nothing(
            title in "(\\PC|[#: \t\n\r\x1b]){0,12}",
            trigger in "(\\PC|[#: \t\n\r]){0,12}",
            action in "(\\PC|[#: \t\n\r\x00]){0,20}",
        ) {
            let mut candidate = sample("3f2a91bc", &title);
            candidate["trigger_condition"] = trigger.into();
            candidate["action"] = action.into();
            prop_assert_eq!(changes(&candidate, &form(&candidate)), Ok(None));
        }

        #[test]
        fn no_text_is_too_strange(text in "(\\PC|[#: \t\n\r]|title:|\naction:){0,20}") {
            let _ = changes(&sample("3f2a91bc", "Use pnpm"), &text);
        }
    }
}
