//! JUnit XML.

use super::evidence::findings;
use super::html::command_line;
use crate::markup::escaped;
use ccd_base::clock;
use ccd_protocol::black_box::{TestReport, TestResult};
use ccd_text::expect::Cleaned;

/// Returns a report as JUnit XML: one suite, with a case for each result.
pub fn junit(report: &TestReport) -> Result<String, String> {
    let failed = report.results.iter().filter(|result| !result.passed);
    let counts = format!(
        r#"tests="{}" skipped="0" failures="{}" errors="0""#,
        report.results.len(),
        failed.count()
    );
    let mut xml = format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="ccd" {counts}>
    <testsuite name="{}" {counts}{} timestamp="{}">
"#,
        text(&command_line(report)),
        time(duration_s(report)),
        text(&report.started_at)
    );
    if let Some(seed) = report.seed {
        xml.push_str(&format!(
            r#"        <properties>
            <property name="seed" value="{seed}"/>
        </properties>
"#
        ));
    }
    for result in &report.results {
        xml.push_str(&case(result));
    }
    xml.push_str("    </testsuite>\n</testsuites>\n");
    Ok(xml)
}

fn case(result: &TestResult) -> String {
    let name = result.test_type.name();
    let duration_ms = result.details.get("duration_ms").and_then(|ms| ms.as_u64());
    let mut xml = format!(
        "        <testcase name=\"{name}\" classname=\"{}\"{}>\n",
        text(&result.program),
        time(duration_ms.map(|ms| ms as f64 / 1000.0))
    );
    if !result.passed {
        let error = result.error.as_deref().unwrap_or("failed");
        let mut lines = vec![error.to_owned()];
        for one in &findings(result) {
            lines.push(one.line());
            lines.extend(one.input.iter().map(|input| format!("  input: {input:?}")));
            lines.extend(one.tape.iter().map(|tape| format!("  tape: {tape}")));
        }
        xml.push_str(&format!(
            "            <failure message=\"{}\" type=\"{name}\">{}</failure>\n",
            text(error),
            text(&lines.join("\n"))
        ));
    }
    if let Ok(details) = serde_json::to_string_pretty(&result.details) {
        let details = text(&details);
        xml.push_str(&format!("            <system-out>{details}</system-out>\n"));
    }
    xml.push_str("        </testcase>\n");
    xml
}

fn time(seconds: Option<f64>) -> String {
    seconds.map_or_else(String::new, |s| format!(r#" time="{s:.3}""#))
}

fn duration_s(report: &TestReport) -> Option<f64> {
    let duration_s = clock::age_s(&report.started_at)? - clock::age_s(&report.completed_at)?;
    (duration_s >= 0.0).then_some(duration_s)
}

/// Returns a text as the content of an element or attribute, without control sequences.
fn text(text: &str) -> String {
    escaped(Cleaned::new(text).text())
}
