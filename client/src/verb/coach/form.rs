//! The words of a candidate as a text that people edit.
//! Each word has a line, `title: Use pnpm`. Indented lines after it continue it; lines that start with `#` are ignored.

use crate::fields::Fields as _;
use ccd_protocol::coach::{CandidateType, CandidateWords};
use serde_json::Value;

const HELP: &str = "
# Change the words of this candidate, then save and quit.
# A text continues on the next line if that is indented. Lines that start with # are ignored.
# Types: rule, checklist, snippet, skill, antipattern.
";

const INDENT: &str = "  ";

pub(super) fn form(candidate: &Value) -> String {
    let mut text = String::new();
    for (name, value) in fields(candidate) {
        for (index, line) in value.split('\n').enumerate() {
            let start = match (index, line) {
                (0, _) => format!("{name}: "),
                (_, "") => String::new(),
                _ => INDENT.to_owned(),
            };
            text += &format!("{start}{line}\n");
        }
    }
    text + HELP
}

/// Returns the words that differ from the candidate's; `None` if none do. The error is the mistake, as a fragment.
pub(super) fn changes(candidate: &Value, text: &str) -> Result<Option<CandidateWords>, String> {
    let edited = parse(text)?;
    let mut words = CandidateWords::default();
    for (name, before) in fields(candidate) {
        let value = edited.iter().find(|(edited, _)| *edited == name);
        let Some((_, value)) = value.filter(|(_, value)| *value != before) else {
            continue;
        };
        if value.is_empty() {
            return Err(format!("{name}: the text is empty"));
        }
        let value = value.clone();
        match name {
            "title" => words.title = Some(value),
            "trigger" => words.trigger_condition = Some(value),
            "action" => words.action = Some(value),
            _ => {
                let known = CandidateType::named(&value);
                let known = known.ok_or_else(|| format!("type: there is no type {value:?}"))?;
                words.candidate_type = Some(known);
            }
        }
    }
    Ok(Some(words).filter(|words| *words != CandidateWords::default()))
}

fn fields(candidate: &Value) -> [(&'static str, String); 4] {
    [
        ("title", cleaned(candidate.text("title"))),
        ("type", candidate.text("candidate_type").to_owned()),
        ("trigger", cleaned(candidate.text("trigger_condition"))),
        ("action", cleaned(candidate.text("action"))),
    ]
}

fn parse(text: &str) -> Result<Vec<(&'static str, String)>, String> {
    let mut found: Vec<(&'static str, String)> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let is_more = line.trim().is_empty() || line.starts_with([' ', '\t']);
        match found.last_mut() {
            Some((_, value)) if is_more => {
                let more = line.strip_prefix(INDENT);
                *value += &format!("\n{}", more.unwrap_or_else(|| line.trim_start()));
            }
            None if line.trim().is_empty() => {}
            _ => {
                let (name, value) = field(line)?;
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

fn field(line: &str) -> Result<(&'static str, &str), String> {
    const NAMES: [&str; 4] = ["title", "type", "trigger", "action"];
    let split = line.split_once(':');
    split
        .and_then(|(name, value)| {
            let known = NAMES.into_iter().find(|known| *known == name.trim())?;
            Some((known, value))
        })
        .ok_or_else(|| format!("{line:?} does not start with title:, type:, trigger: or action:"))
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
        assert_eq!(words.candidate_type, Some(CandidateType::Skill));
        assert_eq!(words.action.as_deref(), Some("Use pnpm\n\nNever yarn"));
        assert_eq!((words.title, words.trigger_condition), (None, None));
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
