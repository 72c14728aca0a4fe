//! The text of a rule.

use ccd_protocol::coach::CandidateType;

/// Digits of the fingerprint in a block's mark.
const MARK_LEN: usize = 12;

/// The words of a candidate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Words<'a> {
    pub(crate) fingerprint: &'a str,
    pub(crate) kind: CandidateType,
    pub(crate) title: &'a str,
    pub(crate) trigger: &'a str,
    pub(crate) action: &'a str,
}

/// Returns the first line of the block with this rule.
pub(crate) fn mark_of(fingerprint: &str) -> String {
    let digits = fingerprint.get(..MARK_LEN).unwrap_or(fingerprint);
    format!("<!-- ccd:rule {digits} -->")
}

/// Returns the block that is written to a file, with the mark by which it is found again.
pub(crate) fn block_of(words: Words<'_>) -> String {
    let Words {
        fingerprint,
        kind,
        title,
        trigger,
        action,
    } = words;
    let mark = mark_of(fingerprint);
    let trigger = sentence_start(trigger.trim());
    let action = action.trim();
    let body = match kind {
        CandidateType::Rule => format!(
            "## {title}\n\n{}: {}\n",
            trigger.trim_end_matches(['.', ':']),
            sentence(action)
        ),
        CandidateType::Antipattern => {
            format!(
                "## {title}\n\nNever: {}\n\nInstead: {}\n",
                sentence(trigger.as_str()),
                sentence(action)
            )
        }
        CandidateType::Checklist => format!(
            "# {title}\n\n{}\n\n- [ ] {action}\n",
            sentence(trigger.as_str())
        ),
        CandidateType::Snippet => format!(
            "# {title}\n\n{}\n\n{}\n",
            sentence(trigger.as_str()),
            sentence(action)
        ),
        CandidateType::Skill => return skill(&mark, words),
    };
    format!("{mark}\n{body}<!-- /ccd:rule -->\n")
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
        // A name such as `npm` stays as it is.
        Some(first)
            if text.starts_with("when ")
                || text.starts_with("before ")
                || text.starts_with("after ") =>
        {
            first.to_uppercase().chain(letters).collect()
        }
        _ => text.to_owned(),
    }
}

fn sentence(text: &str) -> String {
    match text.ends_with(['.', '!', '?', ':', '`']) {
        true => text.to_owned(),
        false => format!("{text}."),
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
    fn a_block_has_its_mark_and_reads_as_a_rule() {
        assert_eq!(
            block(CandidateType::Rule),
            "<!-- ccd:rule 0123456789ab -->\n## Do not edit generated files\n\nWhen editing files in generated/ directories: regenerate them from the source.\n<!-- /ccd:rule -->\n"
        );
        let skill = block(CandidateType::Skill);
        assert!(
            skill
                .starts_with("---\nname: do-not-edit-generated-files\ndescription: \"When editing"),
            "{skill}"
        );
        for kind in CandidateType::ALL {
            assert!(block(*kind).contains("<!-- ccd:rule 0123456789ab -->"));
        }
    }
}
