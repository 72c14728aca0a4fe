//! The text of a rule.

use ccd_protocol::coach::CandidateType;

/// Digits of the fingerprint in a rule's mark.
const MARK_LEN: usize = 12;

/// The line below which rules are listed.
pub(super) const HEADING: &str = "## Learned rules";

/// How the mark of a rule starts.
pub(super) const MARK_START: &str = "<!-- ccd:rule ";

#[derive(Debug, Clone, Copy)]
pub(crate) struct Words<'a> {
    pub(crate) fingerprint: &'a str,
    pub(crate) kind: CandidateType,
    /// The rule as a sentence.
    pub(crate) title: &'a str,
    pub(crate) trigger: &'a str,
    pub(crate) action: &'a str,
}

/// Returns the mark by which a rule is found again.
pub(super) fn mark_of(fingerprint: &str) -> String {
    let digits = fingerprint.get(..MARK_LEN).unwrap_or(fingerprint);
    format!("{MARK_START}{digits} -->")
}

/// Returns the mark in what was written to a file; all of it if there is none.
pub(super) fn mark_in(block: &str) -> &str {
    let start = block.find(MARK_START).map(|at| &block[at..]);
    let mark = start.and_then(|rest| Some(&rest[..rest.find("-->")? + 3]));
    mark.unwrap_or(block)
}

/// Returns what is written to a file: a line below [`HEADING`], or a skill.
pub(super) fn block_of(words: Words<'_>) -> String {
    let mark = mark_of(words.fingerprint);
    match words.kind {
        CandidateType::Skill => skill(&mark, words),
        _ => format!("- {} {mark}\n", sentence(words.title.trim())),
    }
}

/// Front matter comes first in a skill's file.
fn skill(mark: &str, words: Words<'_>) -> String {
    let name = super::target::slug(words.title);
    let trigger = sentence(&sentence_start(words.trigger.trim()));
    // A JSON string is a YAML string, whatever it contains.
    let description = serde_json::Value::from(trigger.as_str());
    format!(
        "---\nname: {name}\ndescription: {description}\n---\n{mark}\n# {}\n\n{trigger}\n\n{}\n<!-- /ccd:rule -->\n",
        words.title,
        sentence(words.action.trim()),
    )
}

fn sentence_start(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if text.starts_with("when ") => first.to_uppercase().chain(letters).collect(),
        _ => text.to_owned(),
    }
}

fn sentence(text: &str) -> String {
    if text.ends_with(['.', '!', '?', ':', '。', '！']) {
        text.to_owned()
    } else {
        format!("{text}.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(kind: CandidateType) -> String {
        block_of(Words {
            fingerprint: "0123456789abcdef",
            kind,
            title: "Do not edit generated files",
            trigger: "when editing files in generated/ directories",
            action: "regenerate them from the source",
        })
    }

    #[test]
    fn a_rule_is_a_line_with_its_mark() {
        assert_eq!(
            block(CandidateType::Rule),
            "- Do not edit generated files. <!-- ccd:rule 0123456789ab -->\n"
        );
        let skill = block(CandidateType::Skill);
        assert!(
            skill
                .starts_with("---\nname: do-not-edit-generated-files\ndescription: \"When editing"),
            "{skill}"
        );
        for kind in CandidateType::ALL {
            assert!(block(kind).contains("<!-- ccd:rule 0123456789ab -->"));
        }
    }
}
