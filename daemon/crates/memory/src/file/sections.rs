//! The sections of a file and the lines of each.

/// A line that says something, with its number from 1.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    pub(super) number: usize,
    /// Without blanks around it.
    pub(super) text: &'a str,
}

/// What stands before the first section, and the sections with their headings.
pub(super) struct Sections<'a> {
    pub(super) header: Vec<Line<'a>>,
    sections: Vec<(&'a str, Vec<Line<'a>>)>,
}

pub(super) const HEADINGS: [&str; 7] = [
    "Executive Summary",
    "Task Status",
    "Blockers",
    "Test Results",
    "Environment State",
    "Files Needing Attention",
    "Next Steps",
];

impl<'a> Sections<'a> {
    pub(super) fn of(content: &'a str) -> Self {
        let content = content.strip_prefix('\u{feff}').unwrap_or(content);
        let mut header = Vec::new();
        let mut sections: Vec<(&str, Vec<Line<'_>>)> = Vec::new();
        for (at, text) in content.lines().enumerate() {
            let text = text.trim();
            if let Some(heading) = text.strip_prefix("## ") {
                sections.push((heading.trim(), Vec::new()));
            } else if !text.is_empty() {
                let line = Line {
                    number: at + 1,
                    text,
                };
                let lines = sections.last_mut().map_or(&mut header, |(_, lines)| lines);
                lines.push(line);
            }
        }
        Self { header, sections }
    }

    /// Returns the lines of all sections of this name; `None` if there is none.
    pub(super) fn get(&self, heading: &str) -> Option<Vec<Line<'a>>> {
        let ours = self
            .sections
            .iter()
            .filter(|(name, _)| name.eq_ignore_ascii_case(heading));
        let mut found = None;
        for (_, lines) in ours {
            found.get_or_insert_with(Vec::new).extend(lines);
        }
        found
    }

    /// Returns every line of the file that is no heading of a section.
    pub(super) fn all(&self) -> impl Iterator<Item = &Line<'a>> {
        self.header
            .iter()
            .chain(self.sections.iter().flat_map(|(_, lines)| lines))
    }
}

/// Splits lines at their `### ` headings; what stands before the first has an empty one.
pub(super) fn parts<'a>(lines: &[Line<'a>]) -> Vec<(&'a str, Vec<Line<'a>>)> {
    let mut parts = vec![("", Vec::new())];
    for line in lines {
        match line.text.strip_prefix("### ") {
            Some(heading) => parts.push((heading.trim(), Vec::new())),
            None => {
                if let Some((_, part)) = parts.last_mut() {
                    part.push(*line);
                }
            }
        }
    }
    parts
}
