//! Reads a memory back from its file. Never an error: what cannot be read is left out, and a warning says so.

use super::escape::{NO_BLOCKERS, NONE, unescape};
use super::line::{bold, field, numbered, placed, step, task};
use super::sections::{HEADINGS, Line, Sections, parts};
use super::write::{PRIORITIES, STEPS};
use crate::model::{Notes, is_time};
use ccd_protocol::memory::{
    BlockerEntry, FileReference, NextStep, PhaseStatus, SessionMemory, TaskStatus,
};
use serde::de::DeserializeOwned;

/// What a file holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parsed {
    pub memory: SessionMemory,
    pub notes: Notes,
    /// What is missing or could not be read.
    pub warnings: Vec<String>,
    /// False if the text has none of the sections of a memory.
    pub has_sections: bool,
    pub is_empty: bool,
}

/// More warnings than a person reads are counted only.
const MAX_WARNINGS: usize = 50;

/// Reads a file of any content.
#[must_use]
pub fn parse(content: &str) -> Parsed {
    let mut reader = Reader::default();
    if content.trim().is_empty() {
        return no_session_data();
    }
    let sections = Sections::of(content);
    reader.header(&sections);
    for heading in HEADINGS {
        let Some(lines) = sections.get(heading) else {
            reader.warn(format!("the section \"{heading}\" is missing"));
            continue;
        };
        reader.parsed.has_sections = true;
        match heading {
            "Executive Summary" => reader.summary(&lines),
            "Task Status" => reader.tasks(&lines),
            "Blockers" => reader.blockers(&lines),
            "Test Results" => reader.tests(&lines),
            "Environment State" => reader.environment(&lines),
            "Files Needing Attention" => reader.files(&lines),
            _ => reader.steps(&lines),
        }
    }
    if reader.left_out > 0 {
        let left_out = reader.left_out;
        reader
            .parsed
            .warnings
            .push(format!("... and {left_out} more warnings"));
    }
    reader.parsed
}

fn no_session_data() -> Parsed {
    let mut parsed = Parsed {
        is_empty: true,
        ..Parsed::default()
    };
    parsed.memory.metadata.project_name = "unknown".to_owned();
    parsed.memory.metadata.generated_at = "unknown".to_owned();
    parsed.memory.metadata.branch = "unknown".to_owned();
    parsed.memory.metadata.version = "1.0".to_owned();
    parsed.memory.summary.project_description = "No session data".to_owned();
    parsed.warnings.push("the file is empty".to_owned());
    parsed
}

#[derive(Default)]
pub(super) struct Reader {
    pub(super) parsed: Parsed,
    left_out: usize,
}

impl Reader {
    pub(super) fn warn(&mut self, warning: String) {
        match self.parsed.warnings.len() < MAX_WARNINGS {
            true => self.parsed.warnings.push(warning),
            false => self.left_out += 1,
        }
    }

    pub(super) fn unread(&mut self, line: Line<'_>, what: &str) {
        self.warn(format!(
            "line {} is no {what}; it was left out",
            line.number
        ));
    }

    fn time(&mut self, text: &str, line: Line<'_>) -> String {
        let text = unescape(text);
        if is_time(&text) || text == "unknown" {
            return text;
        }
        self.warn(format!(
            "line {}: {text:?} is not a time (ISO 8601)",
            line.number
        ));
        "unknown".to_owned()
    }

    pub(super) fn time_or_never(&mut self, text: &str, line: Line<'_>) -> Option<String> {
        (text != "never").then(|| self.time(text, line))
    }

    pub(super) fn word<T: DeserializeOwned + Default>(&mut self, text: &str, line: Line<'_>) -> T {
        let value = serde_json::from_value(serde_json::Value::String(text.to_lowercase()));
        value.unwrap_or_else(|_| {
            self.unread(line, &format!("known value ({text:?})"));
            T::default()
        })
    }

