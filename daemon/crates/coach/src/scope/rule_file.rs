//! The rules that a Markdown file already has.

use crate::similarity::Keywords;

/// The rules of one instruction file: its bullets, and its sections.
/// A candidate is compared with one rule at a time: among all the words of a long file it would never be alike.
#[derive(Debug, Clone, Default)]
pub(crate) struct RuleFile {
    rules: Vec<Keywords>,
}

impl RuleFile {
    /// Reads the rules of a Markdown text. Code blocks are not rules.
    pub(crate) fn parse(markdown: &str) -> Self {
        let mut reader = Reader::default();
        let mut is_code = false;
        for line in markdown.lines() {
            let trimmed = line.trim_start();
            if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
                is_code = !is_code;
            } else if !is_code {
                reader.line(trimmed);
            }
        }
        reader.end_section();
        Self {
            rules: reader.rules,
        }
    }

    /// Returns whether one of the rules is like a candidate.
    /// The candidate's action alone is compared as well: a rule written by hand often has no "when …".
    pub(crate) fn has_like(&self, trigger: &str, action: &str) -> bool {
        let whole = Keywords::new(&format!("{trigger} {action}"));
        let action = Keywords::new(action);
        self.rules
            .iter()
            .any(|rule| rule.is_like(&whole) || (action.len() >= 2 && rule.is_like(&action)))
    }
}

/// Longest rule in bytes: what is longer is a document.
const MAX_RULE_BYTES: usize = 2000;

#[derive(Default)]
struct Reader {
    rules: Vec<Keywords>,
    section: String,
    bullet: String,
}

impl Reader {
    fn line(&mut self, line: &str) {
        if line.starts_with('#') {
            self.end_section();
            self.section.push_str(line.trim_start_matches('#'));
            return;
        }
        match bullet_text(line) {
            Some(text) => {
                self.end_bullet();
                self.bullet.push_str(text);
            }
            None if line.is_empty() => self.end_bullet(),
            None if !self.bullet.is_empty() => append(&mut self.bullet, line),
            None => {}
        }
        append(&mut self.section, line);
    }

    fn end_bullet(&mut self) {
        let bullet = std::mem::take(&mut self.bullet);
        self.add(&bullet);
    }

    fn end_section(&mut self) {
        self.end_bullet();
        let section = std::mem::take(&mut self.section);
        self.add(&section);
    }

    fn add(&mut self, text: &str) {
        let keywords = Keywords::new(text);
        if !keywords.is_empty() {
            self.rules.push(keywords);
        }
    }
}

fn append(text: &mut String, line: &str) {
    if text.len() + line.len() < MAX_RULE_BYTES && !line.starts_with("<!--") {
        text.push(' ');
        text.push_str(line);
    }
}

/// Returns what follows the mark of a list item, or the line when it is a paragraph that starts a rule.
fn bullet_text(line: &str) -> Option<&str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let after_number = line.get(digits..).filter(|_| (1..=3).contains(&digits));
    ["- ", "* ", "+ "]
        .iter()
        .find_map(|mark| line.strip_prefix(mark))
        .or_else(|| after_number?.strip_prefix(". "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FILE: &str = "# Project\n\nA long text about everything that there is to say about this project.\n\n\
        ## Rules\n\n- Regenerate from the source\n  instead of editing generated files.\n1. Run the linter.\n\n\
        ### Pushing\n<!-- ccd:rule 0123456789ab -->\nWhen about to push to main: open a pull request.\n\n\
        ```sh\ndeploy the staging cluster\n```\n";

    #[test]
    fn a_bullet_or_a_section_is_a_rule() {
        let file = RuleFile::parse(FILE);
        assert!(file.has_like(
            "when editing generated files",
            "regenerate from source instead"
        ));
        assert!(file.has_like("when about to push to main", "open a pull request"));
        assert!(!file.has_like("when deploying", "deploy the staging cluster"));
        assert!(!file.has_like("when pushing", "say something about this project"));
        assert!(!RuleFile::default().has_like("", ""));
    }

    proptest! {
        #[test]
        fn any_text_is_a_rule_file(text in "(?s)[-#*`~0-9. \na-zé]{0,200}") {
            let _ = RuleFile::parse(&text).has_like("when", "a b");
        }
    }
}
