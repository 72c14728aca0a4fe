//! Names of new tapes.

use super::format::Meta;
use super::key::program_name;
use std::fmt;
use time::UtcOffset;
use time::macros::format_description;

/// The template that is used if none is given.
const DEFAULT: &str = "{program}/{tag}-{time}-{random}";

const MAX_TEMPLATE_BYTES: usize = 512;

/// Maximum length of an inserted part, in bytes: file names are limited to 255.
const MAX_PART_BYTES: usize = 64;

/// Maximum length of a file or directory name, in bytes: file systems allow 255, and `-9999.json5` or more may be
/// appended.
const MAX_NAME_BYTES: usize = 220;

const GAPS: [&str; 5] = ["program", "tag", "verb", "time", "random"];

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    #[error("it is empty or longer than {MAX_TEMPLATE_BYTES} bytes")]
    Length,
    #[error("{{{gap}}} is unknown: use {{program}}, {{tag}}, {{verb}}, {{time}} or {{random}}")]
    Gap { gap: String },
    #[error("a name in it can be longer than {MAX_NAME_BYTES} bytes")]
    NameLength,
    #[error("a brace has no partner")]
    Brace,
    #[error(
        "it must be a relative path without empty, hidden or `..` directories and without control characters"
    )]
    Path,
}

/// A template for paths under a root, without `.json5`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameTemplate(String);

#[derive(Debug, Clone, Default)]
struct NameParts<'a> {
    /// Without its directory.
    program: &'a str,
    /// If there is none, the verb is used.
    tag: Option<&'a str>,
    /// The first argument that is not an option, or how the session was created.
    verb: &'a str,
    /// UTC, without colons.
    time: &'a str,
    random: &'a str,
}

impl fmt::Display for NameTemplate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl Default for NameTemplate {
    fn default() -> Self {
        Self(DEFAULT.to_owned())
    }
}

impl NameTemplate {
    pub fn new(template: &str) -> Result<Self, NameError> {
        let template = template.strip_suffix(".json5").unwrap_or(template);
        if template.is_empty() || template.len() > MAX_TEMPLATE_BYTES {
            return Err(NameError::Length);
        }
        let mut rest = template;
        while let Some(open) = rest.find(['{', '}']) {
            let behind = &rest[open..];
            let gap = behind.strip_prefix('{').ok_or(NameError::Brace)?;
            let (gap, after) = gap.split_once('}').ok_or(NameError::Brace)?;
            if !GAPS.contains(&gap) {
                let gap = gap.to_owned();
                return Err(NameError::Gap { gap });
            }
            rest = after;
        }
        let is_path = template
            .split('/')
            .all(|part| !part.is_empty() && !part.starts_with('.'));
        if !is_path || template.contains(|c: char| c.is_control() || c == '\\') {
            return Err(NameError::Path);
        }
        let longest = template.split('/').map(longest_name).max();
        if longest > Some(MAX_NAME_BYTES) {
            return Err(NameError::NameLength);
        }
        Ok(Self(template.to_owned()))
    }

    /// Returns a name for a tape; `verb` replaces a missing tag. All names differ if the template has a random part.
    pub fn draw(&self, meta: &Meta, verb: &str) -> String {
        let form = format_description!("[year][month][day]T[hour][minute][second]Z");
        let time = meta
            .recorded_at()
            .map(|time| time.to_offset(UtcOffset::UTC));
        let time = time.and_then(|time| time.format(&form).ok());
        self.fill(&NameParts {
            program: program_name(&meta.program),
            tag: meta.tag.as_deref(),
            verb,
            time: time.as_deref().unwrap_or("undated"),
            random: &format!("{:08x}", rand::random::<u32>()),
        })
    }

