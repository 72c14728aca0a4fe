//! JUnit XML: nextest, pytest, Gradle, Maven, go-junit-report.

use super::place::{first, message};
use super::{SuiteFacts, finish};
use crate::collect::facts::rfc3339;
use crate::collect::paths::relative;
use ccd_protocol::memory::TestFailure;
use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use time::OffsetDateTime;
use time::format_description::well_known::{Iso8601, Rfc3339};

/// Reads a report; nothing if it is not JUnit XML or is cut off.
pub(super) fn read(root: &Path, path: &Path, text: &str) -> Option<SuiteFacts> {
    let is_output = |part: &&OsStr| *part == "target" || *part == "build";
    let mut report = Report {
        root,
        module: path.iter().take_while(|part| !is_output(part)).collect(),
        facts: SuiteFacts::default(),
        case: None,
        is_report: false,
    };
    let mut reader = Reader::from_str(text);
    let mut depth = 0_usize;
    loop {
        match reader.read_event().ok()? {
            Event::Start(element) => {
                depth += 1;
                report.start(&element);
            }
            Event::Empty(element) => {
                report.start(&element);
                report.end(element.name().as_ref());
            }
            Event::Text(text) => report.text(&text),
            Event::CData(text) => report.text(&text),
            Event::GeneralRef(name) => report.reference(&name),
            Event::End(element) => {
                depth = depth.saturating_sub(1);
                report.end(element.name().as_ref());
            }
            Event::Eof => break,
            _ => (),
        }
    }
    if depth > 0 || !report.is_report {
        return None;
    }
    let mut facts = report.facts;
    facts.suite.framework = framework(path, text).to_owned();
    let place = path.to_string_lossy();
    facts.is_e2e = ["e2e", "playwright", "cypress"]
        .iter()
        .any(|word| place.contains(word));
    Some(finish(facts))
}

/// True if the text ends before its elements do.
pub(super) fn is_cut_off(text: &str) -> bool {
    let mut reader = Reader::from_str(text);
    let mut depth = 0_usize;
    loop {
        match reader.read_event() {
            Ok(Event::Start(_)) => depth += 1,
            Ok(Event::End(_)) => depth = depth.saturating_sub(1),
            Ok(Event::Eof) => return depth > 0,
            Err(error) => return matches!(error, quick_xml::Error::Syntax(_)),
            Ok(_) => (),
        }
    }
}

fn framework(path: &Path, text: &str) -> &'static str {
    let place = path.to_string_lossy();
    match () {
        () if place.contains("nextest") => "cargo-nextest",
        () if text.contains("name=\"pytest\"") || place.contains("pytest") => "pytest",
        () if place.contains("playwright") => "Playwright",
        () if place.contains("cypress") => "Cypress",
        () => "JUnit",
    }
}

struct Report<'a> {
    root: &'a Path,
    /// The part of the project that was tested, relative to it.
    module: PathBuf,
    facts: SuiteFacts,
    case: Option<Case>,
    is_report: bool,
}

#[derive(Default)]
struct Case {
    name: String,
    class: String,
    file: Option<String>,
    line: Option<u64>,
    is_skipped: bool,
    is_failed: bool,
    is_in_failure: bool,
    message: String,
    text: String,
}

/// Of the text of a failure that are kept.
const TEXT_BYTES: usize = 8192;

impl Report<'_> {
    fn start(&mut self, element: &BytesStart<'_>) {
        match element.name().as_ref() {
            "testsuites" | "testsuite" => {
                self.is_report = true;
                let time = attribute(element, "timestamp").and_then(|time| time_of(&time));
                // The first one is when the run began.
                if self.facts.last_run.is_none() {
                    self.facts.last_run = time;
                }
            }
            "testcase" => {
                self.case = Some(Case {
                    name: attribute(element, "name").unwrap_or_default(),
                    class: attribute(element, "classname").unwrap_or_default(),
                    file: attribute(element, "file"),
                    line: attribute(element, "line").and_then(|line| line.parse().ok()),
                    ..Case::default()
                });
            }
            name @ ("failure" | "error") => {
                if let Some(case) = &mut self.case {
                    case.is_failed = true;
                    case.is_in_failure = true;
                    case.message = attribute(element, "message").unwrap_or_default();
                } else if name == "error" {
                    // Of the suite itself: it could not run.
                    let said = attribute(element, "message").or_else(|| attribute(element, "type"));
                    let said = said.unwrap_or_else(|| "a suite ended with an error".to_owned());
                    self.facts.broken.get_or_insert(said);
                }
            }
            "skipped" => self.case.iter_mut().for_each(|case| case.is_skipped = true),
            _ => (),
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(case) = &mut self.case
            && case.is_in_failure
            && case.text.len() < TEXT_BYTES
        {
            case.text.push_str(text);
        }
    }

    fn reference(&mut self, name: &str) {
        let text = unescape(&format!("&{name};")).map(std::borrow::Cow::into_owned);
        self.text(&text.unwrap_or_default());
    }

    fn end(&mut self, name: &str) {
        match name {
            "failure" | "error" => self
                .case
                .iter_mut()
                .for_each(|case| case.is_in_failure = false),
            "testcase" => {
                if let Some(case) = self.case.take() {
                    self.count(case);
                }
            }
            _ => (),
        }
    }

    fn count(&mut self, case: Case) {
        let place = first(self.root, &case.text);
        let place = place.filter(|(file, _)| !file.contains("node_modules"));
        let place = place.map(|(file, line)| (self.in_sources(&case.class, file), line));
        let suite = &mut self.facts.suite;
        if !case.is_failed {
            suite.passed += u64::from(!case.is_skipped);
            return;
        }
        suite.failed += 1;
        let own = case.file.as_deref().map(|file| relative(self.root, file));
        let (file, line) = match (own, place) {
            (Some(file), Some((other, line))) if file == other => (file, Some(line)),
            (Some(file), _) => (file, case.line),
            (None, Some((file, line))) => (file, Some(line)),
            (None, None) => (case.class.clone(), None),
        };
        let text = if case.message.is_empty() {
            &case.text
        } else {
            &case.message
        };
        suite.failures.push(TestFailure {
            file,
            line,
            test_name: case.name,
            message: message(text),
        });
    }
}

impl Report<'_> {
    /// A stack of Java names a file without its directory: the class has it.
    fn in_sources(&self, class: &str, file: String) -> String {
        let Some((package, _)) = class.rsplit_once('.').filter(|_| !file.contains('/')) else {
            return file;
        };
        let package = package.replace('.', "/");
        let mut folders = ["java", "kotlin", "groovy", "scala"]
            .into_iter()
            .map(|language| {
                let inside = format!("src/test/{language}/{package}/{file}");
                self.module.join(inside)
            });
        let found = folders.find(|path| self.root.join(path).is_file());
        found.map_or(file, |path| path.to_string_lossy().into_owned())
    }
}

fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = element.attributes();
    let found = attributes
        .with_checks(false)
        .flatten()
        .find(|one| one.key.as_ref() == name)?;
    Some(unescape(&found.value).ok()?.into_owned())
}

/// Reads a time; one without a zone is taken for UTC.
fn time_of(text: &str) -> Option<String> {
    let time = OffsetDateTime::parse(text, &Rfc3339)
        .or_else(|_| OffsetDateTime::parse(text, &Iso8601::DEFAULT))
        .or_else(|_| OffsetDateTime::parse(&format!("{text}Z"), &Rfc3339));
    time.ok().map(rfc3339)
}