    fn header(&mut self, sections: &Sections<'_>) {
        let mut about = ccd_protocol::memory::SessionMetadata {
            project_name: "unknown".to_owned(),
            generated_at: "unknown".to_owned(),
            branch: "unknown".to_owned(),
            ..Default::default()
        };
        let (mut has_name, mut has_time) = (false, false);
        for line in &sections.header {
            let text = line.text;
            let name = text.strip_prefix("# Session Memory:");
            if let Some(name) = name.filter(|_| !has_name) {
                about.project_name = unescape(name.trim());
                has_name = true;
            } else if let Some(time) = field(text, "Generated") {
                about.generated_at = self.time(time, *line);
                has_time = true;
            } else if let Some(branch) = field(text, "Branch") {
                about.branch = unescape(branch);
            } else if let Some(duration) = field(text, "Session Duration") {
                about.session_duration = Some(unescape(duration));
            } else if let Some(warning) = field(text, "Warning") {
                self.parsed.notes.warnings.push(unescape(warning));
            }
        }
        if !has_name {
            self.warn("the title \"# Session Memory: NAME\" is missing".to_owned());
        }
        if !has_time {
            self.warn("the line \"**Generated**: TIME\" is missing".to_owned());
        }
        let version = sections.all().find_map(|line| {
            let rest = line
                .text
                .strip_prefix("*Generated by Claude Code Session Memory v")?;
            Some(unescape(rest.strip_suffix('*')?))
        });
        about.version = version.unwrap_or_else(|| {
            self.warn("the version of the format is missing".to_owned());
            "1.0".to_owned()
        });
        self.parsed.memory.metadata = about;
        let provenance = sections.all().find_map(|line| {
            let json = line
                .text
                .strip_prefix("<!-- provenance: ")?
                .strip_suffix("-->")?;
            Some(serde_json::from_str(json))
        });
        match provenance {
            Some(Ok(provenance)) => self.parsed.notes.provenance = provenance,
            Some(Err(_)) => self.warn("the sources of the facts could not be read".to_owned()),
            None => (),
        }
    }