    /// Returns a name. A value never adds a directory or hides a file.
    fn fill(&self, parts: &NameParts<'_>) -> String {
        let mut name = String::new();
        let mut rest = self.0.as_str();
        while let Some((before, behind)) = rest.split_once('{') {
            name.push_str(before);
            let (gap, after) = behind.split_once('}').unwrap_or((behind, ""));
            let part = match gap {
                "program" => parts.program,
                "tag" => parts.tag.unwrap_or(parts.verb),
                "verb" => parts.verb,
                "time" => parts.time,
                _ => parts.random,
            };
            name.push_str(&as_file_name(part));
            rest = after;
        }
        name.push_str(rest);
        name
    }
}

/// Returns the maximum length of a part of a valid template, in bytes.
fn longest_name(part: &str) -> usize {
    let gaps = GAPS.map(|gap| part.matches(&format!("{{{gap}}}")).count() * (gap.len() + 2));
    let (in_gaps, gaps) = (gaps.iter().sum::<usize>(), part.matches('{').count());
    part.len() - in_gaps + gaps * MAX_PART_BYTES
}

/// Keeps letters, digits, `-`, `_` and dots, except a dot at the start.
fn as_file_name(part: &str) -> String {
    let mut name = String::new();
    for c in part.chars() {
        let is_plain =
            c.is_alphanumeric() || matches!(c, '-' | '_' | '+') || (c == '.' && !name.is_empty());
        let c = if is_plain { c } else { '-' };
        if name.len() + c.len_utf8() > MAX_PART_BYTES {
            break;
        }
        name.push(c);
    }
    if name.is_empty() {
        name.push('_');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PARTS: NameParts<'_> = NameParts {
        program: "sqlite3",
        tag: None,
        verb: "rec",
        time: "20260102T030405Z",
        random: "0a1b2c3d",
    };

    #[test]
    fn gaps_are_filled() {
        let name = |template: &str| NameTemplate::new(template).unwrap().fill(&PARTS);
        assert_eq!(
            name("{program}/{tag}-{random}.json5"),
            "sqlite3/rec-0a1b2c3d"
        );
        assert_eq!(name("a/b {time}"), "a/b 20260102T030405Z");
        let tag = NameParts {
            tag: Some("../my tag"),
            ..PARTS
        };
        let name = NameTemplate::default().fill(&tag);
        assert_eq!(name, "sqlite3/-.-my-tag-20260102T030405Z-0a1b2c3d");
    }

    #[test]
    fn templates_that_lead_elsewhere_are_refused() {
        #[rustfmt::skip]
        let rows = [
            ("", NameError::Length),
            ("/a", NameError::Path),
            ("a//b", NameError::Path),
            ("a/", NameError::Path),
            ("a/../b", NameError::Path),
            (".journal/a", NameError::Path),
            ("a\nb", NameError::Path),
            (&"x".repeat(221), NameError::NameLength),
            (&format!("{}{{program}}", "x".repeat(160)), NameError::NameLength),
            ("{a", NameError::Brace),
            ("a}", NameError::Brace),
            ("{user}", NameError::Gap {gap: "user".to_owned()}),
        ];
        for (template, error) in rows {
            assert_eq!(NameTemplate::new(template), Err(error), "{template}");
        }
        for template in [
            "x".repeat(220),
            "{program}-{tag}-{random}/{verb}".to_owned(),
        ] {
            assert!(NameTemplate::new(&template).is_ok(), "{template}");
        }
    }

    proptest! {
        #[test]
        fn no_name_leaves_the_root(program in "\\PC{0,80}", tag in "[./a{}]{0,9}", template in "[a{}./]{0,4}\\{program\\}/?\\{tag\\}") {
            let parts = NameParts { program: &program, tag: Some(&tag), ..PARTS };
            let Ok(template) = NameTemplate::new(&template) else { return Ok(()) };
            let name = template.fill(&parts);
            let bad = name.split('/').any(|part| part.is_empty() || part.starts_with('.'));
            prop_assert!(!bad && !name.contains('\0'), "{}", name);
        }
    }
}
