//! JUnit XML: nextest, pytest, Gradle, Maven, go-junit-report.

use super::{CutOff, Origin, Reading, SuiteFacts, failure, finish, time_of};
use crate::collect::paths::known;
use quick_xml::Reader;
use quick_xml::errors::{Error, IllFormedError};
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};
use std::borrow::Cow;

pub(super) fn read(origin: Origin<'_>, text: &str) -> Reading {
    if !text.contains("<testsuite") {
        return Ok(None);
    }
    let mut facts = facts(origin, text).map_err(|_| CutOff)?;
    let path = origin.path.to_string_lossy();
    let is_name = |word: &str| text.contains(&format!("<testsuite name=\"{word}\""));
    let mut frameworks = known("junit").filter_map(|line| line.split_once(' '));
    let framework = frameworks.find(|(word, _)| path.contains(word) || is_name(word));
    facts.suite.framework = framework.map_or("JUnit", |(_, name)| name).to_owned();
    let mut e2e = ["e2e", "playwright", "cypress"].iter();
    facts.is_e2e = e2e.any(|word| path.contains(word));
    Ok(Some(finish(facts)))
}

fn reader_of(text: &str) -> Reader<&[u8]> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    reader
}

fn facts(origin: Origin<'_>, text: &str) -> Result<SuiteFacts, Error> {
    let mut facts = SuiteFacts::default();
    let mut reader = reader_of(text);
    let mut depth = 0_usize;
    // What the suites say that they have, and what they have.
    let (mut said, mut named) = ([0, 0], [0, 0]);
    loop {
        match reader.read_event()? {
            Event::Start(case) if case.name().as_ref() == "testcase" => {
                let inner = reader.read_text(case.name())?;
                count(origin, &case, &inner, &mut facts)?;
                named[0] += 1;
            }
            Event::Start(element) => {
                depth += 1;
                let number = |name: &str| attribute(&element, name).parse::<u64>().unwrap_or(0);
                let of_suite = [number("tests"), number("failures") + number("errors")];
                // Those around them have their sums.
                said = [said[0].max(of_suite[0]), said[1].max(of_suite[1])];
                let start = time_of(&attribute(&element, "timestamp"));
                facts.last_run = facts.last_run.or(start);
                // Of a suite itself: it could not run.
                if element.name().as_ref() == "error" {
                    let said = attribute(&element, "message");
                    facts.broken.get_or_insert(said);
                }
            }
            Event::End(_) => depth -= 1,
            Event::Eof if depth == 0 => break,
            Event::Eof => return Err(IllFormedError::MissingEndTag(String::new()).into()),
            _ => (),
        }
    }
    named[1] = facts.suite.failed;
    if said[0] > named[0] || said[1] > named[1] {
        let [[tests, failures], [all, failed]] = [named, said];
        let failed = failed.max(failures);
        let why =
            format!("the report has {tests} of {all} tests and {failures} of {failed} failures");
        facts.broken.get_or_insert(why);
    }
    Ok(facts)
}

/// Returns an attribute; empty if there is none.
fn attribute(element: &BytesStart<'_>, name: &str) -> String {
    let found = element.try_get_attribute(name).ok().flatten();
    let value = found.and_then(|found| Some(unescape(&found.value).ok()?.into_owned()));
    value.unwrap_or_default()
}

fn text_of(inner: &str) -> String {
    const TEXT_BYTES: usize = 8192;
    let inner = &inner[..inner.floor_char_boundary(TEXT_BYTES)];
    let text = inner.replace("<![CDATA[", "").replace("]]>", "");
    // A `&` in CDATA is not the start of a reference.
    unescape(&text).map_or_else(|_| text.clone(), Cow::into_owned)
}

fn count(
    origin: Origin<'_>,
    case: &BytesStart<'_>,
    inner: &str,
    facts: &mut SuiteFacts,
) -> Result<(), Error> {
    let mut reader = reader_of(inner);
    let (said, text) = loop {
        match reader.read_event()? {
            Event::Start(element) => match element.name().as_ref() {
                "skipped" => return Ok(()),
                "failure" | "error" => {
                    let text = text_of(&reader.read_text(element.name())?);
                    break (attribute(&element, "message"), text);
                }
                _ => (),
            },
            Event::Eof => {
                facts.suite.passed += 1;
                return Ok(());
            }
            _ => (),
        }
    };
    let (file, class) = (attribute(case, "file"), attribute(case, "classname"));
    // A stack has frames of libraries too.
    let own = class
        .rsplit('.')
        .next()
        .and_then(|name| name.split('$').next());
    let own = own
        .filter(|own| !own.is_empty())
        .map(|own| format!("{own}."));
    let own = own.and_then(|own| origin.of_name(&text, &own));
    let place = match (origin.file(&file), own.or_else(|| origin.first(&text))) {
        (file, _) if !file.is_empty() => {
            let line = origin.line_in(&text, &file);
            let line = line.or_else(|| attribute(case, "line").parse().ok());
            (file, line)
        }
        (_, Some((file, line))) => (in_sources(origin, &class, file), line),
        (_, None) => (class, None),
    };
    let said = if said.is_empty() { text } else { said };
    let failure = failure(&attribute(case, "name"), place, &said);
    facts.add(failure);
    facts.suite.failed += 1;
    Ok(())
}

/// A stack of Java names a file without its directory: the class has it.
fn in_sources(origin: Origin<'_>, class: &str, file: String) -> String {
    let package = class.rsplit_once('.').map_or("", |(package, _)| package);
    let package = package.replace('.', "/");
    let paths = ["java", "kotlin", "groovy", "scala"]
        .map(|language| format!("src/test/{language}/{package}/{file}"));
    let is_file = |path: &&String| origin.root.join(origin.module).join(path).is_file();
    let mut paths = paths.iter().filter(|_| !file.contains('/'));
    paths
        .find(is_file)
        .map_or(file.clone(), |path| origin.file(path))
}