    fn summary(&mut self, lines: &[Line<'_>]) {
        let texts: Vec<&str> = lines
            .iter()
            .filter_map(|line| numbered(line.text))
            .collect();
        if texts.len() < 5 {
            self.warn(format!("the summary has {} of 5 sentences", texts.len()));
        }
        let text = |at: usize| texts.get(at).copied().unwrap_or_default();
        let after = |text: &str, prefix: &str| {
            let rest = text.strip_prefix(prefix).map_or(text, str::trim_start);
            unescape(rest)
        };
        let summary = &mut self.parsed.memory.summary;
        summary.project_description = unescape(text(0));
        summary.completion_status = unescape(text(1));
        summary.current_phase = after(text(2), "Current phase:");
        // Absent is no sentence about blockers; an empty one is.
        let blocker = texts.get(3).filter(|text| **text != NO_BLOCKERS);
        summary.major_blocker = blocker.map(|text| unescape(text));
        summary.next_action = after(text(4), "Next action:");
    }

    fn tasks(&mut self, lines: &[Line<'_>]) {
        let mut status = TaskStatus::default();
        let mut ids = Vec::new();
        let mut is_table = false;
        for line in lines {
            let text = line.text;
            if let Some(source) = field(text, "Source") {
                status.source_file = if source == NONE {
                    String::new()
                } else {
                    unescape(source)
                };
            } else if let Some(current) = field(text, "Current Task") {
                status.current_task = (current != NONE).then(|| task(current));
            } else if let Some(next) = field(text, "Next Tasks") {
                if next != NONE && !next.is_empty() {
                    ids = next.split(", ").map(task).collect();
                }
            } else if text.starts_with('|') {
                let is_rule = text.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '));
                if !is_table && text.contains("Phase") && text.contains("Total") {
                    is_table = true;
                } else if !is_rule {
                    match phase(text) {
                        Some(phase) => status.phases.push(phase),
                        None => self.unread(*line, "row of the table of phases"),
                    }
                }
            } else if let Some(next) = text.strip_prefix("- ") {
                status.next_tasks.push(task(next));
            } else if !is_known(text) {
                self.unread(*line, "fact about tasks");
            }
        }
        if status.next_tasks.is_empty() {
            status.next_tasks = ids;
        }
        self.parsed.memory.task_status = status;
    }

    fn blockers(&mut self, lines: &[Line<'_>]) {
        let mut blockers: Vec<BlockerEntry> = Vec::new();
        for (heading, lines) in parts(lines) {
            let priority = PRIORITIES
                .iter()
                .find(|(_, name)| name.eq_ignore_ascii_case(heading));
            let priority = priority.map(|(priority, _)| *priority).unwrap_or_default();
            for line in lines {
                let text = line.text;
                if let Some(entry) = numbered(text) {
                    let mut blocker = BlockerEntry {
                        priority,
                        ..BlockerEntry::default()
                    };
                    let id = bold(entry).and_then(|(id, rest)| Some((id, rest.strip_prefix(':')?)));
                    blocker.title = match id {
                        Some((id, title)) => {
                            blocker.task_id = Some(id);
                            unescape(title.trim())
                        }
                        None => unescape(entry),
                    };
                    blockers.push(blocker);
                    continue;
                }
                let detected = field(text, "Detected").map(|time| self.time(time, line));
                let Some(blocker) = blockers.last_mut() else {
                    self.unknown(line, "blocker");
                    continue;
                };
                if let Some(text) = field(text, "Description") {
                    blocker.description = unescape(text);
                } else if let Some(text) = field(text, "Action") {
                    blocker.required_action = unescape(text);
                } else if detected.is_some() {
                    blocker.detected_at = detected;
                } else {
                    self.unknown(line, "fact about a blocker");
                }
            }
        }
        self.parsed.memory.blockers = blockers;
    }

    pub(super) fn unknown(&mut self, line: Line<'_>, what: &str) {
        if !is_known(line.text) {
            self.unread(line, what);
        }
    }

    fn files(&mut self, lines: &[Line<'_>]) {
        let mut files: Vec<FileReference> = Vec::new();
        for line in lines {
            let entry = numbered(line.text).and_then(bold).and_then(|(path, rest)| {
                let (line, reason) = placed(rest)?;
                Some(FileReference {
                    path,
                    line,
                    reason,
                    ..FileReference::default()
                })
            });
            if let Some(file) = entry {
                files.push(file);
            } else if let (Some(value), Some(_)) = (field(line.text, "Priority"), files.last()) {
                let priority = self.word(value, *line);
                files
                    .iter_mut()
                    .last()
                    .into_iter()
                    .for_each(|file| file.priority = priority);
            } else {
                self.unknown(*line, "file");
            }
        }
        self.parsed.memory.files_needing_attention = files;
    }

    fn steps(&mut self, lines: &[Line<'_>]) {
        let mut steps = Vec::new();
        for (heading, lines) in parts(lines) {
            let priority = STEPS
                .iter()
                .find(|(_, name)| name.eq_ignore_ascii_case(heading));
            let priority = priority.map(|(priority, _)| *priority).unwrap_or_default();
            for line in lines {
                let Some(entry) = numbered(line.text) else {
                    self.unknown(line, "step");
                    continue;
                };
                let (action, reference) = step(entry);
                steps.push(NextStep {
                    priority,
                    action,
                    reference,
                });
            }
        }
        self.parsed.memory.next_steps = steps;
    }
}

/// Lines that say nothing that the memory would hold.
fn is_known(text: &str) -> bool {
    const KNOWN: [&str; 6] = [
        "No blockers.",
        "No servers.",
        "No files.",
        "No steps.",
        "---",
        "None",
    ];
    KNOWN.contains(&text)
        || (text.starts_with("... and ") && text.contains(" more "))
        || text.starts_with("*Generated by ")
        || text.starts_with("<!-- provenance: ")
}

/// Reads a row `| name | completed | total | percentage% |`.
fn phase(row: &str) -> Option<PhaseStatus> {
    let row = row.strip_prefix('|')?.strip_suffix('|')?;
    let mut cells = Vec::new();
    let mut rest = row;
    while let Some(at) = super::escape::find(rest, "|") {
        cells.push(rest[..at].trim());
        rest = &rest[at + 1..];
    }
    cells.push(rest.trim());
    let [name, completed, total, percentage] = cells[..] else {
        return None;
    };
    let percentage = percentage
        .strip_suffix('%')
        .unwrap_or(percentage)
        .parse()
        .ok()?;
    Some(PhaseStatus {
        name: unescape(name),
        completed: completed.parse().ok()?,
        total: total.parse().ok()?,
        percentage: Some(percentage).filter(|value: &f64| value.is_finite())?,
    })
}
